//! The kinds of small mistakes that mutants make.

use std::fmt;

/// A kind of small mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
    /// A comparison becomes its opposite.
    NegateLiteral,
    /// A part of a guard or of a condition is left out.
    DropLiteral,
    /// A comparison becomes weaker or stronger.
    Comparison,
    /// A constructor becomes another one of its type.
    Constructor,
    /// A number becomes one more or one less.
    Number,
    /// An update is left out.
    DropUpdate,
    /// An update is about another process.
    WrongProcess,
    /// An update is of another variable of the same type.
    WrongVariable,
    /// A branch of a `case` is left out.
    DropCase,
    /// Two branches of a `case` exchange their values.
    SwapCases,
    /// A universal guard is left out.
    DropUniversal,
    /// A universal quantifier becomes an existential one, or the other way round.
    FlipUniversal,
    /// A universal guard is about the processes before the first parameter only.
    NarrowUniversal,
    /// A transition is left out.
    DropTransition,
    /// A part of init is left out, so that more states are initial.
    WidenInit,
    /// A variable may have one more value initially.
    MergeInit,
    /// Two parameters exchange their places in the updates, or the two indices of a cell.
    SwapParameters,
    /// An update reads what one before it has written.
    SequentialUpdate,
}

/// All of them, in the order in which they are listed.
pub const OPERATORS: &[Operator] = &[
    Operator::NegateLiteral,
    Operator::DropLiteral,
    Operator::Comparison,
    Operator::Constructor,
    Operator::Number,
    Operator::DropUpdate,
    Operator::WrongProcess,
    Operator::WrongVariable,
    Operator::DropCase,
    Operator::SwapCases,
    Operator::DropUniversal,
    Operator::FlipUniversal,
    Operator::NarrowUniversal,
    Operator::DropTransition,
    Operator::WidenInit,
    Operator::MergeInit,
    Operator::SwapParameters,
    Operator::SequentialUpdate,
];

impl Operator {
    /// Its name, as it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NegateLiteral => "negate-literal",
            Self::DropLiteral => "drop-literal",
            Self::Comparison => "comparison",
            Self::Constructor => "constructor",
            Self::Number => "number",
            Self::DropUpdate => "drop-update",
            Self::WrongProcess => "wrong-process",
            Self::WrongVariable => "wrong-variable",
            Self::DropCase => "drop-case",
            Self::SwapCases => "swap-cases",
            Self::DropUniversal => "drop-universal",
            Self::FlipUniversal => "flip-universal",
            Self::NarrowUniversal => "narrow-universal",
            Self::DropTransition => "drop-transition",
            Self::WidenInit => "widen-init",
            Self::MergeInit => "merge-init",
            Self::SwapParameters => "swap-parameters",
            Self::SequentialUpdate => "sequential-update",
        }
    }

    /// A description with an example.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::NegateLiteral => "a comparison becomes its opposite: `X = A` to `X <> A`",
            Self::DropLiteral => "a part of a guard or condition is left out: `X = A && Y = B` to `Y = B`",
            Self::Comparison => "a comparison becomes weaker or stronger: `N < M` to `N <= M`",
            Self::Constructor => "a constructor becomes another one of its type: `X := A` to `X := B`",
            Self::Number => "a number becomes one more or one less: `N + 1` to `N + 2`",
            Self::DropUpdate => "an update is left out: `X := A; Y := B` to `Y := B`",
            Self::WrongProcess => "an update is about another process: `S[p] := A` to `S[q] := A`",
            Self::WrongVariable => "an update is of another variable of the same type: `X := A` to `Y := A`",
            Self::DropCase => {
                "a branch of a `case` is left out: `case | j = p : A | _ : B` to `case | _ : B`"
            }
            Self::SwapCases => {
                "two branches exchange their values: `case | j = p : A | _ : B` to `case | j = p : B | _ : A`"
            }
            Self::DropUniversal => "a universal guard is left out: `X = A && forall_other q. ..` to `X = A`",
            Self::FlipUniversal => "a quantifier becomes the other one: `forall_other` to `exists_other`",
            Self::NarrowUniversal => {
                "a universal guard is about the processes before the first parameter only: \
                 `forall_other q. F` to `forall_other q. (q > p || F)`"
            }
            Self::DropTransition => "a transition is left out",
            Self::WidenInit => "a part of init is left out: `X = A && Y = B` to `Y = B`",
            Self::MergeInit => "a variable may have one more value initially: `X = A` to `(X = A || X = B)`",
            Self::SwapParameters => {
                "two parameters exchange their places in the updates, or the two indices of a cell: \
                 `M[p, q]` to `M[q, p]`"
            }
            Self::SequentialUpdate => {
                "an update reads what one before it has written: `X := Y; Z := X` to `X := Y; Z := Y`"
            }
        }
    }

    /// The operator of this name.
    pub fn named(name: &str) -> Option<Self> {
        OPERATORS.iter().copied().find(|it| it.name() == name)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
