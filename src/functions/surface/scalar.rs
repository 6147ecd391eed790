//! Scalar functions: the trait that declares one, and the adapter to DuckDB.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::declaration::{Declaration, Grant};
use super::entry::{Entry, Signature};
use super::out::{Out, Returned, Written};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::params::Args;

/// The state of one thread of an execution of a scalar function between rows.
pub trait State: Sized + Send + 'static {
    /// Names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str];

    /// Prepares a thread of an execution of a function that `grant` opens.
    ///
    /// # Errors
    /// `permission_denied` if none of its tools is granted.
    fn open(grant: Grant, settings: Settings) -> Result<Self>;

    /// Returns a state for another thread that helps with the rows; `None` if they are computed one
    /// after the other.
    fn helper(&self) -> Option<Self> {
        None
    }

    /// Returns the shared budget of all rows of a thread, which is checked before each; `None`: no
    /// check.
    fn budget(&self) -> Option<&Arc<Budget>> {
        None
    }
}

/// No state.
impl State for () {
    const SETTINGS: &'static [&'static str] = &[];

    fn open(_: Grant, _: Settings) -> Result<Self> {
        Ok(())
    }
}

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
    const SETTINGS: &'static [&'static str] = F::State::SETTINGS;
    const HELPED_FROM: Duration = F::HELPED_FROM;
    type State = F::State;

    fn open(settings: Settings) -> Result<F::State> {
        F::State::open(F::DECLARATION.grant, settings)
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
