//! Claims that say what no other process does: their text, their check, and forged ones; searches that make them.

mod checked;
mod declared;
mod forged;
mod found;
mod protocol;
mod random;
mod searches;
mod texts;
mod theorems;
