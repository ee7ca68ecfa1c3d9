//! Claims that say what no other process does: their text, their check, and forged ones; searches that make them.

mod checked;
mod random;
mod searches;
mod texts;
