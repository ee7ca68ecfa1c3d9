//! Starts the other processes of a cluster, on this machine or through ssh.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use cubicle_cluster::Secret;

use super::args::{ClusterArgs, Started};
use super::hosts;
use crate::cli::failure::Failure;
use crate::cli::run_dir::quoted;

/// The variable that has the secret of a process started on this machine.
pub const SECRET: &str = "CUBICLE_CLUSTER_SECRET";

/// Processes that this one started, by number.
#[derive(Default)]
pub struct Children(Vec<(String, Child)>);

impl Children {
    /// How one that has ended already ended, in words.
    pub fn ended(&mut self) -> Option<String> {
        self.0.iter_mut().find_map(|(name, child)| {
            let status = child.try_wait().ok().flatten()?;
            Some(format!("{name} ended ({status})"))
        })
    }

    /// Those of this machine.
    pub fn here(
        args: &ClusterArgs,
        addresses: &[String],
        listeners: Vec<TcpListener>,
        secret: &Secret,
    ) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("cannot start processes: {error}")))?;
        let mut children = Self::default();
        for (number, listener) in (1..).zip(listeners) {
            let mut command = Command::new(&program);
            command
                .args(words(args, number, addresses, Started::Local))
                .env(SECRET, OsStr::new(&String::from_utf8_lossy(secret.bytes()).into_owned()))
                .stdin(Stdio::from(OwnedFd::from(listener)))
                .stdout(Stdio::null())
                // Signals from the terminal are for this process, which passes them on.
                .process_group(0);
            children.start(format!("process {number}"), command, None)?;
        }
        Ok(children)
    }

    /// Those of the other hosts.
    pub fn elsewhere(args: &ClusterArgs, addresses: &[String], secret: &Secret) -> Result<Self, Failure> {
        let mut children = Self::default();
        for (number, address) in addresses.iter().enumerate().skip(1) {
            let words = words(args, number, addresses, Started::Ssh);
            let quoted: Vec<String> = std::iter::once(OsString::from(&args.program))
                .chain(words)
                .map(|word| quoted(&word.to_string_lossy()))
                .collect();
            let mut command = Command::new("ssh");
            command
                .args(["-o", "BatchMode=yes", "--", hosts::host(address)])
                .arg(quoted.join(" "))
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .process_group(0);
            let name = format!("ssh to {}, for process {number},", hosts::host(address));
            children.start(name, command, Some(secret.bytes()))?;
        }
        Ok(children)
    }

    /// Starts the command, called `name` in messages, with this on its standard input.
    fn start(&mut self, name: String, mut command: Command, input: Option<&[u8]>) -> Result<(), Failure> {
        let failed = |error| Failure::internal(format!("{name} cannot be started: {error}"));
        let mut child = command.spawn().map_err(failed)?;
        if let (Some(input), Some(mut to)) = (input, child.stdin.take()) {
            // When it has ended already, its exit code says more.
            let _ = to.write_all(input);
        }
        self.0.push((name, child));
        Ok(())
    }
}

impl Drop for Children {
    /// They end by themselves when this process does; those that have not begun by then must not begin.
    fn drop(&mut self) {
        for (_, child) in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The command line of another process.
fn words(args: &ClusterArgs, number: usize, addresses: &[String], started: Started) -> Vec<OsString> {
    let started = match started {
        Started::Local => "local",
        Started::Ssh => "ssh",
    };
    let wait = format!("{}ms", args.wait.as_millis());
    let own = ["cluster", "--process", &number.to_string(), "--started", started].map(OsString::from);
    let rest = ["--addresses", &addresses.join(","), "--workers", &args.workers.to_string(), "--wait", &wait];
    let mut words: Vec<OsString> = own.into_iter().chain(rest.map(OsString::from)).collect();
    if let Some(memory) = args.memory {
        words.extend(["--memory".into(), memory.to_string().into()]);
    }
    // On other hosts it is where the command line says.
    if let Some(kept) = args.kept.as_ref().filter(|_| args.local.is_some()) {
        words.extend(["--kept".into(), kept.into()]);
    }
    words.push("--".into());
    words.extend(args.exploration.iter().cloned());
    words
}
