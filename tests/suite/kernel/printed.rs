//! The text of a theorem's system is a model of the language: read again, it is the same system.

use cubicle::certificate::kernel;

use crate::support::generate::{Weights, generate};

/// The text in the definition of `written`.
fn written(definitions: &str) -> String {
    let (_, rest) = definitions.split_once("Definition written := [\n\"").expect("the text");
    rest.split_once("\"].\n").expect("its end").0.replace("\";\n\n\"", "\n\n")
}

/// Loads the text of the system, and compares what theorems about both say; whether there is one.
fn reads_back(name: &str, text: &str, exactly: bool) -> bool {
    let Ok(loaded) = cubicle::load(text) else { return false };
    let Ok((stated, definitions)) = kernel::model(&loaded.system) else { return false };
    let printed = written(&definitions);
    let again = cubicle::load(&printed).unwrap_or_else(|error| panic!("{name}: {error:?}\n{printed}"));
    if !loaded.system.witnesses.is_empty() {
        // That each is a process is said of counts, of which no text can assume it.
        return true;
    }
    let (_, other) = kernel::model(&again.system).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    // What an initial state without a process is depends on what was written there.
    let model = |text: &str| text.split_once("(* At least").expect("the last line").0.to_owned();
    assert_eq!(model(&printed), model(&written(&other)), "{name}");
    // Counts are numbered as they occur, which may be in another order.
    if exactly && stated.counts.len() <= 1 {
        assert_eq!(definitions, other, "{name}");
    }
    true
}

#[test]
fn the_text_of_a_theorem_is_its_system() {
    let folder = super::example("");
    let mut read = 0;
    for file in std::fs::read_dir(folder).expect("examples") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|it| it == "cub") {
            let text = std::fs::read_to_string(&path).expect("a text");
            read += usize::from(reads_back(&path.display().to_string(), &text, true));
        }
    }
    assert!(read > 100, "{read}");
    for seed in 0..200 {
        let weights = if seed % 2 == 0 { Weights::default() } else { Weights::varied(seed) };
        reads_back(&format!("seed {seed}"), &generate(seed, &weights).to_string(), false);
    }
}
