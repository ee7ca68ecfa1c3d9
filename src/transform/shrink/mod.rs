//! Makes a model smaller while it still shows the chosen symptom: delta debugging on the syntax tree.
//!
//! In: the text of a model and a question. Out: a text that has the same answer, of which no part can be left out.
//! `parts` lists what may be left out, from declarations down to parts of formulas; whole groups of declarations are
//! tried first, then halves of them, and so on (A. Zeller and R. Hildebrandt, "Simplifying and isolating
//! failure-inducing input", IEEE TSE 28(2), 2002).

mod parts;

use self::parts::{declarations, details};
use super::edit::Edit;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::load::meaning;
use cubicle_lang::{format, syntax};

/// A model that was made smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// Its text.
    pub text: String,
    /// How often the question was asked.
    pub tries: usize,
    /// Whether no part can be left out; otherwise the number of tries was used up, or the caller ended the work.
    pub complete: bool,
}

/// Leaves parts of `text` out as long as `keep` holds of the rest; `keep` is called at most `most` times, and its `None`
/// ends the work. If `text` is a valid model, `keep` is called for valid models only.
///
/// ```
/// use cubicle_transform::shrink::shrink;
///
/// let text = "var X : bool (* spare *) var Y : bool init { X = False && Y = False } unsafe { X = True }
///     transition t () requires { Y = False } { X := True; Y := True } transition u () { Y := False }";
/// let small = shrink(text, 1000, &mut |text| Some(text.contains("X := True")));
/// assert!(small.complete && !small.text.contains("spare") && !small.text.contains("transition u"));
/// ```
pub fn shrink(text: &str, most: usize, keep: &mut dyn FnMut(&str) -> Option<bool>) -> Shrunk {
    let mut work = Work { best: text.to_owned(), tries: 0, most, ended: false, well_formed: false, keep };
    work.well_formed = meaning(text).is_ok();
    work.comments();
    let mut before = None;
    while before.as_ref() != Some(&work.best) && !work.ended {
        before = Some(work.best.clone());
        work.declarations();
        work.details();
    }
    if let Ok(laid_out) = format::format(&work.best) {
        work.attempt(laid_out);
    }
    Shrunk { complete: !work.ended, text: work.best, tries: work.tries }
}

struct Work<'k> {
    best: String,
    tries: usize,
    most: usize,
    ended: bool,
    /// Whether the text was a valid model to begin with.
    well_formed: bool,
    keep: &'k mut dyn FnMut(&str) -> Option<bool>,
}

impl Work<'_> {
    /// Adopts a text if it shows the same symptom; returns whether it does.
    fn attempt(&mut self, text: String) -> bool {
        if self.ended || text == self.best || self.well_formed && meaning(&text).is_err() {
            return false;
        }
        if self.tries >= self.most {
            self.ended = true;
            return false;
        }
        self.tries += 1;
        match (self.keep)(&text) {
            Some(true) => self.best = text,
            Some(false) => return false,
            None => {
                self.ended = true;
                return false;
            }
        }
        true
    }

    fn comments(&mut self) {
        let (mut text, mut end) = (String::new(), 0);
        for (span, _) in syntax::spans(&self.best) {
            let between = &self.best[end..span.start as usize];
            let blank = if between.contains('\n') { "\n" } else { " " };
            text.push_str(if between.trim().is_empty() { between } else { blank });
            text.push_str(&self.best[span.start as usize..span.end as usize]);
            end = span.end as usize;
        }
        self.attempt(text + "\n");
    }

    /// Leaves groups of declarations out: large ones first.
    fn declarations(&mut self) {
        let mut size = declarations(&syntax::parse(&self.best).0).len();
        while size > 0 {
            let mut from = 0;
            loop {
                let spans = declarations(&syntax::parse(&self.best).0);
                if from >= spans.len() || self.ended {
                    break;
                }
                let group: Vec<Span> = spans.into_iter().skip(from).take(size).collect();
                if !self.without(&group) {
                    from += size;
                }
            }
            size /= 2;
        }
    }

    /// Leaves parts of declarations out, one by one.
    fn details(&mut self) {
        let mut at = 0;
        loop {
            let edits = details(&syntax::parse(&self.best).0, &self.best);
            let Some(edit) = edits.get(at).filter(|_| !self.ended) else { return };
            // The following parts move up.
            if !self.attempt(edit.apply(&self.best)) {
                at += 1;
            }
        }
    }

    fn without(&mut self, spans: &[Span]) -> bool {
        let edit = Edit::several(spans.iter().map(|span| (*span, String::new())).collect());
        edit.is_some_and(|edit| self.attempt(edit.apply(&self.best)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
        (* A comment. *)\n\
        type t = A | B | C\n\
        var X : t\n\
        array S[proc] : t\n\
        init (p q) { X = A && S[p] = A }\n\
        unsafe (p) { S[p] = C && (X = B || X = C) }\n\
        unsafe { X = B }\n\
        transition one (p q) requires { S[p] = A && (forall_other r. S[r] <> C) }\n\
        { S[j] := case | j = p : C | _ : S[j]; X := C }\n\
        transition two (p) { S[p] := B }\n";

    /// Whether a bad state is reachable with two processes.
    fn is_wrong(text: &str) -> Option<bool> {
        let system = meaning(text).ok()?.system;
        let options = cubicle_run::ForwardOptions::default();
        let interrupt = cubicle_run::Interrupt::default();
        let found = cubicle_forward::explore(&system, 2, &options, &interrupt, &mut cubicle_run::Silent);
        Some(found.exploration.unsafe_trace.is_some())
    }

    #[test]
    fn the_result_shows_the_same_and_no_part_can_be_left_out() {
        let small = shrink(TEXT, 10_000, &mut is_wrong);
        assert!(small.complete);
        assert_eq!(is_wrong(&small.text), Some(true), "{}", small.text);
        assert!(small.text.len() < 90, "{}", small.text);
        let again = shrink(&small.text, 10_000, &mut is_wrong);
        assert_eq!(again.text, small.text);
    }

    #[test]
    fn tries_are_counted_and_can_be_ended() {
        let few = shrink(TEXT, 3, &mut is_wrong);
        assert!(!few.complete && few.tries == 3);
        let mut asked = 0;
        let ended = shrink(TEXT, 100, &mut |_| {
            asked += 1;
            (asked < 4).then_some(false)
        });
        assert!(!ended.complete && ended.text == TEXT && ended.tries == 4);
    }

    #[test]
    fn a_text_with_errors_shrinks_too() {
        let text = "var X : bol\nvar Y : bool\ninit { Y = False }\nunsafe { X = True }";
        let small = shrink(text, 1000, &mut |text| Some(text.contains("bol")));
        assert_eq!(small.text.trim(), "var X : bol");
    }
}
