//! Claims that say what no other process does: their text, their check, and forged ones.

mod checked;
mod random;
mod texts;
