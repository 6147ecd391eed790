//! Table functions: a safe trait and the callbacks that DuckDB calls.

use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use libduckdb_sys as sys;
use sys::idx_t;

use super::api::{Outside, api};
use super::client_context::ClientContext;
use super::contain;
use super::extra_info::ExtraInfo;
use super::file_system;
use super::kept::kept;
use super::settings::Settings;
use super::turn::Turn;
use super::types::{TypeHandle, c_name};
use super::value;
use super::vector;
use redline_base::error::{Error, Result};
use redline_rows::params::Value;
use redline_rows::{Batch, Field, Type};

/// The input of a scan.
pub struct Open<'a> {
    /// Indices into [`TableFunction::COLUMNS`] of the requested columns, in the query's order;
    /// `count(*)` requests the first.
    pub projection: &'a [usize],
    /// The current values of the settings in [`TableFunction::SETTINGS`].
    pub settings: Settings,
}

/// A table function: bind validates, open resolves, fill streams, dropping the scan stops it.
pub trait TableFunction: 'static {
    /// The name in SQL.
    const NAME: &'static str;
    /// Positional parameters, all required.
    const PARAMETERS: &'static [Field];
    /// Named parameters, all optional.
    const NAMED: &'static [Field];
    /// The columns.
    const COLUMNS: &'static [Field];
    /// The names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str];
    /// Validated arguments; shared by every execution of a prepared statement.
    type Bind: Send + Sync + 'static;
    /// Whether a scan may take so long that it matters which of DuckDB's threads waits for it.
    const IS_LONG: bool;
    /// A running scan.
    type Scan: Scan;

    /// Validates the arguments: positional ones in order, named ones in the order of
    /// [`Self::NAMED`], NULL if omitted. Does no I/O.
    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind>;

    /// Resolves names that can change between executions, and starts the work; called for the first
    /// chunk, by the thread that reads all of them.
    fn open(bind: &Self::Bind, open: Open<'_>) -> Result<Self::Scan>;
}

/// A running scan; it may move between threads.
pub trait Scan: Send + 'static {
    /// Appends rows until the batch is full or the scan ends; no row means the end.
    ///
    /// # Errors
    /// Those of the rows.
    fn fill(&mut self, batch: &mut Batch) -> Result<()>;
}

/// Registers `F` on a connection.
///
/// # Safety
/// `connection` must be open.
pub unsafe fn register<F: TableFunction>(
    outside: &Outside,
    connection: sys::duckdb_connection,
    extra_info: &ExtraInfo,
) -> sys::duckdb_state {
    // SAFETY: the function is ours until it is destroyed below; DuckDB copies names and types,
    // and the callbacks match the signatures it calls them with.
    unsafe {
        let mut function = outside.duckdb_create_table_function();
        outside.duckdb_table_function_set_name(function, c_name(F::NAME).as_ptr());
        for field in F::PARAMETERS {
            outside.duckdb_table_function_add_parameter(
                function,
                TypeHandle::new(outside, &field.kind).raw(),
            );
        }
        for field in F::NAMED {
            let (name, kind) = (c_name(field.name), TypeHandle::new(outside, &field.kind));
            outside.duckdb_table_function_add_named_parameter(function, name.as_ptr(), kind.raw());
        }
        api().duckdb_table_function_supports_projection_pushdown(function, true);
        let (shared, destroy) = extra_info.share();
        api().duckdb_table_function_set_extra_info(function, shared, destroy);
        api().duckdb_table_function_set_bind(function, Some(bind::<F>));
        api().duckdb_table_function_set_init(function, Some(init::<F>));
        api().duckdb_table_function_set_local_init(function, Some(local_init));
        api().duckdb_table_function_set_function(function, Some(scan::<F>));
        let state = outside.duckdb_register_table_function(connection, function);
        api().duckdb_destroy_table_function(&mut function);
        state
    }
}

struct BindData<B> {
    bind: B,
    context: Arc<ClientContext>,
    /// The thread that asked.
    caller: ThreadId,
}

/// A scan, which the task with the claim to its rows has to itself.
struct ScanData<S> {
    turn: Turn,
    running: Mutex<Running<S>>,
}

struct Running<S> {
    /// What the scan is opened with, for its first chunk.
    settings: Settings,
    /// `None` until it is opened.
    scan: Option<S>,
    batch: Batch,
    /// Set while the scan is opened or filled: one that failed or panicked is never entered again.
    broken: bool,
}

/// # Safety
/// Called by DuckDB with a live bind info.
unsafe extern "C-unwind" fn bind<F: TableFunction>(info: sys::duckdb_bind_info) {
    // SAFETY: `info` is live for the whole callback. Returned values are ours.
    unsafe {
        let mut outside = Outside::enter();
        for field in F::COLUMNS {
            let (name, kind) = (c_name(field.name), TypeHandle::new(&outside, &field.kind));
            outside.duckdb_bind_add_result_column(info, name.as_ptr(), kind.raw());
        }
        let arguments: Vec<Value> = (0..F::PARAMETERS.len() as idx_t)
            .map(|index| value::take(&outside, outside.duckdb_bind_get_parameter(info, index)))
            .collect();
        let named: Vec<Value> = F::NAMED
            .iter()
            .map(|field| {
                let name = c_name(field.name);
                let raw = outside.duckdb_bind_get_named_parameter(info, name.as_ptr());
                let given = value::take(&outside, raw);
                if field.kind == Type::Moment { value::as_moment(given, &outside) } else { given }
            })
            .collect();
        match contain::run(&mut outside, || F::bind(&arguments, &named)) {
            Ok(bind) => {
                let mut context = ptr::null_mut();
                outside.duckdb_table_function_get_client_context(info, &mut context);
                let context = ClientContext::new(context);
                let (data, destroy) =
                    kept(BindData { bind, context, caller: thread::current().id() });
                api().duckdb_bind_set_bind_data(info, data, destroy);
            }
            Err(error) => outside.duckdb_bind_set_error(info, contain::c_message(&error).as_ptr()),
        }
    }
}

/// # Safety
/// Called by DuckDB with a live init info, after a bind that succeeded.
unsafe extern "C-unwind" fn init<F: TableFunction>(info: sys::duckdb_init_info) {
    // SAFETY: `info` is live, its extra information that of `register`; the bind data was set by
    // `bind::<F>`, is shared and never written.
    unsafe {
        let mut outside = Outside::enter();
        let data = &*api().duckdb_init_get_bind_data(info).cast::<BindData<F::Bind>>();
        let projection: Vec<usize> = (0..api().duckdb_init_get_column_count(info))
            .map(|index| api().duckdb_init_get_column_index(info, index) as usize)
            .collect();
        let extra_info = ExtraInfo::of(api().duckdb_init_get_extra_info(info));
        let settings = Settings::read(&data.context, &outside, F::SETTINGS, extra_info);
        let prepared = contain::run(&mut outside, || {
            let batch = Batch::new(F::COLUMNS, projection);
            let running = Running::<F::Scan> { settings, scan: None, batch, broken: false };
            Ok(ScanData { turn: Turn::of(data.caller), running: Mutex::new(running) })
        });
        match prepared {
            Ok(scan) => {
                if F::IS_LONG {
                    api().duckdb_init_set_max_threads(info, 2);
                }
                let (scan, destroy) = kept(scan);
                api().duckdb_init_set_init_data(info, scan, destroy);
            }
            Err(error) => outside.duckdb_init_set_error(info, contain::c_message(&error).as_ptr()),
        }
    }
}

/// Whether a task has the rows of its scan, once it has claimed them.
type Claimed = Option<bool>;

/// # Safety
/// Called by DuckDB with a live init info by each task of a scan, after an init that succeeded.
unsafe extern "C-unwind" fn local_init(info: sys::duckdb_init_info) {
    let (claimed, destroy) = kept::<Claimed>(None);
    // SAFETY: `info` is live for the whole callback.
    unsafe { api().duckdb_init_set_init_data(info, claimed, destroy) }
}

/// # Safety
/// Called by DuckDB with live handles, for each task by one thread at a time.
unsafe extern "C-unwind" fn scan<F: TableFunction>(
    info: sys::duckdb_function_info,
    output: sys::duckdb_data_chunk,
) {
    // SAFETY: the bind data was set by `bind::<F>`, the init data by `init::<F>`, and both are
    // shared; the local one was set by
    // `local_init`, and no other thread uses it meanwhile. The chunk has the projected columns, in
    // order, with room for `CHUNK_ROWS` rows.
    unsafe {
        let mut outside = Outside::enter();
        let bound = &*api().duckdb_function_get_bind_data(info).cast::<BindData<F::Bind>>();
        let data = &*api().duckdb_function_get_init_data(info).cast::<ScanData<F::Scan>>();
        let claimed = &mut *api().duckdb_function_get_local_init_data(info).cast::<Claimed>();
        if !*claimed.get_or_insert_with(|| data.turn.claim()) {
            outside.duckdb_data_chunk_set_size(output, 0);
            return;
        }
        let mut running = data.running.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = contain::run(&mut outside, || {
            if std::mem::replace(&mut running.broken, true) {
                return Err(Error::tool_failed("the scan has already failed"));
            }
            let Running { settings, scan, batch, .. } = &mut *running;
            let scan = match scan {
                Some(scan) => scan,
                None => {
                    let settings = std::mem::take(settings);
                    let open = Open { projection: batch.projection(), settings };
                    scan.insert(F::open(&bound.bind, open)?)
                }
            };
            batch.restart();
            scan.fill(batch)?;
            running.broken = false;
            Ok(())
        });
        file_system::destroy_closed(&outside);
        if let Err(error) = filled {
            outside.duckdb_function_set_error(info, contain::c_message(&error).as_ptr());
            return;
        }
        for (index, column) in running.batch.columns().iter().enumerate() {
            vector::write(
                &outside,
                api().duckdb_data_chunk_get_vector(output, index as idx_t),
                column,
            );
        }
        outside.duckdb_data_chunk_set_size(output, running.batch.rows() as idx_t);
    }
}
