//! Scalar functions over a repository.

use crate::error::Result;
use crate::ffi::{Field, Overload};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, REPO};
use crate::functions::surface::{Declaration, Out, Returned, Scalar, Written};
use crate::git::Repository;

/// A scalar function over a repository, which the parameter [`REPO`] names. It is volatile, since
/// the meaning of a revision changes with the repository.
pub trait RepositoryScalar: 'static {
    /// The declaration.
    const DECLARATION: Declaration;
    /// The parameters.
    const PARAMETERS: &'static [Field];
    /// The type of its result.
    type Returns: Returned;
    /// The result of one row.
    type Answer: Send;

    /// Computes the result, on a thread that can open only what may be read.
    ///
    /// # Errors
    /// Those of the function.
    fn answer(repository: &Repository, args: Args<'_>) -> Result<Self::Answer>;

    /// Appends the result.
    fn write(answer: Self::Answer, out: Out<'_, Self::Returns>) -> Written;
}

impl<F: RepositoryScalar> Scalar for F {
    const DECLARATION: Declaration = F::DECLARATION;
    const OVERLOADS: &'static [Overload] = &[F::PARAMETERS];
    type Returns = F::Returns;
    type State = ExecutionContext;

    fn call(
        execution: &mut ExecutionContext,
        args: Args<'_>,
        out: Out<'_, F::Returns>,
    ) -> Result<Written> {
        let repo = args.get(REPO)?;
        let answer = execution.read(|| F::answer(&execution.repository(repo)?, args))?;
        Ok(F::write(answer, out))
    }
}
