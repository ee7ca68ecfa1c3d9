//! Pieces of pages. All markup is checked when this is compiled, and each text in it is escaped.

use std::ops::RangeInclusive;

use cubicle_lang::syntax::{self, Word};
use maud::{Markup, PreEscaped, Render, html};

pub struct Section {
    /// Its name in links, one of ours.
    pub id: String,
    pub title: String,
    /// What stands below that.
    pub content: Markup,
}

/// A part with this heading and content.
pub fn section(id: impl Into<String>, title: impl Into<String>, content: Markup) -> Section {
    Section { id: id.into(), title: title.into(), content }
}

impl Render for Section {
    fn render(&self) -> Markup {
        let Self { id, title, content } = self;
        let heading = format!("{id}-title");
        html! { section id=(id) aria-labelledby=(heading) { h2 id=(heading) { (title) } (content) } "\n" }
    }
}

/// Characters that change the direction of writing or cannot be seen.
const HIDDEN: [RangeInclusive<char>; 4] =
    ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2060}'..='\u{2069}', '\u{feff}'..='\u{feff}'];

/// HTML or a text with these characters shown by their number.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if HIDDEN.iter().any(|range| range.contains(&c)) || c.is_control() && !"\n\t\r".contains(c) {
            out.push_str(&format!("[U+{:04X}]", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// JSON as the content of a script element: nothing in it ends the element.
pub fn script_data(json: &str) -> Markup {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    PreEscaped(out)
}

/// An answer in one line, and whether it is a good one; `None` when that is not known.
pub fn answer(says: &str, is_good: Option<bool>) -> Markup {
    let kind = is_good.map_or("open", |good| if good { "good" } else { "bad" });
    html! { p class={ "answer " (kind) } { (says) } }
}

/// A link to a line of the model.
pub fn to_line(line: usize, text: impl Render) -> Markup {
    html! { a href={ "#L" (line) } { (text) } }
}

/// A table that can be scrolled by keys.
pub fn table(label: &str, class: Option<&str>, head: Markup, rows: impl Render) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(label) {
            table class=[class] {
                caption { (label) }
                thead { tr { (head) } }
                tbody { (rows) }
            }
        }
    }
}

/// Cells of a head, each for its column.
pub fn heads<T: Render>(titles: impl IntoIterator<Item = T>) -> Markup {
    html! { @for title in titles { th scope="col" { (title) } } }
}

/// A row of a table: its name, and its other cells.
pub fn row(name: impl Render, cells: &[&dyn Render]) -> Markup {
    html! { tr { th scope="row" { (name) } @for cell in cells { td { (cell) } } } "\n" }
}

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
