//! Typed columns: each has a name, a description, and a function that reads its value from a row.
//! The constructor of a column fixes its type and the type of its values.

use serde_json::{Map, Value};

use super::column::{Batch, Column};
use super::needs::{Need, Needs};
use super::out::{Blob, Json, Out, Varchar, Varchars, Written};
use super::types::{Field, Type};
use super::value::Number;

/// The most columns of a row.
const MAX_COLUMNS: usize = 32;

/// A kind of row. Its columns are declared once; the types of tables, structs and lists follow from
/// them.
pub trait Row: Sized + 'static {
    /// A row, as its columns read it.
    type Of<'a>: Copy;

    /// Its own columns, in the order of SQL.
    const OWN: &'static [Col<Self>];
    /// The columns of a row that is a part of this one, which follow.
    const PART: Option<Part<Self>> = None;

    /// The columns that follow the part.
    const TAIL: &'static [Col<Self>] = &[];

    /// Whether one of the columns is the row's number.
    const IS_NUMBERED: bool = false;

    /// All columns.
    const COLUMNS: Columns<Self> = Columns { own: Self::OWN, part: Self::PART, tail: Self::TAIL };
    /// Their declarations in SQL.
    const FIELDS: &'static [Field] = Padded::<Self>::FIELDS.split_at(Self::COLUMNS.len()).0;
    /// One row as a value.
    const STRUCT: Type = Type::Struct(Self::FIELDS);
    /// Rows as a value.
    const LIST: Type = Type::List(&Self::STRUCT);
}

/// No row, where another kind would have a part.
impl Row for () {
    type Of<'a> = ();

    const OWN: &'static [Col<Self>] = &[];
}

/// A row that has another kind of row as a part.
pub trait Has<J: Row>: Row {
    /// Returns the part.
    fn part<'a>(row: Self::Of<'a>) -> J::Of<'a>;
}

/// A column of `K`.
pub struct Col<K: Row> {
    field: Field,
    /// The data that must be computed for it.
    needs: Needs,
    write: Write<K>,
}

/// How one value is appended.
pub(super) enum Write<K: Row> {
    Boolean(for<'a> fn(K::Of<'a>) -> Option<bool>),
    Integer(for<'a> fn(K::Of<'a>) -> Option<i32>),
    UTinyInt(for<'a> fn(K::Of<'a>) -> Option<u8>),
    BigInt(for<'a> fn(K::Of<'a>) -> Number),
    Timestamp(for<'a> fn(K::Of<'a>) -> Option<i64>),
    Double(for<'a> fn(K::Of<'a>) -> Option<f64>),
    Text(for<'a> fn(K::Of<'a>, Out<'_, Varchar>) -> Written),
    Json(for<'a> fn(K::Of<'a>, Out<'_, Json>) -> Written),
    Texts(for<'a> fn(K::Of<'a>, Out<'_, Varchars>) -> Written),
    Blob(for<'a> fn(K::Of<'a>, Out<'_, Blob>) -> Written),
    Nested(for<'a> fn(K::Of<'a>, &mut Column)),
}

impl<K: Row> Col<K> {
    pub(super) const fn new(
        name: &'static str,
        kind: Type,
        doc: &'static str,
        write: Write<K>,
    ) -> Self {
        Self { field: Field::new(name, kind, doc), needs: Needs::NONE, write }
    }

    /// Returns the same column, for which this data must be computed.
    pub const fn needing(self, needs: &[Need]) -> Self {
        Self { needs: Needs::of(needs), ..self }
    }

    fn write(&self, row: K::Of<'_>, out: &mut Column) {
        match self.write {
            Write::Boolean(value) => out.push_boolean(value(row)),
            Write::Integer(value) => out.push_integer(value(row)),
            Write::UTinyInt(value) => out.push_utinyint(value(row)),
            Write::BigInt(value) => out.push_bigint(value(row).0),
            Write::Timestamp(value) => out.push_bigint(value(row)),
            Write::Double(value) => out.push_double(value(row)),
            Write::Text(write) => write(row, Out::new(out)).done(),
            Write::Json(write) => write(row, Out::new(out)).done(),
            Write::Blob(write) => write(row, Out::new(out)).done(),
            Write::Texts(write) => write(row, Out::new(out)).done(),
            Write::Nested(write) => write(row, out),
        }
    }

    /// Returns the value as JSON: a time in microseconds since 1970.
    fn json(&self, row: K::Of<'_>) -> Value {
        match self.write {
            Write::Boolean(value) => value(row).into(),
            Write::Integer(value) => value(row).into(),
            Write::UTinyInt(value) => value(row).into(),
            Write::BigInt(value) => value(row).0.into(),
            Write::Timestamp(value) => value(row).into(),
            Write::Double(value) => value(row).into(),
            Write::Text(write) => Out::as_json(|out| write(row, out)),
            Write::Texts(write) => Out::as_json(|out| write(row, out)),
            Write::Json(_) | Write::Blob(_) | Write::Nested(_) => {
                unreachable!("a tool answers no row with {}", self.field.name)
            }
        }
    }
}

/// Declares the functions that return columns.
macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $kind:expr, $variant:ident($($write:tt)*);)*) => {$(
        $(#[$doc])*
        pub const fn $name<K: Row>(
            name: &'static str,
            doc: &'static str,
            value: $($write)*,
        ) -> Col<K> {
            Col::new(name, $kind, doc, Write::$variant(value))
        }
    )*};
}

columns! {
    /// Returns a column of BOOLEAN.
    boolean: Type::Boolean, Boolean(for<'a> fn(K::Of<'a>) -> Option<bool>);
    /// Returns a column of INTEGER.
    integer: Type::Integer, Integer(for<'a> fn(K::Of<'a>) -> Option<i32>);
    /// Returns a column of UTINYINT.
    utinyint: Type::UTinyInt, UTinyInt(for<'a> fn(K::Of<'a>) -> Option<u8>);
    /// Returns a column of BIGINT.
    bigint: Type::BigInt, BigInt(for<'a> fn(K::Of<'a>) -> Number);
    /// Returns a column of TIMESTAMPTZ, in microseconds since 1970.
    timestamp: Type::Timestamp, Timestamp(for<'a> fn(K::Of<'a>) -> Option<i64>);
    /// Returns a column of DOUBLE.
    double: Type::Double, Double(for<'a> fn(K::Of<'a>) -> Option<f64>);
    /// Returns a column of VARCHAR.
    varchar: Type::Varchar, Text(for<'a> fn(K::Of<'a>, Out<'_, Varchar>) -> Written);
    /// Returns a column of JSON.
    json: Type::Json, Json(for<'a> fn(K::Of<'a>, Out<'_, Json>) -> Written);
    /// Returns a column of BLOB.
    blob: Type::Blob, Blob(for<'a> fn(K::Of<'a>, Out<'_, Blob>) -> Written);
    /// Returns a column of VARCHAR[].
    varchars: Type::List(&Type::Varchar), Texts(for<'a> fn(K::Of<'a>, Out<'_, Varchars>) -> Written);
}

/// The columns of a part of each row.
pub struct Part<K: Row> {
    fields: &'static [Field],
    needs: fn(usize) -> Needs,
    write: for<'a> fn(K::Of<'a>, usize, &mut Column),
}

impl<K: Row> Part<K> {
    /// Returns the columns of `J`.
    pub const fn of<J: Row>() -> Self
    where
        K: Has<J>,
    {
        Self {
            fields: J::FIELDS,
            needs: |index| J::COLUMNS.needs_of(index),
            write: |row, index, out| J::COLUMNS.write(K::part(row), index, out),
        }
    }
}

/// The columns of a kind of row: its own, then those of a part, then more of its own.
pub struct Columns<K: Row> {
    own: &'static [Col<K>],
    part: Option<Part<K>>,
    tail: &'static [Col<K>],
}

impl<K: Row> Columns<K> {
    /// Returns the number of columns.
    const fn len(&self) -> usize {
        self.tail_start() + self.tail.len()
    }

    /// Returns the number of columns before the tail.
    const fn tail_start(&self) -> usize {
        match &self.part {
            Some(part) => self.own.len() + part.fields.len(),
            None => self.own.len(),
        }
    }

    /// Returns a column outside the part.
    fn own(&self, index: usize) -> Option<&'static Col<K>> {
        let tail = || self.tail.get(index.checked_sub(self.tail_start())?);
        self.own.get(index).or_else(tail)
    }

    /// Appends the value of one column, by its 0-based index.
    pub fn write(&self, row: K::Of<'_>, index: usize, out: &mut Column) {
        match (self.own(index), &self.part) {
            (Some(column), _) => column.write(row, out),
            (None, Some(part)) => (part.write)(row, index - self.own.len(), out),
            (None, None) => panic!("there is no column {index}"),
        }
    }

    /// Appends the projected columns of one row.
    pub fn write_projected(&self, row: K::Of<'_>, batch: &mut Batch) {
        batch.projected().for_each(|(index, column)| self.write(row, index, column));
    }

    /// Appends one row as a struct.
    pub fn write_struct(&self, row: K::Of<'_>, out: &mut Column) {
        for (index, column) in out.fields_mut().iter_mut().enumerate() {
            self.write(row, index, column);
        }
    }

    /// Returns a row of texts and plain values as JSON.
    pub fn json(&self, row: K::Of<'_>) -> Map<String, Value> {
        let columns = (0..self.len()).filter_map(|index| self.own(index));
        columns.map(|column| (column.field.name.to_owned(), column.json(row))).collect()
    }

    /// Returns the value of one column of its own as JSON, by its name; `None` if there is none of
    /// this name.
    pub fn value(&self, row: K::Of<'_>, name: &str) -> Option<Value> {
        let mut columns = (0..self.len()).filter_map(|index| self.own(index));
        Some(columns.find(|column| column.field.name == name)?.json(row))
    }

    /// Returns the data needed for the projected columns.
    pub fn needs(&self, projection: &[usize]) -> Needs {
        self.needs_of_all(projection.iter().copied())
    }

    /// Returns the data needed for all columns.
    pub fn all_needs(&self) -> Needs {
        self.needs_of_all(0..self.len())
    }

    fn needs_of_all(&self, places: impl Iterator<Item = usize>) -> Needs {
        places.fold(Needs::NONE, |needs, index| needs.and(self.needs_of(index)))
    }

    fn needs_of(&self, index: usize) -> Needs {
        match (self.own(index), &self.part) {
            (Some(column), _) => column.needs,
            (None, Some(part)) => (part.needs)(index - self.own.len()),
            (None, None) => Needs::NONE,
        }
    }
}

/// The fields of a row in an array that is large enough for every kind, as a length cannot depend
/// on `K` yet.
struct Padded<K>(K);

impl<K: Row> Padded<K> {
    const FIELDS: &'static [Field; MAX_COLUMNS] = &{
        let mut fields = [Field::new("", Type::Boolean, ""); MAX_COLUMNS];
        let columns = Columns::<K> { own: K::OWN, part: K::PART, tail: K::TAIL };
        let mut index = 0;
        while index < columns.own.len() {
            fields[index] = columns.own[index].field;
            index += 1;
        }
        if let Some(part) = &columns.part {
            let mut inner = 0;
            while inner < part.fields.len() {
                fields[index + inner] = part.fields[inner];
                inner += 1;
            }
        }
        let mut last = 0;
        while last < columns.tail.len() {
            fields[columns.tail_start() + last] = columns.tail[last].field;
            last += 1;
        }
        fields
    };
}
