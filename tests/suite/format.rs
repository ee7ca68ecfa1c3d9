//! `cubicle::format`: only blanks and line breaks change, formatting twice changes nothing more, and the form of each construct.
//! `CUBICLE_CORPUS=FOLDER cargo test --release --test suite -- --ignored format` uses all models below a folder.

use std::path::{Path, PathBuf};

use cubicle::format::{Refused, WIDTH, format};
use cubicle::syntax;

use crate::models::files;
use crate::support::dice::{Dice, environment};

/// Formats a text, and checks what must hold for any text. `None` for a text with syntax errors.
fn checked(name: &str, text: &str) -> Option<String> {
    let (tree, _) = syntax::parse(text);
    let out = match format(text) {
        Ok(out) => out,
        Err(Refused::Wrong(errors)) => {
            assert!(!errors.is_empty(), "{name}");
            return None;
        }
        Err(refused) => panic!("{name}: {refused}\n{text}"),
    };
    let (again, diagnostics) = syntax::parse(&out);
    assert_eq!(again, tree, "{name} means something else:\n{out}");
    assert!(diagnostics.iter().all(|d| d.severity != cubicle::diagnostic::Severity::Error), "{name}");
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(squeezed(&out), squeezed(text), "{name}: more than blanks");
    let twice = format(&out).unwrap_or_else(|refused| panic!("{name}: {refused}\n{out}"));
    assert_eq!(twice, out, "{name} changes when laid out again");
    Some(out)
}

/// All models below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            found.extend(below(&path));
        } else if path.extension().is_some_and(|extension| extension == "cub") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// How many models of a folder are formatted.
fn laid_out(folder: &Path) -> usize {
    let models = below(folder);
    let texts = models.iter().filter_map(|path| Some((path, std::fs::read_to_string(path).ok()?)));
    texts.filter(|(path, text)| checked(&path.display().to_string(), text).is_some()).count()
}

#[test]
fn models_of_the_repository_keep_their_meaning() {
    for (folder, least) in [("examples", 40), ("tests/pass", 8), ("tests/traps", 60)] {
        let count = laid_out(&files::folder(folder));
        assert!(count >= least, "{folder}: {count}");
    }
}

#[test]
#[ignore = "needs CUBICLE_CORPUS, a folder of models"]
fn models_of_a_corpus_keep_their_meaning() {
    let folder = std::env::var_os("CUBICLE_CORPUS").expect("CUBICLE_CORPUS names a folder");
    let count = laid_out(Path::new(&folder));
    assert!(count > 0);
}

/// The text with comments and line breaks inserted between its tokens.
fn littered(text: &str, dice: &mut Dice) -> String {
    const LITTER: [&str; 10] = [
        "\n",
        "\n(* c *)\n\n",
        "\n\n(* c *) ",
        "\n\n\n",
        " (* c *) ",
        "(* c *)\n",
        "\n(* c *)\n",
        "\n\n  (* c\n d (* e *) *)",
        " (* a *)(* b *) \n",
        " (* long long long long long long long long long long long long comment *)\n\n",
    ];
    let mut out = String::new();
    let mut from = 0;
    for (span, _) in syntax::spans(text) {
        out += &text[from..span.start as usize];
        // The sign of a number belongs to it.
        let sign = out.ends_with('-');
        if !sign && dice.below(12) == 0 {
            out += LITTER[dice.below(LITTER.len())];
        }
        out += &text[span.start as usize..span.end as usize];
        from = span.end as usize;
    }
    out + &text[from..]
}

#[test]
fn comments_and_line_breaks_may_stand_anywhere() {
    let mut dice = Dice::new(7);
    for path in [
        "tests/pass/let_and_case.cub",
        "tests/pass/quantifiers.cub",
        "tests/pass/counts.cub",
        "examples/german.cub",
    ] {
        let text = files::text(&files::folder(path));
        for round in 0..60 {
            let littered = littered(&text, &mut dice);
            let name = format!("{path}, round {round}:\n{littered}");
            assert!(checked(&name, &littered).is_some(), "{name} is not a model");
        }
    }
}

/// Each model of the repository, with litter of its own; `CUBICLE_RANDOM_SEED` and `CUBICLE_RANDOM_COUNT` try others.
#[test]
fn a_second_pass_changes_nothing_whatever_stands_between_tokens() {
    let mut dice = Dice::new(environment("CUBICLE_RANDOM_SEED", 11));
    let folders = ["examples", "tests/pass", "tests/traps", "tests/runs", "tests/found4"];
    let mut laid_out = 0;
    for path in folders.iter().flat_map(|folder| below(&files::folder(folder))) {
        let text = files::text(&path);
        for round in 0..environment("CUBICLE_RANDOM_COUNT", 5) {
            let littered = littered(&text, &mut dice);
            let name = format!("{}, round {round}:\n{littered}", path.display());
            laid_out += usize::from(checked(&name, &littered).is_some());
        }
    }
    assert!(laid_out > 200, "{laid_out}");
}

#[test]
fn each_construct_has_its_form() {
    for (written, form) in [
        ("type t=|A|B\nvar   X:t", "type t = | A | B\nvar X : t\n"),
        ("array M[proc,proc]:bool", "array M[proc, proc] : bool\n"),
        ("init(z){S[z]=A&&X=0}", "init (z) { S[z] = A && X = 0 }\n"),
        ("init\n(z)\n{ S[z]=A\n  && X=0 }", "init (z) {\n  S[z] = A &&\n  X = 0\n}\n"),
        (
            "unsafe(x y){ (A=B||not((C=D)))=>forall x<>y.E=F }",
            "unsafe (x y) { (A = B || not ((C = D))) => forall x <> y. E = F }\n",
        ),
        (
            "unsafe{#{p|S[p]=A&&(X=1)}>2*#proc-sum{q|N[q]if S[q]=A}*3}",
            "unsafe { #{p | S[p] = A && (X = 1)} > 2 * #proc - sum{q | N[q] if S[q] = A} * 3 }\n",
        ),
        ("predicate p(x,y){A[x]=y}unsafe{p(x,1,)}", "predicate p (x, y) { A[x] = y }\nunsafe { p(x, 1,) }\n"),
        (
            "transition t(i j)requires{N-1=X}{}unsafe{true}",
            "transition t (i j)\nrequires { N - 1 = X }\n{}\n\nunsafe { true }\n",
        ),
        ("transition t(){X:=.;Y:=- 2*Z}", "transition t ()\n{ X := .; Y := - 2 * Z }\n"),
        (
            "transition t(i){X:=1;\nA[j]:=case|j=i:B|\n_:C}",
            "transition t (i)\n{\n  X := 1;\n  A[j] := case\n    | j = i : B\n    | _ : C\n}\n",
        ),
        (
            "transition t (i) {\n let x=A in X:=x;\n\n\n (* c *) Y:=x; (* d *)\n}",
            "transition t (i)\n{\n  let x = A in\n  X := x;\n\n  (* c *) Y := x; (* d *)\n}\n",
        ),
        (
            "\n\n(* a *)\n\n\nvar X:int(* b *)\n\n\n\nvar Y:int\n\n(* c *)",
            "(* a *)\n\nvar X : int (* b *)\n\nvar Y : int\n\n(* c *)\n",
        ),
        ("var X:int\r\nvar Y:int", "var X : int\r\nvar Y : int\r\n"),
        ("\u{feff}var X:int", "\u{feff}var X : int\n"),
        ("", ""),
        ("(* only *)", "(* only *)\n"),
    ] {
        assert_eq!(checked(written, written).as_deref(), Some(form), "{written:?}");
    }
}

#[test]
fn long_formulas_are_broken_into_lines() {
    let part = |n: usize| format!("Variable{n} = Constructor{n}");
    let parts: Vec<String> = (0..12).map(part).collect();
    let text = format!("unsafe {{ {} && ({}) }}", parts.join(" && "), parts.join(" || "));
    let out = checked("long", &text).expect("a model");
    assert!(out.lines().count() > 4 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
    let names: Vec<String> = (0..40).map(|n| format!("Constructor{n}")).collect();
    let out = checked("type", &format!("type t = {}", names.join(" | "))).expect("a model");
    assert!(out.lines().count() > 4 && out.lines().all(|line| line.len() <= WIDTH), "{out}");
}

#[test]
fn a_text_with_errors_is_refused() {
    for text in ["var X int", "transition", "var X : int §", "(* open"] {
        assert!(matches!(format(text), Err(Refused::Wrong(_))), "{text}");
    }
    // A well-formed text need not make sense.
    assert!(format("var X : nowhere").is_ok());
}
