//! Scalar functions over a repository.

use crate::ffi::Overload;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, REPO};
use crate::functions::surface::{Declaration, Scalar};
use redline_base::error::Result;
use redline_git::Repository;
use redline_rows::{Field, Out, Returned, Written};

/// A scalar function over a repository, which the parameter [`REPO`] names. It is volatile, since
/// the meaning of a revision changes with the repository.
pub trait RepositoryScalar: 'static {
    /// The declaration.
    const DECLARATION: Declaration;
    /// The parameters.
    const PARAMETERS: &'static [Field];
    /// The parameters of each form of a call.
    const OVERLOADS: &'static [Overload] = &[Self::PARAMETERS];
    /// The type of its result.
    type Returns: Returned;

    /// Appends the value of one row, on a thread that can open only what may be read.
    ///
    /// # Errors
    /// Those of the function.
    fn call(
        repository: &Repository,
        args: Args<'_>,
        out: Out<'_, Self::Returns>,
    ) -> Result<Written>;
}

impl<F: RepositoryScalar> Scalar for F {
    const DECLARATION: Declaration = F::DECLARATION;
    const OVERLOADS: &'static [Overload] = F::OVERLOADS;
    type Returns = F::Returns;
    type State = ExecutionContext;

    fn call(
        execution: &mut ExecutionContext,
        args: Args<'_>,
        out: Out<'_, F::Returns>,
    ) -> Result<Written> {
        let repo = args.get(REPO)?;
        execution
            .caller
            .context
            .read(|| F::call(&execution.caller.context.repository(repo)?, args, out))
    }
}
