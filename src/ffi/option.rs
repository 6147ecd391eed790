//! Settings of the extension: options that DuckDB lists in `duckdb_settings()`, sets with `SET` and
//! refuses to change once its configuration is locked.

use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::types::{TypeHandle, c_name};
use redline_rows::Type;

/// The default value of an option, which also determines its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// VARCHAR.
    Text(&'static str),
    /// VARCHAR[].
    Texts(&'static [&'static str]),
    /// UBIGINT.
    Number(u64),
}

/// An option with global scope: a plain `SET` applies to every connection of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigOption {
    /// The name in SQL.
    pub name: &'static str,
    /// One sentence for `duckdb_settings()`.
    pub description: &'static str,
    /// The value while no other is set.
    pub default: Default,
}

/// Registers an option on a connection's database.
///
/// # Safety
/// `connection` must be open.
pub unsafe fn register(
    outside: &Outside,
    connection: sys::duckdb_connection,
    option: &ConfigOption,
) -> sys::duckdb_state {
    let kind = match option.default {
        Default::Text(_) => TypeHandle::new(outside, &Type::Varchar),
        Default::Texts(_) => TypeHandle::new(outside, &Type::List(&Type::Varchar)),
        Default::Number(_) => TypeHandle::plain(outside, sys::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT),
    };
    let (name, description) = (c_name(option.name), c_name(option.description));
    // SAFETY: everything created here is destroyed here, once; DuckDB copies its arguments. The
    // default has exactly the option's type, as another would be cast, which can throw.
    unsafe {
        let mut handle = outside.duckdb_create_config_option();
        let mut value = create(outside, &option.default);
        outside.duckdb_config_option_set_name(handle, name.as_ptr());
        outside.duckdb_config_option_set_description(handle, description.as_ptr());
        outside.duckdb_config_option_set_type(handle, kind.raw());
        outside.duckdb_config_option_set_default_value(handle, value);
        let global = sys::duckdb_config_option_scope_DUCKDB_CONFIG_OPTION_SCOPE_GLOBAL;
        api().duckdb_config_option_set_default_scope(handle, global);
        let state = outside.duckdb_register_config_option(connection, handle);
        api().duckdb_destroy_value(&mut value);
        api().duckdb_destroy_config_option(&mut handle);
        state
    }
}

/// Returns a value that the caller must destroy.
///
/// # Safety
/// After the API was installed.
unsafe fn create(outside: &Outside, default: &Default) -> sys::duckdb_value {
    // SAFETY: names are live C strings; DuckDB copies them and the elements of a list.
    unsafe {
        match default {
            Default::Text(text) => outside.duckdb_create_varchar(c_name(text).as_ptr()),
            Default::Number(number) => outside.duckdb_create_uint64(*number),
            Default::Texts(texts) => {
                let mut values: Vec<_> =
                    texts.iter().map(|text| create(outside, &Default::Text(text))).collect();
                let child = TypeHandle::new(outside, &Type::Varchar);
                // An empty `Vec` has a dangling pointer, not a null one, which DuckDB would refuse.
                let list = outside.duckdb_create_list_value(
                    child.raw(),
                    values.as_mut_ptr(),
                    values.len() as sys::idx_t,
                );
                values
                    .iter_mut()
                    .for_each(|value| api().duckdb_destroy_value(ptr::from_mut(value)));
                list
            }
        }
    }
}
