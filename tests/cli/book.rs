//! The book and the README show real output: every command in a block `console` is run, in a folder with
//! `examples` and the models of the page, and must print the text below it. `CUBICLE_BLESS=1` updates the
//! text. Links have targets, and every page is in the table of contents.
//!
//! A model with `<!-- file: NAME -->` above it is a file for the commands after it. In expected output `...` stands
//! for any lines, `[..]` for anything in a line. Messages come before results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::PROGRAM;

/// A fenced block.
struct Block {
    info: String,
    /// Lines of the page between the fences.
    lines: std::ops::Range<usize>,
    /// From the comment above.
    file: Option<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files in a folder, by name.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

fn blocks(lines: &[String]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(info) = lines[at].strip_prefix("```") {
            let length = lines[at + 1..].iter().position(|line| line == "```").expect("the block ends");
            let above = lines[..at].iter().rev().find(|line| !line.is_empty());
            let file = above.and_then(|line| line.strip_prefix("<!-- file: ")?.strip_suffix(" -->"));
            blocks.push(Block {
                info: info.to_owned(),
                lines: at + 1..at + 1 + length,
                file: file.map(str::to_owned),
            });
            at += length + 1;
        }
        at += 1;
    }
    blocks
}

/// A folder as a reader has it: `examples` in it, and the program in the path.
struct Shell {
    folder: tempfile::TempDir,
    path: String,
    code: i32,
}

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("examples"), folder.path().join("examples")).unwrap();
        let program = Path::new(PROGRAM).parent().unwrap().display();
        let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
        Self { folder, path, code: 0 }
    }

    /// The output of a command: messages, then results.
    fn run(&mut self, command: &str) -> Vec<String> {
        let output = Command::new("sh")
            .args(["-c", &format!("(exit {}); {command}", self.code)])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .env_remove("NO_COLOR")
            .env_remove("CUBICLE_LOG")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        self.code = output.status.code().unwrap_or(-1);
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

/// Whether lines are as expected.
fn matches(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|n| matches(rest, &lines[n..])),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

fn line_matches(expected: &str, line: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(at, _)| at)
                .chain([rest.len()])
                .any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

/// The block with the present output of its commands, and the first difference from the expected output.
fn console(shell: &mut Shell, lines: &[String]) -> (Vec<String>, Option<String>) {
    let mut now = Vec::new();
    let mut difference = None;
    let mut at = 0;
    while at < lines.len() {
        let command = lines[at].strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {}", lines[at]));
        let length = lines[at + 1..].iter().position(|line| line.starts_with("$ "));
        let end = length.map_or(lines.len(), |length| at + 1 + length);
        let mut expected = &lines[at + 1..end];
        while let [before @ .., last] = expected
            && last.is_empty()
        {
            expected = before;
        }
        let printed = shell.run(command);
        now.push(lines[at].clone());
        if matches(expected, &printed) {
            now.extend(expected.iter().cloned());
        } else {
            difference.get_or_insert_with(|| format!("$ {command}\n{}", printed.join("\n")));
            now.extend(printed);
        }
        if end < lines.len() {
            now.push(String::new());
        }
        at = end;
    }
    (now, difference)
}

#[test]
fn commands_print_what_the_book_says() {
    let bless = std::env::var_os("CUBICLE_BLESS").is_some();
    let mut faults = Vec::new();
    let mut commands = 0;
    for path in pages("docs").into_iter().chain([root().join("README.md")]) {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut shell = Shell::new();
        let mut new = Vec::new();
        let mut copied = 0;
        for Block { info, lines: range, file } in blocks(&lines) {
            new.extend_from_slice(&lines[copied..range.start]);
            copied = range.end;
            let block = &lines[range.clone()];
            if let Some(file) = &file {
                fs::write(shell.folder.path().join(file), block.join("\n") + "\n").unwrap();
            }
            if info != "console" {
                new.extend_from_slice(block);
                continue;
            }
            commands += block.iter().filter(|line| line.starts_with("$ ")).count();
            let (now, difference) = console(&mut shell, block);
            if let Some(difference) = difference {
                faults.push(format!("{}:{}: {difference}", path.display(), range.start));
                new.extend(now);
            } else {
                new.extend_from_slice(block);
            }
        }
        new.extend_from_slice(&lines[copied..]);
        if bless && new != lines {
            fs::write(&path, new.join("\n") + "\n").unwrap();
        }
    }
    assert!(commands > 20, "{commands} commands");
    assert!(bless || faults.is_empty(), "{}\nCUBICLE_BLESS=1 takes this over", faults.join("\n\n"));
}

#[test]
fn commands_without_output_run_without_errors() {
    for path in pages("docs").into_iter().chain([root().join("README.md")]) {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut shell = Shell::new();
        for Block { lines: range, .. } in blocks(&lines).into_iter().filter(|block| block.info == "sh") {
            for line in &lines[range] {
                let last = line.rsplit("&& ").next().expect("a part");
                let words =
                    last.strip_prefix("cargo run --release -- ").or_else(|| last.strip_prefix("cubicle "));
                let Some(words) = words.filter(|words| words.contains("examples/")) else { continue };
                let words = words.split('|').next().expect("a part");
                let printed = shell.run(&format!("cubicle {words}"));
                assert!(![2, 4].contains(&shell.code), "{}: {line}: {}", path.display(), printed.join("\n"));
            }
        }
    }
}

/// `#a-heading` as Markdown names it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
}

/// The targets of the links of a page, without those in blocks.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.starts_with("```");
        if fenced {
            continue;
        }
        let mut code = false;
        let plain: String = line
            .chars()
            .filter(|c| {
                code ^= *c == '`';
                !code
            })
            .collect();
        for rest in plain.split("](").skip(1) {
            links.extend(rest.split_once(')').map(|(target, _)| target.to_owned()));
        }
    }
    links
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    let top =
        ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    for path in pages("docs").into_iter().chain(pages("docs/errors")).chain(top) {
        let text = fs::read_to_string(&path).unwrap();
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.with_file_name("").join(file) };
            let headings = || {
                let text = fs::read_to_string(&target).unwrap_or_default();
                text.lines()
                    .filter(|line| line.starts_with('#'))
                    .map(|line| anchor(line.trim_start_matches('#')))
                    .collect::<Vec<_>>()
            };
            if !target.exists() || !heading.is_empty() && !headings().iter().any(|other| other == heading) {
                faults.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    let docs = root().join("docs");
    for path in pages("docs").into_iter().chain(pages("docs/errors")) {
        let name = path.strip_prefix(&docs).unwrap().display().to_string();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "docs/SUMMARY.md has no {name}");
    }
}

#[test]
fn examples_have_their_verdict_in_words_at_the_top() {
    let folders = ["examples", "examples/refines", "examples/threshold"]
        .map(|folder| fs::read_dir(root().join(folder)).unwrap());
    for entry in folders.into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "cub") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let head = text.split("*)").next().unwrap();
        let wrong = path.to_string_lossy().ends_with("_wrong.cub");
        let word = if wrong { "\n   Shown:" } else { "\n   Proved:" };
        assert!(head.contains(word), "{} does not say {}", path.display(), word.trim());
    }
}
