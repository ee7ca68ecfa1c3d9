//! The text of a model with its tokens marked, a line an element, so that links can lead to each.

use cubicle_lang::syntax::{self, Word};
use maud::{Markup, html};

/// Longer models are shown without marks.
const MOST_BYTES: usize = 1 << 20;

/// The model as HTML.
pub fn highlighted(text: &str) -> Markup {
    let mut lines = vec![Vec::new()];
    let mut at = 0;
    if text.len() <= MOST_BYTES {
        for (span, _) in syntax::spans(text) {
            let (start, end) = (span.start as usize, span.end as usize);
            let (Some(gap), Some(token)) = (text.get(at..start), text.get(start..end)) else { continue };
            // Between tokens there are blanks and comments.
            add(&mut lines, gap, "c");
            add(&mut lines, token, class(token));
            at = end;
        }
    }
    add(&mut lines, text.get(at..).unwrap_or_default(), if at == 0 { "" } else { "c" });
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Text of the model" {
            pre class="code" {
                code {
                    @for (number, line) in (1..).zip(&lines) {
                        span class="line" id={ "L" (number) } data-n=(number) {
                            @for (piece, class) in line {
                                @if class.is_empty() || piece.trim().is_empty() { (piece) }
                                @else { span class=(class) { (piece) } }
                            }
                        }
                        "\n"
                    }
                }
            }
        }
    }
}

fn class(token: &str) -> &'static str {
    match token.as_bytes().first() {
        Some(b'0'..=b'9') => "n",
        Some(b'#') => "p",
        Some(b'A'..=b'Z') => "m",
        _ if token == "proc" || syntax::word(token) == Some(Word::Keyword) => "k",
        _ => "",
    }
}

/// Adds a stretch of text to the last line; marks do not go over the end of a line.
fn add<'t>(lines: &mut Vec<Vec<(&'t str, &'static str)>>, text: &'t str, class: &'static str) {
    for (number, piece) in text.split('\n').enumerate() {
        if number > 0 {
            lines.push(Vec::new());
        }
        lines.last_mut().expect("there is a first line").push((piece.trim_end_matches('\r'), class));
    }
}
