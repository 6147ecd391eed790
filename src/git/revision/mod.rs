//! Resolves the names of revisions to the sides of a comparison.
//!
//! | file | holds |
//! |---|---|
//! | `side` | one side of a comparison |
//! | `sides` | the sides of names, and their merge base |
//! | `range` | `a..b` and the like, and the commits of `ALL` references |
//! | `ancestry` | merge bases, and how far two commits have diverged |
//! | `resolve` | one revision: parsed from its end, and applied to its object |
//! | `references` | all references with their targets; those that decorate a commit |
//! | `named` | names of references, their logs, and their shorthands |
//! | `upstream` | the upstream and push branches of a branch |
//! | `short` | abbreviated ids |
//! | `path` | files of trees and of the index |
//! | `readable` | the objects that may be named if a sandbox limits the references |
//! | `search` | commits by their messages |
//! | `unknown` | what is said of a name that is no revision |
//! | `resolver` | the shared readers: objects, links of commits, references; peeling |
//! | `date`, `date_words`, `clock` | dates in git's formats, in local time |

mod ancestry;
mod clock;
mod date;
mod date_words;
mod named;
mod path;
mod range;
mod readable;
mod references;
mod resolve;
mod resolver;
mod search;
mod short;
mod side;
mod sides;
mod unknown;
mod upstream;

pub use ancestry::{ahead_behind, merge_bases};
pub use clock::local_time_zone;
pub use date::date_of;
pub use range::{commit_of, object_of, range_of};
pub use readable::check_side;
pub use references::{
    CheckedOut, Named as NamedReference, Reference, ReferenceDetails, ReferenceReader, checked_out,
    decorations, reference_names,
};
pub use side::Revision;
pub use sides::{commit_and_parents, ends_of, side_of, sides_of};
