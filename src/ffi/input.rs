//! Reading argument vectors.

use std::ops::Deref;

use libduckdb_sys as sys;
use sys::idx_t;

use super::any_vector::AnyVector;
use super::api::{Outside, api};
use super::flat::{Flat, Vector};
use super::types::TypeHandle;
use redline_base::budget::Stopped;
use redline_rows::{Field, Type};

/// A flat argument vector, readable without further API calls (so also inside `catch_unwind`).
pub struct Input {
    flat: Flat,
    /// The elements of lists, or the fields of structs.
    children: Vec<(Field, Input)>,
    /// The copied elements to which the child of a list points.
    _elements: Option<Vector>,
    /// The whole argument, if the caller chose its type.
    given: Option<Box<AnyVector>>,
}

// SAFETY: an input is only read, and DuckDB does not change its data before the callback returns,
// by when the threads that shared it have ended. The only owner destroys the copy of a list's
// elements.
unsafe impl Sync for Input {}

impl Input {
    /// Fetches the pointers of a vector; copies the elements of lists.
    ///
    /// # Errors
    /// [`Stopped::Allocation`] without enough memory for the copy.
    ///
    /// # Safety
    /// `vector` must be a flat vector of type `kind` with `rows` rows that outlives the result.
    pub unsafe fn new(
        outside: &Outside,
        vector: sys::duckdb_vector,
        kind: &Type,
        rows: usize,
    ) -> Result<Self, Stopped> {
        // SAFETY: the caller's promise; a list's child has as many rows as the list says, and a
        // struct's children have as many as the struct.
        unsafe {
            let (children, elements) = match kind {
                Type::List(child) => {
                    let length = api().duckdb_list_vector_get_size(vector) as usize;
                    let elements = Vector::flat(
                        outside,
                        outside.duckdb_list_vector_get_child(vector),
                        &TypeHandle::new(outside, child),
                        length,
                    )?;
                    (
                        vec![(
                            Field::new("", **child, ""),
                            Self::new(outside, elements.raw(), child, length)?,
                        )],
                        Some(elements),
                    )
                }
                Type::Struct(fields) => {
                    let child =
                        |index| outside.duckdb_struct_vector_get_child(vector, index as idx_t);
                    let field = |(index, field): (usize, &Field)| {
                        Ok((*field, Self::new(outside, child(index), &field.kind, rows)?))
                    };
                    (fields.iter().enumerate().map(field).collect::<Result<_, Stopped>>()?, None)
                }
                _ => (Vec::new(), None),
            };
            let given = match kind {
                Type::Options(wanted) => {
                    Some(Box::new(AnyVector::options(outside, vector, wanted, rows)?))
                }
                _ => None,
            };
            Ok(Self { flat: Flat::new(vector, rows), children, _elements: elements, given })
        }
    }

    /// Returns a whole argument of type [`Type::Options`].
    pub fn given(&self) -> Option<&AnyVector> {
        self.given.as_deref()
    }

    /// Returns the elements of lists (one vector) or the fields of structs.
    pub fn children(&self) -> &[(Field, Self)] {
        &self.children
    }
}

impl Deref for Input {
    type Target = Flat;

    fn deref(&self) -> &Flat {
        &self.flat
    }
}
