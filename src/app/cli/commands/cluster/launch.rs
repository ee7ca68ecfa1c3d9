//! Starts the other processes of a cluster, on this machine or through ssh; the addresses on which they listen.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::net::{TcpListener, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::args::{ClusterArgs, Started};
use crate::child::Guarded;
use crate::cli::failure::{Failure, cannot};
use crate::cli::files::unread;
use crate::cli::run_dir::quoted;
use cubicle_cluster::Secret;
use cubicle_run::Interrupt;

/// The variable that has the secret of a process started on this machine.
pub const SECRET: &str = "CUBICLE_CLUSTER_SECRET";

/// Processes that this one started, by number. They end by themselves when this process does; those that have not begun by then must
/// not begin.
#[derive(Default)]
pub struct Children(Vec<(String, Guarded)>);

impl Children {
    /// How one that has ended already ended, in words.
    pub fn ended(&mut self) -> Option<String> {
        self.0.iter_mut().find_map(|(name, child)| {
            let status = child.0.try_wait().ok().flatten()?;
            Some(format!("{name} ended ({status})"))
        })
    }

    /// Why a process that waits for others is to give up: the run has ended, or one of these has.
    pub fn stop(&mut self, interrupt: &Interrupt) -> Option<String> {
        interrupt.reason().map(|_| "the run has ended".to_owned()).or_else(|| self.ended())
    }

    /// Those of this machine.
    pub fn here(
        args: &ClusterArgs,
        addresses: &[String],
        listeners: Vec<TcpListener>,
        secret: &Secret,
    ) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(cannot("cannot start processes"))?;
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
                .args(["-o", "BatchMode=yes", "--", host(address)])
                .arg(quoted.join(" "))
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .process_group(0);
            let name = format!("ssh to {}, for process {number},", host(address));
            children.start(name, command, Some(secret.bytes()))?;
        }
        Ok(children)
    }

    /// Starts the command, called `name` in messages, with this on its standard input.
    fn start(&mut self, name: String, mut command: Command, input: Option<&[u8]>) -> Result<(), Failure> {
        let mut child = command.spawn().map_err(cannot(format!("{name} cannot be started")))?;
        if let (Some(input), Some(mut to)) = (input, child.stdin.take()) {
            // When it has ended already, its exit code says more.
            let _ = to.write_all(input);
        }
        self.0.push((name, Guarded(child)));
        Ok(())
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

/// The default port of a host.
const PORT: u16 = 7420;

/// More processes than this are a mistake.
const MOST_HOSTS: usize = 1024;

/// The addresses in a file, with ports.
pub fn read_hosts(path: &Path) -> Result<Vec<String>, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(unread(path))?;
    parse(&text).map_err(|why| Failure::usage(format!("{name}: {why}")))
}

fn parse(text: &str) -> Result<Vec<String>, String> {
    let mut addresses: Vec<String> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let host = line.split('#').next().unwrap_or_default().trim();
        if host.is_empty() {
            continue;
        }
        // Two colons occur in an address of IPv6 only, which has a port when it is in brackets.
        let bare = host.matches(':').count() > 1 && !host.starts_with('[');
        let address = match host.rsplit_once(':') {
            _ if bare => format!("[{host}]:{PORT}"),
            Some((_, port)) if !port.ends_with(']') => {
                if !port.parse::<u16>().is_ok_and(|port| port > 0) {
                    return Err(format!("line {}: `{port}` is not a port", number + 1));
                }
                host.to_owned()
            }
            _ => format!("{host}:{PORT}"),
        };
        if host.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',') || host.starts_with('-') {
            return Err(format!("line {}: `{}` is not a host", number + 1, host.escape_debug()));
        }
        if addresses.contains(&address) {
            return Err(format!("line {}: {address} is listed twice", number + 1));
        }
        addresses.push(address);
    }
    match addresses.len() {
        0 => Err("there is no host in it".to_owned()),
        1..=MOST_HOSTS => Ok(addresses),
        _ => Err(format!("there are more than {MOST_HOSTS} hosts in it")),
    }
}

fn host(address: &str) -> &str {
    address.rsplit_once(':').map_or(address, |(host, _)| host).trim_matches(['[', ']'])
}

/// Whether only this machine is meant.
pub fn are_here(addresses: &[String]) -> bool {
    addresses.iter().all(|address| {
        address.to_socket_addrs().is_ok_and(|all| all.into_iter().all(|address| address.ip().is_loopback()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_line() {
        let text = "# two machines\n one \n\ntwo:99 # the other\n::1\n[::1]:7\n";
        let addresses = parse(text).expect("they are hosts");
        assert_eq!(addresses, ["one:7420", "two:99", "[::1]:7420", "[::1]:7"]);
        assert_eq!(addresses.iter().map(|it| host(it)).collect::<Vec<_>>(), ["one", "two", "::1", "::1"]);
    }

    #[test]
    fn invalid_hosts_are_refused() {
        for text in ["", "# none", "a:b", "a:0", "a b", "a\na", "-oProxyCommand=x", "a,b", "a:70000"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn this_machine_is_known() {
        assert!(are_here(&["127.0.0.1:1".to_owned(), "[::1]:2".to_owned()]));
        assert!(!are_here(&["127.0.0.1:1".to_owned(), "192.0.2.1:2".to_owned()]));
    }
}
