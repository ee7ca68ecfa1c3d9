//! Places in a text; names and numbers of a `.cub` file, with their places.

/// The byte order mark that some editors write at the beginning of a UTF-8 file; it means nothing.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A half-open range of byte offsets into the model's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to and without `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The place of a node. Places do not count when trees are compared: any two are equal, so that a tree is
/// equal to the one read back from its printed text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loc(pub Span);

impl PartialEq for Loc {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Loc {}

/// The place from byte `l` up to byte `r`.
pub fn loc(l: u32, r: u32) -> Loc {
    Loc(Span::new(l, r))
}

/// An identifier or a process constant `#k`, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub loc: Loc,
    /// Where it is bound: the sort of processes that it stands for.
    pub sort: Option<Box<Name>>,
}

/// How the name of the type of a pointer ends that may be `nil`.
pub const OR_NIL: &str = " or nil";

impl Name {
    /// The token of a name, without a sort.
    pub(crate) fn new((l, text, r): (u32, &str, u32)) -> Self {
        Self::at(text, loc(l, r))
    }

    /// A name at a place.
    pub fn at(text: impl Into<String>, loc: Loc) -> Self {
        Self { text: text.into(), loc, sort: None }
    }

    /// Where it is not bound.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self { sort: None, ..self.clone() }
    }

    /// Bound to a process of a sort.
    #[must_use]
    pub fn of_sort(self, sort: Self) -> Self {
        Self { sort: Some(Box::new(sort)), ..self }
    }

    /// Where it stands.
    pub const fn span(&self) -> Span {
        self.loc.0
    }

    /// Whether it begins with a small letter.
    pub fn is_small(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// Whether it begins with a capital letter.
    pub fn is_capital(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_uppercase())
    }

    /// Of the name of a type `t or nil`, the name `t`.
    pub fn without_nil(&self) -> Option<Self> {
        let ty = self.text.strip_suffix(OR_NIL)?;
        let start = self.loc.0.start;
        Some(Self::at(ty, loc(start, start + ty.len() as u32)))
    }
}

/// A number as written: decimal digits with an optional sign, and a point when it is a real.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// The text; `-` only in front.
    pub text: String,
    /// Where.
    pub loc: Loc,
}

impl Number {
    /// The token of a number.
    pub(crate) fn new((l, text, r): (u32, &str, u32)) -> Self {
        Self { text: text.to_owned(), loc: loc(l, r) }
    }

    /// Whether it is written with a point.
    pub fn is_real(&self) -> bool {
        self.text.contains('.')
    }
}
