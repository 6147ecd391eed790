//! The results of tools as values of SQL: their fields, types and descriptions are those of the
//! record.

use std::marker::PhantomData;

use crate::ffi::{Column, Field, Type};
use crate::tools::record::{Cell, CellType, Record};

/// The most fields of a record.
const MAX_FIELDS: usize = 16;

/// The type of a record.
pub struct RecordType<R>(PhantomData<R>);

impl<R: Record> RecordType<R> {
    /// The record as a struct.
    pub const STRUCT: Type = Type::Struct(Self::PADDED.split_at(R::FIELDS.len()).0);

    const PADDED: &'static [Field; MAX_FIELDS] = &{
        let mut fields = [Field::new("", Type::Boolean, ""); MAX_FIELDS];
        let mut index = 0;
        while index < R::FIELDS.len() {
            let field = &R::FIELDS[index];
            let kind = match field.kind {
                CellType::Text => Type::Varchar,
                CellType::Count => Type::BigInt,
                CellType::Truth => Type::Boolean,
            };
            fields[index] = Field::new(field.name, kind, field.doc);
            index += 1;
        }
        fields
    };
}

/// Appends a record as a struct.
pub fn write_record<R: Record>(record: &R, out: &mut Column) {
    for (field, column) in R::FIELDS.iter().zip(out.fields_mut()) {
        match (field.value)(record) {
            Cell::Text(text) => column.push_text(Some(text)),
            Cell::Count(count) => column.push_bigint(i64::try_from(count).ok()),
            Cell::Truth(truth) => column.push_boolean(Some(truth)),
        }
    }
}
