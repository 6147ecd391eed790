//! SQL types as constants, and their DuckDB handles.

use std::ffi::{CStr, CString, c_char};
use std::fmt;

use libduckdb_sys as sys;

use super::api::{Outside, api};

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

impl Type {
    /// Returns DuckDB's number of the type; for lists and structs, that of their kind.
    pub fn id(&self) -> sys::duckdb_type {
        match self {
            Self::Boolean => sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN,
            Self::UTinyInt => sys::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT,
            Self::Integer => sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
            Self::UInteger => sys::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
            Self::BigInt => sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
            Self::Double => sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
            Self::Timestamp => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ,
            Self::Varchar | Self::Json | Self::Moment => sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
            Self::Blob => sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
            Self::TextOrTexts | Self::Options(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_ANY,
            Self::List(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST,
            Self::Struct(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT,
        }
    }
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

/// An owned handle of a DuckDB type.
pub struct TypeHandle(sys::duckdb_logical_type);

impl TypeHandle {
    /// Creates DuckDB's handle of `kind`.
    pub fn new(outside: &Outside, kind: &Type) -> Self {
        match kind {
            Type::Json => {
                let text = Self::plain(outside, kind.id());
                // SAFETY: `text` is a live handle; DuckDB copies the name.
                unsafe { outside.duckdb_logical_type_set_alias(text.0, c"JSON".as_ptr()) };
                text
            }
            Type::List(child) => {
                let child = Self::new(outside, child);
                // SAFETY: `child` is a live handle; DuckDB copies the type behind it.
                Self(unsafe { outside.duckdb_create_list_type(child.0) })
            }
            Type::Struct(fields) => {
                let names: Vec<CString> = fields.iter().map(|field| c_name(field.name)).collect();
                let kinds: Vec<Self> =
                    fields.iter().map(|field| Self::new(outside, &field.kind)).collect();
                let mut name_pointers: Vec<*const c_char> =
                    names.iter().map(|name| name.as_ptr()).collect();
                let mut kind_pointers: Vec<_> = kinds.iter().map(|kind| kind.0).collect();
                // SAFETY: both arrays hold `fields.len()` live elements; DuckDB copies them.
                Self(unsafe {
                    outside.duckdb_create_struct_type(
                        kind_pointers.as_mut_ptr(),
                        name_pointers.as_mut_ptr(),
                        fields.len() as sys::idx_t,
                    )
                })
            }
            _ => Self::plain(outside, kind.id()),
        }
    }

    /// Creates DuckDB's handle of a type without parts.
    pub fn plain(outside: &Outside, id: sys::duckdb_type) -> Self {
        // SAFETY: takes a plain number and returns an owned handle.
        Self(unsafe { outside.duckdb_create_logical_type(id) })
    }

    /// Returns the type of a vector.
    ///
    /// # Safety
    /// `vector` must be live.
    pub unsafe fn of(outside: &Outside, vector: sys::duckdb_vector) -> Self {
        // SAFETY: the vector is live and the handle returned is owned.
        Self(unsafe { outside.duckdb_vector_get_column_type(vector) })
    }

    /// Returns the type of a list's elements.
    ///
    /// # Safety
    /// It is a LIST.
    pub unsafe fn child(&self, outside: &Outside) -> Self {
        // SAFETY: the caller's promise; the handle returned is owned.
        Self(unsafe { outside.duckdb_list_type_child_type(self.0) })
    }

    /// Returns the names and types of a struct's fields.
    ///
    /// # Safety
    /// It is a STRUCT.
    pub unsafe fn fields(&self, outside: &Outside) -> Vec<(String, Self)> {
        // SAFETY: the caller's promise; the name is a NUL-terminated string that is freed once, and
        // the returned handle is owned.
        let field = |index| unsafe {
            let name = outside.duckdb_struct_type_child_name(self.0, index);
            let text = CStr::from_ptr(name).to_string_lossy().into_owned();
            api().duckdb_free(name.cast());
            (text, Self(outside.duckdb_struct_type_child_type(self.0, index)))
        };
        // SAFETY: the handle is live.
        (0..unsafe { api().duckdb_struct_type_child_count(self.0) }).map(field).collect()
    }

    /// Returns DuckDB's number of the type.
    pub fn id(&self) -> sys::duckdb_type {
        // SAFETY: the handle is live.
        unsafe { api().duckdb_get_type_id(self.0) }
    }

    /// Tells whether it is of a kind; structs are distinguished by their number of fields.
    pub fn is(&self, outside: &Outside, kind: &Type) -> bool {
        if let Type::Options(_) = kind {
            return true;
        }
        // SAFETY: the handle is live, and its parts are read only if it has them.
        unsafe {
            self.id() == kind.id()
                && match kind {
                    Type::List(child) => self.child(outside).is(outside, child),
                    Type::Struct(fields) => {
                        api().duckdb_struct_type_child_count(self.0) == fields.len() as sys::idx_t
                    }
                    _ => true,
                }
        }
    }

    /// Returns the raw handle, valid as long as `self`.
    pub fn raw(&self) -> sys::duckdb_logical_type {
        self.0
    }
}

impl Drop for TypeHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is owned and destroyed once.
        unsafe { api().duckdb_destroy_logical_type(&mut self.0) }
    }
}

/// Returns a name in the code as a C string.
pub fn c_name(name: &str) -> CString {
    CString::new(name).expect("names in the code hold no NUL")
}
