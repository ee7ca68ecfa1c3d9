//! Records, queues and arrays over finite types as the text declares them: in traces, documents, ITF, `simulate` and logs.

use crate::harness::{run, run_words, run_words_stdin};
use crate::machine::{assert_valid, schema};

const MODEL: &str = "tests/pass/whole.cub";

#[test]
fn traces_and_documents_show_them_whole() {
    let run = run(&format!("--quiet --trace-states=full --only-forward --procs 2 {MODEL}"));
    assert_eq!(run.code, Some(1), "{run:?}");
    for line in [
        "     Net = { kind = Nack; from = #",
        "     Wide = -1\n",
        "     Short = <>\n",
        "     Seen[#1, 2] = False\n",
        "     Next[Nack] = Nack\n",
        "{ kind = Ack; from = #",
    ] {
        assert!(run.stdout.contains(line), "{line}: {run:?}");
    }
    for name in ["Net_kind", "Line_0", "Seen_2", "Next_Req", "Short_length"] {
        assert!(!run.stdout.contains(name), "{name}: {run:?}");
    }
    let words = ["--quiet", "--format", "json", "--only-forward", "--procs", "2", MODEL];
    let document = run_words(&words).stdout;
    let document = assert_valid(&schema("docs/schema/run.json"), &document, "whole");
    let initial = document["traces"][0]["initial"].as_array().expect("cells");
    let value = |cell: &str| initial.iter().find(|it| it["cell"] == cell).map(|it| it["value"].clone());
    assert_eq!(value("Line[#2]"), Some("<>".into()));
    assert_eq!(value("Net"), Some("{ kind = Req; from = #1 }".into()));
    let literals = document["traces"][0]["literals"].to_string();
    assert!(literals.contains("Net.kind = Nack") && literals.contains(".length = 2"), "{literals}");
}

#[test]
fn a_written_trace_is_replayed_and_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.itf.json").display().to_string();
    let written = run_words(&["--quiet", "--only-forward", "--procs", "2", "--trace-out", &file, MODEL]);
    assert_eq!(written.code, Some(1), "{written:?}");
    let text = std::fs::read_to_string(&file).expect("a trace");
    for part in [
        r##""Net":{"kind":"Req","from":"#1"}"##,
        r#"["Nack","Nack"]"#,
        r##"[{"#tup":["#1",{"#bigint":"2"}]},false]"##,
        r##""Wide":{"#bigint":"-1"}"##,
        r#""Short":{"messages":[],"free":["Req","Req"]}"#,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let replayed = run_words(&["replay", MODEL, &file]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let wrong = text.replacen(r#""messages":[]"#, r##""messages":[{"kind":"Req","from":"#1"}]"##, 1);
    std::fs::write(&file, wrong).expect("a trace");
    let refused = run_words(&["replay", MODEL, &file]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("does not have 2 places"), "{refused:?}");
    std::fs::write(&file, text.replacen(r##""Wide":{"#bigint":"-1"}"##, r##""Wide":{"#bigint":"-2"}"##, 1))
        .expect("a trace");
    let refuted = run_words(&["replay", MODEL, &file]);
    assert_eq!(refuted.code, Some(1), "{refuted:?}");
    assert!(refuted.stdout.contains("Wide is -2") || refuted.stderr.contains("Wide is -2"), "{refuted:?}");
    std::fs::write(&file, text).expect("a trace");
    let validated = run_words(&["validate", MODEL, &file]);
    // A run to a bad state explains the log, and no other one does.
    assert!(validated.code == Some(0) || validated.code == Some(1), "{validated:?}");
    assert!(!validated.stdout.contains("not explained"), "{validated:?}");
}

#[test]
fn commands_of_simulate_name_fields() {
    let script = "fix Net = { kind = Req; from = #2 }\nstep go(#1, #2)\nwatch Net.kind\nwatch Line\n\
                  holds Line[#1].head.kind = Ack && Seen[#2, 2] = True && Net = { kind = Ack; from = #2 }\n\
                  find Net = { kind = Ack; from = #1 }\nwhy take(#2)\nunwatch\nwatch Seen[#2, 2]\n";
    let run = run_words_stdin(&["simulate", MODEL, "--procs", "2"], script.as_bytes());
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in [
        "Net: { kind = Req; from = #2 } -> { kind = Ack; from = #2 }",
        "Line[#1]: <> -> <{ kind = Ack; from = #2 }>",
        "  Net.kind = Ack*\n",
        "  Line[#1] = <{ kind = Ack; from = #2 }>*\n",
        "yes\n",
        "Seen[_, 2]",
        "  Seen[#2, 2] = True",
        "Line[#2].length <> 0 (tests/pass/whole.cub:29:",
    ] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
}

#[test]
fn logs_and_maps_name_fields() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let good = file(
        "good.log",
        r#"{"action":"any","procs":["a"],"after":{"Net":{"kind":"Nack"},"Wide":0,"Short":["Req"]}}
{"action":"go","procs":["a","b"],"after":{"Count":1,"Line":{"a":[{"kind":"Ack","from":"b"}]},"Seen":{"b":{"2":true}}}}
{"action":"take","procs":["a"],"after":{"Net.kind":"Ack","Net":{"from":"b"},"Line":{"a":[]},"Next":{"Nack":"Req"}}}
"#,
    );
    let explained = run_words(&["validate", MODEL, &good]);
    assert_eq!(explained.code, Some(0), "{explained:?}");
    for (line, code, said) in [
        (r#"{"action":"go","procs":["a","b"],"after":{"Line":{"a":[]}}}"#, 1, "Line[a] = <>"),
        (
            r#"{"action":"any","after":{"Net":{"kid":"Nack"}}}"#,
            2,
            "the record has no field `kid`; did you mean `kind`?",
        ),
        (r#"{"action":"any","after":{"Seen":{"a":{"7":true}}}}"#, 2, "an index has no value `7`"),
        (r#"{"action":"any","after":{"Short":["Req","Req","Req"]}}"#, 2, "at most 2 messages"),
        (r#"{"action":"any","after":{"Net":"Req"}}"#, 2, "a record is an object"),
    ] {
        let log = file("bad.log", &format!("{line}\n"));
        let bad = run_words(&["validate", MODEL, &log]);
        assert_eq!(bad.code, Some(code), "{line}: {bad:?}");
        let told = format!("{}{}", bad.stdout, bad.stderr);
        assert!(told.contains(said), "{said}: {bad:?}");
    }
    let map = file(
        "words.toml",
        "[procs]\nwho = \"p\"\nwhom = \"q\"\n[after]\ntaken = \"Seen[q, 2]\"\nkind = \"Net.kind\"\nto = \"Line_0_from[p]\"\n",
    );
    for (log, code) in [
        (r#"{"action":"go","who":"a","whom":"b","taken":true,"kind":"Ack","to":"b"}"#, 0),
        (r#"{"action":"go","who":"a","whom":"b","taken":false}"#, 1),
        (r#"{"action":"go","who":"a","whom":"b","to":"a"}"#, 1),
    ] {
        let log = file("mapped.log", &format!("{log}\n"));
        let mapped = run_words(&["validate", MODEL, &log, "--map", &map]);
        assert_eq!(mapped.code, Some(code), "{mapped:?}");
    }
}

#[test]
fn certificates_lemmas_and_formulas_use_the_same_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let certificate = folder.path().join("c").display().to_string();
    let proved = run_words(&["--quiet", "--certificate", &certificate, "examples/dragon.cub"]);
    assert_eq!(proved.code, Some(0), "{proved:?}");
    let again = run_words(&["check-certificate", "examples/dragon.cub", &certificate]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let found =
        run_words(&["witness", MODEL, "--cube", "Net = { kind = Nack; from = #1 } && Line[#1].length = 1"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert!(found.stdout.contains("Seen[_, 1] = True"), "{found:?}");
    let asked =
        run_words(&["--quiet", "--only-forward", "--procs", "2", "--ltl", "G {Net.kind <> Nack}", MODEL]);
    assert!(asked.stdout.contains("VIOLATED"), "{asked:?}");
}
