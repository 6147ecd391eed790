//! The options of a row: the named parameters of a table function as one struct.

use redline_base::error::{Error, Result, quoted};
use redline_base::suggest;
use redline_rows::params::Value;
use redline_rows::{Constant, Field, Type};

/// Returns the parameter of a scalar function that takes some parameters as a struct.
pub const fn options(fields: &'static [Field], doc: &'static str) -> Field {
    Field { default: Some(Constant::Null), ..Field::new("options", Type::Options(fields), doc) }
}

/// Returns the values of `fields` in a struct, in their order, as a table function gets its named
/// parameters; NULL for missing ones.
pub fn row_options(given: Value, fields: &[Field], function: &str) -> Result<Vec<Value>> {
    let mut values = vec![Value::Null; fields.len()];
    let options = match given {
        Value::Null => return Ok(values),
        Value::Struct(options) => options,
        other => {
            return Err(Error::invalid_args(format!(
                "the options of {function} are of type {}",
                other.type_name()
            ))
            .with_hint(format!("Give a STRUCT, such as {}", example(fields))));
        }
    };
    for (name, value) in options {
        let named = |field: &Field| field.name.eq_ignore_ascii_case(&name);
        let Some(index) = fields.iter().position(named) else {
            return Err(unknown(&name, fields, function));
        };
        values[index] = checked(&fields[index], value)?;
    }
    Ok(values)
}

/// Returns an example of a struct with one option, as SQL.
fn example(fields: &[Field]) -> String {
    let example = |field: &Field| match field.default {
        None | Some(Constant::Null) => None,
        Some(default) => Some(format!("{{'{}': {default}}}", field.name)),
    };
    fields.iter().find_map(example).unwrap_or_else(|| "{'paths': ['src']}".to_owned())
}

fn unknown(name: &str, fields: &[Field], function: &str) -> Error {
    if name.is_empty() {
        return Error::invalid_args(format!("the options of {function} have no names"))
            .with_hint(format!("Give a STRUCT with names, such as {}", example(fields)));
    }
    let names = || fields.iter().map(|field| field.name);
    Error::invalid_args(format!("{function} has no option {}", quoted(name)))
        .near(&suggest::best(name, names()))
        .and_hint(format!("Its options are {}", names().collect::<Vec<_>>().join(", ")))
}

/// Returns the value converted to the type of `field`.
fn checked(field: &Field, value: Value) -> Result<Value> {
    let is_of_type = match (&field.kind, &value) {
        (_, Value::Null)
        | (Type::Boolean, Value::Boolean(_))
        | (Type::Moment, Value::Timestamp(_)) => true,
        (kind, Value::Integer(number)) => match range(kind) {
            Some((least, most)) if (least..=most).contains(number) => true,
            Some((least, most)) => {
                return Err(Error::invalid_args(format!("{} is {number}", field.name))
                    .with_hint(format!("Give {least} to {most}")));
            }
            None => false,
        },
        (Type::Varchar | Type::Moment | Type::TextOrTexts, Value::Text(text)) => {
            refuse_nul(field, text)?;
            true
        }
        (Type::TextOrTexts | Type::List(Type::Varchar), Value::List(texts)) => {
            texts.iter().filter_map(Value::as_text).try_for_each(|text| refuse_nul(field, text))?;
            texts.iter().all(|text| matches!(text, Value::Text(_) | Value::Null))
        }
        (Type::List(Type::BigInt), Value::List(numbers)) => {
            numbers.iter().all(|number| matches!(number, Value::Integer(_) | Value::Null))
        }
        _ => false,
    };
    if is_of_type {
        return Ok(value);
    }
    let shown = match &value {
        Value::Text(text) => format!(": {}", quoted(text)),
        Value::Integer(number) => format!(": {number}"),
        _ => String::new(),
    };
    Err(Error::invalid_args(format!(
        "the option {} is of type {}{shown}",
        field.name,
        described(&value)
    ))
    .with_hint(format!("Give {}", wanted(&field.kind))))
}

/// Returns the smallest and the largest number of a type; the reader of a percentage checks its
/// range itself.
fn range(kind: &Type) -> Option<(i64, i64)> {
    match kind {
        Type::UTinyInt | Type::BigInt => Some((i64::MIN, i64::MAX)),
        Type::Integer => Some((i32::MIN.into(), i32::MAX.into())),
        Type::UInteger => Some((0, u32::MAX.into())),
        _ => None,
    }
}

fn refuse_nul(field: &Field, text: &str) -> Result<()> {
    if text.contains('\0') {
        return Err(Error::invalid_args(format!(
            "the option {} contains a NUL character",
            field.name
        ))
        .with_hint("Options contain no NUL"));
    }
    Ok(())
}

/// Returns the name of the type of a value; for a list, with that of the first element that is not
/// NULL.
fn described(value: &Value) -> String {
    let Value::List(elements) = value else { return value.type_name().to_owned() };
    let first = elements.iter().find(|element| **element != Value::Null);
    first.map_or("LIST".to_owned(), |element| format!("LIST of {}", element.type_name()))
}

/// Returns the expected type, as SQL writes it.
fn wanted(kind: &Type) -> String {
    match kind {
        Type::TextOrTexts => "VARCHAR or VARCHAR[]".to_owned(),
        Type::Moment => "TIMESTAMPTZ, or a text such as '2026-01-31' or '2 weeks ago'".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const FIELDS: &[Field] = &[
        field("paths", Type::TextOrTexts, Constant::Null),
        field("renames", Type::Boolean, Constant::Boolean(false)),
        field("rename_limit", Type::UInteger, Constant::Integer(1000)),
        field("since", Type::Moment, Constant::Null),
        field("lines", Type::List(&Type::BigInt), Constant::Null),
        field("algorithm", Type::Varchar, Constant::Text("myers")),
    ];

    const fn field(name: &'static str, kind: Type, default: Constant) -> Field {
        Field { default: Some(default), ..Field::new(name, kind, "") }
    }

    fn read(options: &[(&str, Value)]) -> Result<Vec<Value>> {
        let options = options.iter().map(|(name, value)| (Arc::from(*name), value.clone()));
        row_options(Value::Struct(options.collect()), FIELDS, "f_list")
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn options_come_in_the_order_of_the_parameters() {
        let given = [("ALGORITHM", text("patience")), ("renames", Value::Boolean(true))];
        let none = Value::Null;
        assert_eq!(
            read(&given).unwrap(),
            [
                none.clone(),
                Value::Boolean(true),
                none.clone(),
                none.clone(),
                none.clone(),
                text("patience")
            ]
        );
        assert_eq!(row_options(none.clone(), FIELDS, "f").unwrap(), vec![none; FIELDS.len()]);
    }

    #[test]
    fn what_is_wrong_is_named_and_what_is_wanted() {
        let list = |value: Value| Value::List(vec![Value::Null, value]);
        for (name, value, words) in [
            (
                "rename",
                Value::Boolean(true),
                "f_list has no option 'rename'. Did you mean 'renames'? Its options are paths, renames,",
            ),
            ("zzz", Value::Boolean(true), "f_list has no option 'zzz'. Its options are paths,"),
            (
                "",
                Value::Boolean(true),
                "the options of f_list have no names. Give a STRUCT with names, such as {'renames': false}",
            ),
            ("renames", text("yes"), "the option renames is of type VARCHAR: 'yes'. Give BOOLEAN"),
            (
                "renames",
                Value::Integer(1),
                "the option renames is of type INTEGER: 1. Give BOOLEAN",
            ),
            ("rename_limit", Value::Integer(-1), "rename_limit is -1. Give 0 to 4294967295"),
            (
                "rename_limit",
                Value::Other("DECIMAL"),
                "the option rename_limit is of type DECIMAL. Give UINTEGER",
            ),
            (
                "paths",
                Value::Integer(1),
                "the option paths is of type INTEGER: 1. Give VARCHAR or VARCHAR[]",
            ),
            (
                "paths",
                list(Value::Integer(1)),
                "the option paths is of type LIST of INTEGER. Give VARCHAR or VARCHAR[]",
            ),
            (
                "paths",
                list(text("a\0b")),
                "the option paths contains a NUL character. Options contain no NUL",
            ),
            (
                "lines",
                list(text("1")),
                "the option lines is of type LIST of VARCHAR. Give BIGINT[]",
            ),
            (
                "since",
                Value::Boolean(true),
                "the option since is of type BOOLEAN. Give TIMESTAMPTZ",
            ),
            (
                "algorithm",
                Value::Boolean(true),
                "the option algorithm is of type BOOLEAN. Give VARCHAR",
            ),
        ] {
            let error = read(&[(name, value)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid_args: {words}")), "{error}");
        }
        let error = row_options(Value::Integer(3), FIELDS, "f_list").unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid_args: the options of f_list are of type INTEGER. Give a STRUCT, such as {'renames': false}."
        );
    }
}
