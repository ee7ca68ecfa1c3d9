//! Any text at all, parsed and elaborated: errors have places within the text and can be shown, what was
//! accepted is accepted again when it is printed.
#![no_main]

use cubicle::syntax;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match cubicle::load(text) {
        Ok(loaded) => {
            let printed = syntax::print(&loaded.file);
            assert!(cubicle::load(&printed).is_ok(), "what is printed is not accepted:\n{printed}");
        }
        Err(error) => {
            assert!(!error.diagnostics.is_empty());
            for diagnostic in error.diagnostics {
                let span = diagnostic.primary.span;
                assert!(span.start <= span.end && span.end as usize <= text.len(), "{diagnostic:?}");
                let _ = diagnostic.render("model", text, false);
            }
        }
    }
});
