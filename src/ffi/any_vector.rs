//! Reads an argument of a type that the caller chose: a struct of options.

use std::sync::Arc;

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::{Outside, api};
use super::flat::{Flat, Vector};
use super::moment::moment;
use super::types::TypeHandle;
use redline_base::budget::Stopped;
use redline_rows::params::Value;
use redline_rows::{Field, Type};

/// A flat vector of any type, readable without further API calls (so also inside `catch_unwind`).
pub struct AnyVector {
    input: Flat,
    shape: Shape,
    /// The vector itself, if it is a copy.
    _copy: Option<Vector>,
}

/// The content of a vector, as deep as options go: a struct of values and of lists of values.
enum Shape {
    Boolean,
    /// How the integers are read, which is sound for this vector.
    Integer(unsafe fn(&Flat, usize) -> Option<i64>),
    Timestamp,
    Date,
    Text,
    /// Texts for a timestamp parameter, each with the timestamp that DuckDB reads in it.
    Moments(Vec<Option<i64>>),
    List(Box<AnyVector>),
    Struct(Vec<(Arc<str>, AnyVector)>),
    /// Only NULL.
    Null,
    Other(&'static str),
}

/// The depth of a vector in the argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Argument,
    Field,
    Element,
}

impl AnyVector {
    /// Fetches the pointers of an argument's vector; copies the elements of lists, and casts texts
    /// to timestamps where `wanted` has one, as DuckDB casts named arguments.
    ///
    /// # Errors
    /// [`Stopped::Allocation`] without enough memory for a copy.
    ///
    /// # Safety
    /// `vector` must be a flat vector with `rows` rows that outlives the result.
    pub unsafe fn options(
        outside: &Outside,
        vector: sys::duckdb_vector,
        wanted: &[Field],
        rows: usize,
    ) -> Result<Self, Stopped> {
        // SAFETY: the caller's promise, and the type is the vector's own.
        unsafe {
            let kind = TypeHandle::of(outside, vector);
            Self::new(outside, vector, &kind, wanted, rows, Depth::Argument)
        }
    }

    /// # Safety
    /// As [`Self::options`], and the vector is of type `kind`.
    unsafe fn new(
        outside: &Outside,
        vector: sys::duckdb_vector,
        kind: &TypeHandle,
        wanted: &[Field],
        rows: usize,
        depth: Depth,
    ) -> Result<Self, Stopped> {
        // SAFETY: the caller's promise, and each shape is that of the type.
        unsafe {
            let input = Flat::new(vector, rows);
            let shape = match kind.id() {
                sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST if depth == Depth::Field => {
                    let length = api().duckdb_list_vector_get_size(vector) as usize;
                    let child = kind.child(outside);
                    let elements = outside.duckdb_list_vector_get_child(vector);
                    let elements = Vector::flat(outside, elements, &child, length)?;
                    let given =
                        Self::new(outside, elements.raw(), &child, &[], length, Depth::Element)?;
                    Shape::List(Box::new(Self { _copy: Some(elements), ..given }))
                }
                sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT if depth == Depth::Argument => {
                    let fields = kind.fields(outside).into_iter().enumerate();
                    let field = |(index, (name, kind)): (usize, (String, TypeHandle))| {
                        let child = outside.duckdb_struct_vector_get_child(vector, index as idx_t);
                        let mut given = Self::new(outside, child, &kind, &[], rows, Depth::Field)?;
                        let is_moment = |field: &Field| {
                            field.kind == Type::Moment && field.name.eq_ignore_ascii_case(&name)
                        };
                        if matches!(given.shape, Shape::Text) && wanted.iter().any(is_moment) {
                            let moment = |row| moment(outside, given.input.text(row)?);
                            given.shape = Shape::Moments((0..rows).map(moment).collect());
                        }
                        Ok((Arc::from(name), given))
                    };
                    Shape::Struct(fields.map(field).collect::<Result<_, Stopped>>()?)
                }
                plain => plain_shape(plain),
            };
            Ok(Self { input, shape, _copy: None })
        }
    }

    /// Copies the value in a row.
    pub fn value(&self, row: usize) -> Value {
        if self.input.is_null(row) {
            return Value::Null;
        }
        // SAFETY: each shape is that of the vector's type.
        let value = unsafe {
            match &self.shape {
                Shape::Null => None,
                Shape::Other(name) => Some(Value::Other(name)),
                Shape::Boolean => self.input.boolean(row).map(Value::Boolean),
                Shape::Integer(read) => read(&self.input, row).map(Value::Integer),
                Shape::Timestamp => self.input.value(row).map(Value::Timestamp),
                Shape::Date => self.input.value(row).map(|days| Value::Timestamp(midnight(days))),
                Shape::Text => self.input.text(row).map(text),
                Shape::Moments(moments) => match moments[row] {
                    Some(moment) => Some(Value::Timestamp(moment)),
                    None => self.input.text(row).map(text),
                },
                Shape::List(elements) => self
                    .input
                    .list(row)
                    .map(|rows| Value::List(rows.map(|row| elements.value(row)).collect())),
                Shape::Struct(fields) => {
                    let field =
                        |(name, given): &(Arc<str>, Self)| (Arc::clone(name), given.value(row));
                    Some(Value::Struct(fields.iter().map(field).collect()))
                }
            }
        };
        value.unwrap_or(Value::Null)
    }
}

/// Returns the shape of a vector without nested parts.
fn plain_shape(kind: sys::duckdb_type) -> Shape {
    /// # Safety
    /// DuckDB stores values of the vector's type as `T`.
    unsafe fn integer<T: Copy + TryInto<i64>>(input: &Flat, row: usize) -> Option<i64> {
        // SAFETY: the caller's promise.
        let number = unsafe { input.value::<T>(row) }?;
        Some(number.try_into().unwrap_or(i64::MAX))
    }
    match kind {
        sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN => Shape::Boolean,
        sys::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT => Shape::Integer(integer::<i8>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT => Shape::Integer(integer::<i16>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER => Shape::Integer(integer::<i32>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT => Shape::Integer(integer::<i64>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT => Shape::Integer(integer::<u8>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT => Shape::Integer(integer::<u16>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER => Shape::Integer(integer::<u32>),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT => Shape::Integer(integer::<u64>),
        // A timestamp without a time zone is in UTC, as when DuckDB casts named arguments.
        sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP | sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ => {
            Shape::Timestamp
        }
        sys::DUCKDB_TYPE_DUCKDB_TYPE_DATE => Shape::Date,
        sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR => Shape::Text,
        sys::DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL => Shape::Null,
        sys::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT => Shape::Other("FLOAT"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE => Shape::Other("DOUBLE"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => Shape::Other("DECIMAL"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT => Shape::Other("HUGEINT"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT => Shape::Other("UHUGEINT"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB => Shape::Other("BLOB"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL => Shape::Other("INTERVAL"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_ENUM => Shape::Other("ENUM"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST => Shape::Other("LIST"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => Shape::Other("ARRAY"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => Shape::Other("STRUCT"),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_MAP => Shape::Other("MAP"),
        _ => Shape::Other("value of another type"),
    }
}

fn text(bytes: &[u8]) -> Value {
    Value::Text(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns the first moment of a day, counted from 1970; infinite days stay infinite.
fn midnight(days: i32) -> i64 {
    const DAY: i64 = 24 * 60 * 60 * 1_000_000;
    match days {
        i32::MAX => i64::MAX,
        end if end == -i32::MAX => -i64::MAX,
        days => i64::from(days).saturating_mul(DAY),
    }
}
