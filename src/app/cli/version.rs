//! `--version`: what this program is built from, for reports of errors.

use std::sync::{LazyLock, OnceLock};

/// What the program was built from, from its build script. The crates below are compiled without it, so that a commit does not
/// compile them again.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// The commit of HEAD when the program was compiled, by [`last_commit`]; `None` in a package and without git.
    pub head: Option<[u8; COMMIT_DIGITS]>,
    /// The commit, where git does not know it.
    pub commit: &'static str,
    /// Names of features.
    pub features: &'static str,
    /// The machine that it is for.
    pub target: &'static str,
    /// Whether Z3 is a part of it.
    pub vendored: bool,
}

static BUILD: OnceLock<Build> = OnceLock::new();

/// Sets once what the program was built from.
pub fn tell(build: Build) {
    BUILD.get_or_init(|| build);
}

fn build() -> Build {
    let nothing = Build { head: None, commit: "unknown", features: "", target: "unknown", vendored: false };
    *BUILD.get_or_init(|| nothing)
}

/// Digits of a commit that are shown.
const COMMIT_DIGITS: usize = 12;

/// The commit that the last line of git's log of HEAD leads to: `OLD NEW author time what`.
pub const fn last_commit(log: &[u8]) -> Option<[u8; COMMIT_DIGITS]> {
    let mut start = log.len().saturating_sub(1);
    while start > 0 && log[start - 1] != b'\n' {
        start -= 1;
    }
    while start < log.len() && log[start] != b' ' {
        start += 1;
    }
    if start + COMMIT_DIGITS >= log.len() {
        return None;
    }
    let mut commit = [0; COMMIT_DIGITS];
    let mut digit = 0;
    while digit < COMMIT_DIGITS {
        commit[digit] = log[start + 1 + digit];
        if !commit[digit].is_ascii_hexdigit() {
            return None;
        }
        digit += 1;
    }
    Some(commit)
}

fn head(build: &Build) -> Option<&str> {
    build.head.as_ref().and_then(|digits| str::from_utf8(digits).ok())
}

/// What follows the name: version, commit, the Z3 that it is linked with, features, and the machine it is for.
pub fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let build = build();
        let linked = if build.vendored { "built in" } else { "linked" };
        format!(
            "{}\ncommit: {}\nZ3: {} ({linked})\nfeatures: {}\ntarget: {}",
            env!("CARGO_PKG_VERSION"),
            match head(&build) {
                Some(commit) => format!("{commit} (a work tree: later changes are not included)"),
                None => build.commit.to_owned(),
            },
            cubicle_solver::version(),
            build.features,
            build.target,
        )
    });
    &TEXT
}

/// Version and commit, for data that only the same program can read again.
pub fn exact() -> String {
    let build = build();
    format!("{} ({})", env!("CARGO_PKG_VERSION"), head(&build).unwrap_or(build.commit))
}

#[cfg(test)]
mod tests {
    use super::last_commit;

    #[test]
    fn the_commit_is_that_of_the_last_line() {
        let first = b"0000000000000000 1111111111111111 A <a@b> 1 +0000\tclone\n".as_slice();
        let both = [first, b"1111111111111111 22222222222222ab A <a@b> 2 +0000\tcommit: 3\n"].concat();
        assert_eq!(last_commit(first), Some(*b"111111111111"));
        assert_eq!(last_commit(&both), Some(*b"222222222222"));
        assert_eq!(last_commit(&both[..both.len() - 1]), Some(*b"222222222222"));
    }

    #[test]
    fn an_invalid_log_has_no_commit() {
        for text in ["", "\n", "ref: refs/heads/main\n", "0000 1111 A\n", "a b", "x "] {
            assert_eq!(last_commit(text.as_bytes()), None, "{text:?}");
        }
    }
}
