//! Flat vectors: their values, and copies that are flat at every depth.

use std::ffi::c_void;
use std::ops::Range;
use std::slice;

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::{Outside, api};
use super::types::TypeHandle;
use redline_base::budget::Stopped;

/// The values of a flat vector, readable without further API calls (so also inside `catch_unwind`).
pub struct Flat {
    data: *const c_void,
    mask: *const u64,
    rows: usize,
}

impl Flat {
    /// Fetches the pointers of a vector.
    ///
    /// # Safety
    /// `vector` must be a flat vector with `rows` rows that outlives the result.
    pub unsafe fn new(vector: sys::duckdb_vector, rows: usize) -> Self {
        // SAFETY: the caller's promise.
        let (data, mask) = unsafe {
            (api().duckdb_vector_get_data(vector), api().duckdb_vector_get_validity(vector))
        };
        Self { data, mask, rows }
    }

    /// Tells whether a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: a mask, if there is one, has a bit for every row.
        !self.mask.is_null() && unsafe { *self.mask.add(row / 64) } & (1 << (row % 64)) == 0
    }

    /// Returns the value in a row, `None` for NULL.
    ///
    /// # Safety
    /// DuckDB stores values of the vector's type as `T`.
    pub unsafe fn value<T: Copy>(&self, row: usize) -> Option<T> {
        // SAFETY: the row is in range (`is_null` asserts it) and holds a `T`.
        (!self.is_null(row)).then(|| unsafe { *self.data.cast::<T>().add(row) })
    }

    /// Returns the boolean in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of type BOOLEAN.
    pub unsafe fn boolean(&self, row: usize) -> Option<bool> {
        // SAFETY: the caller's promise; DuckDB stores a boolean in a byte, which is read as one.
        unsafe { self.value::<u8>(row) }.map(|truth| truth != 0)
    }

    /// Returns the bytes of a text in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of type VARCHAR.
    pub unsafe fn text(&self, row: usize) -> Option<&[u8]> {
        /// Strings up to this length are stored inside the element.
        const INLINE: u32 = 12;
        if self.is_null(row) {
            return None;
        }
        // SAFETY: the row is in range and holds a `duckdb_string_t`; its length says which half of
        // the union is live, and the bytes live as long as the vector. The reference is to the
        // element itself, not to a copy, since short strings are stored in place.
        unsafe {
            let text = &*self.data.cast::<sys::duckdb_string_t>().add(row);
            let length = text.value.inlined.length;
            let bytes = if length <= INLINE {
                text.value.inlined.inlined.as_ptr().cast::<u8>()
            } else {
                text.value.pointer.ptr.cast::<u8>().cast_const()
            };
            Some(slice::from_raw_parts(bytes, length as usize))
        }
    }

    /// Returns the range of the elements of the list in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of a LIST type.
    pub unsafe fn list(&self, row: usize) -> Option<Range<usize>> {
        // SAFETY: the vector holds list entries.
        let entry = unsafe { self.value::<sys::duckdb_list_entry>(row) }?;
        Some(entry.offset as usize..(entry.offset + entry.length) as usize)
    }
}

/// An owned vector.
pub struct Vector(sys::duckdb_vector);

impl Vector {
    /// Copies the elements of lists so that they are flat at every depth. Those of DuckDB 1.5.6 are
    /// not always: if one list is shared by all rows and was cast to structs with more fields, such
    /// a field is one NULL for all elements, and reads as garbage after the first.
    ///
    /// # Safety
    /// `elements` must be a live vector of type `kind` with `rows` rows.
    pub unsafe fn flat(
        outside: &Outside,
        elements: sys::duckdb_vector,
        kind: &TypeHandle,
        rows: usize,
    ) -> Result<Self, Stopped> {
        // SAFETY: the caller's promise; the copy has room for every row, and the selection names
        // each of them once.
        unsafe {
            let copy = Self(outside.duckdb_create_vector(kind.raw(), rows as idx_t));
            // DuckDB catches its exception there, and returns null.
            if copy.0.is_null() {
                return Err(Stopped::Allocation);
            }
            let selection = Selection(outside.duckdb_create_selection_vector(rows as idx_t));
            let places = api().duckdb_selection_vector_get_data_ptr(selection.0);
            (0..rows).for_each(|row| places.add(row).write(row as sys::sel_t));
            outside.duckdb_vector_copy_sel(elements, copy.0, selection.0, rows as idx_t, 0, 0);
            Ok(copy)
        }
    }

    /// Returns the raw vector, valid as long as `self`.
    pub fn raw(&self) -> sys::duckdb_vector {
        self.0
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        // SAFETY: the vector is owned and destroyed once.
        unsafe { api().duckdb_destroy_vector(&mut self.0) }
    }
}

/// The rows to copy, and their order.
struct Selection(sys::duckdb_selection_vector);

impl Drop for Selection {
    fn drop(&mut self) {
        // SAFETY: the selection is owned and destroyed once.
        unsafe { api().duckdb_destroy_selection_vector(self.0) }
    }
}
