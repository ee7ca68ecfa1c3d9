//! Pieces of pages. All markup is checked when this is compiled, and each text in it is escaped.

use std::ops::RangeInclusive;

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
