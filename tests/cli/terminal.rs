//! A terminal: one line that changes during a run, never more than one, and erased at the end.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

use crate::harness::{AT_LAST, Running, Signal, cubicle, outcome};
use crate::models;

const ROWS: u16 = 40;

/// The program on a terminal.
struct OnTerminal {
    child: Running,
    screen: File,
    parser: vt100::Parser,
}

impl OnTerminal {
    /// Runs it with the words of `line` after `environment`, on a terminal with this number of columns.
    fn new(line: &str, model: &Path, columns: u16, stdin: Stdio) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let open = || -> OwnedFd {
            File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap().into()
        };
        let child = Running::of(
            cubicle()
                .args(line.split_whitespace())
                .arg(model)
                .env("TERM", "xterm")
                .stdin(stdin)
                .stdout(open())
                .stderr(open()),
        );
        let screen = File::from(master);
        Self { child, screen, parser: vt100::Parser::new(ROWS, columns, 0) }
    }

    /// Reads what the program has drawn; false when it has ended.
    fn step(&mut self) -> bool {
        let mut bytes = [0; 4096];
        match self.screen.read(&mut bytes) {
            // Reading fails once the other end of the terminal is closed.
            Ok(0) | Err(_) => false,
            Ok(n) => {
                self.parser.process(&bytes[..n]);
                true
            }
        }
    }

    fn rows(&self) -> Vec<String> {
        let (_, columns) = self.parser.screen().size();
        self.parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
    }

    /// The rows that show the progress.
    fn live(&self) -> Vec<String> {
        self.rows().into_iter().filter(|row| row.contains(" MiB")).collect()
    }

    /// Steps until that many versions of the line were seen, one of which has this text, and never two lines at once.
    fn watch(&mut self, versions: usize, what: &str) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        while seen.len() < versions || !seen.iter().any(|row| row.contains(what)) {
            assert!(self.step(), "it has ended: {seen:#?}");
            let live = self.live();
            assert!(live.len() <= 1, "{live:#?}");
            seen.extend(live.into_iter().filter(|line| seen.last() != Some(line)).collect::<Vec<_>>());
        }
        seen
    }

    /// Steps to the end; the exit code and what is left on the screen.
    fn finish(mut self) -> (Option<i32>, String) {
        while self.step() {}
        let code = self.child.wait().unwrap().code();
        assert_eq!(self.live(), Vec::<String>::new(), "nothing is left");
        let text: String = self.rows().iter().map(|row| row.to_owned() + "\n").collect();
        (code, text.trim_end().to_owned() + "\n")
    }

    /// Ctrl-C, as a terminal echoes it.
    fn interrupt(&mut self) {
        self.parser.process(b"^C");
        self.child.signal(Signal::INT);
    }
}

fn endless(folder: &TempDir) -> std::path::PathBuf {
    let path = folder.path().join("endless.cub");
    std::fs::write(&path, models::ENDLESS).unwrap();
    path
}

const PROOF: &str = "--nodes 1000000000 --depth 1000000000";

#[test]
fn one_line_changes_and_goes_away() {
    let folder = TempDir::new().unwrap();
    let model = endless(&folder);
    for columns in [20, 80, 160] {
        let verbose = format!("-v {PROOF}");
        for (line, what) in
            [(PROOF, " nodes"), ("--only-forward --procs 2", "exploring 2 processes: "), (&verbose, "")]
        {
            let what = if columns == 20 { "" } else { what };
            let mut running = OnTerminal::new(&format!("{AT_LAST} {line}"), &model, columns, Stdio::null());
            let seen = running.watch(3, what);
            assert!(seen.iter().all(|row| row.len() < usize::from(columns) - 1), "room for ^C: {seen:#?}");
            running.interrupt();
            let (code, screen) = running.finish();
            assert_eq!(code, Some(130), "{screen}");
            let answer =
                if columns == 20 { "UNKNOWN: interrupted" } else { "UNKNOWN: interrupted by SIGINT\n" };
            assert!(screen.contains(answer), "{screen}");
        }
    }
}

#[test]
fn nothing_is_left_after_a_limit_or_an_error() {
    let folder = TempDir::new().unwrap();
    let model = endless(&folder);
    for (line, model, code, says) in [
        ("--time-limit 1s", model.as_path(), 3, "UNKNOWN: the time limit was reached\n"),
        // In the middle of a step: the pipe never delivers the model.
        ("--time-limit 1s", Path::new("-"), 3, "UNKNOWN: the time limit was reached\n"),
        (
            "--memory-limit 40M --only-forward --procs 2",
            model.as_path(),
            3,
            "UNKNOWN: there is not enough memory\n",
        ),
        ("", Path::new("no/such/model.cub"), 2, "error: cannot read no/such/model.cub"),
    ] {
        let more = if line.contains("time") { PROOF } else { "" };
        let running = OnTerminal::new(&format!("{line} {more}"), model, 100, Stdio::piped());
        let (ended, screen) = running.finish();
        assert_eq!(ended, Some(code), "{screen}");
        assert!(screen.contains(says), "{screen}");
    }
}

#[test]
fn a_short_run_looks_as_it_does_in_a_pipe() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, models::UNSAFE).unwrap();
    for line in ["brab 2 --color never", "-q"] {
        let (_, screen) = OnTerminal::new(line, &path, 120, Stdio::null()).finish();
        let piped = crate::harness::run_on(line, &path);
        assert_eq!(screen, piped.stdout, "{line}");
    }
}

/// A line is due ten seconds after the start. The processes sleep until then, since only time matters.
#[test]
fn without_a_terminal_a_line_is_written_now_and_then() {
    let folder = TempDir::new().unwrap();
    let model = endless(&folder);
    // `--quiet` and the output of the original program have no such line.
    let runs = ["", "-q", "--classic-output"].map(|flag| {
        let mut command = cubicle();
        command.args(format!("{AT_LAST} {flag} {PROOF}").split_whitespace()).arg(&model);
        Running::of(command.stdout(Stdio::null()).stderr(Stdio::piped()))
    });
    for run in &runs {
        run.wait_until_it_listens();
    }
    // Their clocks have started, too: otherwise they compute for ten seconds after their sleep.
    sleep(Duration::from_millis(100));
    for run in &runs {
        run.signal(Signal::STOP);
    }
    sleep(Duration::from_secs(10));
    for run in &runs {
        run.signal(Signal::CONT);
    }
    let [mut told, quiet @ ..] = runs;
    let mut line = String::new();
    BufReader::new(told.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains(" s, ") && line.contains(" MiB: "), "{line}");
    drop(told);
    // They ran as long as the one with the line.
    for run in quiet {
        run.signal(Signal::INT);
        let outcome = run.finish();
        assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains(" MiB: "), "{}", outcome.stderr);
    }
}

/// Colours are the only addition.
#[test]
fn colours_add_nothing_else() {
    for line in ["brab 2 examples/german.cub", "--trace-states examples/mutex_wrong.cub"] {
        let plain = crate::harness::run(line);
        let colored = crate::harness::run(&format!("--color always {line}"));
        assert!(colored.stdout.contains("\x1b[1m"), "{line}");
        assert_eq!(console::strip_ansi_codes(&colored.stdout), plain.stdout, "{line}");
    }
}

#[test]
fn colours_follow_the_environment() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cub");
    std::fs::write(&path, models::UNSAFE).unwrap();
    for (environment, flags, colored) in [
        (&[][..], "", false),
        (&[("CLICOLOR_FORCE", "1")][..], "", true),
        (&[("CLICOLOR_FORCE", "0")][..], "", false),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")][..], "", false),
        (&[("CLICOLOR_FORCE", "1")][..], "--color never", false),
        (&[("NO_COLOR", "1")][..], "--color always", true),
        (&[("NO_COLOR", "")][..], "", false),
    ] {
        let mut command = cubicle();
        command.env_remove("CLICOLOR_FORCE").envs(environment.iter().copied());
        let outcome = outcome(&command.args(flags.split_whitespace()).arg(&path).output().unwrap());
        assert_eq!(outcome.stdout.contains('\x1b'), colored, "{environment:?} {flags}");
    }
}
