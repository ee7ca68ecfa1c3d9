//! Completions and manual pages: they are made from the parser of the command line, and know every flag.

use std::process::Command;

use crate::harness::{run, run_words};

/// The long flags that a help text lists.
fn flags(help: &str) -> Vec<String> {
    let mut flags: Vec<String> = help
        .lines()
        .filter(|line| line.trim_start().starts_with('-'))
        .flat_map(|line| line.split([' ', ',', '=', '[']))
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
        .collect();
    flags.sort();
    flags.dedup();
    flags
}

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = run("--help").stdout;
    let (_, listed) = help.split_once("Commands (").expect("a list of commands");
    let lines = listed.lines().skip(1).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// All options that are listed anywhere.
fn options() -> Vec<String> {
    ["--help", "help search", "help explore"].iter().flat_map(|line| flags(&run(line).stdout)).collect()
}

#[test]
fn every_command_has_a_page_that_knows_its_flags() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("share/man1");
    let outcome = run_words(&["man", target.to_str().expect("a plain name")]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{outcome:?}");
    let all = commands();
    assert!(all.len() >= 5, "{all:?}");
    for command in std::iter::once("").chain(all.iter().map(String::as_str)) {
        let name = if command.is_empty() { "cubicle.1".to_owned() } else { format!("cubicle-{command}.1") };
        let page = std::fs::read_to_string(target.join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let page = page.replace("\\-", "-");
        assert!(page.contains(".SH SYNOPSIS") && page.contains("Exit codes"), "{name}");
        let listed =
            if command.is_empty() { options() } else { flags(&run(&format!("{command} --help")).stdout) };
        for flag in listed {
            assert!(page.contains(&flag), "{name} lacks {flag}");
        }
    }
    assert_eq!(std::fs::read_dir(&target).expect("a folder").count(), all.len() + 1);
    let printed = run("man").stdout;
    assert_eq!(printed, std::fs::read_to_string(target.join("cubicle.1")).expect("a page"));
    assert_eq!(run("man /dev/null/no").code, Some(4));
}

#[test]
fn every_shell_has_completions_that_know_all_flags_and_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = run(&format!("completions {shell}"));
        assert_eq!(outcome.code, Some(0), "{shell}: {}", outcome.stderr);
        for flag in options() {
            let name = flag.trim_start_matches('-');
            assert!(outcome.stdout.contains(name), "{shell} does not know {flag}");
        }
        for command in commands() {
            assert!(outcome.stdout.contains(&command), "{shell} does not know {command}");
        }
    }
    assert_eq!(run("completions csh").code, Some(2));
    assert_eq!(run("completions").code, Some(2));
}

#[test]
fn bash_completes_a_flag() {
    let ask = "source /dev/stdin; COMP_WORDS=(cubicle --bra); COMP_CWORD=1; _cubicle cubicle --bra cubicle; \
               echo ${COMPREPLY[@]}";
    let script = run("completions bash").stdout;
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), script).expect("a writable file");
    let Ok(output) = Command::new("bash")
        .args(["--norc", "-c", ask])
        .stdin(std::fs::File::open(file.path()).expect("the file"))
        .output()
    else {
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "--brab", "{output:?}");
}
