//! Claims that say what no other process does: their text, their check, and forged ones.

mod checked;
mod declared;
mod forged;
mod protocol;
mod random;
mod texts;
mod theorems;
