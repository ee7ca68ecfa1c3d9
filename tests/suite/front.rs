//! The front end over folders of models: accepted models read back from their printed text, rejected ones
//! give the pinned messages. `CUBICLE_BLESS=1` rewrites the pinned texts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cubicle::CHECKER;
use cubicle::diagnostic::{Diagnostic, Severity};
use cubicle::lint::{LintOptions, LintedModel, deep};
use cubicle::syntax::ast::{Item, SymbolDecl, SymbolKind};
use cubicle::transform::{Crash, with_crashes};
use cubicle::{Interrupt, LoadError, explain, syntax, words};

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "cub"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no models in {}", folder.display());
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

#[test]
fn accepted_models_read_back_from_their_printed_text() {
    let mut read = 0;
    for path in ["tests/pass", "examples", "tests/traps"].into_iter().flat_map(models) {
        let text = fs::read_to_string(&path).expect("a readable model");
        let Ok(loaded) = cubicle::load(&text) else {
            assert!(!path.to_string_lossy().contains("pass"), "{} is rejected", path.display());
            continue;
        };
        let printed = syntax::print(&loaded.file);
        let (again, diagnostics) = syntax::parse(&printed);
        assert!(diagnostics.is_empty(), "{}: {diagnostics:?}\n{printed}", path.display());
        assert_eq!(again, loaded.file, "{} changes when printed:\n{printed}", path.display());
        assert_eq!(syntax::print(&again), printed, "{}", path.display());
        read += 1;
    }
    assert!(read > 100, "only {read} models were read back");
}

/// What uses a name stands before what declares it, but for predicates and relations.
#[test]
fn declarations_stand_in_any_order() {
    for path in ["tests/pass", "examples"].into_iter().flat_map(models) {
        let text = fs::read_to_string(&path).expect("a readable model");
        let loaded = cubicle::load(&text).expect("a model");
        // The place of code among variables decides which side of an equation comes first.
        if loaded.file.processes().next().is_some() {
            continue;
        }
        let mut items: Vec<&Item> = loaded.file.items.iter().collect();
        items.sort_by_key(|it| match it {
            Item::Symbol(SymbolDecl { kind: SymbolKind::Relation(_) | SymbolKind::Witness(..), .. }) => 0,
            Item::Property(_) | Item::Fairness(_) | Item::Predicate(_) => 1,
            Item::Transition(_) => 2,
            Item::Symbol(_) | Item::Process(_) => 3,
            Item::Type(_) => 4,
            Item::NumberProcs(_) => 5,
        });
        let texts = items.iter().map(|it| &text[it.span().start as usize..it.span().end as usize]);
        let turned = texts.collect::<Vec<_>>().join("\n");
        let again = cubicle::load(&turned).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = |system| words::model(system).lines().map(str::to_owned).collect::<BTreeSet<String>>();
        assert_eq!(lines(&again.system), lines(&loaded.system), "{}", path.display());
    }
}

#[test]
fn rejected_models_say_why() {
    let bless = std::env::var_os("CUBICLE_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in ["tests/reject", "tests/reject/slips"].into_iter().flat_map(models) {
        let text = fs::read_to_string(&path).expect("a readable model");
        let Err(LoadError { diagnostics, .. }) = cubicle::load(&text) else {
            wrong.push(format!("{} is accepted", path.display()));
            continue;
        };
        assert!(diagnostics.iter().any(|d| d.severity == Severity::Error));
        let said: String =
            diagnostics.iter().map(|d| d.render(&file_name(&path), &text, false) + "\n").collect();
        let pinned = path.with_extension("stderr");
        if bless {
            fs::write(&pinned, &said).expect("a writable folder");
        }
        let expected = fs::read_to_string(&pinned).unwrap_or_default();
        if said != expected {
            wrong.push(format!("{}: said\n{said}\nnot\n{expected}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn exists_over_other_processes_is_reported_where_it_matters() {
    let warned = |text: &str| {
        let loaded = cubicle::load(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let warning = loaded.warnings.iter().find(|warning| warning.code == "C0917");
        warning
            .map(|warning| text[warning.primary.span.start as usize..].chars().take(12).collect::<String>())
    };
    let quiet = fs::read_to_string("tests/pass/exists_other.cub").expect("a readable model");
    assert_eq!(warned(&quiet), None);
    for (property, at) in [
        ("unsafe (p) { At[p] = Critical && exists q. At[q] = Critical }", "exists q. At"),
        ("unsafe (p) { At[p] = Want && exists q. At[q] <> Idle }", "exists q. At"),
        ("invariant (p) { At[p] = Want && exists q. Ready[q] = True }", "exists q. Re"),
        ("unsafe (p) { Turn = p && not (forall q. At[q] = Idle) }", "(forall q. A"),
        ("unsafe { exists p. exists q. At[p] = Critical && Ready[q] = True }", "exists q. At"),
        ("unsafe (p) { At[Turn] = Want && exists q. Ready[q] = True }", "exists q. Re"),
        ("predicate r() { exists q. Ready[q] = True }\nunsafe (p) { At[p] = Want && r() }", "exists q. Re"),
    ] {
        assert_eq!(warned(&format!("{quiet}\n{property}")).as_deref(), Some(at), "{property}");
    }
    // The meaning is unchanged.
    let bad = |property: &str| {
        let loaded = cubicle::load(&format!("{quiet}\n{property}")).expect("a model");
        let last = loaded.system.bad.last().expect("a bad state").clone();
        (last.params, last.cube)
    };
    assert_eq!(
        bad("unsafe (p) { At[p] = Critical && exists q. At[q] = Critical }"),
        bad("unsafe (p q) { At[p] = Critical && At[q] = Critical }")
    );
}

#[test]
fn one_slip_is_one_error() {
    let mut all = 0;
    for path in models("tests/reject/slips") {
        let text = fs::read_to_string(&path).expect("a readable model");
        let errors = cubicle::load(&text).map_or_else(|error| error.diagnostics, |_| Vec::new());
        assert_eq!(errors.len(), 1, "{}: {errors:?}", path.display());
        assert_eq!(errors[0].severity, Severity::Error, "{}", path.display());
        all += 1;
    }
    assert!(all >= 240, "{all} slips");
}

#[test]
fn legal_slips_are_warned_of() {
    let mut wrong = Vec::new();
    for path in models("tests/warned") {
        let text = fs::read_to_string(&path).expect("a readable model");
        let loaded = cubicle::load(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let said: String =
            loaded.warnings.iter().map(|d| d.render(&file_name(&path), &text, false) + "\n").collect();
        let expected = fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
        if said != expected || said.is_empty() {
            wrong.push(format!("{}: said\n{said}\nnot\n{expected}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn comments_in_a_row_use_no_stack() {
    let text = "(* c (* d *) *)\n".repeat(1 << 18) + "var (* open";
    let valid: Vec<bool> = syntax::spans(&text).map(|(_, valid)| valid).collect();
    assert_eq!(valid, [true, false]);
}

/// The codes that the sources mention.
fn codes_of_the_sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            codes_of_the_sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("explain.rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let quoted = text.split('"').filter(|word| {
                word.len() == 5 && word.starts_with('C') && word[1..].bytes().all(|b| b.is_ascii_digit())
            });
            found.extend(quoted.map(str::to_owned));
        }
    }
}

#[test]
fn each_code_has_a_page() {
    let mut mentioned = Vec::new();
    codes_of_the_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut mentioned);
    mentioned.sort();
    mentioned.dedup();
    let explained: Vec<&str> = explain::codes().map(|(code, _)| code).collect();
    assert_eq!(mentioned, explained, "codes of the sources, and pages");
    let pages =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors")).expect("a folder").count();
    assert_eq!(pages, explained.len(), "a page is not listed");
}

/// The diagnostics of a model, errors or warnings.
fn said(model: &str) -> Vec<Diagnostic> {
    match cubicle::load(model) {
        Ok(loaded) => loaded.warnings,
        Err(error) => error.diagnostics,
    }
}

/// Codes that only `lint --deep` reports.
const DEEP: [&str; 6] = ["C0927", "C0928", "C0929", "C0930", "C0931", "C0932"];

/// Codes that only `--crash` reports.
const CRASH: [&str; 2] = ["C0601", "C0602"];

/// Codes of the errors of `--crash restart`, after those without it.
fn said_of_restarts(text: &str) -> Vec<&'static str> {
    let loaded = cubicle::load(text).expect("a model");
    let refused = with_crashes(&loaded.system, Crash::Restart).err();
    loaded.warnings.iter().map(|it| it.code).chain(refused.map(|it| it.code)).collect()
}

/// Codes that only `--strict-upstream` reports.
const STRICT: &str = "C0015";

/// The constructs of a model that the original Cubicle does not have: the text of each place.
fn beyond(text: &str) -> Vec<String> {
    let loaded = cubicle::load(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found = cubicle::load::beyond_original(&loaded.file, text);
    assert!(found.iter().all(|it| it.code == STRICT && it.severity == Severity::Error && it.help.is_some()));
    let place = |span: cubicle::diagnostic::Span| text[span.start as usize..span.end as usize].to_owned();
    found.iter().map(|it| place(it.primary.span)).collect()
}

#[test]
fn the_original_has_an_order_of_declarations() {
    let text = "const N : int\ntype t = A\narray S[proc] : t\ninit (p) { S[p] = A && X = N }\nvar X : int\n\
        unsafe { X < N }\ntransition t () { X := X - 1 }";
    assert_eq!(beyond(text), ["type t = A", "var X : int"]);
}

#[test]
fn the_original_does_not_count() {
    let text = "array N[proc] : int\ninit (p) { N[p] = 0 }\nunsafe { #{p | N[p] = 1} > 2 }\n\
        transition t (p) requires { N[p] < #proc - 1 } { N[p] := sum{q | N[q]} }";
    assert_eq!(beyond(text), ["#{p | N[p] = 1}", "#proc", "sum{q | N[q]}"]);
}

/// Codes of all diagnostics.
fn deeply_said(text: &str) -> Vec<&'static str> {
    let loaded = cubicle::load(text).expect("a model");
    let model = LintedModel { file: &loaded.file, text, system: &loaded.system, known: &loaded.warnings };
    let found = deep(&model, &LintOptions::new(CHECKER), &Interrupt::default(), &|_| {});
    loaded.warnings.iter().chain(&found).map(|it| it.code).collect()
}

#[test]
fn examples_of_pages_get_their_code_and_nothing_else() {
    let mut without = Vec::new();
    let mut wrong = Vec::new();
    for (code, _) in explain::codes() {
        let page = explain::page(code).expect("a page");
        let models: Vec<&str> =
            page.split("```cub\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let [example, mended] = models.as_slice() else {
            assert!(models.is_empty(), "{code}: an example, and the same mended");
            without.push(code);
            continue;
        };
        if DEEP.contains(&code) {
            let [codes, others] = [example, mended].map(|model| deeply_said(model));
            if !codes.contains(&code) || !others.is_empty() {
                wrong.push(format!("{code}: the example gets {codes:?}, the mended one {others:?}"));
            }
            continue;
        }
        if CRASH.contains(&code) {
            let [codes, others] = [example, mended].map(|model| said_of_restarts(model));
            if codes != [code] || !others.is_empty() {
                wrong.push(format!("{code}: the example gets {codes:?}, the mended one {others:?}"));
            }
            continue;
        }
        if code == STRICT {
            let [codes, others] = [example, mended].map(|model| beyond(model));
            if codes.is_empty() || !others.is_empty() {
                wrong.push(format!("{code}: the example gets {codes:?}, the mended one {others:?}"));
            }
            continue;
        }
        let codes: Vec<&str> = said(example).iter().map(|d| d.code).collect();
        if codes.is_empty() || codes.iter().any(|&c| c != code) {
            wrong.push(format!("{code}: the example gets {codes:?}"));
        }
        let codes: Vec<&str> = said(mended).iter().map(|d| d.code).collect();
        if !codes.is_empty() {
            wrong.push(format!("{code}: the mended example gets {codes:?}"));
        }
    }
    // Codes that need 32768 declarations, and codes that only a run reports.
    assert_eq!(
        without,
        [
            "C0306", "C0501", "C0701", "C0702", "C0711", "C0712", "C0713", "C0714", "C0715", "C0716",
            "C0717", "C0718", "C0801", "C0921", "C0922", "C0923"
        ]
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text with each token left out, doubled, and swapped with the next one.
fn one_token_wrong(text: &str) -> Vec<String> {
    let places: Vec<(usize, usize)> =
        syntax::spans(text).map(|(span, _)| (span.start as usize, span.end as usize)).collect();
    let mut all = Vec::new();
    for (i, &(start, end)) in places.iter().enumerate() {
        let token = &text[start..end];
        all.push(format!("{}{}", &text[..start], &text[end..]));
        all.push(format!("{} {token}{}", &text[..end], &text[end..]));
        if let Some(&(from, to)) = places.get(i + 1) {
            all.push(format!("{}{} {token}{}", &text[..start], &text[from..to], &text[to..]));
        }
    }
    all
}

#[test]
#[expect(clippy::print_stdout, reason = "CUBICLE_SHOW asks for it")]
fn one_wrong_token_is_rarely_more_than_two_errors() {
    let (mut wrong, mut more) = (0, Vec::new());
    for path in ["tests/pass/lock.cub", "examples/mutex.cub", "examples/german_data.cub"] {
        let text = fs::read_to_string(path).expect("a readable model");
        for slip in one_token_wrong(&text) {
            let errors = cubicle::load(&slip).map_or_else(|error| error.diagnostics, |_| Vec::new());
            wrong += usize::from(!errors.is_empty());
            if errors.len() > 2 {
                more.push((errors.len(), slip));
            }
        }
    }
    let many = more.iter().map(|(errors, _)| *errors).max().unwrap_or_default();
    if std::env::var_os("CUBICLE_SHOW").is_some() {
        for (errors, slip) in &more {
            println!("{errors} errors\n{slip}");
        }
    }
    assert!(wrong > 1000, "only {wrong} slips are errors");
    assert!(
        more.len() * 100 < wrong && many <= 4,
        "{} of {wrong} have more than two errors, up to {many}",
        more.len()
    );
}

#[test]
fn a_case_without_default_gets_the_text_of_one() {
    let model = "array B[proc] : bool init (p) { B[p] = False } unsafe (p) { B[p] = True }
        transition t (p) { B[q] := case | q = p : True }";
    let warnings = cubicle::load(model).expect("a model").warnings;
    let help: Vec<_> =
        warnings.iter().filter(|w| w.code == "C0911").filter_map(|w| w.help.as_deref()).collect();
    assert_eq!(help, ["say so with a last branch: `| _ : B[q]`"]);
    let mend = warnings.iter().find_map(|w| w.mend.as_ref()).expect("a mend");
    let mut mended = model.to_owned();
    mended.replace_range(mend.span.start as usize..mend.span.end as usize, &mend.text);
    let after = cubicle::load(&mended).expect("a model").warnings;
    assert!(after.iter().all(|w| w.code != "C0911"), "{mended}");
}

#[test]
fn suggested_fixes_remove_their_diagnostics() {
    let (mut mended, mut wrong) = (0, Vec::new());
    for path in ["tests/reject", "tests/reject/slips"].into_iter().flat_map(models) {
        let text = fs::read_to_string(&path).expect("a readable model");
        let said = cubicle::load(&text).map_or_else(|error| error.diagnostics, |_| Vec::new());
        for this in &said {
            let Some(mend) = &this.mend else { continue };
            let mut better = text.clone();
            better.replace_range(mend.span.start as usize..mend.span.end as usize, &mend.text);
            let after = cubicle::load(&better).map_or_else(|error| error.diagnostics, |_| Vec::new());
            let same = |it: &Diagnostic| {
                (it.code, it.primary.span.start) == (this.code, this.primary.span.start)
                    && it.message == this.message
            };
            // A diagnostic given once for a file moves to its next place.
            if after.iter().any(same) || after.len() > said.len() {
                wrong.push(format!("{}: {} -> {:?}\n{after:?}", path.display(), this.message, mend.text));
            }
            // The proposed text is not an error itself.
            let (from, to) = (mend.span.start, mend.span.start + mend.text.len() as u32);
            let touches = |it: &&Diagnostic| it.primary.span.start <= to && it.primary.span.end > from;
            if let Some(error) = after.iter().find(touches) {
                wrong.push(format!("{}: {} -> {:?}: {error:?}", path.display(), this.message, mend.text));
            }
            mended += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(mended >= 120, "only {mended} mends");
}

#[test]
fn arrays_that_axioms_speak_of_are_parameters() {
    let model = |rest: &str| {
        format!(
            "type t = A | B  array S[proc] : t  array Next[proc, proc] : bool  var Limit : bool
             init (p) {{ S[p] = A }}
             unsafe (p q) {{ S[p] = B && S[q] = B }}
             transition step (p q) requires {{ Next[p, q] = True && Limit = True }} {{ S[p] := B; }}
             {rest}"
        )
    };
    let unchanged = |rest: &str| {
        let loaded = cubicle::load(&model(rest)).expect("a model");
        let of = loaded.warnings.into_iter().filter(|w| w.code == "C0915").map(|w| w.message);
        (loaded.system.axioms.len(), of.collect::<Vec<_>>())
    };
    let (next, limit) = ("`Next` never changes", "`Limit` never changes");
    assert_eq!(unchanged(""), (0, vec![next.to_owned(), limit.to_owned()]));
    let parameter = "invariant (p q) { Next[p, q] = True && Next[q, p] = True }";
    assert_eq!(unchanged(parameter), (1, vec![limit.to_owned()]));
    // Anything but an array can be a `const`.
    assert_eq!(unchanged("invariant () { Limit = False }"), (1, vec![next.to_owned(), limit.to_owned()]));
}

/// Each construct that the original does not have, alone in a model that it otherwise accepts, and the reported text; and
/// similar constructs that it has.
#[test]
fn constructs_missing_in_the_original_are_found() {
    let model = "number_procs 3\ntype t = A | B\nvar G : proc\nvar N : int\nconst C : int\narray S[proc] : t\n\
        array R[proc] : int\narray M[proc, proc] : bool\ninit (p) { S[p] = A && N = 0 && R[p] = 0 }\n\
        predicate at(p, l) { S[p] = l }\npredicate all() { forall_other q. S[q] = A }\n\
        predicate some() { exists q. S[q] = A }\npredicate more(p, n) { p + 1 = n }\n\
        unsafe (p q) { at(p, B) && S[q] = B }\n\
        transition t (p) requires { S[p] = A && G = p } { S[p] := B; N := N + 1 }\n";
    assert_eq!(beyond(model), Vec::<String>::new());
    let guard = |formula: &str| format!("transition u (p) requires {{ {formula} }} {{ S[p] := B }}");
    let found: &[(String, &[&str])] = &[
        ("fair t".into(), &["fair t"]),
        ("strong_fair any t".into(), &["strong_fair any t"]),
        ("response { N = 0 } ~> { N = 1 }".into(), &["response { N = 0 } ~> { N = 1 }"]),
        ("recurrence { N = 0 }".into(), &["recurrence { N = 0 }"]),
        ("possible named { N = 0 }".into(), &["possible named { N = 0 }"]),
        ("cover { N = 0 }".into(), &["cover { N = 0 }"]),
        ("unsafe named (p) { R[p] = 7 }".into(), &["named"]),
        ("invariant named (p) { R[p] = 7 }".into(), &["named"]),
        ("unsafe { N + C + 1 = 2 }".into(), &["N + C + 1"]),
        ("unsafe (p) { N + R[p] = 2 }".into(), &["N + R[p]"]),
        ("unsafe (p) { R[p] - N = 2 }".into(), &["R[p] - N"]),
        ("unsafe { 1 + N = 2 }".into(), &["1 + N"]),
        ("unsafe { 2 * N = 2 }".into(), &["2 * N"]),
        ("unsafe { - N = 2 }".into(), &["- N"]),
        ("unsafe { C * 2 = 2 }".into(), &["C * 2"]),
        ("unsafe { N + 2 * N = 2 }".into(), &["N + 2 * N"]),
        ("unsafe { N-1 = 2 }".into(), &["N-1"]),
        ("unsafe { N -2 * C = 2 }".into(), &["N -2 * C"]),
        ("unsafe { S[G] = B }".into(), &["G"]),
        ("transition u () { S[G] := B }".into(), &["G"]),
        ("unsafe { at(G, B) }".into(), &["G"]),
        (
            guard("(forall_other q. S[q] = A) && forall_other q. R[q] = 1"),
            &["(forall_other q. S[q] = A) && forall_other q. R[q] = 1"],
        ),
        (guard("all() && not (exists_other q. R[q] = 1)"), &["all() && not (exists_other q. R[q] = 1)"]),
        (guard("exists q. S[q] = B"), &["exists q. S[q] = B"]),
        (guard("exists_other q. S[q] = B"), &["exists_other q. S[q] = B"]),
        (guard("not (forall_other q. S[q] = B)"), &["(forall_other q. S[q] = B)"]),
        (guard("not all()"), &["all()"]),
        (guard("forall_other q r. S[q] = S[r]"), &["forall_other q r. S[q] = S[r]"]),
        (
            guard("forall_other q. S[q] = A || forall_other r. S[r] = B"),
            &["forall_other q. S[q] = A || forall_other r. S[r] = B"],
        ),
        (guard("some()"), &["some()"]),
        ("unsafe (p) { S[p] = B && exists q. S[q] = B }".into(), &["S[p] = B && exists q. S[q] = B"]),
        ("unsafe (p) { exists_other q. S[q] = B }".into(), &["exists_other q. S[q] = B"]),
        ("unsafe (p) { S[p] = B && some() }".into(), &["S[p] = B && some()"]),
        ("transition u (p) { let x = B in S[p] := x }".into(), &["x"]),
        ("unsafe (p) { more(R[p], N) }".into(), &["R[p]"]),
    ];
    for (more, places) in found {
        let text = format!("{model}{more}");
        match cubicle::load(&text) {
            Ok(_) => assert_eq!(beyond(&text), *places, "{more}"),
            Err(error) => panic!("{more}: {error}"),
        }
    }
    let mark = format!("\u{feff}{model}");
    assert_eq!(beyond(&mark), [""]);
    let fine = [
        "unsafe { N + -1 = 2 && N - 1 = 2 && N + C = 3 && N - 2 * C = 4 && N + C * 2 = 3 && 2 * C = 4 && - 2 * C = N }".to_owned(),
        "unsafe { exists p <> q. S[p] = B && R[q] = 4 }".to_owned(),
        "unsafe { not (forall p. S[p] = A) }".to_owned(),
        "unsafe { some() }".to_owned(),
        guard("forall_other q. S[q] = A || R[q] = 1"),
        guard("all() || forall_other q. R[q] = 1"),
        guard("S[p] = B => forall q. R[q] = 1"),
        guard("not (exists_other q. R[q] = 1) && at(p, A)"),
        "transition u () { S[#1] := B }".to_owned(),
        "transition fair (response) requires { S[response] = A } { N := ? }".to_owned(),
    ];
    for more in fine {
        assert_eq!(beyond(&format!("{model}{more}")), Vec::<String>::new(), "{more}");
    }
}
