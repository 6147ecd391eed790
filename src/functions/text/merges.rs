//! What the functions that merge texts have in common: their arguments, and what a thread keeps.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::{Error, Result, quoted};
use crate::ffi::{Arguments, Field, Overload, Settings, Type};
use crate::functions::context::settings;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::params::row_options::row_options;
use crate::functions::surface::State;
use crate::limits;
use crate::text::merge::{Favor, Level, Merge, MergeOptions, MergeStyle};
use crate::text::{Algorithm, CancelToken, Engine};

/// The settings that are read.
pub const SETTINGS: &[&str] = <Arc<Budget> as State>::SETTINGS;

const fn text(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, Type::Varchar, doc)
}

const fn bytes(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, Type::Blob, doc)
}

const BASE: &str = "The text that both sides were made from";
const OURS: &str = "Our side: where both changed the same lines, it comes first";
const THEIRS: &str = "Their side";

const TEXTS: [Field; 4] =
    [text("base", BASE), text("ours", OURS), text("theirs", THEIRS), OPTIONS_FIELD];
const BLOBS: [Field; 4] =
    [bytes("base", BASE), bytes("ours", OURS), bytes("theirs", THEIRS), OPTIONS_FIELD];

/// The parameters, as texts and as bytes.
pub const OVERLOADS: &[Overload] = &[TEXTS.split_at(3).0, &TEXTS, BLOBS.split_at(3).0, &BLOBS];

const OPTIONS_FIELD: Field = Field::optional(
    "options",
    Type::Options(OPTIONS),
    "NULL",
    "A STRUCT of style, favor, level, algorithm, marker_size, base_label, ours_label and theirs_label; NULL for none",
);

const OPTIONS: &[Field] = &[
    Field::optional("style", Type::Varchar, "'merge'", "merge, diff3 or zdiff3"),
    Field::optional("favor", Type::Varchar, "'none'", "none, ours, theirs or union"),
    Field::optional("level", Type::BigInt, "3", "0 to 3: how hard conflicts are made small"),
    Field::optional("algorithm", Type::Varchar, "'myers'", "How the matching lines are found"),
    Field::optional("marker_size", Type::BigInt, "7", "Characters of a marker"),
    Field::optional("base_label", Type::Varchar, "'base'", "The label of the base"),
    Field::optional("ours_label", Type::Varchar, "'ours'", "The label of our side"),
    Field::optional("theirs_label", Type::Varchar, "'theirs'", "The label of their side"),
];

/// What a thread keeps between rows.
pub struct Merger {
    engine: Engine,
    /// What the query may use.
    pub budget: Arc<Budget>,
}

impl Merger {
    /// Prepares a thread of an execution.
    pub fn new(settings: &Settings) -> Self {
        Self { engine: Engine::default(), budget: settings::budget(settings) }
    }

    /// Returns what another thread of the same execution keeps.
    pub fn helper(&self) -> Self {
        Self { engine: Engine::default(), budget: Arc::clone(&self.budget) }
    }

    /// Merges the texts of a row for the function of this name, and hands the result to `take`.
    ///
    /// # Errors
    /// `invalid_args` for options that cannot be used and for binary texts, `too_large` for large ones; why the query ended.
    pub fn merge<T>(
        &mut self,
        arguments: Arguments<'_>,
        function: &str,
        take: impl FnOnce(&Merge<'_>, &MergeOptions<'_>, &CancelToken<'_>) -> Result<T>,
    ) -> Result<T> {
        let values = row_options(arguments.options(), OPTIONS, function)?;
        let given = NamedOptions::new(OPTIONS, &values);
        let options = merge_options(&given)?;
        let cancel = CancelToken::of(&self.budget);
        let texts = [0, 1, 2].map(|index| arguments.bytes(index).unwrap_or_default());
        take(&Merge::new(&mut self.engine, texts, &options, &cancel)?, &options, &cancel)
    }
}

fn merge_options<'a>(given: &'a NamedOptions<'a>) -> Result<MergeOptions<'a>> {
    let default = MergeOptions::default();
    let favors = [
        ("none", None),
        ("ours", Some(Favor::Ours)),
        ("theirs", Some(Favor::Theirs)),
        ("union", Some(Favor::Union)),
    ];
    let algorithms = [
        ("myers", Algorithm::Myers),
        ("minimal", Algorithm::Minimal),
        ("patience", Algorithm::Patience),
        ("histogram", Algorithm::Histogram),
    ];
    let styles = [
        ("merge", MergeStyle::Merge),
        ("diff3", MergeStyle::Diff3),
        ("zdiff3", MergeStyle::Zdiff3),
    ];
    let [base, ours, theirs] = default.labels;
    Ok(MergeOptions {
        style: given.choice("style", &styles)?,
        favor: given.choice("favor", &favors)?,
        level: level(given.integer("level"))?,
        algorithm: given.choice("algorithm", &algorithms)?,
        marker_size: marker_size(given.integer("marker_size"))?,
        labels: [
            label(given, "base_label", base)?,
            label(given, "ours_label", ours)?,
            label(given, "theirs_label", theirs)?,
        ],
    })
}

fn level(given: Option<i64>) -> Result<Level> {
    Ok(match given {
        None => Level::default(),
        Some(0) => Level::Minimal,
        Some(1) => Level::Eager,
        Some(2) => Level::Zealous,
        Some(3) => Level::ZealousAlnum,
        Some(level) => {
            return Err(Error::invalid_args(format!("level is {level}"))
                .with_hint("Give 0 to 3: 3 is that of git merge-file, 2 that of git merge"));
        }
    })
}

fn marker_size(given: Option<i64>) -> Result<usize> {
    let Some(size) = given else { return Ok(MergeOptions::MARKER_SIZE) };
    let size_of_marker = usize::try_from(size).ok();
    size_of_marker.filter(|size| (1..=limits::MARKER_CHARS).contains(size)).ok_or_else(|| {
        Error::invalid_args(format!("marker_size is {size}"))
            .with_hint(format!("Give 1 to {} characters", limits::MARKER_CHARS))
    })
}

fn label<'a>(given: &'a NamedOptions<'a>, name: &str, default: &'a str) -> Result<&'a str> {
    let label = given.text(name).unwrap_or(default);
    if label.contains(['\n', '\r']) {
        return Err(Error::invalid_args(format!("{name} is {}", quoted(label)))
            .with_hint("A label stands beside a marker: give a text of one line"));
    }
    Ok(label)
}
