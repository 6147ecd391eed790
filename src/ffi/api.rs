//! The table of DuckDB's C API, retyped so that its exceptions may pass through our frames, with
//! every function in one of two classes: quiet or throwing. The class follows from the function's
//! source in DuckDB 1.5.6, not from observation.

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::OnceLock;

use libduckdb_sys as sys;
use sys::idx_t;

/// A destructor that DuckDB calls for data it was given.
pub type Destroy = unsafe extern "C-unwind" fn(*mut c_void);

macro_rules! api {
    ($( $class:ident { $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?; )* } )*) => {
        /// The functions of the API that redline calls, by their C names.
        #[derive(Clone, Copy)]
        struct Table {
            $( $( $name: unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?, )* )*
        }

        impl Table {
            /// Reads the pointers from DuckDB's table.
            ///
            /// # Safety
            /// `raw` must be the table DuckDB returned for API version v1.5.6.
            unsafe fn from_raw(raw: &sys::duckdb_ext_api_v1) -> Result<Self, &'static str> {
                Ok(Self { $( $(
                    $name: {
                        type Unwinding = Option<unsafe extern "C-unwind" fn($($ty),*) $(-> $ret)?>;
                        // SAFETY: the same C function; only the Rust type differs, in that it
                        // admits unwinding and names our callbacks' unwinding types.
                        let pointer: Unwinding = unsafe { std::mem::transmute(raw.$name) };
                        pointer.ok_or(stringify!($name))?
                    },
                )* )* })
            }
        }

        $( api! { @class $class { $( fn $name($($arg: $ty),*) $(-> $ret)?; )* } } )*
    };
    (@class quiet { $($functions:tt)* }) => { api! { @methods Api { $($functions)* } } };
    (@class throwing { $($functions:tt)* }) => { api! { @methods Outside { $($functions)* } } };
    // Pointers stay private, so a function can be called only through its class.
    (@methods $class:ident { $( fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?; )* }) => {
        impl $class {
            $(
                /// # Safety
                /// As DuckDB's header says for the function of this name.
                #[allow(clippy::too_many_arguments)]
                pub unsafe fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: the caller's promise.
                    unsafe { (self.0.$name)($($arg),*) }
                }
            )*
        }
    };
}

/// The functions that never throw, by their class below: they may be called anywhere.
pub struct Api(Table);

/// The part of a callback outside of `catch_unwind`, with the functions that may throw: a C++
/// exception that reaches `catch_unwind` ends the process.
///
/// A callback has one, [`super::contain::run`] borrows it mutably while it contains panics, and
/// every function that may throw is a method of it. So the borrow checker rejects a contained
/// closure that calls one. It cannot be copied or sent to another thread.
pub struct Outside(&'static Table, PhantomData<*mut ()>);

impl Outside {
    /// Enters a callback.
    ///
    /// # Safety
    /// Nothing between here and the calling C++ code may catch a panic, except code that borrows
    /// the result mutably.
    pub unsafe fn enter() -> Self {
        Self(&api().0, PhantomData)
    }
}

impl Deref for Outside {
    type Target = Api;

    fn deref(&self) -> &Api {
        api()
    }
}

/// The bind callback of a table function.
pub type TableBind = unsafe extern "C-unwind" fn(sys::duckdb_bind_info);
/// The init callback of a table or scalar function.
pub type Init = unsafe extern "C-unwind" fn(sys::duckdb_init_info);
/// The scan callback of a table function.
pub type TableScan = unsafe extern "C-unwind" fn(sys::duckdb_function_info, sys::duckdb_data_chunk);
/// The callback of a scalar function.
pub type ScalarCall = unsafe extern "C-unwind" fn(
    sys::duckdb_function_info,
    sys::duckdb_data_chunk,
    sys::duckdb_vector,
);

/// The callback of a replacement scan.
pub type Replacement =
    unsafe extern "C-unwind" fn(sys::duckdb_replacement_scan_info, *const c_char, *mut c_void);

api! {
    quiet {
        // Read or set a field.
        fn duckdb_library_version() -> *const c_char;
        fn duckdb_client_context_get_connection_id(context: sys::duckdb_client_context) -> idx_t;
        fn duckdb_file_open_options_set_flag(
            options: sys::duckdb_file_open_options, flag: sys::duckdb_file_flag, value: bool,
        ) -> sys::duckdb_state;
        fn duckdb_error_data_error_type(data: sys::duckdb_error_data) -> sys::duckdb_error_type;
        fn duckdb_error_data_message(data: sys::duckdb_error_data) -> *const c_char;
        fn duckdb_result_error(result: *mut sys::duckdb_result) -> *const c_char;
        fn duckdb_config_option_set_default_scope(
            option: sys::duckdb_config_option, scope: sys::duckdb_config_option_scope,
        );
        fn duckdb_struct_type_child_count(kind: sys::duckdb_logical_type) -> idx_t;
        fn duckdb_get_type_id(kind: sys::duckdb_logical_type) -> sys::duckdb_type;
        fn duckdb_free(pointer: *mut c_void);
        fn duckdb_table_function_set_bind(function: sys::duckdb_table_function, bind: Option<TableBind>);
        fn duckdb_table_function_set_init(function: sys::duckdb_table_function, init: Option<Init>);
        fn duckdb_table_function_set_local_init(function: sys::duckdb_table_function, init: Option<Init>);
        fn duckdb_table_function_set_function(function: sys::duckdb_table_function, scan: Option<TableScan>);
        fn duckdb_table_function_set_extra_info(
            function: sys::duckdb_table_function, data: *mut c_void, destroy: Option<Destroy>,
        );
        fn duckdb_table_function_supports_projection_pushdown(function: sys::duckdb_table_function, pushdown: bool);
        fn duckdb_bind_set_bind_data(info: sys::duckdb_bind_info, data: *mut c_void, destroy: Option<Destroy>);
        fn duckdb_init_get_extra_info(info: sys::duckdb_init_info) -> *mut c_void;
        fn duckdb_init_get_bind_data(info: sys::duckdb_init_info) -> *mut c_void;
        fn duckdb_init_set_init_data(info: sys::duckdb_init_info, data: *mut c_void, destroy: Option<Destroy>);
        fn duckdb_init_set_max_threads(info: sys::duckdb_init_info, max_threads: idx_t);
        fn duckdb_init_get_column_count(info: sys::duckdb_init_info) -> idx_t;
        fn duckdb_init_get_column_index(info: sys::duckdb_init_info, index: idx_t) -> idx_t;
        fn duckdb_function_get_bind_data(info: sys::duckdb_function_info) -> *mut c_void;
        fn duckdb_function_get_local_init_data(info: sys::duckdb_function_info) -> *mut c_void;
        fn duckdb_function_get_init_data(info: sys::duckdb_function_info) -> *mut c_void;
        fn duckdb_scalar_function_set_special_handling(function: sys::duckdb_scalar_function);
        fn duckdb_scalar_function_set_extra_info(
            function: sys::duckdb_scalar_function, data: *mut c_void, destroy: Option<Destroy>,
        );
        fn duckdb_scalar_function_set_volatile(function: sys::duckdb_scalar_function);
        fn duckdb_scalar_function_set_init(function: sys::duckdb_scalar_function, init: Option<Init>);
        fn duckdb_scalar_function_set_function(function: sys::duckdb_scalar_function, call: Option<ScalarCall>);
        fn duckdb_scalar_function_init_get_extra_info(info: sys::duckdb_init_info) -> *mut c_void;
        fn duckdb_scalar_function_init_set_state(info: sys::duckdb_init_info, state: *mut c_void, destroy: Option<Destroy>);
        fn duckdb_scalar_function_get_state(info: sys::duckdb_function_info) -> *mut c_void;
        fn duckdb_data_chunk_get_size(chunk: sys::duckdb_data_chunk) -> idx_t;
        fn duckdb_data_chunk_get_column_count(chunk: sys::duckdb_data_chunk) -> idx_t;
        fn duckdb_data_chunk_get_vector(chunk: sys::duckdb_data_chunk, column: idx_t) -> sys::duckdb_vector;
        fn duckdb_vector_get_data(vector: sys::duckdb_vector) -> *mut c_void;
        fn duckdb_vector_get_validity(vector: sys::duckdb_vector) -> *mut u64;
        fn duckdb_list_vector_get_size(vector: sys::duckdb_vector) -> idx_t;
        fn duckdb_selection_vector_get_data_ptr(selection: sys::duckdb_selection_vector) -> *mut sys::sel_t;

        // End in a C++ destructor, which must not throw.
        fn duckdb_disconnect(connection: *mut sys::duckdb_connection);
        fn duckdb_destroy_result(result: *mut sys::duckdb_result);
        fn duckdb_destroy_extracted(statements: *mut sys::duckdb_extracted_statements);
        fn duckdb_destroy_prepare(statement: *mut sys::duckdb_prepared_statement);
        fn duckdb_destroy_client_context(context: *mut sys::duckdb_client_context);
        fn duckdb_destroy_file_system(system: *mut sys::duckdb_file_system);
        fn duckdb_destroy_file_open_options(options: *mut sys::duckdb_file_open_options);
        fn duckdb_destroy_error_data(data: *mut sys::duckdb_error_data);
        fn duckdb_destroy_config_option(option: *mut sys::duckdb_config_option);
        fn duckdb_destroy_value(value: *mut sys::duckdb_value);
        fn duckdb_destroy_logical_type(kind: *mut sys::duckdb_logical_type);
        fn duckdb_destroy_table_function(function: *mut sys::duckdb_table_function);
        fn duckdb_destroy_scalar_function(function: *mut sys::duckdb_scalar_function);
        fn duckdb_destroy_scalar_function_set(set: *mut sys::duckdb_scalar_function_set);
        fn duckdb_destroy_vector(vector: *mut sys::duckdb_vector);
        fn duckdb_destroy_selection_vector(selection: sys::duckdb_selection_vector);

        // Catch every exception, and return it as an error.
        fn duckdb_connect(database: sys::duckdb_database, out: *mut sys::duckdb_connection) -> sys::duckdb_state;
        fn duckdb_file_system_open(
            system: sys::duckdb_file_system, path: *const c_char, options: sys::duckdb_file_open_options,
            out: *mut sys::duckdb_file_handle,
        ) -> sys::duckdb_state;
        fn duckdb_file_handle_size(file: sys::duckdb_file_handle) -> i64;
        fn duckdb_file_handle_read(file: sys::duckdb_file_handle, buffer: *mut c_void, size: i64) -> i64;
        fn duckdb_file_handle_close(file: sys::duckdb_file_handle) -> sys::duckdb_state;

        // Allocate a fixed few bytes or copy the message of an error, and throw if even that fails:
        // Rust would end the process there itself.
        fn duckdb_client_context_get_file_system(context: sys::duckdb_client_context) -> sys::duckdb_file_system;
        fn duckdb_create_file_open_options() -> sys::duckdb_file_open_options;
        fn duckdb_file_system_error_data(system: sys::duckdb_file_system) -> sys::duckdb_error_data;
        fn duckdb_file_handle_error_data(file: sys::duckdb_file_handle) -> sys::duckdb_error_data;
    }
    throwing {
        // Closes the file first, and lets the file system's exceptions through.
        fn duckdb_destroy_file_handle(file: *mut sys::duckdb_file_handle);

        // Allocate by the size of an argument, cast, or access a container with a check.
        fn duckdb_query(
            connection: sys::duckdb_connection, query: *const c_char, out: *mut sys::duckdb_result,
        ) -> sys::duckdb_state;
        fn duckdb_extract_statements(
            connection: sys::duckdb_connection, query: *const c_char, out: *mut sys::duckdb_extracted_statements,
        ) -> idx_t;
        fn duckdb_prepare_extracted_statement(
            connection: sys::duckdb_connection, statements: sys::duckdb_extracted_statements, index: idx_t,
            out: *mut sys::duckdb_prepared_statement,
        ) -> sys::duckdb_state;
        fn duckdb_client_context_get_config_option(
            context: sys::duckdb_client_context, name: *const c_char, scope: *mut sys::duckdb_config_option_scope,
        ) -> sys::duckdb_value;
        fn duckdb_create_config_option() -> sys::duckdb_config_option;
        fn duckdb_config_option_set_name(option: sys::duckdb_config_option, name: *const c_char);
        fn duckdb_config_option_set_type(option: sys::duckdb_config_option, kind: sys::duckdb_logical_type);
        fn duckdb_config_option_set_default_value(option: sys::duckdb_config_option, value: sys::duckdb_value);
        fn duckdb_config_option_set_description(option: sys::duckdb_config_option, description: *const c_char);
        fn duckdb_register_config_option(
            connection: sys::duckdb_connection, option: sys::duckdb_config_option,
        ) -> sys::duckdb_state;
        fn duckdb_create_varchar(text: *const c_char) -> sys::duckdb_value;
        fn duckdb_create_uint64(number: u64) -> sys::duckdb_value;
        fn duckdb_create_list_value(
            child: sys::duckdb_logical_type, values: *mut sys::duckdb_value, count: idx_t,
        ) -> sys::duckdb_value;
        fn duckdb_get_timestamp_tz(value: sys::duckdb_value) -> sys::duckdb_timestamp;
        fn duckdb_create_logical_type(id: sys::duckdb_type) -> sys::duckdb_logical_type;
        fn duckdb_create_list_type(child: sys::duckdb_logical_type) -> sys::duckdb_logical_type;
        fn duckdb_create_struct_type(
            kinds: *mut sys::duckdb_logical_type, names: *mut *const c_char, count: idx_t,
        ) -> sys::duckdb_logical_type;
        fn duckdb_logical_type_set_alias(kind: sys::duckdb_logical_type, alias: *const c_char);
        fn duckdb_create_varchar_length(text: *const c_char, length: idx_t) -> sys::duckdb_value;
        fn duckdb_struct_type_child_name(kind: sys::duckdb_logical_type, index: idx_t) -> *mut c_char;
        fn duckdb_struct_type_child_type(kind: sys::duckdb_logical_type, index: idx_t) -> sys::duckdb_logical_type;
        fn duckdb_list_type_child_type(kind: sys::duckdb_logical_type) -> sys::duckdb_logical_type;
        fn duckdb_create_table_function() -> sys::duckdb_table_function;
        fn duckdb_table_function_set_name(function: sys::duckdb_table_function, name: *const c_char);
        fn duckdb_table_function_add_parameter(function: sys::duckdb_table_function, kind: sys::duckdb_logical_type);
        fn duckdb_table_function_add_named_parameter(
            function: sys::duckdb_table_function, name: *const c_char, kind: sys::duckdb_logical_type,
        );
        fn duckdb_register_table_function(
            connection: sys::duckdb_connection, function: sys::duckdb_table_function,
        ) -> sys::duckdb_state;
        fn duckdb_table_function_get_client_context(info: sys::duckdb_bind_info, out: *mut sys::duckdb_client_context);
        fn duckdb_bind_add_result_column(info: sys::duckdb_bind_info, name: *const c_char, kind: sys::duckdb_logical_type);
        fn duckdb_bind_get_parameter(info: sys::duckdb_bind_info, index: idx_t) -> sys::duckdb_value;
        fn duckdb_bind_get_named_parameter(info: sys::duckdb_bind_info, name: *const c_char) -> sys::duckdb_value;
        fn duckdb_bind_set_error(info: sys::duckdb_bind_info, message: *const c_char);
        fn duckdb_init_set_error(info: sys::duckdb_init_info, message: *const c_char);
        fn duckdb_function_set_error(info: sys::duckdb_function_info, message: *const c_char);
        fn duckdb_create_scalar_function() -> sys::duckdb_scalar_function;
        fn duckdb_scalar_function_set_name(function: sys::duckdb_scalar_function, name: *const c_char);
        fn duckdb_scalar_function_add_parameter(function: sys::duckdb_scalar_function, kind: sys::duckdb_logical_type);
        fn duckdb_scalar_function_set_return_type(function: sys::duckdb_scalar_function, kind: sys::duckdb_logical_type);
        fn duckdb_scalar_function_init_get_client_context(info: sys::duckdb_init_info, out: *mut sys::duckdb_client_context);
        fn duckdb_scalar_function_init_set_error(info: sys::duckdb_init_info, message: *const c_char);
        fn duckdb_scalar_function_set_error(info: sys::duckdb_function_info, message: *const c_char);
        fn duckdb_create_scalar_function_set(name: *const c_char) -> sys::duckdb_scalar_function_set;
        fn duckdb_add_scalar_function_to_set(
            set: sys::duckdb_scalar_function_set, function: sys::duckdb_scalar_function,
        ) -> sys::duckdb_state;
        fn duckdb_register_scalar_function_set(
            connection: sys::duckdb_connection, set: sys::duckdb_scalar_function_set,
        ) -> sys::duckdb_state;
        fn duckdb_add_replacement_scan(
            database: sys::duckdb_database, replacement: Option<Replacement>, data: *mut c_void, destroy: Option<Destroy>,
        );
        fn duckdb_replacement_scan_set_function_name(info: sys::duckdb_replacement_scan_info, name: *const c_char);
        fn duckdb_replacement_scan_add_parameter(info: sys::duckdb_replacement_scan_info, value: sys::duckdb_value);
        fn duckdb_replacement_scan_set_error(info: sys::duckdb_replacement_scan_info, message: *const c_char);
        fn duckdb_create_null_value() -> sys::duckdb_value;
        fn duckdb_data_chunk_set_size(chunk: sys::duckdb_data_chunk, size: idx_t);
        fn duckdb_vector_ensure_validity_writable(vector: sys::duckdb_vector);
        fn duckdb_vector_assign_string_element_len(
            vector: sys::duckdb_vector, index: idx_t, text: *const c_char, length: idx_t,
        );
        fn duckdb_list_vector_get_child(vector: sys::duckdb_vector) -> sys::duckdb_vector;
        fn duckdb_list_vector_reserve(vector: sys::duckdb_vector, capacity: idx_t) -> sys::duckdb_state;
        fn duckdb_list_vector_set_size(vector: sys::duckdb_vector, size: idx_t) -> sys::duckdb_state;
        fn duckdb_struct_vector_get_child(vector: sys::duckdb_vector, index: idx_t) -> sys::duckdb_vector;
        fn duckdb_vector_get_column_type(vector: sys::duckdb_vector) -> sys::duckdb_logical_type;
        fn duckdb_create_vector(kind: sys::duckdb_logical_type, capacity: idx_t) -> sys::duckdb_vector;
        fn duckdb_vector_copy_sel(
            from: sys::duckdb_vector, to: sys::duckdb_vector, selection: sys::duckdb_selection_vector, count: idx_t,
            from_offset: idx_t, to_offset: idx_t,
        );
        fn duckdb_create_selection_vector(size: idx_t) -> sys::duckdb_selection_vector;
    }
}

/// Returns the version of DuckDB, such as `v2.0.0`.
pub fn host_version() -> String {
    // SAFETY: DuckDB returns its own NUL-terminated string, which lives as long as the library.
    let version = unsafe { CStr::from_ptr(api().duckdb_library_version()) };
    version.to_string_lossy().into_owned()
}

static API: OnceLock<Api> = OnceLock::new();

/// Stores the API of the host. The pointers are code of the host's library, the same for every
/// database of the process, so one copy serves them all; a second DuckDB library in the process is
/// refused, since its functions would be called with the first one's objects.
///
/// # Errors
/// The reason why the table is refused.
///
/// # Safety
/// `raw` must be the table DuckDB returned for API version v1.5.6.
pub unsafe fn install(raw: &sys::duckdb_ext_api_v1) -> Result<(), String> {
    // SAFETY: the caller's promise.
    let table =
        unsafe { Table::from_raw(raw) }.map_err(|name| format!("DuckDB's C API lacks {name}"))?;
    let installed = API.get_or_init(|| Api(table));
    if installed.0.duckdb_library_version as usize == table.duckdb_library_version as usize {
        Ok(())
    } else {
        Err("another DuckDB library of this process has loaded redline already".to_owned())
    }
}

/// Returns the functions that may be called anywhere.
///
/// # Panics
/// Before [`install`]; no callback exists before it.
pub fn api() -> &'static Api {
    API.get().expect("callbacks exist only after the API was installed")
}
