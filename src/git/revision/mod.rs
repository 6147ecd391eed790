//! From the names of revisions to the sides of a comparison.
//!
//! | file | holds |
//! |---|---|
//! | `side` | one side of a comparison |
//! | `sides` | the sides that names mean, and their merge base |
//! | `range` | `a..b` and its kin, and what `ALL` references lead to |
//! | `ancestry` | merge bases, and how far two commits are apart |
//! | `resolve` | one revision: taken apart from its end, and what is done to its object |
//! | `references` | all references with what they lead to; which of them decorate a commit |
//! | `named` | names of references, their logs, what stands for a name |
//! | `upstream` | the branches that a branch is merged with and pushed to |
//! | `short` | abbreviated ids |
//! | `path` | files of trees and of the index |
//! | `readable` | what may be named where a sandbox names the references that may be read |
//! | `search` | commits by their messages |
//! | `resolver` | what all of these read: objects, links of commits, references; peeling |
//! | `date`, `date_words`, `clock` | dates as people write them, in local time |

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
