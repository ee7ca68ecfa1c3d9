//! Schemas of enums whose values have names.

use std::borrow::Cow;
use std::marker::PhantomData;

use cubicle_run::Method;
use cubicle_run::named::Named;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The names of backward searches.
pub fn searches() -> impl Iterator<Item = &'static str> {
    Method::ALL.iter().map(|it| it.name()).filter(|it| *it != Method::Auto.name())
}

/// Stands for a value of `T` in the type that a schema is made from: the crate of `T` knows no schemas.
pub struct Name<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Name<T> {
    fn schema_name() -> Cow<'static, str> {
        let path = std::any::type_name::<T>();
        path.rsplit("::").next().unwrap_or(path).into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let value = |it: &T| json!({ "type": "string", "const": it.name(), "description": it.about() });
        json_schema!({ "oneOf": T::ALL.iter().map(value).collect::<Vec<Value>>() })
    }
}
