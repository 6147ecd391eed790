//! The trait of scalar functions. DuckDB calls them through `scalar_callbacks`.

use std::sync::Arc;
use std::time::Duration;

use super::input::Input;
use super::settings::Settings;
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_rows::params::{RowArguments, Value};
use redline_rows::{Column, Field, Type};

/// The parameters of one overload. Supported are BIGINT, BOOLEAN, VARCHAR, BLOB and lists of
/// structs of these, and options as the last.
pub type Overload = &'static [Field];

/// How NULL arguments are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Any NULL argument makes the result NULL without a call.
    Propagate,
    /// The function is called and decides.
    Handle,
}

/// The state of one thread of an execution of a scalar function between rows.
pub trait State: Sized + Send + 'static {
    /// The names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str];

    /// Prepares a thread of an execution.
    ///
    /// # Errors
    /// Those of the settings.
    fn open(settings: Settings) -> Result<Self>;

    /// Returns a state for one of our threads that helps with the rows of one of DuckDB's; `None`
    /// if rows are computed one by one. [`Self::SETTINGS`] must have [`super::settings::THREADS`].
    fn helper(&self) -> Option<Self> {
        None
    }

    /// The shared budget of all rows of a thread, checked before each; `None` without a check.
    fn budget(&self) -> Option<&Arc<Budget>> {
        None
    }
}

/// No state.
impl State for () {
    const SETTINGS: &'static [&'static str] = &[];

    fn open(_: Settings) -> Result<Self> {
        Ok(())
    }
}

/// A scalar function, called row by row.
pub trait ScalarFunction: 'static {
    /// The name in SQL.
    const NAME: &'static str;
    /// One entry per overload.
    const OVERLOADS: &'static [Overload];
    /// The type of the result.
    const RETURNS: Type;
    /// Whether it does I/O or can fail. DuckDB folds, reorders and repeats the others freely, and
    /// 1.5.6 calls them on values that are not in the rows.
    const VOLATILE: bool;
    /// How NULL arguments are handled.
    const NULLS: Nulls;
    /// The mean time of a row from which our threads help: copying their results costs more than a
    /// quick row with a large result.
    const HELPED_FROM: Duration;
    /// The data that one thread of one execution keeps between rows.
    type State: State;

    /// Prepares a thread of an execution.
    fn open(settings: Settings) -> Result<Self::State>;

    /// Appends the value of one row.
    fn call(state: &mut Self::State, arguments: Arguments<'_>, out: &mut Column) -> Result<()>;
}

/// The arguments of one row, or the fields of a struct among them.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    inputs: &'a [(Field, Input)],
    row: usize,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(inputs: &'a [(Field, Input)], row: usize) -> Self {
        Self { inputs, row }
    }

    pub(super) fn has_null(&self) -> bool {
        self.inputs.iter().any(|(_, input)| input.is_null(self.row))
    }
}

impl RowArguments for Arguments<'_> {
    fn place(&self, name: &str) -> Option<usize> {
        self.inputs.iter().position(|(field, _)| field.name == name)
    }

    fn bytes(&self, index: usize) -> Option<&[u8]> {
        match self.inputs.get(index)? {
            // SAFETY: DuckDB casts arguments to the overload's types; both are stored in the same
            // form.
            (Field { kind: Type::Varchar | Type::Blob, .. }, input) => unsafe {
                input.text(self.row)
            },
            (other, _) => {
                panic!("argument {index} is {:?}, neither VARCHAR nor BLOB", other.kind)
            }
        }
    }

    fn bigint(&self, index: usize) -> Option<i64> {
        match self.inputs.get(index)? {
            // SAFETY: as above.
            (Field { kind: Type::BigInt, .. }, input) => unsafe { input.value(self.row) },
            (other, _) => panic!("argument {index} is {:?}, not BIGINT", other.kind),
        }
    }

    fn boolean(&self, index: usize) -> Option<bool> {
        match self.inputs.get(index)? {
            // SAFETY: as above.
            (Field { kind: Type::Boolean, .. }, input) => unsafe { input.boolean(self.row) },
            (other, _) => panic!("argument {index} is {:?}, not BOOLEAN", other.kind),
        }
    }

    fn texts(&self, index: usize) -> Vec<Option<&[u8]>> {
        let Some(input) = self.inputs.get(index) else { return Vec::new() };
        match input {
            (Field { kind: Type::List(Type::Varchar), .. }, input) => {
                // SAFETY: as above.
                let rows = unsafe { input.list(self.row) };
                let (_, elements) = &input.children()[0];
                // SAFETY: as above, for the elements.
                rows.into_iter().flatten().map(|row| unsafe { elements.text(row) }).collect()
            }
            (other, _) => panic!("argument {index} is {:?}, not a list of texts", other.kind),
        }
    }

    fn structs(&self, index: usize) -> Option<Vec<Option<Box<dyn RowArguments + '_>>>> {
        match self.inputs.get(index)? {
            (Field { kind: Type::List(Type::Struct(_)), .. }, input) => {
                // SAFETY: as above.
                let rows = unsafe { input.list(self.row) }?;
                let (_, elements) = &input.children()[0];
                let inputs = elements.children();
                let element = |row| -> Option<Box<dyn RowArguments + '_>> {
                    (!elements.is_null(row)).then(|| Box::new(Arguments { inputs, row }) as _)
                };
                Some(rows.map(element).collect())
            }
            (other, _) => panic!("argument {index} is {:?}, not a list of structs", other.kind),
        }
    }

    fn is_null(&self, index: usize) -> bool {
        self.inputs.get(index).is_none_or(|(_, input)| input.is_null(self.row))
    }

    fn options(&self) -> Value {
        let given = self.inputs.last().and_then(|(_, input)| input.given());
        given.map_or(Value::Null, |given| given.value(self.row))
    }
}
