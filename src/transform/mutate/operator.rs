//! The kinds of small mistakes that mutants make.

use std::fmt;

use cubicle_lang::named;
use cubicle_lang::named::Named;

named! {
    /// A kind of small mistake.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Operator {
        /// a comparison becomes its opposite: `X = A` to `X <> A`
        NegateLiteral = "negate-literal",
        /// a part of a guard or condition is left out: `X = A && Y = B` to `Y = B`
        DropLiteral = "drop-literal",
        /// a comparison becomes weaker or stronger: `N < M` to `N <= M`
        Comparison = "comparison",
        /// a constructor becomes another one of its type: `X := A` to `X := B`
        Constructor = "constructor",
        /// a number becomes one more or one less: `N + 1` to `N + 2`
        Number = "number",
        /// an update is left out: `X := A; Y := B` to `Y := B`
        DropUpdate = "drop-update",
        /// an update is about another process: `S[p] := A` to `S[q] := A`
        WrongProcess = "wrong-process",
        /// an update is of another variable of the same type: `X := A` to `Y := A`
        WrongVariable = "wrong-variable",
        /// a branch of a `case` is left out: `case | j = p : A | _ : B` to `case | _ : B`
        DropCase = "drop-case",
        /// two branches exchange their values: `case | j = p : A | _ : B` to `case | j = p : B | _ : A`
        SwapCases = "swap-cases",
        /// a universal guard is left out: `X = A && forall_other q. ..` to `X = A`
        DropUniversal = "drop-universal",
        /// a quantifier becomes the other one: `forall_other` to `exists_other`
        FlipUniversal = "flip-universal",
        /// a universal guard is about the processes before the first parameter only: `forall_other q. F` to `forall_other q. (q > p || F)`
        NarrowUniversal = "narrow-universal",
        /// a transition is left out
        DropTransition = "drop-transition",
        /// a part of init is left out: `X = A && Y = B` to `Y = B`
        WidenInit = "widen-init",
        /// a variable may have one more value initially: `X = A` to `(X = A || X = B)`
        MergeInit = "merge-init",
        /// two parameters exchange their places in the updates, or the two indices of a cell: `M[p, q]` to `M[q, p]`
        SwapParameters = "swap-parameters",
        /// an update reads what one before it has written: `X := Y; Z := X` to `X := Y; Z := Y`
        SequentialUpdate = "sequential-update",
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
