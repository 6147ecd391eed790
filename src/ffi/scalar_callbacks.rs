//! Registration and callbacks of scalar functions.

use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::client_context::ClientContext;
use super::contain;
use super::extra_info::ExtraInfo;
use super::file_system;
use super::input::Input;
use super::kept::kept;
use super::rows::Execution;
use super::scalar::{Nulls, Overload, ScalarFunction, State};
use super::settings::Settings;
use super::types::{TypeHandle, c_name};
use super::vector;
use redline_base::error::Result;
use redline_rows::{Column, Field};

/// Registers all overloads of `F` on a connection.
///
/// # Safety
/// `connection` must be open.
pub unsafe fn register<F: ScalarFunction>(
    outside: &Outside,
    connection: sys::duckdb_connection,
    extra_info: &ExtraInfo,
) -> sys::duckdb_state {
    let name = c_name(F::NAME);
    // SAFETY: set and functions are ours until destroyed; DuckDB copies its arguments.
    unsafe {
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
    }
}

/// # Safety
/// Called by DuckDB with a live init info, once per thread and execution.
unsafe extern "C-unwind" fn init<F: ScalarFunction>(info: sys::duckdb_init_info) {
    // SAFETY: `info` is live, its extra information that of `register`; the returned context is
    // ours and dropped here.
    unsafe {
        let mut outside = Outside::enter();
        let mut context = ptr::null_mut();
        outside.duckdb_scalar_function_init_get_client_context(info, &mut context);
        let extra_info = ExtraInfo::of(api().duckdb_scalar_function_init_get_extra_info(info));
        let settings =
            Settings::read(&ClientContext::new(context), &outside, F::State::SETTINGS, extra_info);
        let threads = settings.threads();
        let opened = contain::run(&mut outside, || F::open(settings));
        file_system::destroy_closed(&outside);
        match opened {
            Ok(state) => {
                let (execution, destroy) = kept(Execution::<F>::new(state, threads));
                api().duckdb_scalar_function_init_set_state(info, execution, destroy);
            }
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
    // SAFETY: DuckDB passes flat vectors of an overload's types, one per argument, and an output
    // vector with room for as many rows. The types of the vectors identify the overload; they live
    // as long as the callback.
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
            Ok((*field, Input::new(&outside, vector, &field.kind, rows)?))
        };
        let inputs: Result<Vec<(Field, Input)>> = overload.iter().zip(vectors).map(input).collect();
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
