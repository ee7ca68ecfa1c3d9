//! The meaning of each diagnostic code: the pages of `docs/errors`, one for each code.

use crate::spelling::nearest;

/// The page of each code, in their order.
macro_rules! pages {
    ($($code:ident)*) => {
        &[$((stringify!($code), include_str!(concat!("../../docs/errors/", stringify!($code), ".md")))),*]
    };
}

const PAGES: &[(&str, &str)] = pages! {
    C0001 C0002 C0003 C0005 C0006 C0007 C0008 C0013 C0014 C0015
    C0101 C0102 C0103 C0104 C0105 C0106 C0107 C0108 C0109 C0110 C0111 C0112
    C0201 C0202 C0203 C0204 C0206 C0211 C0212 C0213 C0214 C0216 C0217 C0218 C0219 C0220 C0221
    C0222
    C0301 C0303 C0304 C0305 C0306
    C0401 C0402 C0403 C0404 C0405 C0406 C0408
    C0501 C0502 C0503 C0504 C0505 C0506
    C0601 C0602
    C0701 C0702 C0711 C0712 C0713 C0714 C0715 C0716 C0717 C0718
    C0721 C0722 C0723 C0724 C0725 C0726
    C0801
    C0901 C0902 C0903 C0904 C0905 C0906 C0907 C0908 C0909 C0910 C0911 C0912 C0913 C0914 C0915 C0916
    C0917 C0918 C0919 C0920 C0921 C0922 C0923 C0924 C0925 C0926 C0927 C0928 C0929 C0930 C0931 C0932
    C0933
};

/// The page of a code, in Markdown; letters may be small, and the `C` and zeros after it left out.
pub fn page(code: &str) -> Option<&'static str> {
    find(code).map(|(_, page)| page)
}

/// A code as it is written, however it is typed.
pub fn code(typed: &str) -> Option<&'static str> {
    find(typed).map(|(code, _)| code)
}

fn find(code: &str) -> Option<(&'static str, &'static str)> {
    let digits = code.trim_start_matches(['c', 'C']);
    let number: u16 = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    let code = format!("C{number:04}");
    PAGES.iter().find(|(known, _)| *known == code).copied()
}

/// All codes with the titles of their pages, in order.
pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().map(|&(code, page)| {
        let title = page.lines().next().unwrap_or("");
        (code, title.split_once(": ").map_or(title, |(_, title)| title))
    })
}

/// The code that a wrong one was probably meant to be.
pub fn similar(code: &str) -> Option<&'static str> {
    nearest(code, PAGES.iter().map(|(known, _)| *known))
}

#[cfg(test)]
mod tests {
    use super::{codes, page, similar};

    #[test]
    fn codes_are_found_however_they_are_typed() {
        for typed in ["C0102", "c0102", "102", "0102", "C102"] {
            assert!(page(typed).is_some_and(|page| page.starts_with("# C0102: ")), "{typed}");
        }
        for wrong in ["", "C", "C9999", "E0102", "unknown", "C0102x", "+102"] {
            assert_eq!(page(wrong), None, "{wrong}");
        }
        assert_eq!(similar("E0102"), Some("C0102"));
    }

    #[test]
    fn pages_are_in_order_and_begin_with_their_code() {
        let all: Vec<_> = codes().collect();
        assert!(all.is_sorted());
        for (code, title) in all {
            assert!(page(code).is_some_and(|page| page.starts_with(&format!("# {code}: {title}\n"))));
            assert!(!title.is_empty());
        }
    }
}
