//! The addresses on which the processes of a cluster listen.

use std::fs;
use std::net::ToSocketAddrs;
use std::path::Path;

use crate::cli::failure::Failure;

/// The default port of a host.
const PORT: u16 = 7420;

/// More processes than this are a mistake.
const MOST_HOSTS: usize = 1024;

/// The addresses in a file, with ports.
pub fn read(path: &Path) -> Result<Vec<String>, Failure> {
    let name = path.display();
    let text =
        fs::read_to_string(path).map_err(|error| Failure::usage(format!("cannot read {name}: {error}")))?;
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

pub fn host(address: &str) -> &str {
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
