//! Resolves the names of revisions to the sides of a comparison.
//!
//! | file | holds |
//! |---|---|
//! | `range` | `a..b` and the like, the commits of `ALL` references, and the sides of a comparison |
//! | `ancestry` | merge bases, and how far two commits have diverged |
//! | `resolve` | one revision: parsed from its end, and applied to its object |
//! | `references` | all references with their targets; those that decorate a commit |
//! | `containing` | the references whose history holds a commit |
//! | `reflog` | the former values of a reference |
//! | `named` | names of references, their logs, and their shorthands |
//! | `readable_log` | the log of a reference, without visits to branches that may not be read |
//! | `upstream` | the upstream and push branches of a branch |
//! | `short` | abbreviated ids |
//! | `path` | files of trees and of the index |
//! | `search` | commits by their messages |
//! | `unknown` | the error of a name that is not a revision |
//! | `resolver` | one side; the shared readers: objects, links of commits, references; peeling; which
//! objects may be named |
//! | `date`, `date_words`, `clock` | dates in git's formats, in local time |

mod ancestry;
mod clock;
mod containing;
mod date;
mod date_words;
mod named;
mod path;
mod range;
mod readable_log;
mod references;
mod reflog;
mod resolve;
mod resolver;
mod search;
mod short;
mod unknown;
mod upstream;

pub use ancestry::{ahead_behind, merge_bases, merge_bases_of};
pub use clock::{Calendar, local_time_zone};
pub use containing::references_containing;
pub use date::{date_of, is_whole_date};
pub use range::{
    Sides, commit_and_parents, commit_at, commit_of, object_of, range_of, side_of, sides_of,
};
pub use references::{
    ListedNames, Named as NamedReference, Reference, ReferenceDetails, ReferenceReader,
    checked_out, decorations, reference_names,
};
pub use reflog::{LogEntry, Reflog, reflog};
pub use resolver::{Revision, check_side};
