//! Writes result vectors.

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::Outside;
use redline_rows::{Column, Texts};

/// Writes `column` to `vector` from row 0 on; DuckDB throws at its memory limit.
///
/// # Safety
/// `vector` must be a writable vector of the column's type with room for its values (a list's
/// child grows here), in the callback that was given it.
pub unsafe fn write(outside: &Outside, vector: sys::duckdb_vector, column: &Column) {
    // SAFETY: the caller's promise on type and room; every row index is below the column's length.
    unsafe {
        match column {
            Column::Boolean(values) => write_plain(outside, vector, values),
            Column::UTinyInt(values) => write_plain(outside, vector, values),
            Column::Integer(values) => write_plain(outside, vector, values),
            Column::BigInt(values) => write_plain(outside, vector, values),
            Column::Double(values) => write_plain(outside, vector, values),
            Column::Text(texts) | Column::Blob(texts) => write_texts(outside, vector, texts),
            Column::List { lengths, child } => {
                // The total, not an increment; the child's data may move here, so it is fetched
                // only when the child is written, after the last reserve.
                outside.duckdb_list_vector_reserve(vector, child.count() as idx_t);
                let entries =
                    outside.duckdb_vector_get_data(vector).cast::<sys::duckdb_list_entry>();
                let mut nulls = Nulls::new(outside, vector);
                let mut offset = 0;
                for (row, length) in lengths.iter().enumerate() {
                    let entry =
                        sys::duckdb_list_entry { offset, length: length.unwrap_or(0) as u64 };
                    offset += entry.length;
                    entries.add(row).write(entry);
                    if length.is_none() {
                        nulls.set(row);
                    }
                }
                write(outside, outside.duckdb_list_vector_get_child(vector), child);
                outside.duckdb_list_vector_set_size(vector, child.count() as idx_t);
            }
            Column::Struct { fields, nulls: null_rows } => {
                let mut nulls = Nulls::new(outside, vector);
                null_rows.iter().for_each(|&row| nulls.set(row));
                for (index, field) in fields.iter().enumerate() {
                    write(
                        outside,
                        outside.duckdb_struct_vector_get_child(vector, index as idx_t),
                        field,
                    );
                }
            }
        }
    }
}

/// Writes numbers or booleans.
///
/// # Safety
/// As `write`; `T` is the vector's physical type.
unsafe fn write_plain<T: Copy>(
    outside: &Outside,
    vector: sys::duckdb_vector,
    values: &[Option<T>],
) {
    // SAFETY: the data pointer has room for the vector's capacity of `T`.
    unsafe {
        let data = outside.duckdb_vector_get_data(vector).cast::<T>();
        let mut nulls = Nulls::new(outside, vector);
        for (row, value) in values.iter().enumerate() {
            match value {
                Some(value) => data.add(row).write(*value),
                None => nulls.set(row),
            }
        }
    }
}

/// Writes texts or bytes. What is stored once for several rows is copied once to DuckDB, and the
/// elements of these rows refer to it.
///
/// # Safety
/// As `write`; the vector is of VARCHARs or BLOBs.
unsafe fn write_texts(outside: &Outside, vector: sys::duckdb_vector, texts: &Texts) {
    // SAFETY: the data pointer has room for an element per row; an element refers to bytes that the
    // vector keeps as long as itself, and may be there more than once.
    unsafe {
        let elements = outside.duckdb_vector_get_data(vector).cast::<sys::duckdb_string_t>();
        let mut nulls = Nulls::new(outside, vector);
        let mut last: Option<(usize, &[u8])> = None;
        for (row, text) in texts.iter().enumerate() {
            match (text, last) {
                (None, _) => nulls.set(row),
                (Some(text), Some((written, same))) if std::ptr::eq(text, same) => {
                    elements.add(row).write(*elements.add(written));
                }
                // A VARCHAR's bytes come from a `str`, so DuckDB's UTF-8 check cannot turn them
                // into NULL; a BLOB's are not checked.
                (Some(text), _) => {
                    outside.duckdb_vector_assign_string_element_len(
                        vector,
                        row as idx_t,
                        text.as_ptr().cast(),
                        text.len() as idx_t,
                    );
                    last = Some((row, text));
                }
            }
        }
    }
}

/// The validity mask of a vector, created at the first NULL.
struct Nulls<'a> {
    outside: &'a Outside,
    vector: sys::duckdb_vector,
    mask: *mut u64,
}

impl<'a> Nulls<'a> {
    fn new(outside: &'a Outside, vector: sys::duckdb_vector) -> Self {
        Self { outside, vector, mask: std::ptr::null_mut() }
    }

    /// Marks a row as NULL.
    ///
    /// # Safety
    /// `row` is below the vector's capacity.
    unsafe fn set(&mut self, row: usize) {
        // SAFETY: after `ensure_validity_writable` the mask has a bit for every row.
        unsafe {
            if self.mask.is_null() {
                self.outside.duckdb_vector_ensure_validity_writable(self.vector);
                self.mask = self.outside.duckdb_vector_get_validity(self.vector);
            }
            *self.mask.add(row / 64) &= !(1 << (row % 64));
        }
    }
}
