//! Any text at all: tokens and lexical errors come in order and lie within it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut end = 0;
    for (span, _) in cubicle::syntax::spans(text) {
        assert!(end <= span.start && span.start < span.end, "{span:?} after {end}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?}");
        end = span.end;
    }
});
