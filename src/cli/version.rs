//! `--version`: what this program is built from, for reports of errors.

use std::sync::LazyLock;

/// Git's log of HEAD when the program was compiled; empty in a package and without git. Only read by the compiler: it
/// is no part of the program.
const HEAD_LOG: &[u8] = include_bytes!(env!("CUBICLE_HEAD_LOG"));

/// Digits of a commit that are shown.
const DIGITS: usize = 12;

const HEAD: Option<[u8; DIGITS]> = last_commit(HEAD_LOG);

/// The commit that the last line of git's log of HEAD leads to: `OLD NEW author time what`.
const fn last_commit(log: &[u8]) -> Option<[u8; DIGITS]> {
    let mut start = log.len().saturating_sub(1);
    while start > 0 && log[start - 1] != b'\n' {
        start -= 1;
    }
    while start < log.len() && log[start] != b' ' {
        start += 1;
    }
    if start + DIGITS >= log.len() {
        return None;
    }
    let mut commit = [0; DIGITS];
    let mut digit = 0;
    while digit < DIGITS {
        commit[digit] = log[start + 1 + digit];
        if !commit[digit].is_ascii_hexdigit() {
            return None;
        }
        digit += 1;
    }
    Some(commit)
}

/// What follows the name: version, commit, the Z3 that it is linked with, features, and the machine it is for.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let linked = if cfg!(feature = "vendored") { "built in" } else { "linked" };
        format!(
            "{}\ncommit: {}\nZ3: {} ({linked})\nfeatures: {}\ntarget: {}",
            env!("CARGO_PKG_VERSION"),
            commit(HEAD.as_ref().and_then(|digits| std::str::from_utf8(digits).ok())),
            cubicle::z3_version(),
            env!("CUBICLE_FEATURES"),
            env!("CUBICLE_TARGET"),
        )
    });
    &TEXT
}

/// Version and commit, for what only the same program can read again.
pub fn exact() -> String {
    let head = HEAD.as_ref().and_then(|digits| std::str::from_utf8(digits).ok());
    format!("{} ({})", env!("CARGO_PKG_VERSION"), head.unwrap_or(env!("CUBICLE_COMMIT")))
}

fn commit(head: Option<&str>) -> String {
    match head {
        Some(commit) => format!("{commit} (a work tree: changes since then are not told)"),
        None => env!("CUBICLE_COMMIT").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::last_commit;

    #[test]
    fn the_last_line_counts() {
        let first = b"0000000000000000 1111111111111111 A <a@b> 1 +0000\tclone\n".as_slice();
        let both = [first, b"1111111111111111 22222222222222ab A <a@b> 2 +0000\tcommit: 3\n"].concat();
        assert_eq!(last_commit(first), Some(*b"111111111111"));
        assert_eq!(last_commit(&both), Some(*b"222222222222"));
        assert_eq!(last_commit(&both[..both.len() - 1]), Some(*b"222222222222"));
    }

    #[test]
    fn what_is_no_log_has_no_commit() {
        for text in ["", "\n", "ref: refs/heads/main\n", "0000 1111 A\n", "a b", "x "] {
            assert_eq!(last_commit(text.as_bytes()), None, "{text:?}");
        }
    }
}
