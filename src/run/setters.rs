//! Setters of options: structs that may grow are made from their defaults.

/// Setters for all fields of a struct: those that take a value, and those that take a value, `Some` of one, or
/// `None`.
macro_rules! setters {
    ($of:ident { $($field:ident: $type:ty),* $(,)? } optional { $($option:ident: $inner:ty),* $(,)? }) => {
        impl $of {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
            $(
                #[doc = concat!("Sets [`", stringify!($option), "`](field@Self::", stringify!($option), ").")]
                #[must_use]
                pub fn $option(mut self, $option: impl Into<Option<$inner>>) -> Self {
                    self.$option = $option.into();
                    self
                }
            )*
        }

        // A field without a setter does not compile.
        const _: fn($of) = |$of { $($field: _,)* $($option: _,)* }| {};
    };
}

pub(crate) use setters;
