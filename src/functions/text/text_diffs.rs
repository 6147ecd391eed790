//! `diff_stats`, `diff_rows` and `inline_diff`: what two texts have in common, as values.
//!
//! They are total, so that DuckDB may fold them, reorder them and call them on values that are in
//! no row: a NULL argument gives NULL, and so do texts beyond what can be compared. Only the time and memory
//! of a query end them with an error.

use std::convert::Infallible;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::git::line_rows::{self, LineRows};
use crate::functions::params::comparison;
use crate::limits;
use crate::text::words::word_runs_until;
use crate::text::{Diff, DiffOptions, Engine, Stop, lines};

/// What a thread that compares texts keeps between rows.
pub struct Comparer {
    engine: Engine,
    /// What the query may use.
    pub budget: Arc<Budget>,
}

/// The settings that it reads.
pub const SETTINGS: &[&str] = &[settings::MAX_SECONDS];

impl Comparer {
    /// Prepares a thread of an execution.
    pub fn new(settings: &Settings) -> Self {
        Self { engine: Engine::default(), budget: settings::budget(settings) }
    }

    /// Compares the first two arguments; `None` when a text is too large to be compared by line.
    ///
    /// # Errors
    /// `timeout`, and `too_large` when the query may use no more memory.
    pub fn compare<'a>(&mut self, arguments: Arguments<'a>, options: &DiffOptions) -> Result<Option<Diff<'a>>> {
        let texts = [0, 1].map(|index| arguments.text(index).unwrap_or_default());
        if texts.iter().any(|text| text.len() > lines::MAX_BYTES) {
            return Ok(None);
        }
        Diff::new(&mut self.engine, texts[0], texts[1], options, &Stop::of(&self.budget)).map(Some)
    }
}

/// `diff_stats(a, b)`: how many lines and hunks differ, and how alike the texts are.
pub struct DiffStats;

impl ScalarFunction for DiffStats {
    const NAME: &'static str = "diff_stats";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("additions", Type::BigInt),
        Field::new("deletions", Type::BigInt),
        Field::new("hunks", Type::BigInt),
        Field::new("similarity", Type::Double),
    ]);
    const VOLATILE: bool = false;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type State = Comparer;

    fn budget(comparer: &Comparer) -> Option<&Arc<Budget>> {
        Some(&comparer.budget)
    }

    fn open(settings: Settings) -> Result<Comparer> {
        Ok(Comparer::new(&settings))
    }

    fn call(comparer: &mut Comparer, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let Some(diff) = comparer.compare(arguments, &DiffOptions::default())? else {
            out.push_null();
            return Ok(());
        };
        let fields = out.fields_mut();
        fields[0].push_bigint(i64::try_from(diff.additions()).ok());
        fields[1].push_bigint(i64::try_from(diff.deletions()).ok());
        fields[2].push_bigint(i64::try_from(diff.hunks().len()).ok());
        fields[3].push_double(Some(diff.similarity()));
        Ok(())
    }
}

/// `diff_rows(a, b [, context])`: the lines of the diff, in the columns of `file_diff`.
pub struct DiffRows;

impl ScalarFunction for DiffRows {
    const NAME: &'static str = "diff_rows";
    const OVERLOADS: &'static [Overload] =
        &[&[Type::Varchar, Type::Varchar], &[Type::Varchar, Type::Varchar, Type::BigInt]];
    const RETURNS: Type = Type::List(&Type::Struct(&line_rows::FIELDS));
    const VOLATILE: bool = false;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type State = Comparer;

    fn budget(comparer: &Comparer) -> Option<&Arc<Budget>> {
        Some(&comparer.budget)
    }

    fn open(settings: Settings) -> Result<Comparer> {
        Ok(Comparer::new(&settings))
    }

    fn call(comparer: &mut Comparer, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        // Every negative context is the whole text, so none is refused.
        let context = comparison::context(arguments.bigint(2).map(|lines| lines.max(-1)))?;
        let options = DiffOptions { context, ..DiffOptions::default() };
        match comparer.compare(arguments, &options)? {
            Some(diff) => {
                let mut rows = LineRows::default();
                rows.add(&diff, &Stop::of(&comparer.budget))?;
                rows.write_list(out);
            }
            None => out.push_null(),
        }
        Ok(())
    }
}

/// `inline_diff(a, b)`: the difference word by word.
pub struct InlineDiff;

impl ScalarFunction for InlineDiff {
    const NAME: &'static str = "inline_diff";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type =
        Type::List(&Type::Struct(&[Field::new("change", Type::Varchar), Field::new("text", Type::Varchar)]));
    const VOLATILE: bool = false;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = SETTINGS;
    type State = Arc<Budget>;

    fn budget(budget: &Arc<Budget>) -> Option<&Arc<Budget>> {
        Some(budget)
    }

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = |index| {
            let bytes = arguments.text(index).filter(|bytes| bytes.len() <= limits::INLINE_BYTES)?;
            std::str::from_utf8(bytes).ok()
        };
        let (Some(old), Some(new)) = (text(0), text(1)) else {
            out.push_null();
            return Ok(());
        };
        let runs = word_runs_until(old, new, budget.deadline());
        // Past its deadline the comparison is a rough one.
        budget.check()?;
        let Ok(()) = out.push_list(|elements| {
            for (change, text) in runs {
                let fields = elements.fields_mut();
                fields[0].push_text(Some(change.name()));
                fields[1].push_text(Some(&text));
            }
            Ok::<(), Infallible>(())
        });
        Ok(())
    }
}
