//! Processes of this program that end with the one that started them, also where that is killed and can tell them nothing.

use std::process::Command;

/// The variable by which a process knows that it is to end with the process of this number.
const VARIABLE: &str = "CUBICLE_PARENT";

/// Makes a process of this program end with this one. The thread that starts it must not end before it: Linux takes that for the end of the process.
pub fn bind(command: &mut Command) -> &mut Command {
    command.env(VARIABLE, std::process::id().to_string())
}

/// Sees to it that this process ends with the one that started it, where that asks for it; false when it has ended already.
#[cfg(target_os = "linux")]
pub fn follow() -> bool {
    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, test_kill_process};

    let wanted = std::env::var(VARIABLE).ok().and_then(|it| Pid::from_raw(it.parse().ok()?));
    let Some(parent) = wanted else { return true };
    if getppid() == Some(parent) {
        // Where the system does not have it, this process goes on to its end.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        return getppid() == Some(parent);
    }
    // It ended before it could be followed; or another program in between passed the variable on.
    test_kill_process(parent).is_ok()
}

/// Nothing: other systems do not tell.
#[cfg(not(target_os = "linux"))]
pub fn follow() -> bool {
    true
}
