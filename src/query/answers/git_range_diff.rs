//! `GitRangeDiff`: the status of each commit of a rebased series.

use super::call::{Answers, Call};
use super::pages::Pages;
use super::shown::shown_id;
use super::view;
use super::view::{ShownColumns, Values, View, Viewed};
use crate::questions::range_diff::{CREATION_FACTOR, CommitPair, Numbered, RangeDiffQuery};
use crate::{Context, Query};
use redline_base::budget::{CopiedText, Gather, Grow, GrowBy, Joined};
use redline_base::error::{Result, escaped, escaped_line, quoted};
use redline_rows::{Need, Needs};
use redline_tools::{Alias, Listing, Reply, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Compares two versions of a series.
pub struct GitRangeDiff;

impl Tool for GitRangeDiff {
    const NAME: &'static str = "GitRangeDiff";
    const TITLE: &'static str = "Compare series";
    const DESCRIPTION: &'static str = "Pairs the commits of a rebased series, like git range-diff. \
         Example: old_range = main..v1, new_range = main..v2";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("old", "old_range"),
        Alias::Means("new", "new_range"),
        Alias::Means("from", "old_range"),
        Alias::Means("to", "new_range"),
        Alias::Means("range1", "old_range"),
        Alias::Means("range2", "new_range"),
        Alias::Say("base", "Give old_range = base..old and new_range = base..new"),
        Alias::Say("range", "Give old_range = base..old and new_range = base..new"),
    ];
    type Arguments = GitRangeDiffArguments;
    type Output = Listing<Viewed<Self>>;
}

/// The arguments of `GitRangeDiff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitRangeDiffArguments {
    /// Before: a..b.
    pub old_range: String,
    /// After: a..b.
    pub new_range: String,
    pub repo: Option<String>,
    pub cursor: Option<String>,
}

impl View for GitRangeDiff {
    const LIST: &'static str = "commits";
    const COLUMNS: ShownColumns = &[
        ("old_number", view::plain),
        ("old_commit_id", view::plain),
        ("new_number", view::plain),
        ("new_commit_id", view::plain),
        ("status", view::plain),
        ("subject", view::line),
        ("patch", cut),
    ];

    fn text(row: &Values) -> String {
        let side = |number: &str, id: &str| match (row.number(number), row.text(id)) {
            (Some(number), Some(id)) => format!("{number}:  {}", shown_id(id)),
            _ => format!("-:  {}", "-".repeat(shown_id(&"-".repeat(40)).len())),
        };
        let sign = match row.text("status") {
            Some("equal") => '=',
            Some("changed") => '!',
            Some("dropped") => '<',
            _ => '>',
        };
        let old = side("old_number", "old_commit_id");
        let new = side("new_number", "new_commit_id");
        let mut text = format!("{old} {sign} {new} {}\n", row.text("subject").unwrap_or_default());
        // git indents each line of it, so that none looks like a commit.
        for line in row.text("patch").unwrap_or_default().lines() {
            let indent = if line.starts_with("    ") { "" } else { "    " };
            text.add_slice(&format!("{indent}{}\n", escaped_line(line)));
        }
        text
    }
}

/// The divisor for the part of an answer that the patch of one commit may take.
const PATCH_PART: usize = 2;

/// The statuses of a commit, in the order of the counts.
const STATUSES: [&str; 4] = ["equal", "changed", "dropped", "added"];

/// Compares two versions of a series.
pub fn range_diff(
    context: &Context,
    reply: &Reply,
    arguments: GitRangeDiffArguments,
) -> Result<Listing<Viewed<GitRangeDiff>>> {
    let GitRangeDiffArguments { old_range, new_range, repo, cursor } = arguments;
    let repo = repo.unwrap_or_else(|| context.default_repository());
    let head = format!("{}: {} and {}", escaped(&repo), quoted(&old_range), quoted(&new_range));
    let asked = format!("GitRangeDiff {old_range:?} {new_range:?}");
    let query =
        RangeDiffQuery { old: old_range, new: new_range, repo, creation_factor: CREATION_FACTOR };
    let mut pairs = Vec::new();
    query.start(context, Needs::of(&[Need::Patch]))?.each(|pair| pairs.add(pair))?;
    let pages = Pages::new(&asked, &state(&pairs), cursor.as_deref())?;
    let counts = STATUSES.iter().filter_map(|status| {
        let count = pairs.iter().filter(|pair| pair.status() == *status).count();
        (count > 0).then(|| format!("{count} {status}"))
    });
    let counts = counts.gather::<Vec<_>>().joined(", ");
    let counts = if counts.is_empty() { "no commits".to_owned() } else { counts };
    let rows =
        pairs.iter().skip(pages.first()).map(|pair| Ok(Viewed::of::<CommitPair>(pair, reply)));
    let head = format!("{head}: {counts}");
    pages.filled(head, reply, rows)
}

/// Returns the state to which a cursor is bound: the commits.
fn state(pairs: &[CommitPair]) -> String {
    let id = |side: &Option<Numbered>| {
        side.as_ref().map_or_else(String::new, |side| side.commit.id.to_string())
    };
    pairs.iter().map(|pair| format!("{} {}\n", id(&pair.old), id(&pair.new))).gather()
}

/// Shows the lines of a patch that fit.
fn cut(patch: Value, reply: &Reply) -> Value {
    let room = reply.max_bytes / PATCH_PART;
    view::text(patch, |patch| {
        let (mut end, mut cost) = (0, 0);
        for line in patch.split_inclusive('\n') {
            // The indentation, and the escapes for bytes that are not shown as they are.
            cost += 4 + line.escape_debug().count();
            if cost > room {
                return [&patch[..end], "    [cut: GitShow shows each commit]\n"].joined("");
            }
            end += line.len();
        }
        patch.copied_text()
    })
}

impl Answers for GitRangeDiff {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        range_diff(&call.caller.context, &call.reply, arguments)
    }
}
