//! `cubicle cluster` with `--checkpoint`: whichever process is killed, `cubicle resume` ends as the whole run does, and each
//! surviving process says so; parts that do not belong to the checkpoint are refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::cluster::{Hosts, all_end, make_executable, message};
use crate::harness::{Outcome, PATIENCE, PROGRAM, Running, Signal, cubicle, outcome};

/// Runs the program in a folder with the words of a line.
fn run_in(folder: &Path, line: &str) -> Outcome {
    outcome(&cubicle().current_dir(folder).args(line.split_whitespace()).output().unwrap())
}

/// A folder with an example in it.
fn with_example(name: &str) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.cub"));
    fs::copy(from, folder.path().join("model.cub")).unwrap();
    folder
}

/// Waits until there is a checkpoint that each process knows.
fn until_kept(folder: &Path) {
    let start = Instant::now();
    while !folder.join("kept/process-1/states-2-0").exists() || !folder.join("kept/manifest").exists() {
        assert!(start.elapsed() < PATIENCE, "nothing is kept");
        sleep(Duration::from_millis(1));
    }
}

/// Kills process number `lost` of those on this machine; process 0 has started the others.
fn kill_one(run: &Running, lost: usize) {
    let mut children: Vec<i32> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
            let id = entry.file_name().to_str()?.parse().ok()?;
            (parent == Some(run.id().to_string().as_str())).then_some(id)
        })
        .collect();
    children.sort_unstable();
    match lost.checked_sub(1).and_then(|child| children.get(child)) {
        // It may have ended.
        Some(child) => drop(rustix::process::kill_process(
            rustix::process::Pid::from_raw(*child).expect("it is the number of a process"),
            Signal::KILL,
        )),
        None => run.signal(Signal::KILL),
    }
}

const KEEP: &str = "--checkpoint kept --checkpoint-every 0s";

#[test]
fn a_resumed_run_prints_what_the_whole_run_prints() {
    for (name, line, sizes) in [
        ("german", "--procs 4 --quiet --allow C0916", "--local 2"),
        (
            "german_wrong",
            "--procs 3 --all-errors --deadlock --trace-states --allow C0916 --max-forward 10000",
            "--local 3 --workers 2",
        ),
    ] {
        let folder = with_example(name);
        let path = folder.path();
        let whole = run_in(path, &format!("cluster --local 1 -- {line} model.cub"));
        for lost in [0, 1] {
            let words = format!("cluster {sizes} -- {line} {KEEP} model.cub");
            loop {
                let run = Running::start(cubicle().current_dir(path).args(words.split_whitespace()));
                until_kept(path);
                kill_one(&run, lost);
                let killed = run.finish();
                if killed.code != whole.code {
                    let said = killed.stdout.contains("`cubicle resume kept` goes on at depth ");
                    let expected = if lost == 0 { (None, false) } else { (Some(4), true) };
                    assert_eq!((killed.code, said), expected, "{killed:?}");
                    break;
                }
                // On a busy machine, it had ended before.
                fs::remove_dir_all(path.join("kept")).unwrap();
            }
            // The surviving processes may still run; and once more, with other workers.
            let again =
                Running::start(cubicle().current_dir(path).args(["resume", "kept", "--workers", "3"]));
            sleep(Duration::from_millis(50));
            kill_one(&again, lost);
            again.finish();
            let rest = run_in(path, "resume kept");
            assert_eq!((rest.code, &rest.stdout), (whole.code, &whole.stdout), "{line}: {rest:?}");
            fs::remove_dir_all(path.join("kept")).unwrap();
        }
    }
}

/// Twenty moments of a whole run, each process in turn.
/// `cargo test --release --test cli -- --ignored twenty_moments_of_a_cluster`
#[test]
#[ignore = "takes minutes"]
fn twenty_moments_of_a_cluster() {
    let folder = with_example("german");
    let path = folder.path();
    let line = format!("cluster --local 3 --workers 2 -- --procs 7 --quiet --allow C0916 {KEEP} model.cub");
    let start = Instant::now();
    let whole = run_in(path, &line);
    let took = start.elapsed();
    fs::remove_dir_all(path.join("kept")).unwrap();
    for moment in 0..20u32 {
        let run = Running::start(cubicle().current_dir(path).args(line.split_whitespace()));
        until_kept(path);
        // Not evenly: a prime number of steps apart.
        sleep(took * ((moment * 7 + 3) % 20) / 20);
        kill_one(&run, moment as usize % 3);
        run.finish();
        let workers = 1 + moment % 3;
        let rest = run_in(path, &format!("resume kept --workers {workers}"));
        assert_eq!((rest.code, &rest.stdout), (whole.code, &whole.stdout), "{moment}: {rest:?}");
        fs::remove_dir_all(path.join("kept")).unwrap();
    }
}

#[test]
fn processes_started_by_hand_are_started_again() {
    let hosts = Hosts::new(3);
    let kept = hosts.path("kept");
    let line = "--procs 4 --quiet --allow C0916";
    let plain = crate::harness::run(&format!("--only-forward {line} examples/german.cub"));
    let keep = format!("--checkpoint {} --checkpoint-every 0s examples/german.cub", kept.display());
    let start = |process| hosts.start(process, "--secret SECRET", &format!("{line} {keep}"));
    for lost in [0, 2] {
        let ended = loop {
            let mut runs: Vec<Running> = (0..3).map(start).collect();
            until_kept(&hosts.path(""));
            let gone = runs.remove(lost);
            gone.signal(Signal::KILL);
            // On a busy machine, it may have ended.
            if gone.finish().code.is_none() {
                break all_end(runs);
            }
            all_end(runs);
            fs::remove_dir_all(&kept).unwrap();
        };
        for (at, ended) in ended.iter().enumerate() {
            let message = message(ended);
            let own = if lost == 2 && at == 0 { "goes on at depth" } else { "start the others as before" };
            let resume = format!("`cubicle resume {}`", kept.display());
            assert!(message.contains(&format!("process {lost} (")), "{message}");
            assert!(message.contains(&resume) && message.contains(own), "{message}");
        }
        let others = [start(1), start(2)];
        let zero = Running::start(cubicle().arg("resume").arg(&kept)).finish();
        assert_eq!((zero.code, &zero.stdout), (Some(0), &plain.stdout), "{zero:?}");
        for other in others {
            assert_eq!(other.finish().code, Some(0));
        }
        fs::remove_dir_all(&kept).unwrap();
    }
    // Others that have no checkpoint.
    let zero = start(0);
    let one = hosts.start(1, "--secret SECRET", &format!("{line} examples/german.cub"));
    let two = start(2);
    for ended in all_end(vec![zero, one, two]) {
        assert!(message(&ended).contains("a checkpoint is `"), "{ended:?}");
    }
}

#[test]
fn parts_that_do_not_belong_to_the_checkpoint_are_refused() {
    let folder = with_example("german");
    let path = folder.path();
    let line = format!("--procs 3 --quiet --allow C0916 {KEEP} model.cub");
    let whole = run_in(path, &format!("cluster --local 2 -- {line}"));
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let part = path.join("kept/process-1");
    let refused = |code: i32, line: &str, says: &str| {
        let run = run_in(path, line);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(code), "{says}: {text}");
        assert!(text.contains(says) && !text.contains("panicked"), "{says}: {text}");
    };
    // Of another level, changed, shorter, gone; then the same for the file that says how states were found.
    let states = |level: usize| part.join(format!("states-{level}-0"));
    let waiting = fs::read_dir(&part).unwrap().flatten().map(|entry| entry.path());
    let waiting = waiting.into_iter().find(|path| path.display().to_string().contains("waiting-")).unwrap();
    for file in [states(9), waiting] {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 4;
        for (wrong, says) in [
            (fs::read(states(8)).unwrap(), "it should have"),
            (flipped, "its checksum is wrong"),
            (bytes[..bytes.len() - 1].to_vec(), "it should have"),
        ] {
            fs::write(&file, wrong).unwrap();
            refused(4, "resume kept", &format!("cannot use kept/process-1/{name}: {says}"));
        }
        fs::remove_file(&file).unwrap();
        refused(4, "resume kept", &format!("cannot read kept/process-1/{name}: "));
        fs::write(&file, bytes).unwrap();
    }
    fs::rename(&part, path.join("away")).unwrap();
    refused(4, "resume kept", "cannot read kept/process-1: ");
    fs::rename(path.join("away"), &part).unwrap();

    refused(
        4,
        &format!("cluster --local 2 -- {line}"),
        "it already has one, which `cubicle resume` continues",
    );
    refused(4, &format!("--only-forward {line}"), "it already has one");
    refused(2, "resume kept --jobs 2", "a cluster has --workers");
    let model = fs::read_to_string(path.join("model.cub")).unwrap();
    fs::write(path.join("model.cub"), model.replacen("Exclusive = True", "Exclusive = False", 1)).unwrap();
    refused(2, "resume kept", "the checkpoint is of another model: it has `");
    fs::write(path.join("model.cub"), model).unwrap();
    // Elsewhere it is the same.
    fs::rename(path.join("kept"), path.join("moved")).unwrap();
    let rest = run_in(path, "resume moved --memory-limit 1GB --time-limit 1m");
    assert_eq!((rest.code, &rest.stdout), (whole.code, &whole.stdout), "{rest:?}");
    assert!(!path.join("kept").exists());
}

#[test]
fn a_full_disk_ends_all_processes() {
    let folder = with_example("german");
    let path = folder.path();
    let line = "--procs 5 --quiet --allow C0916";
    // No file may have more than this many blocks of 512 bytes, like on a full disk.
    let script =
        format!("trap '' XFSZ; ulimit -f 40; exec {PROGRAM} cluster --local 2 -- {line} {KEEP} model.cub");
    let full = std::process::Command::new("sh").current_dir(path).args(["-c", &script]).output().unwrap();
    let full = outcome(&full);
    let said = message(&full);
    assert!(said.starts_with("UNKNOWN: cannot write kept/process-"), "{said}");
    assert!(said.contains("; `cubicle resume kept` goes on at depth "), "{said}");
    let rest = run_in(path, "resume kept");
    assert_eq!(rest.stdout, run_in(path, &format!("--only-forward {line} model.cub")).stdout, "{rest:?}");
    // Started by hand, each says so.
    let hosts = Hosts::new(2);
    hosts.write("kept", "a file");
    let line = format!("{line} --checkpoint {} examples/german.cub", hosts.path("kept").display());
    for ended in all_end(vec![hosts.start(0, "", &line), hosts.start(1, "", &line)]) {
        assert!(message(&ended).contains("cannot make "), "{ended:?}");
    }
}

/// `ssh` is a program that runs the command here.
#[test]
fn a_checkpoint_is_resumed_through_ssh() {
    let hosts = Hosts::new(2);
    let bin = hosts.path("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("ssh"), "#!/bin/sh\nshift 4\nexec sh -c \"$1\"\n").unwrap();
    make_executable(&bin.join("ssh"));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let kept = hosts.path("kept");
    let mut command = cubicle();
    command.env("PATH", &path).args(["cluster", "--program", PROGRAM, "--hosts"]).arg(hosts.path("hosts"));
    command.arg("--secret").arg(hosts.path("secret")).args(["--", "--procs", "5", "--quiet", "--checkpoint"]);
    command.arg(&kept).args(["--checkpoint-every", "0s", "examples/mesi.cub"]);
    let whole = Running::start(&mut command).finish();
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let manifest = fs::read_to_string(kept.join("manifest")).unwrap();
    assert!(manifest.contains("secret") && !manifest.contains("dictionary"), "{manifest}");
    let rest = Running::start(cubicle().env("PATH", &path).arg("resume").arg(&kept)).finish();
    assert_eq!((rest.code, &rest.stdout), (whole.code, &whole.stdout), "{rest:?}");
}
