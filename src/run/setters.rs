//! Structs of options: they may grow, so they are made from their defaults by setters.

/// Declares a struct with a setter for each field. Those of `optional` are an `Option`, and their setters take a value, `Some` of one,
/// or `None`.
macro_rules! setters {
    (
        $(#[$attribute:meta])*
        pub struct $of:ident { $($(#[$of_field:meta])* pub $field:ident: $type:ty,)* }
        optional { $($(#[$of_option:meta])* pub $option:ident: $inner:ty,)* }
    ) => {
        $(#[$attribute])*
        pub struct $of {
            $($(#[$of_field])* pub $field: $type,)*
            $($(#[$of_option])* pub $option: Option<$inner>,)*
        }

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
    };
}

/// Declares a struct of options with its defaults and its setters; those of `optional` are `None` by default.
macro_rules! options {
    (
        $(#[$attribute:meta])*
        pub struct $of:ident { $($(#[$of_field:meta])* pub $field:ident: $type:ty = $default:expr,)* }
        optional { $($(#[$of_option:meta])* pub $option:ident: $inner:ty,)* }
    ) => {
        $crate::setters::setters! {
            $(#[$attribute])*
            pub struct $of { $($(#[$of_field])* pub $field: $type,)* }
            optional { $($(#[$of_option])* pub $option: $inner,)* }
        }

        impl Default for $of {
            fn default() -> Self {
                Self { $($field: $default,)* $($option: None,)* }
            }
        }
    };
}

pub(crate) use {options, setters};
