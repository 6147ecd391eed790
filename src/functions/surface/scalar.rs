//! Scalar functions: what one declares, and the adapter to DuckDB.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::declaration::Declared;
use super::entry::{Entry, Signature};
use super::out::{Out, Returned, Written};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::params::args::Args;

/// What one thread of one execution of a scalar function keeps between rows.
pub trait State: Sized + Send + 'static {
    /// Names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str];

    /// Prepares a thread of an execution of `F`.
    ///
    /// # Errors
    /// `permission_denied` where none of the tools of `F` is granted.
    fn open<F: Declared>(settings: Settings) -> Result<Self>;

    /// Returns a state for a thread of ours that helps with the rows; none where they are computed
    /// one after the other.
    fn helper(&self) -> Option<Self> {
        None
    }

    /// Returns what all rows of a thread may use together, asked before each; none asks nothing.
    fn budget(&self) -> Option<&Arc<Budget>> {
        None
    }
}

/// Nothing is kept.
impl State for () {
    const SETTINGS: &'static [&'static str] = &[];

    fn open<F: Declared>(_: Settings) -> Result<Self> {
        Ok(())
    }
}

/// A scalar function, called row by row.
pub trait Scalar: Declared {
    /// The parameters of each form.
    const OVERLOADS: &'static [Overload];
    /// What it returns.
    type Returns: Returned;
    /// What it keeps between rows.
    type State: State;
    /// Whether it does I/O or can fail. DuckDB folds, reorders and repeats the others as it likes,
    /// and 1.5.6 calls them on values that are in no row.
    const VOLATILE: bool = true;
    /// What a NULL argument means.
    const NULLS: Nulls = Nulls::Propagate;
    /// How long a row must take on average for threads of ours to help.
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
    const SETTINGS: &'static [&'static str] = F::State::SETTINGS;
    const HELPED_FROM: Duration = F::HELPED_FROM;
    type State = F::State;

    fn open(settings: Settings) -> Result<F::State> {
        F::State::open::<F>(settings)
    }

    fn helper(state: &F::State) -> Option<F::State> {
        state.helper()
    }

    fn budget(state: &F::State) -> Option<&Arc<Budget>> {
        state.budget()
    }

    fn call(state: &mut F::State, row: Arguments<'_>, out: &mut Column) -> Result<()> {
        F::call(state, Args::of_row(Self::NAME, row), Out::new(out)).map(Written::done)
    }
}

/// Returns the entry of a scalar function.
pub const fn scalar<F: Scalar>() -> Entry {
    Entry {
        signature: Signature::Scalar { overloads: F::OVERLOADS, returns: F::Returns::TYPE },
        declaration: F::DECLARATION,
        register: |registrar| registrar.scalar::<Adapter<F>>(),
    }
}
