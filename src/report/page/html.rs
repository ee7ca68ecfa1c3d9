//! Pieces of HTML, and the escaping of texts in them.

/// A part of a page with a heading.
pub struct Section {
    id: String,
    title: String,
    /// Its HTML.
    pub text: String,
}

impl Section {
    /// A link to it for the list of sections.
    pub fn link(&self) -> String {
        format!("<li><a href=\"#{}\">{}</a></li>", self.id, escaped(&self.title))
    }
}

/// A part with this heading (a text) and content (HTML); `id` is one of ours.
pub fn section(id: &str, title: &str, content: &str) -> Section {
    let text = format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n{content}</section>\n",
        escaped(title)
    );
    Section { id: id.to_owned(), title: title.to_owned(), text }
}

/// A text as HTML, in elements and in attributes with double quotes. Characters that change the direction of writing
/// or cannot be seen are shown by their number.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' | '\r' => out.push(c),
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {
                out.push_str(&format!("[U+{:04X}]", u32::from(c)));
            }
            c if c.is_control() => out.push_str(&format!("[U+{:04X}]", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// JSON as the content of a script element: nothing in it ends the element.
pub fn script_data(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// A table that can be scrolled by keys; `label` is a text, rows are HTML.
pub fn table(label: &str, head: &str, rows: &str) -> String {
    let label = escaped(label);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table><caption>{label}</caption>\
         <thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table>\n</div>\n"
    )
}

/// Cells of a head, each for its column.
pub fn heads(titles: &[&str]) -> String {
    titles.iter().map(|title| format!("<th scope=\"col\">{}</th>", escaped(title))).collect()
}
