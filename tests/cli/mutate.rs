//! `cubicle mutate`: documents match their schemas, the number of threads has no effect on the output, and a run that is
//! ended early reports the results so far.

use std::time::Duration;

use crate::harness::{Running, Signal, cubicle, run};
use crate::machine::{assert_valid, schema};

#[test]
fn documents_are_valid_and_say_the_same() {
    let line = "mutate examples/mutex.cub --transition leave --format json";
    let document = assert_valid(&schema("docs/schema/mutation.json"), &run(line).stdout, line);
    let fates: Vec<&str> = document["mutants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["fate"].as_str().expect("a word"))
        .collect();
    let number = |word: &str| fates.iter().filter(|fate| **fate == word).count() as u64;
    assert_eq!(Some(number("killed")), document["killed"].as_u64());
    assert_eq!((number("killed"), number("survived"), fates.len()), (6, 4, 10));
    assert_eq!(document["mutant_stable_k"].as_u64(), Some(2));

    let line = "mutate examples/mutex.cub --transition leave --format sarif";
    let sarif = assert_valid(&schema("tests/cli/schema/sarif-schema-2.1.0.json"), &run(line).stdout, line);
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 4);
    assert_eq!(results.iter().filter(|it| it["level"] == "warning").count(), 2);
}

#[test]
fn properties_are_in_a_document_too() {
    let line = "mutate examples/szymanski.cub --properties --suggest --sample 20 --format json";
    let document = assert_valid(&schema("docs/schema/mutation.json"), &run(line).stdout, line);
    assert_eq!(
        (document["exit_code"].as_u64(), document["mutants"].as_array().map(Vec::len)),
        (Some(0), Some(0))
    );
    let properties = &document["properties"];
    assert_eq!(properties["mutants"].as_u64(), Some(20));
    let lines = |of: &str| properties[of].as_array().expect("a list").len();
    assert!(lines("stronger") > 0 && lines("suggested") > 0, "{properties}");
    assert!(properties["stronger"][0]["of"].as_str().is_some_and(|it| it.starts_with("unsafe at line")));
    for (words, says) in [
        ("--properties --format sarif", "use --format json for programs"),
        ("--properties --min-kill-rate 3", "cannot be used with"),
        ("--suggest --min-kill-rate 3", "cannot be used with"),
    ] {
        let outcome = run(&format!("mutate examples/mutex.cub {words}"));
        assert_eq!((outcome.code, outcome.stderr.contains(says)), (Some(2), true), "{outcome:?}");
    }
    let outcome = run("mutate examples/directory.cub --properties --suggest --time-limit 2s");
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
}

#[test]
fn every_end_has_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html");
    let text = |line: &str, code: i32| {
        let outcome = run(&format!("mutate {line} --report {}", page.display()));
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:?}");
        let text = std::fs::read_to_string(&page).expect("a page");
        std::fs::remove_file(&page).expect("it was there");
        text
    };
    let all = text("examples/mutex.cub --transition leave", 0);
    assert!(all.contains("6 of 10 killed (60.0 %), 4 survived</p>"), "{all}");
    assert!(all.contains("+ { Locked := True; At[p] := Outside }"), "{all}");
    assert!(text("examples/mutex_wrong.cub", 1).contains("the model itself is not safe"));
    assert!(
        text("examples/directory.cub --anyway --time-limit 1s", 3).contains("the time limit was reached")
    );
    let nowhere = run("mutate examples/mutex.cub --report /dev/null/page.html");
    assert_eq!((nowhere.code, nowhere.stdout.as_str()), (Some(4), ""), "{nowhere:?}");
}

#[test]
fn every_end_has_a_document() {
    let schema = schema("docs/schema/mutation.json");
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
        folder.path().join(name).display().to_string()
    };
    let wrong = file("wrong.cub", "var X : what\ninit () { X = 1 }\nunsafe () { X = 2 }\n");
    let mutex = "examples/mutex.cub";
    for (words, code, error) in [
        (wrong.clone(), 2, "could not check"),
        ("no-such-file.cub".to_owned(), 2, "no-such-file.cub"),
        ("examples/mutex_wrong.cub".to_owned(), 1, "the model itself is not safe"),
        (format!("{mutex} --no-such-flag"), 2, "there is no option"),
        (format!("{mutex} --list"), 2, "cannot be used with"),
        (format!("{mutex} --transition lave"), 2, "did you mean `leave`?"),
        ("examples/bakery.cub --time-limit 0s".to_owned(), 3, "the model itself is not decided"),
    ] {
        let line = format!("mutate {words} --format json");
        let outcome = run(&line);
        let document = assert_valid(&schema, &outcome.stdout, &line);
        assert_eq!((outcome.code, document["exit_code"].as_i64()), (Some(code), Some(code.into())), "{line}");
        let told = document["error"].as_str().expect("what went wrong");
        assert!(told.contains(error) && outcome.stderr.contains(told), "{line}: {told}: {}", outcome.stderr);
        assert_eq!(document["mutants"].as_array().map(Vec::len), Some(0), "{line}");
        assert_ne!(document["messages"].as_array().map(Vec::len), Some(0), "{line}");
    }
    let sarif = run(&format!("mutate {wrong} --format sarif"));
    let sarif =
        assert_valid(&self::schema("tests/cli/schema/sarif-schema-2.1.0.json"), &sarif.stdout, "sarif");
    assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);

    let line = "mutate examples/mutex.cub --transition leave --min-kill-rate 99 --format json";
    let document = assert_valid(&schema, &run(line).stdout, line);
    assert_eq!((document["exit_code"].as_u64(), document["error"].as_str()), (Some(3), None));
    assert_eq!(document["messages"][0]["text"], "less than 99 % of the mutants are killed");
    assert_eq!(document["mutants"].as_array().map(Vec::len), Some(10));
}

#[test]
fn a_signal_ends_in_a_document_too() {
    // While the model is read, while it is checked, and while its mutants are.
    for (words, wait) in [
        (&["-"][..], 300),
        (&["tests/cli/advice/sums.cub"], 400),
        (&["examples/directory.cub", "--anyway"], 2000),
    ] {
        let (input, _never_written) = std::io::pipe().expect("a pipe");
        let mut command = cubicle();
        let child = Running::start(command.arg("mutate").args(words).args(["--format", "json"]).stdin(input));
        child.wait_until_it_listens();
        std::thread::sleep(Duration::from_millis(wait));
        child.signal(Signal::TERM);
        let outcome = child.finish();
        let document = assert_valid(&schema("docs/schema/mutation.json"), &outcome.stdout, words[0]);
        assert_eq!((outcome.code, document["exit_code"].as_u64()), (Some(143), Some(143)), "{outcome:?}");
        assert_eq!(document["stopped"], "interrupted by SIGTERM");
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_output() {
    let line = "mutate examples/mesi.cub --sample 30 --seed 3 --verbose";
    let one = run(line);
    assert_eq!(one.code, Some(0), "{one:?}");
    assert_eq!(one, run(&format!("{line} --jobs 3")));
    assert_ne!(one.stdout, run("mutate examples/mesi.cub --sample 30 --seed 4 --verbose").stdout);
}

#[test]
fn a_mutant_is_a_model_that_can_be_printed() {
    let mutant = run("mutate examples/mutex.cub --print 28");
    let model = std::fs::read_to_string("examples/mutex.cub").expect("an example");
    assert_eq!(mutant.code, Some(0));
    let different = |(a, b): &(&str, &str)| a != b;
    let lines: Vec<_> = model.lines().zip(mutant.stdout.lines()).filter(different).collect();
    assert_eq!(lines, [("requires { At[p] = Inside }", "requires { true }")]);
}

#[test]
fn a_run_that_is_ended_reports_its_results_so_far() {
    let limited = run("mutate examples/directory.cub --anyway --time-limit 1500ms");
    assert_eq!(limited.code, Some(3), "{limited:?}");
    assert!(limited.stdout.contains("Ended early: the time limit was reached"), "{}", limited.stdout);
    let child = Running::start(cubicle().args(["mutate", "examples/directory.cub", "--anyway"]));
    child.wait_until_it_listens();
    std::thread::sleep(Duration::from_secs(2));
    child.signal(Signal::INT);
    let outcome = child.finish();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    assert!(outcome.stdout.contains("Ended early: "), "{}", outcome.stdout);
}
