//! The twin of a table function that returns its rows as a list, so that columns can be arguments. It takes the named
//! parameters as a struct, and both are bound by the same code.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{
    Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::row_text;
use crate::functions::params::comparison::FROM;
use crate::functions::params::row_options::row_options;
use crate::functions::surface::{Declaration, Declared, Row};

/// The most positional parameters, and the options.
const MAX_PARAMETERS: usize = 8;

/// A table function with such a twin.
pub trait Listed: TableFunction + Declared {
    /// The name of the twin.
    const LIST_NAME: &'static str;
    /// What it returns, in one line.
    const LIST_DESCRIPTION: &'static str;
    /// A query that shows it.
    const LIST_EXAMPLE: &'static str;
    /// A row of the list.
    type Element: Row;

    /// Appends the rows as one list.
    fn list(bind: &Self::Bind, execution: &ExecutionContext, out: &mut Column) -> Result<()>;
}

/// The scalar function that is the twin of `F`.
pub struct List<F>(PhantomData<F>);

impl<F: Listed> Declared for List<F> {
    const DECLARATION: Declaration = Declaration {
        name: F::LIST_NAME,
        description: F::LIST_DESCRIPTION,
        example: F::LIST_EXAMPLE,
        ..F::DECLARATION
    };
}

impl<F: Listed> List<F> {
    const PADDED: &'static [Field; MAX_PARAMETERS] = &{
        let mut fields = [Self::OPTIONS; MAX_PARAMETERS];
        let mut index = 0;
        while index < F::PARAMETERS.len() {
            fields[index] = F::PARAMETERS[index];
            index += 1;
        }
        fields
    };

    const OPTIONS: Field = Field::optional(
        "options",
        Type::Options(F::NAMED),
        "NULL",
        "A STRUCT of the table function's named parameters, which may differ per row; NULL for none",
    );

    const FORMS: &'static [Overload; 2] =
        &[F::PARAMETERS, Self::PADDED.split_at(F::PARAMETERS.len() + 1).0];
}

impl<F: Listed> ScalarFunction for List<F> {
    const NAME: &'static str = F::LIST_NAME;
    const OVERLOADS: &'static [Overload] =
        Self::FORMS.split_at(if F::NAMED.is_empty() { 1 } else { 2 }).0;
    const RETURNS: Type = F::Element::LIST;
    // What a revision means changes with the repository.
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = ExecutionContext;

    fn budget(execution: &ExecutionContext) -> Option<&Arc<Budget>> {
        Some(&execution.budget)
    }

    fn open(settings: Settings) -> Result<ExecutionContext> {
        ExecutionContext::open::<Self>(settings)
    }

    fn helper(execution: &ExecutionContext) -> Option<ExecutionContext> {
        Some(execution.clone())
    }

    fn call(
        execution: &mut ExecutionContext,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        let mut positional = Vec::with_capacity(F::PARAMETERS.len());
        for (index, field) in F::PARAMETERS.iter().enumerate() {
            positional.push(match (field.kind, arguments.is_null(index)) {
                // The parent of a root commit is NULL, and it is compared with nothing.
                (_, true) if *field == FROM => Value::Text("EMPTY".to_owned()),
                (_, true) => {
                    out.push_null();
                    return Ok(());
                }
                (Type::BigInt, false) => {
                    arguments.bigint(index).map_or(Value::Null, Value::Integer)
                }
                _ => Value::Text(row_text(arguments, index, field.name)?),
            });
        }
        let named = row_options(arguments.options(), F::NAMED, F::LIST_NAME)?;
        execution.share_threads();
        F::list(&F::bind(&positional, &named)?, execution, out)
    }
}
