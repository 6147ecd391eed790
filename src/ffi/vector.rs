//! Reading argument vectors and writing result vectors.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::slice;

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::{Api, api};
use super::column::Column;

/// Writes `column` to `vector` from row 0 on; must run outside `catch_unwind`, as DuckDB throws
/// when its memory limit is reached.
///
/// # Safety
/// `vector` must be a writable vector of the column's type with room for its values (a list's
/// child grows here), in the callback that was given it.
pub unsafe fn write(vector: sys::duckdb_vector, column: &Column) {
    let api = api();
    // SAFETY: the caller's promise on type and room; every row index is below the column's length.
    unsafe {
        match column {
            Column::Boolean(values) => write_plain(api, vector, values),
            Column::UTinyInt(values) => write_plain(api, vector, values),
            Column::BigInt(values) => write_plain(api, vector, values),
            Column::Double(values) => write_plain(api, vector, values),
            Column::Text(texts) | Column::Blob(texts) => {
                let mut nulls = Nulls::new(api, vector);
                for (row, text) in texts.iter().enumerate() {
                    match text {
                        // A VARCHAR's bytes come from a `str`, so DuckDB's UTF-8 check cannot turn
                        // them into NULL; a BLOB's are not checked.
                        Some(text) => (api.duckdb_vector_assign_string_element_len)(
                            vector,
                            row as idx_t,
                            text.as_ptr().cast(),
                            text.len() as idx_t,
                        ),
                        None => nulls.set(row),
                    }
                }
            }
            Column::List { lengths, child } => {
                // The total, not an increment; the child's data may move here, so it is fetched
                // only when the child is written, after the last reserve.
                (api.duckdb_list_vector_reserve)(vector, child.len() as idx_t);
                let entries = (api.duckdb_vector_get_data)(vector).cast::<sys::duckdb_list_entry>();
                let mut nulls = Nulls::new(api, vector);
                let mut offset = 0;
                for (row, length) in lengths.iter().enumerate() {
                    let entry = sys::duckdb_list_entry { offset, length: length.unwrap_or(0) as u64 };
                    offset += entry.length;
                    entries.add(row).write(entry);
                    if length.is_none() {
                        nulls.set(row);
                    }
                }
                write((api.duckdb_list_vector_get_child)(vector), child);
                (api.duckdb_list_vector_set_size)(vector, child.len() as idx_t);
            }
            Column::Struct { fields, nulls: null_rows } => {
                let mut nulls = Nulls::new(api, vector);
                null_rows.iter().for_each(|&row| nulls.set(row));
                for (index, field) in fields.iter().enumerate() {
                    write((api.duckdb_struct_vector_get_child)(vector, index as idx_t), field);
                }
            }
        }
    }
}

/// Writes numbers or booleans.
///
/// # Safety
/// As `write`; `T` is the vector's physical type.
unsafe fn write_plain<T: Copy>(api: &Api, vector: sys::duckdb_vector, values: &[Option<T>]) {
    // SAFETY: the data pointer has room for the vector's capacity of `T`.
    unsafe {
        let data = (api.duckdb_vector_get_data)(vector).cast::<T>();
        let mut nulls = Nulls::new(api, vector);
        for (row, value) in values.iter().enumerate() {
            match value {
                Some(value) => data.add(row).write(*value),
                None => nulls.set(row),
            }
        }
    }
}

/// The validity mask of a vector, made when the first NULL is met.
struct Nulls<'a> {
    api: &'a Api,
    vector: sys::duckdb_vector,
    mask: *mut u64,
}

impl<'a> Nulls<'a> {
    fn new(api: &'a Api, vector: sys::duckdb_vector) -> Self {
        Self { api, vector, mask: std::ptr::null_mut() }
    }

    /// Marks a row as NULL.
    ///
    /// # Safety
    /// `row` is below the vector's capacity.
    unsafe fn set(&mut self, row: usize) {
        // SAFETY: after `ensure_validity_writable` the mask has a bit for every row.
        unsafe {
            if self.mask.is_null() {
                (self.api.duckdb_vector_ensure_validity_writable)(self.vector);
                self.mask = (self.api.duckdb_vector_get_validity)(self.vector);
            }
            *self.mask.add(row / 64) &= !(1 << (row % 64));
        }
    }
}

/// A flat argument vector, readable without further API calls (so also inside `catch_unwind`).
pub struct Input<'a> {
    data: *const c_void,
    mask: *const u64,
    rows: usize,
    lifetime: PhantomData<&'a [u8]>,
}

impl Input<'_> {
    /// Fetches the pointers of a vector.
    ///
    /// # Safety
    /// `vector` must be a flat vector of `rows` rows that outlives the result.
    pub unsafe fn new(vector: sys::duckdb_vector, rows: usize) -> Self {
        let api = api();
        // SAFETY: the caller's promise.
        let (data, mask) = unsafe { ((api.duckdb_vector_get_data)(vector), (api.duckdb_vector_get_validity)(vector)) };
        Self { data, mask, rows, lifetime: PhantomData }
    }

    fn is_null(&self, row: usize) -> bool {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: a mask, where there is one, has a bit for every row.
        !self.mask.is_null() && unsafe { *self.mask.add(row / 64) } & (1 << (row % 64)) == 0
    }
}

impl<'a> Input<'a> {
    /// Returns the number in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of type BIGINT.
    pub unsafe fn bigint(&self, row: usize) -> Option<i64> {
        // SAFETY: the row is in range (`is_null` asserts it) and holds an i64.
        (!self.is_null(row)).then(|| unsafe { *self.data.cast::<i64>().add(row) })
    }

    /// Returns the truth in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of type BOOLEAN.
    pub unsafe fn boolean(&self, row: usize) -> Option<bool> {
        // SAFETY: as above; DuckDB stores a boolean in a byte, which is read as one.
        (!self.is_null(row)).then(|| unsafe { *self.data.cast::<u8>().add(row) } != 0)
    }

    /// Returns the bytes of a text in a row, `None` for NULL.
    ///
    /// # Safety
    /// The vector is of type VARCHAR.
    pub unsafe fn text(&self, row: usize) -> Option<&'a [u8]> {
        /// Lengths up to this one are stored inside the element.
        const INLINE: u32 = 12;
        if self.is_null(row) {
            return None;
        }
        // SAFETY: the row is in range and holds a `duckdb_string_t`; its length says which half
        // of the union is live, and the bytes live as long as the vector. The reference goes to
        // the element itself, not to a copy, since short texts are stored in place.
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
}
