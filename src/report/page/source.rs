//! The text of a model with its tokens marked, a line an element, so that links can lead to each.

use super::html::escaped;
use cubicle_lang::syntax;

/// Longer models are shown without marks.
const MOST_BYTES: usize = 1 << 20;

const KEYWORDS: [&str; 25] = [
    "array",
    "case",
    "const",
    "else",
    "exists",
    "exists_other",
    "false",
    "forall",
    "forall_other",
    "if",
    "in",
    "init",
    "invariant",
    "let",
    "not",
    "number_procs",
    "predicate",
    "proc",
    "requires",
    "then",
    "transition",
    "true",
    "type",
    "unsafe",
    "var",
];

/// The model as HTML.
pub fn highlighted(text: &str) -> String {
    let mut lines = SourceLines { out: String::new(), number: 0 };
    lines.begin();
    let mut at = 0;
    if text.len() <= MOST_BYTES {
        for (span, _) in syntax::spans(text) {
            let (start, end) = (span.start as usize, span.end as usize);
            let (Some(gap), Some(token)) = (text.get(at..start), text.get(start..end)) else { continue };
            // Between tokens there are blanks and comments.
            lines.add(gap, "c");
            lines.add(token, class(token));
            at = end;
        }
    }
    lines.add(text.get(at..).unwrap_or_default(), if at == 0 { "" } else { "c" });
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Text of the model\"><pre class=\"code\"><code>{}</span>\n</code></pre></div>\n",
        lines.out
    )
}

fn class(token: &str) -> &'static str {
    match token.as_bytes().first() {
        Some(b'0'..=b'9') => "n",
        Some(b'#') => "p",
        Some(b'A'..=b'Z') => "m",
        Some(b'a'..=b'z') if KEYWORDS.contains(&token) => "k",
        _ => "",
    }
}

struct SourceLines {
    out: String,
    number: usize,
}

impl SourceLines {
    fn begin(&mut self) {
        self.number += 1;
        self.out += &format!("<span class=\"line\" id=\"L{n}\" data-n=\"{n}\">", n = self.number);
    }

    /// A stretch of text; marks do not go over the end of a line.
    fn add(&mut self, text: &str, class: &str) {
        for (number, piece) in text.split('\n').enumerate() {
            if number > 0 {
                self.out += "</span>\n";
                self.begin();
            }
            let piece = escaped(piece.trim_end_matches('\r'));
            if class.is_empty() || piece.trim().is_empty() {
                self.out += &piece;
            } else {
                self.out += &format!("<span class=\"{class}\">{piece}</span>");
            }
        }
    }
}
