//! Runs other programs, which end when the run must end.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cubicle_run::Interrupt;

/// How often to check whether the answer is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What the program writes to standard output, and whether it succeeds; ends it when the run must end.
pub fn run(command: &mut Command, interrupt: &Interrupt) -> io::Result<(String, bool)> {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::inherit()).stdout(Stdio::piped()).spawn()?;
    let mut output = child.stdout.take().expect("it is piped");
    let (tell, answer) = mpsc::channel();
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut text = Vec::new();
        let _ = tell.send(output.read_to_end(&mut text).map(|_| text));
    })?;
    let text = loop {
        match answer.recv_timeout(LOOK_EVERY) {
            Ok(text) => break text?,
            Err(_) if interrupt.reason().is_some() => {
                child.kill()?;
                break Vec::new();
            }
            Err(_) => {}
        }
    };
    let done = child.wait()?.success();
    Ok((String::from_utf8_lossy(&text).into_owned(), done))
}
