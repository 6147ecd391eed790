//! The parts shared by the functions that merge texts: their parameters, and how these are read.

use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{
    Args, Asked, Blob, Bytes, Choice, Given, Kind, Maybe, OneOf, Param, Text, bounded, choice,
    fields, number, options, required, row_options, text,
};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_query::params::comparison::Algorithms;
use redline_rows::{Field, Type};
use redline_text::CancelToken;
use redline_text::merge::{Favor, Level, Merge, MergeOptions, MergeStyle};

const BASE: Param<Maybe<Bytes>> = required("base", "The text that both sides were made from");
const OURS: Param<Maybe<Bytes>> =
    required("ours", "Our side: where both changed the same lines, it comes first");
const THEIRS: Param<Maybe<Bytes>> = required("theirs", "Their side");

/// Returns the same parameter for bytes.
const fn blob(text: Param<Maybe<Bytes>>) -> Param<Maybe<Blob>> {
    required(text.field.name, text.field.doc)
}

const STYLE: Param<OneOf<MergeStyles>> = choice("style", "merge, diff3 or zdiff3");
const FAVOR: Param<OneOf<Favors>> = choice("favor", "none, ours, theirs or union");
const LEVEL: Param<Levels> = number("level", 3, "0 to 3: how hard conflicts are made small");
const ALGORITHM: Param<OneOf<Algorithms>> = choice("algorithm", "How the matching lines are found");
const MARKER_SIZE: Param<MarkerSize> =
    number("marker_size", MergeOptions::MARKER_SIZE as i64, "Characters of a marker");
const BASE_LABEL: Param<Label> = text("base_label", "base", "The label of the base");
const OURS_LABEL: Param<Label> = text("ours_label", "ours", "The label of our side");
const THEIRS_LABEL: Param<Label> = text("theirs_label", "theirs", "The label of their side");

const OPTIONS: &[Field] =
    fields![STYLE, FAVOR, LEVEL, ALGORITHM, MARKER_SIZE, BASE_LABEL, OURS_LABEL, THEIRS_LABEL,];
const TEXTS: [Field; 4] = [BASE.field, OURS.field, THEIRS.field, STRUCT];
const BLOBS: [Field; 4] = [blob(BASE).field, blob(OURS).field, blob(THEIRS).field, STRUCT];
const STRUCT: Field = options(
    OPTIONS,
    "A STRUCT of style, favor, level, algorithm, marker_size, base_label, ours_label and theirs_label; NULL for none",
);

/// The parameters, as texts and as bytes.
pub const OVERLOADS: &[Overload] = &[TEXTS.split_at(3).0, &TEXTS, BLOBS.split_at(3).0, &BLOBS];

/// Returns the base and both sides of a row; `None` if one is NULL.
pub fn texts(args: Args<'_>) -> Result<Option<[&[u8]; 3]>> {
    let texts = (args.get(BASE)?, args.get(OURS)?, args.get(THEIRS)?);
    let (Some(base), Some(ours), Some(theirs)) = texts else { return Ok(None) };
    Ok(Some([base, ours, theirs]))
}

/// Merges the texts of a row, and passes the result to `take`.
///
/// # Errors
/// `invalid_args` for invalid options and for binary texts, `too_large` for large ones; why the
/// query ended.
pub fn merge<T>(
    comparer: &mut Comparer,
    texts: [&[u8]; 3],
    args: Args<'_>,
    take: impl FnOnce(&Merge<'_>, &MergeOptions<'_>, &CancelToken<'_>) -> Result<T>,
) -> Result<T> {
    let values = row_options(args.options(), OPTIONS, args.function())?;
    let options = merge_options(args.with((OPTIONS, &values), (&[], &[])))?;
    let cancel = CancelToken::of(&comparer.budget);
    take(&Merge::new(&mut comparer.engine, texts, &options, &cancel)?, &options, &cancel)
}

fn merge_options(args: Args<'_>) -> Result<MergeOptions<'_>> {
    Ok(MergeOptions {
        style: args.get(STYLE)?,
        favor: args.get(FAVOR)?,
        level: args.get(LEVEL)?,
        algorithm: args.get(ALGORITHM)?,
        marker_size: args.get(MARKER_SIZE)?,
        labels: [args.get(BASE_LABEL)?, args.get(OURS_LABEL)?, args.get(THEIRS_LABEL)?],
    })
}

/// The styles of conflicts, by their names.
struct MergeStyles;

impl Choice for MergeStyles {
    type Of = MergeStyle;
    const WORDS: &'static [(&'static str, MergeStyle)] = &[
        ("merge", MergeStyle::Merge),
        ("diff3", MergeStyle::Diff3),
        ("zdiff3", MergeStyle::Zdiff3),
    ];
}

/// The sides that are favored, by their names.
struct Favors;

impl Choice for Favors {
    type Of = Option<Favor>;
    const WORDS: &'static [(&'static str, Option<Favor>)] = &[
        ("none", None),
        ("ours", Some(Favor::Ours)),
        ("theirs", Some(Favor::Theirs)),
        ("union", Some(Favor::Union)),
    ];
}

/// How much conflicts are reduced.
struct Levels;

impl Kind for Levels {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = Level;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Level> {
        match given.integer().unwrap_or_default() {
            0 => Ok(Level::Minimal),
            1 => Ok(Level::Eager),
            2 => Ok(Level::Zealous),
            3 => Ok(Level::ZealousAlnum),
            level => Err(Error::invalid_args(format!("{} is {level}", asked.name))
                .with_hint("Give 0 to 3: 3 is that of git merge-file, 2 that of git merge")),
        }
    }
}

bounded! {
    /// The number of characters of a marker.
    MarkerSize: BigInt as usize, 1..=limits::MARKER_CHARS as i64,
        format!("Give 1 to {} characters", limits::MARKER_CHARS);
}

/// A label of a marker.
struct Label;

impl Kind for Label {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        let label = Text::read(given, asked)?;
        if label.contains(['\n', '\r']) {
            return Err(Error::invalid_args(format!("{} is {}", asked.name, quoted(label)))
                .with_hint("A label is on the line of a marker: give a text of one line"));
        }
        Ok(label)
    }
}
