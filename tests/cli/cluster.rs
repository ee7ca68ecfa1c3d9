//! `cubicle cluster`: the result does not depend on the number of processes and workers; when one of them fails, all
//! end soon, with one message each; strangers change nothing.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Outcome, PATIENCE, Running, Signal, cubicle, run};

/// All processes end within this time after a fault, with a margin for a busy machine.
pub const SOON: Duration = PATIENCE;

/// A port that nothing uses, and that the system gives to nothing else before it is listened at: it is below those that
/// connections get (from 32768 on), and given out once.
fn free_port() -> u16 {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    loop {
        // Another run of the tests at the same time begins elsewhere.
        let given = GIVEN.fetch_add(1, Relaxed).wrapping_add(std::process::id().wrapping_mul(127));
        let port = u16::try_from(12000 + given % 20000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Processes that are started by hand.
pub struct Hosts {
    folder: tempfile::TempDir,
    pub addresses: Vec<String>,
}

impl Hosts {
    /// This number of processes, on free ports of this machine.
    pub fn new(processes: usize) -> Self {
        let addresses = (0..processes).map(|_| format!("127.0.0.1:{}", free_port())).collect();
        let folder = tempfile::TempDir::new().unwrap();
        let hosts = Self { folder, addresses };
        hosts.write("hosts", &format!("# a cluster\n{}\n", hosts.addresses.join("\n")));
        hosts.write("secret", "not a word of any dictionary\n");
        hosts.write("other", "one more that is in none of them\n");
        hosts
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Starts one process with these further options.
    pub fn start(&self, process: usize, own: &str, exploration: &str) -> Running {
        let hosts = self.path("hosts");
        let mut command = cubicle();
        command.arg("cluster").arg("--hosts").arg(hosts).args(["--process", &process.to_string()]);
        command.args(own.split_whitespace().map(|word| match word {
            "SECRET" => self.path("secret"),
            "OTHER" => self.path("other"),
            word => PathBuf::from(word),
        }));
        Running::start(command.arg("--").args(exploration.split_whitespace()))
    }
}

/// An exploration that takes longer than any test waits.
const LONG: &str = "--procs 11 --quiet --allow C0916 examples/german.cub";

/// Waits until a process explores.
pub fn until_it_explores(run: &Running) {
    // Its threads have the names of a dataflow then.
    until_it_has(run, "timely:work");
    sleep(Duration::from_millis(300));
}

/// Waits until a process has a thread whose name begins so.
pub fn until_it_has(run: &Running, thread: &str) {
    let tasks = PathBuf::from(format!("/proc/{}/task", run.id()));
    let explores = || {
        let names = fs::read_dir(&tasks).into_iter().flatten().flatten();
        names
            .filter_map(|task| fs::read_to_string(task.path().join("comm")).ok())
            .any(|name| name.starts_with(thread))
    };
    let start = Instant::now();
    while !explores() {
        assert!(start.elapsed() < PATIENCE, "it does not begin");
        sleep(Duration::from_millis(10));
    }
}

/// The outcomes of processes, all of which must end soon.
pub fn all_end(runs: Vec<Running>) -> Vec<Outcome> {
    let start = Instant::now();
    let mut ended = Vec::new();
    for mut run in runs {
        while run.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < SOON, "a process goes on after a fault");
            sleep(Duration::from_millis(20));
        }
        ended.push(run.finish());
    }
    ended
}

/// All of these end soon, and say what happened to process number `lost`.
pub fn all_miss(hosts: &Hosts, lost: usize, what: &str, runs: Vec<Running>) {
    for outcome in all_end(runs) {
        let message = message(&outcome);
        let expected = format!("process {lost} ({}) {what}", hosts.addresses[lost]);
        assert!(message.contains(&expected), "{message}");
        assert!(message.contains("start all processes again"), "{message}");
    }
}

/// The only message of a process that has lost the cluster.
pub fn message(of: &Outcome) -> &str {
    assert_eq!(of.code, Some(4), "{of:?}");
    let mut lines = of.stdout.lines().chain(of.stderr.lines()).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    assert_eq!(lines.next(), None, "{of:?}");
    line
}

#[test]
fn the_report_is_that_of_one_process() {
    for line in [
        "--procs 4 examples/german.cub",
        "--procs 3 --forward-nosym examples/german.cub",
        "--procs 3 --deadlock --allow C0916 examples/dekker.cub",
        "--procs 3 --require-complete --forward-depth 12 examples/bakery.cub",
        "--procs 3 examples/szymanski.cub",
        "--procs 5 --crash stop:1 examples/mutex.cub",
        "--procs 3 --forward-depth 7 examples/german_data.cub",
        "--procs 4 --deadlock --quiet examples/token_ring.cub",
        "--procs 2 examples/live_ticket_wrong.cub",
    ] {
        let plain = run(&format!("--only-forward {line}"));
        for processes in 1..=3 {
            for workers in 1..=2 {
                let words = format!("cluster --local {processes} --workers {workers} -- {line}");
                let found = run(&words);
                assert_eq!((found.code, &found.stdout), (plain.code, &plain.stdout), "{words}: {found:?}");
            }
        }
    }
}

#[test]
fn runs_are_the_same_for_any_number_of_processes() {
    for (line, steps) in [
        ("--procs 3 --trace-states examples/german_wrong.cub", true),
        ("--procs 3 --trace-states --all-errors examples/mesi_wrong.cub", true),
        ("--procs 3 --trace-states examples/bakery_wrong.cub", true),
        ("--procs 3 --max-forward 700 examples/german.cub", false),
        ("--procs 4 --max-forward 5000 --deadlock examples/dekker.cub", false),
        ("--procs 3 --deadlock examples/two_phase_commit.cub", false),
    ] {
        let plain = run(&format!("--only-forward {line}"));
        let one = run(&format!("cluster --local 1 -- {line}"));
        assert_eq!(one.code, plain.code, "{line}: {one:?} {plain:?}");
        if steps {
            // Perhaps another run, but an equally short one.
            let length = |of: &Outcome| of.stdout.matches(" -> ").count();
            assert_eq!((one.code, length(&one)), (Some(1), length(&plain)), "{one:?}");
        }
        for (processes, workers) in [(2, 1), (3, 2)] {
            let words = format!("cluster --local {processes} --workers {workers} -- {line}");
            let found = run(&words);
            assert_eq!((found.code, &found.stdout), (one.code, &one.stdout), "{words}");
        }
    }
}

/// The oracle of a proof may be distributed over all processes.
#[test]
fn the_proof_is_that_of_one_process() {
    for (line, model) in [
        ("brab 3 --verbose --allow C0916", "examples/german.cub"),
        ("brab 4 --verbose", "examples/mesi.cub"),
        ("brab 3 --verbose", "examples/szymanski.cub"),
        ("brab 3 --engine pdr --verbose", "examples/berkeley.cub"),
        ("brab 3 --quiet --allow C0916", "examples/german_wrong.cub"),
        ("brab 2 --quiet", "examples/live_ticket_wrong.cub"),
        ("brab 1 --quiet", "tests/traps/L70.cub"),
        ("brab 2 --quiet", "tests/traps/L71.cub"),
    ] {
        // One process alone would use fewer states, where there are many.
        let plain = run(&format!("{line} --max-forward 1000000000 {model}"));
        assert!(matches!(plain.code, Some(0 | 1)), "{plain:?}");
        for (processes, workers) in [(1, 1), (3, 1), (2, 2)] {
            let found = run(&format!("cluster --local {processes} --workers {workers} -- {line} {model}"));
            assert_eq!((found.code, &found.stdout), (plain.code, &plain.stdout), "{line} {model}: {found:?}");
        }
    }
}

#[test]
fn a_process_that_is_lost_in_a_proof_ends_all() {
    let hosts = Hosts::new(3);
    // X is at least the number of processes at B, which no inequality says that weighs a pair like a single one: larger and larger
    // cubes, and the search does not end.
    let model = "type t = A | B | Pair | C var X : int array T[proc] : t init (p) { T[p] = A && X = 0 }
        unsafe (p) { X = 0 && T[p] = B }
        transition up (p) requires { T[p] = A } { X := X + 1; T[p] := B }
        transition up_as_pair (p) requires { T[p] = A } { X := X + 3; T[p] := Pair }
        transition down_as_pair (p) requires { T[p] = Pair } { X := X - 2; T[p] := C }
        transition down (p) requires { T[p] = B } { X := X - 1; T[p] := C }";
    hosts.write("counted.cub", model);
    let line = format!("brab 2 --quiet {}", hosts.path("counted.cub").display());
    let mut runs: Vec<Running> = (0..3).map(|process| hosts.start(process, "", &line)).collect();
    runs.iter().for_each(until_it_explores);
    // The exploration takes only a moment.
    sleep(Duration::from_secs(1));
    runs.remove(1).signal(Signal::KILL);
    for outcome in all_end(runs) {
        let expected = format!("process 1 ({}) ended unexpectedly", hosts.addresses[1]);
        assert!(message(&outcome).contains(&expected), "{outcome:?}");
    }
}

#[test]
fn limits_and_signals_end_all() {
    let timed = run(&format!("cluster --local 2 -- --time-limit 1s {LONG}"));
    assert_eq!(timed.code, Some(3), "{timed:?}");
    assert!(timed.stdout.starts_with("UNKNOWN: the time limit was reached"), "{timed:?}");
    assert!(!timed.stderr.contains("error"), "{timed:?}");
    let hosts = Hosts::new(2);
    let one = hosts.start(1, "", LONG);
    let zero = hosts.start(0, "", LONG);
    until_it_explores(&zero);
    zero.signal(Signal::INT);
    let ended = all_end(vec![zero, one]);
    assert_eq!((ended[0].code, ended[1].code), (Some(130), Some(0)), "{ended:?}");
    let one = hosts.start(1, "", LONG);
    let zero = hosts.start(0, "", LONG);
    until_it_explores(&zero);
    one.signal(Signal::TERM);
    let ended = all_end(vec![zero, one]);
    assert_eq!(ended[1].code, Some(143), "{ended:?}");
    assert!(message(&ended[0]).contains("process 1 (127.0.0.1:"), "{ended:?}");
    assert!(message(&ended[0]).contains("was ended by signal 15"), "{ended:?}");
}

#[test]
fn a_lost_process_ends_all() {
    for (signal, what) in [(Signal::KILL, "ended unexpectedly"), (Signal::STOP, "has not answered for 8 s")] {
        for lost in [0, 2] {
            let hosts = Hosts::new(3);
            let mut runs: Vec<Running> =
                (0..3).map(|process| hosts.start(process, "--secret SECRET", LONG)).collect();
            runs.iter().for_each(until_it_explores);
            let gone = runs.remove(lost);
            gone.signal(signal);
            all_miss(&hosts, lost, what, runs);
        }
    }
}

#[test]
fn a_process_that_hangs_for_a_while_is_not_lost() {
    let hosts = Hosts::new(2);
    let line = "--procs 6 --quiet --allow C0916 examples/german.cub";
    let one = hosts.start(1, "", line);
    let zero = hosts.start(0, "", line);
    until_it_explores(&one);
    one.signal(Signal::STOP);
    // Others take it for lost after 8 s.
    sleep(Duration::from_secs(2));
    one.signal(Signal::CONT);
    assert_eq!(zero.finish().stdout, run(&format!("--only-forward {line}")).stdout);
    assert_eq!(one.finish().code, Some(0));
}

#[test]
fn processes_of_this_machine_end_with_the_one_that_started_them() {
    let words = format!("cluster --local 3 -- {LONG}");
    let parent = Running::start(cubicle().args(words.split_whitespace()));
    until_it_explores(&parent);
    let children: Vec<PathBuf> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
            parent_of == Some(parent.id().to_string().as_str())
        })
        .map(|entry| entry.path())
        .collect();
    assert_eq!(children.len(), 2);
    parent.signal(Signal::KILL);
    let start = Instant::now();
    while children.iter().any(|child| child.join("exe").exists()) {
        assert!(start.elapsed() < SOON, "a process goes on without the one that started it");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_process_reports_a_difference() {
    let line = "--procs 3 --quiet examples/mutex.cub";
    for (own, other, what) in [
        ("", "--procs 3 --quiet examples/mesi.cub", "the model is `"),
        ("", "--procs 4 --quiet examples/mutex.cub", "the number of processes is `"),
        ("", "--procs 3 --quiet --all-errors examples/mutex.cub", "stopping at an unsafe state is `"),
        ("--workers 2", line, "the number of workers is `"),
    ] {
        let hosts = Hosts::new(3);
        let runs = vec![hosts.start(0, "", line), hosts.start(1, "", line), hosts.start(2, own, other)];
        for (process, outcome) in all_end(runs).iter().enumerate() {
            let message = message(outcome);
            let stranger = if process == 2 { "process " } else { "process 2 (" };
            assert!(message.contains(what) && message.contains(stranger), "{process}: {message}");
        }
    }
}

#[test]
fn a_process_without_the_secret_is_disconnected_and_the_run_continues() {
    let hosts = Hosts::new(2);
    let line = "--procs 4 --quiet --allow C0916 examples/german.cub";
    let zero = hosts.start(0, "--secret SECRET", line);
    for own in ["--secret OTHER", ""] {
        let stranger = hosts.start(1, own, line).finish();
        assert!(message(&stranger).contains("it has another secret"), "{stranger:?}");
    }
    let right = hosts.start(1, "--secret SECRET", line);
    let (zero, right) = (zero.finish(), right.finish());
    assert_eq!((zero.code, right.code), (Some(0), Some(0)), "{zero:?} {right:?}");
    assert_eq!(zero.stdout, run(&format!("--only-forward {line}")).stdout);
}

#[test]
fn hostile_bytes_change_nothing() {
    let hosts = Hosts::new(2);
    let line = "--procs 4 --allow C0916 examples/german.cub";
    let zero = hosts.start(0, "--secret SECRET", line);
    let call = || {
        let start = Instant::now();
        loop {
            match TcpStream::connect(&hosts.addresses[0]) {
                Ok(stream) => break stream,
                Err(error) => assert!(start.elapsed() < SOON, "{error}"),
            }
            sleep(Duration::from_millis(10));
        }
    };
    let silent: Vec<TcpStream> = (0..3).map(|_| call()).collect();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff; 5000], b"cubicle2", b"cubicle2\0\0\0", &[0; 200]] {
        // The connection may be closed before all is written.
        let _ = call().write_all(bytes);
    }
    let mut polite = call();
    polite.write_all(b"cubicle2").unwrap();
    polite.write_all(&[7; 57]).unwrap();
    let mut refusal = Vec::new();
    polite.read_to_end(&mut refusal).unwrap();
    assert_eq!(refusal, b"cubicle2\0", "nothing but that it is refused");
    let one = hosts.start(1, "--secret SECRET", line);
    let (zero, one) = (zero.finish(), one.finish());
    assert_eq!((zero.code, one.code), (Some(0), Some(0)), "{zero:?} {one:?}");
    assert_eq!(zero.stdout, run(&format!("--only-forward {line}")).stdout);
    assert!(zero.stderr.contains("was dropped: it sent an invalid message"), "{zero:?}");
    assert!(zero.stderr.contains("was dropped: it does not know the secret"), "{zero:?}");
    drop(silent);
}

#[test]
fn missing_processes_and_used_ports_end_the_run() {
    let hosts = Hosts::new(2);
    let line = "--procs 3 --quiet examples/mutex.cub";
    let alone = hosts.start(0, "--wait 1s", line).finish();
    assert!(message(&alone).contains("process 1 (127.0.0.1:"), "{alone:?}");
    assert!(message(&alone).contains("has not connected within 1 s"), "{alone:?}");
    let taken = TcpListener::bind(&hosts.addresses[0]).unwrap();
    let second = hosts.start(0, "", line).finish();
    assert!(message(&second).contains(&format!("cannot listen at {}", hosts.addresses[0])), "{second:?}");
    drop(taken);
}

#[test]
fn invalid_cluster_command_lines_are_refused() {
    let hosts = Hosts::new(2);
    hosts.write("far", "127.0.0.1\n192.0.2.7\n");
    hosts.write("short", "secret");
    let far = hosts.path("far").display().to_string();
    let near = hosts.path("hosts").display().to_string();
    let short = hosts.path("short").display().to_string();
    for (line, why) in [
        ("--local 2 -- --procs auto examples/mutex.cub".to_owned(), "a cluster explores one instance"),
        ("--local 2 -- brab 2 --forward cfl examples/mutex.cub".to_owned(), "is explored breadth first"),
        ("--local 2 -- --forward dfs examples/mutex.cub".to_owned(), "add --restart-every N"),
        ("--local 2 -- --jobs 2 examples/mutex.cub".to_owned(), "--jobs (-j) has no effect here"),
        (
            "--local 2 -- brab 2 --checkpoint x examples/mutex.cub".to_owned(),
            "--checkpoint has no effect here",
        ),
        ("--local 2 -- --spill x examples/mutex.cub".to_owned(), "--spill has no effect here"),
        ("--local 2 -- --unchecked examples/mutex.cub".to_owned(), "--unchecked has no effect here"),
        ("--local 2 -- -type-only examples/mutex.cub".to_owned(), "--type-only has no effect here"),
        ("--local 2 -- -".to_owned(), "it must be a file"),
        ("--local 0 -- examples/mutex.cub".to_owned(), "0 is not in 1..=64"),
        ("--local 2 -- --engine classic examples/mutex.cub".to_owned(), "add brab K"),
        ("-- examples/mutex.cub".to_owned(), "--hosts <FILE>"),
        (format!("--hosts {far} --process 0 -- examples/mutex.cub"), "need --secret FILE"),
        (format!("--hosts {near} --process 2 -- examples/mutex.cub"), "there is no process 2"),
        (format!("--hosts {near} --process 0 --secret {short} -- examples/mutex.cub"), "a secret has 16"),
        (format!("--hosts {near}x --process 0 -- examples/mutex.cub"), "cannot read"),
    ] {
        let refused = run(&format!("cluster {line}"));
        assert_eq!(refused.code, Some(2), "{line}: {refused:?}");
        assert!(refused.stderr.contains(why), "{line}: {refused:?}");
    }
}

/// `ssh` is a program that runs the command here: the secret comes on its standard input, and only there.
#[test]
fn other_hosts_are_started_through_ssh() {
    let hosts = Hosts::new(2);
    let bin = hosts.path("bin");
    fs::create_dir(&bin).unwrap();
    let log = hosts.path("log");
    let script = format!("#!/bin/sh\necho \"$@\" >> {}\nshift 4\nexec sh -c \"$1\"\n", log.display());
    fs::write(bin.join("ssh"), script).unwrap();
    make_executable(&bin.join("ssh"));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = cubicle();
    command.env("PATH", path).args(["cluster", "--program", crate::harness::PROGRAM, "--hosts"]);
    command.arg(hosts.path("hosts")).arg("--secret").arg(hosts.path("secret"));
    let line = "--procs 4 --quiet --allow C0916 examples/german.cub";
    let found = Running::start(command.arg("--").args(line.split_whitespace())).finish();
    assert_eq!(
        (found.code, &found.stdout),
        (Some(0), &run(&format!("--only-forward {line}")).stdout),
        "{found:?}"
    );
    let log = fs::read_to_string(log).unwrap();
    assert!(log.starts_with("-o BatchMode=yes -- 127.0.0.1 "), "{log}");
    assert!(!log.contains("dictionary"), "{log}");
}

pub fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Starts two processes through an `ssh` that says this, and ends with this exit code.
fn through_ssh(script: &str, processes: usize) -> (Outcome, Hosts) {
    let hosts = Hosts::new(processes);
    let bin = hosts.path("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("ssh"), script).unwrap();
    make_executable(&bin.join("ssh"));
    let mut command = cubicle();
    command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
    command.args(["cluster", "--hosts"]).arg(hosts.path("hosts")).arg("--secret").arg(hosts.path("secret"));
    let line = "--procs 4 --quiet --allow C0916 examples/german.cub";
    (Running::start(command.arg("--").args(line.split_whitespace())).finish(), hosts)
}

#[test]
fn an_ssh_that_fails_is_named_with_its_host() {
    let (outcome, _) = through_ssh("#!/bin/sh\necho no such host >&2\nexit 255\n", 2);
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(said.contains("ssh to 127.0.0.1, for process 1, ended (exit status: 255)"), "{outcome:?}");
}

/// Also those that print nothing else.
#[test]
fn every_process_writes_its_document() {
    let hosts = Hosts::new(3);
    let line = "--procs 4 --format json --allow C0916 examples/german.cub";
    let running: Vec<Running> = (0..3).map(|it| hosts.start(it, "--secret SECRET", line)).collect();
    for (number, running) in running.into_iter().enumerate() {
        let outcome = running.finish();
        assert_eq!(outcome.code, Some(0), "{number}: {outcome:?}");
        let document: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("a document");
        assert_eq!(
            (&document["exit_code"], &document["error"]),
            (&0.into(), &serde_json::Value::Null),
            "{number}"
        );
    }
    // A fault is in all of them.
    let long = "--procs 9 --format json --allow C0916 examples/german.cub";
    let mut running: Vec<Running> = (0..3).map(|it| hosts.start(it, "--secret SECRET", long)).collect();
    running.iter().for_each(until_it_explores);
    running.remove(2).signal(Signal::KILL);
    for running in running {
        let outcome = running.finish();
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        let document: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("a document");
        assert_eq!(document["exit_code"], 4);
    }
}
