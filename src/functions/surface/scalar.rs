//! Scalar functions: the trait that declares one, and the adapter to DuckDB.

use std::marker::PhantomData;
use std::time::Duration;

use super::entry::{FunctionEntry, Signature};
use crate::ffi::{Arguments, Nulls, Overload, ScalarFunction, Settings, State};
use crate::functions::context::database;
use crate::functions::params::Args;
use redline_base::error::Result;
use redline_rows::{Column, Declaration, Out, Returned, Type, Written};

/// A scalar function, called row by row.
pub trait Scalar: 'static {
    /// The declaration.
    const DECLARATION: Declaration;
    /// The parameters of each overload.
    const OVERLOADS: &'static [Overload];
    /// The type of its result.
    type Returns: Returned;
    /// Its state between rows.
    type State: State;
    /// Whether it does I/O or can fail. DuckDB folds, reorders and repeats calls of the others, and
    /// 1.5.6 calls them on values that are in no row.
    const VOLATILE: bool = true;
    /// What a NULL argument means.
    const NULLS: Nulls = Nulls::Propagate;
    /// The average time of a row from which other threads help.
    const HELPED_FROM: Duration = Duration::ZERO;

    /// Appends the value of one row.
    ///
    /// # Errors
    /// Those of the function.
    fn call(
        state: &mut Self::State,
        args: Args<'_>,
        out: Out<'_, Self::Returns>,
    ) -> Result<Written>;
}

/// The function as DuckDB calls it.
struct Adapter<F>(PhantomData<F>);

impl<F: Scalar> ScalarFunction for Adapter<F> {
    const NAME: &'static str = F::DECLARATION.name;
    const OVERLOADS: &'static [Overload] = F::OVERLOADS;
    const RETURNS: Type = F::Returns::TYPE;
    const VOLATILE: bool = F::VOLATILE;
    const NULLS: Nulls = F::NULLS;
    const HELPED_FROM: Duration = F::HELPED_FROM;
    type State = F::State;

    fn open(settings: Settings) -> Result<F::State> {
        database::require_function(&F::DECLARATION, &settings)?;
        F::State::open(settings)
    }

    fn call(state: &mut F::State, row: Arguments<'_>, out: &mut Column) -> Result<()> {
        F::call(state, Args::of_row(Self::NAME, &row), Out::new(out)).map(Written::done)
    }
}

/// Returns the entry of a scalar function.
pub const fn scalar<F: Scalar>() -> FunctionEntry {
    FunctionEntry {
        signature: Signature::Scalar { overloads: F::OVERLOADS, returns: F::Returns::TYPE },
        declaration: F::DECLARATION,
        register: |registrar| registrar.scalar::<Adapter<F>>(),
    }
}
