//! Bugs of this program: reported as such, and noted in the document of the run.

use std::sync::Mutex;

use cubicle_run::workers::locked;

use super::output::complain;

static TOLD: Mutex<Option<String>> = Mutex::new(None);

/// From now on, a panic is reported as a bug.
pub fn report() {
    std::panic::set_hook(Box::new(|panic| {
        // A panic on a mutant is a result of its run.
        let thread = std::thread::current();
        if thread.name() == Some(cubicle_tools::mutation::THREAD) {
            return;
        }
        // When a process of a cluster is lost, the threads that were connected with it end like this.
        if thread.name().is_some_and(|name| name.starts_with(cubicle_cluster::THREADS)) {
            cubicle_cluster::note_panic(&panic.to_string());
            return;
        }
        let error = format!("internal error: {panic}");
        complain(&error);
        complain(
            "This is a bug of cubicle, not of your model. Please report it with the model and the command.",
        );
        locked(&TOLD).get_or_insert(error);
    }));
}

/// The first panic.
pub fn reported() -> Option<String> {
    locked(&TOLD).clone()
}
