//! SQL types as constants.

use std::fmt;

/// A SQL type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// BOOLEAN.
    Boolean,
    /// UTINYINT, 0 to 255.
    UTinyInt,
    /// INTEGER, signed 32 bits.
    Integer,
    /// UINTEGER, 0 to 2^32 - 1; only for parameters.
    UInteger,
    /// BIGINT, signed 64 bits.
    BigInt,
    /// DOUBLE.
    Double,
    /// TIMESTAMPTZ, a moment in microseconds since 1970 in UTC.
    Timestamp,
    /// A moment as a text, or as what DuckDB casts to one; only for named parameters and options.
    Moment,
    /// VARCHAR, UTF-8.
    Varchar,
    /// JSON: VARCHAR under another name, which DuckDB does not validate.
    Json,
    /// BLOB, any bytes.
    Blob,
    /// VARCHAR or a list of it; only for named parameters. DuckDB calls it ANY and does not check
    /// it.
    TextOrTexts,
    /// A struct of any of these fields, all optional; for the last parameter of a scalar function.
    /// DuckDB calls it ANY and does not cast it, since a cast would drop unknown fields.
    Options(&'static [Field]),
    /// A list of one type.
    List(&'static Type),
    /// A struct of named fields.
    Struct(&'static [Field]),
}

/// A parameter, a column of a table function or a field of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The name as SQL shows it.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// Its description, in one line.
    pub doc: &'static str,
    /// The value of an omitted parameter; `None` for a required one.
    pub default: Option<Constant>,
}

/// The value of an omitted parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    /// NULL.
    Null,
    /// Of a BOOLEAN.
    Boolean(bool),
    /// Of an integer of any size.
    Integer(i64),
    /// Of a VARCHAR.
    Text(&'static str),
}

impl fmt::Display for Constant {
    /// Writes the value as SQL does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
        }
    }
}

impl Field {
    /// Returns a field.
    pub const fn new(name: &'static str, kind: Type, doc: &'static str) -> Self {
        Self { name, kind, doc, default: None }
    }
}

impl fmt::Display for Type {
    /// Writes the type as SQL does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::UTinyInt => f.write_str("UTINYINT"),
            Self::Integer => f.write_str("INTEGER"),
            Self::UInteger => f.write_str("UINTEGER"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Timestamp => f.write_str("TIMESTAMP WITH TIME ZONE"),
            Self::Varchar | Self::Moment => f.write_str("VARCHAR"),
            Self::Json => f.write_str("JSON"),
            Self::Blob => f.write_str("BLOB"),
            Self::TextOrTexts | Self::Options(_) => f.write_str("ANY"),
            Self::List(child) => write!(f, "{child}[]"),
            Self::Struct(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|field| format!("{} {}", field.name, field.kind)).collect();
                write!(f, "STRUCT({})", fields.join(", "))
            }
        }
    }
}
