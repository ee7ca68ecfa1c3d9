//! Enums whose values have names: flags accept them, help lists them, and documents write them.

/// An enum whose values have names. [`named!`](crate::named!) declares one.
pub trait Named: Copy + Send + Sync + 'static {
    /// All values, in the order in which help lists them.
    const ALL: &'static [Self];

    /// The value as flags accept it and documents write it.
    fn name(self) -> &'static str;

    /// A sentence about the value: the first line of its documentation.
    fn about(self) -> &'static str;

    /// The value with this name.
    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.name() == name)
    }
}

/// Declares an enum that implements [`Named`], from which its serialization follows. The first line of the
/// documentation of a value is a sentence of its own: help and schemas show it.
///
/// ```
/// use cubicle_lang::named::Named;
///
/// cubicle_lang::named! {
///     /// Colours of a traffic light.
///     pub enum Light {
///         /// Stop.
///         Red = "red",
///         /// Go.
///         Green = "green",
///     }
/// }
/// assert_eq!((Light::Red.name(), Light::Green.about()), ("red", "Go."));
/// assert_eq!((Light::by_name("green"), Light::by_name("blue")), (Some(Light::Green), None));
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $of:ident {
            $(#[doc = $about:literal] $(#[$of_value:meta])* $value:ident = $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
        pub enum $of {
            $(#[doc = $about] $(#[$of_value])* #[serde(rename = $name)] $value,)*
        }

        impl $crate::named::Named for $of {
            const ALL: &'static [Self] = &[$(Self::$value),*];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            fn about(self) -> &'static str {
                match self {
                    $(Self::$value => $about.trim_ascii(),)*
                }
            }
        }
    };
}
