//! DuckDB's handles of SQL types.

use std::ffi::{CStr, CString, c_char};

use libduckdb_sys as sys;
use redline_rows::Type;

use super::api::{Outside, api};

/// Returns DuckDB's number of the type; for lists and structs, that of their kind.
pub fn id_of(kind: &Type) -> sys::duckdb_type {
    match kind {
        Type::Boolean => sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN,
        Type::UTinyInt => sys::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT,
        Type::Integer => sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER,
        Type::UInteger => sys::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER,
        Type::BigInt => sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT,
        Type::Double => sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE,
        Type::Timestamp => sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ,
        Type::Varchar | Type::Json | Type::Moment => sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
        Type::Blob => sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
        Type::TextOrTexts | Type::Options(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_ANY,
        Type::List(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST,
        Type::Struct(_) => sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT,
    }
}

/// An owned handle of a DuckDB type.
pub struct TypeHandle(sys::duckdb_logical_type);

impl TypeHandle {
    /// Creates DuckDB's handle of `kind`.
    pub fn new(outside: &Outside, kind: &Type) -> Self {
        match kind {
            Type::Json => {
                let text = Self::plain(outside, id_of(kind));
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
            _ => Self::plain(outside, id_of(kind)),
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
            self.id() == id_of(kind)
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
