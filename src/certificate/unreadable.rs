//! Why a text cannot be read: a certificate, or cubes of a file of lemmas.

/// Why a text is not a certificate, or not cubes, of a model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextError {
    /// The line of this number, from 1.
    #[error("line {0}: {1}")]
    Line(usize, LineError),
    /// The subject does not fit the model.
    #[error("{0}")]
    Subject(String),
}

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// It does not have this form.
    #[error("this is not {0}")]
    Form(&'static str),
    /// An earlier line says how processes fail.
    #[error("processes fail in one way only")]
    SecondFailure,
    /// An earlier line names a property.
    #[error("only one property is allowed")]
    SecondProperty,
    /// No earlier line names the ranking that it belongs to.
    #[error("it must follow `ranking of PROPERTY with FLAG`")]
    NoRanking,
    /// It is not a cube of the model, as a diagnostic says.
    #[error("{0}")]
    Cube(String),
}
