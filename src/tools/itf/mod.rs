//! Traces as files: the Informal Trace Format (ITF) of the Apalache model checker, in JSON.
//!
//! A trace has one object for each state; variables of the model are its keys. Enum values are
//! strings (those of `bool` JSON booleans), integers and values of ranges `{"#bigint": "5"}`, reals strings `"1/2"`,
//! arrays `{"#map": [[index, value], ..]}` with index `"#1"` or `{"#tup": ["#1", "#2"]}`, processes
//! `"#1"`, records objects. A queue is `{"messages": [..], "free": [..]}`, where `free` has the places behind the messages: for
//! some types they are a part of the state. Values that have no name in the model get one: an outside value of type proc is `"outside(p)"`,
//! where p is its place in the process order (process `#i` has place (i-1) * 2^20), and a
//! value of an abstract type `data` is `"data!0"`, `"data!1"`, ..
//!
//! Tool-specific data is under `#meta`: for the file the number of processes, for a state the
//! transition that led to it with its arguments, and where in the model these are declared.

mod explain;
mod read;
mod replay;
mod write;

pub(crate) use explain::Explainer;
pub use read::{Claims, RunClaim, read};
pub use replay::replay;
pub use write::{write, write_open, write_run};
