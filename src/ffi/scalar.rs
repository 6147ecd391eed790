//! Scalar functions: a safe trait and the callbacks that DuckDB calls.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::client_context::ClientContext;
use super::column::Column;
use super::contain;
use super::extra_info::ExtraInfo;
use super::file_system;
use super::input::Input;
use super::rows::Execution;
use super::settings::Settings;
use super::types::{Field, Type, TypeHandle, c_name};
use super::vector;
use crate::budget::Budget;
use crate::error::{Error, Result};

/// The parameters of one overload: BIGINT, BOOLEAN, VARCHAR and lists of structs of these are
/// read today.
pub type Overload = &'static [Field];

/// What a NULL argument means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Any NULL argument makes the result NULL without a call.
    Propagate,
    /// The function is called and decides.
    Handle,
}

/// A scalar function, called row by row.
pub trait ScalarFunction: 'static {
    /// The name in SQL.
    const NAME: &'static str;
    /// One entry per overload.
    const OVERLOADS: &'static [Overload];
    /// The type of the result.
    const RETURNS: Type;
    /// Whether it does I/O or can fail. DuckDB folds, reorders and repeats the others as it
    /// likes, and 1.5.6 calls them on values that are not in the rows.
    const VOLATILE: bool;
    /// What a NULL argument means.
    const NULLS: Nulls;
    /// Names of the host's settings that [`Self::open`] wants to see.
    const SETTINGS: &'static [&'static str];
    /// What one thread of one execution keeps between rows.
    type State: Send + 'static;

    /// Prepares a thread of an execution.
    fn open(settings: Settings) -> Result<Self::State>;

    /// Returns a state for a thread of ours that helps with the rows of one of DuckDB's; none where rows are computed one
    /// after the other. [`Self::SETTINGS`] must have [`super::settings::THREADS`].
    fn helper(_state: &Self::State) -> Option<Self::State> {
        None
    }

    /// What all rows of a thread may use together, asked before each; none asks nothing.
    fn budget(_state: &Self::State) -> Option<&Arc<Budget>> {
        None
    }

    /// Appends the value of one row.
    fn call(state: &mut Self::State, arguments: Arguments<'_>, out: &mut Column) -> Result<()>;
}

/// The arguments of one row, or the fields of a struct among them.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    inputs: &'a [(Type, Input)],
    row: usize,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(inputs: &'a [(Type, Input)], row: usize) -> Self {
        Self { inputs, row }
    }

    /// Returns a VARCHAR argument's bytes; `None` for NULL and for an argument this overload lacks.
    pub fn text(&self, index: usize) -> Option<&'a [u8]> {
        match self.inputs.get(index)? {
            // SAFETY: DuckDB casts arguments to the overload's types.
            (Type::Varchar, input) => unsafe { input.text(self.row) },
            (other, _) => panic!("argument {index} is {other:?}, not VARCHAR"),
        }
    }

    /// Returns a BIGINT argument; `None` for NULL and for an argument this overload lacks.
    pub fn bigint(&self, index: usize) -> Option<i64> {
        match self.inputs.get(index)? {
            // SAFETY: as above.
            (Type::BigInt, input) => unsafe { input.bigint(self.row) },
            (other, _) => panic!("argument {index} is {other:?}, not BIGINT"),
        }
    }

    /// Returns a BOOLEAN argument; `None` for NULL and for an argument this overload lacks.
    pub fn boolean(&self, index: usize) -> Option<bool> {
        match self.inputs.get(index)? {
            // SAFETY: as above.
            (Type::Boolean, input) => unsafe { input.boolean(self.row) },
            (other, _) => panic!("argument {index} is {other:?}, not BOOLEAN"),
        }
    }

    /// Tells whether the overload that was called has a VARCHAR at this place.
    pub fn is_text(&self, index: usize) -> bool {
        matches!(self.inputs.get(index), Some((Type::Varchar, _)))
    }

    /// Returns the structs of a list, each with its fields, `None` for one that is NULL; `None` for
    /// a NULL list and for an argument this overload lacks.
    pub fn structs(
        &self,
        index: usize,
    ) -> Option<impl ExactSizeIterator<Item = Option<Arguments<'a>>>> {
        match self.inputs.get(index)? {
            (Type::List(Type::Struct(_)), input) => {
                // SAFETY: as above.
                let rows = unsafe { input.list(self.row) }?;
                let (_, elements) = &input.children()[0];
                let inputs = elements.children();
                Some(
                    rows.map(move |row| {
                        (!elements.is_null(row)).then_some(Arguments { inputs, row })
                    }),
                )
            }
            (other, _) => panic!("argument {index} is {other:?}, not a list of structs"),
        }
    }

    pub(super) fn has_null(&self) -> bool {
        self.inputs.iter().any(|(_, input)| input.is_null(self.row))
    }
}

/// Registers all overloads of `F` on a connection.
///
/// # Safety
/// `connection` must be open.
pub unsafe fn register<F: ScalarFunction>(
    outside: &Outside,
    connection: sys::duckdb_connection,
    extra_info: &ExtraInfo,
) -> Result<()> {
    let name = c_name(F::NAME);
    // SAFETY: set and functions are ours until destroyed; DuckDB copies what it is given.
    let state = unsafe {
        let mut set = outside.duckdb_create_scalar_function_set(name.as_ptr());
        let mut state = sys::DuckDBSuccess;
        for &overload in F::OVERLOADS {
            let mut function = outside.duckdb_create_scalar_function();
            outside.duckdb_scalar_function_set_name(function, name.as_ptr());
            for field in overload {
                outside.duckdb_scalar_function_add_parameter(
                    function,
                    TypeHandle::new(outside, &field.kind).raw(),
                );
            }
            outside.duckdb_scalar_function_set_return_type(
                function,
                TypeHandle::new(outside, &F::RETURNS).raw(),
            );
            if F::VOLATILE {
                api().duckdb_scalar_function_set_volatile(function);
            }
            if F::NULLS == Nulls::Handle {
                api().duckdb_scalar_function_set_special_handling(function);
            }
            let (shared, destroy) = extra_info.share();
            api().duckdb_scalar_function_set_extra_info(function, shared, destroy);
            api().duckdb_scalar_function_set_init(function, Some(init::<F>));
            api().duckdb_scalar_function_set_function(function, Some(call::<F>));
            if outside.duckdb_add_scalar_function_to_set(set, function) != sys::DuckDBSuccess {
                state = sys::DuckDBError;
            }
            api().duckdb_destroy_scalar_function(&mut function);
        }
        if state == sys::DuckDBSuccess {
            state = outside.duckdb_register_scalar_function_set(connection, set);
        }
        api().duckdb_destroy_scalar_function_set(&mut set);
        state
    };
    if state == sys::DuckDBSuccess {
        Ok(())
    } else {
        Err(Error::tool_failed(format!("DuckDB did not register the scalar function {}", F::NAME)))
    }
}

/// # Safety
/// Called by DuckDB with a `Box<T>` this module made, once.
unsafe extern "C-unwind" fn destroy<T>(data: *mut c_void) {
    // SAFETY: the contract above.
    contain::run_drop(|| drop(unsafe { Box::from_raw(data.cast::<T>()) }));
}

/// # Safety
/// Called by DuckDB with a live init info, once per thread and execution.
unsafe extern "C-unwind" fn init<F: ScalarFunction>(info: sys::duckdb_init_info) {
    // SAFETY: `info` is live, its extra information that of `register`; the context returned is ours
    // and dropped here.
    unsafe {
        let mut outside = Outside::enter();
        let mut context = ptr::null_mut();
        outside.duckdb_scalar_function_init_get_client_context(info, &mut context);
        let extra_info = ExtraInfo::of(api().duckdb_scalar_function_init_get_extra_info(info));
        let settings =
            Settings::read(&ClientContext::new(context), &outside, F::SETTINGS, extra_info);
        let threads = settings.threads();
        let opened = contain::run(&mut outside, || F::open(settings));
        file_system::destroy_closed(&outside);
        match opened {
            Ok(state) => api().duckdb_scalar_function_init_set_state(
                info,
                Box::into_raw(Box::new(Execution::<F>::new(state, threads))).cast(),
                Some(destroy::<Execution<F>>),
            ),
            Err(error) => outside
                .duckdb_scalar_function_init_set_error(info, contain::c_message(&error).as_ptr()),
        }
    }
}

/// # Safety
/// Called by DuckDB with live handles; the state belongs to the calling thread.
unsafe extern "C-unwind" fn call<F: ScalarFunction>(
    info: sys::duckdb_function_info,
    input: sys::duckdb_data_chunk,
    output: sys::duckdb_vector,
) {
    // SAFETY: DuckDB hands over flat vectors of an overload's types, one per argument, and an
    // output vector with room for as many rows. An overload is told by the types of the vectors;
    // these live as long as the callback.
    unsafe {
        let mut outside = Outside::enter();
        let rows = api().duckdb_data_chunk_get_size(input) as usize;
        let vectors: Vec<_> = (0..api().duckdb_data_chunk_get_column_count(input))
            .map(|index| api().duckdb_data_chunk_get_vector(input, index))
            .collect();
        let kinds: Vec<TypeHandle> =
            vectors.iter().map(|&vector| TypeHandle::of(&outside, vector)).collect();
        let is_called = |overload: &&Overload| {
            overload.len() == kinds.len()
                && overload.iter().zip(&kinds).all(|(field, given)| given.is(&outside, &field.kind))
        };
        let overload = F::OVERLOADS.iter().find(is_called).expect("an overload of ours");
        let input = |(field, vector): (&Field, _)| {
            Ok((field.kind, Input::new(&outside, vector, &field.kind, rows)?))
        };
        let inputs: Result<Vec<(Type, Input)>> = overload.iter().zip(vectors).map(input).collect();
        let execution = &mut *api().duckdb_scalar_function_get_state(info).cast::<Execution<F>>();
        let mut out = Column::new(&F::RETURNS);
        let computed = contain::run(&mut outside, || execution.compute(&inputs?, rows, &mut out));
        file_system::destroy_closed(&outside);
        match computed {
            Ok(()) => vector::write(&outside, output, &out),
            Err(error) => {
                outside.duckdb_scalar_function_set_error(info, contain::c_message(&error).as_ptr())
            }
        }
    }
}
