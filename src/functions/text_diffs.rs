//! `diff_stats`, `diff_rows` and `inline_diff`: what two texts have in common, as values.
//!
//! They are total, so that DuckDB may fold them, reorder them and call them on values that are in
//! no row: a NULL argument gives NULL, and so do texts beyond what can be compared.

use std::convert::Infallible;

use super::comparison;
use super::line_rows::{self, LineRows};
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::limits;
use crate::text::words::word_runs;
use crate::text::{Diff, DiffOptions, Engine, Stop};

/// Compares the first two arguments; `None` when they are too large, which alone can fail here.
fn compare<'a>(engine: &mut Engine, arguments: Arguments<'a>, options: &DiffOptions) -> Option<Diff<'a>> {
    let text = |index| arguments.text(index).unwrap_or_default();
    Diff::new(engine, text(0), text(1), options, &Stop::never()).ok()
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
    const SETTINGS: &'static [&'static str] = &[];
    type State = Engine;

    fn open(_: Settings) -> Result<Engine> {
        Ok(Engine::default())
    }

    fn call(engine: &mut Engine, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let Some(diff) = compare(engine, arguments, &DiffOptions::default()) else {
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
    const SETTINGS: &'static [&'static str] = &[];
    type State = Engine;

    fn open(_: Settings) -> Result<Engine> {
        Ok(Engine::default())
    }

    fn call(engine: &mut Engine, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        // Every negative context is the whole text, so none is refused.
        let context = comparison::context(arguments.bigint(2).map(|lines| lines.max(-1)))?;
        let options = DiffOptions { context, ..DiffOptions::default() };
        match compare(engine, arguments, &options) {
            Some(diff) => {
                let mut rows = LineRows::default();
                rows.add(&diff, &Stop::never())?;
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
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = |index| {
            let bytes = arguments.text(index).filter(|bytes| bytes.len() <= limits::INLINE_BYTES)?;
            std::str::from_utf8(bytes).ok()
        };
        let (Some(old), Some(new)) = (text(0), text(1)) else {
            out.push_null();
            return Ok(());
        };
        let Ok(()) = out.push_list(|elements| {
            for (change, text) in word_runs(old, new) {
                let fields = elements.fields_mut();
                fields[0].push_text(Some(change.name()));
                fields[1].push_text(Some(&text));
            }
            Ok::<(), Infallible>(())
        });
        Ok(())
    }
}
