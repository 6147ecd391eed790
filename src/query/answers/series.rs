//! The answer of `GitRangeDiff`.

use super::pages::{Pages, shown};
use crate::range_diff::{CREATION_FACTOR, CommitPair, Numbered, RangeDiffQuery};
use crate::{Context, Query};
use redline_base::budget::{Gather, Grow, Joined, Taken, text_of};
use redline_base::error::{Result, escaped, quoted};
use redline_rows::{Need, Needs};
use redline_tools::{GitRangeDiffArguments, ListedPair, Listing, Reply};

/// The divisor for the part of an answer that the patch of one commit may take.
const PATCH_PART: usize = 2;

/// The statuses of a commit, in the order of the counts.
const STATUSES: [&str; 4] = ["equal", "changed", "dropped", "added"];

/// Compares two versions of a series.
pub fn range_diff(
    context: &Context,
    reply: &Reply,
    arguments: GitRangeDiffArguments,
) -> Result<Listing<ListedPair>> {
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
    let room = reply.max_bytes / PATCH_PART;
    let rows = pairs.iter().skip(pages.first()).map(|pair| Ok(listed(pair, room)));
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

fn listed(pair: &CommitPair, room: usize) -> ListedPair {
    let id = |side: &Option<Numbered>| side.as_ref().map(|side| side.commit.id.to_string());
    ListedPair {
        old_number: pair.old.as_ref().map(|side| side.number),
        old_commit_id: id(&pair.old),
        new_number: pair.new.as_ref().map(|side| side.number),
        new_commit_id: id(&pair.new),
        status: pair.status(),
        subject: pair.subject().map_or_else(String::new, shown),
        patch: pair.changes.as_deref().map(|patch| cut(patch, room)),
    }
}

/// Returns the lines of a patch that fit.
fn cut(patch: &[u8], room: usize) -> String {
    let patch = text_of(patch);
    let (mut end, mut cost) = (0, 0);
    for line in patch.split_inclusive('\n') {
        // The indentation, and the escapes for bytes that are not shown as they are.
        cost += 4 + line.escape_debug().count();
        if cost > room {
            return format!("{}    [cut: GitShow shows each commit]\n", &patch[..end]);
        }
        end += line.len();
    }
    patch.taken()
}
