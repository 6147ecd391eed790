//! The questions to a repository, each a file: the declaration of its function, its parameters, its
//! query, rows and columns.

pub mod blame;
pub mod commit;
pub mod commit_changes;
pub mod commit_columns;
pub mod commits;
pub mod diff_lines;
pub mod diff_rows;
pub mod file_changes;
pub mod file_content;
pub mod file_copies;
pub mod file_history;
pub mod file_outline;
pub mod file_status;
pub mod line_history;
pub mod moved_lines;
pub mod patches;
pub mod range_diff;
pub mod reflog;
pub mod refs;
pub mod tree_files;

use crate::machinery::rows::Query;
use redline_base::error::Result;
use redline_rows::params::Args;
use redline_rows::{Declaration, Field};

/// A question to a repository, as a table function and its twin ask it: its parameters make a query,
/// and its rows are those of the query.
pub trait Question: 'static {
    /// The declaration.
    const DECLARATION: Declaration;
    /// Positional parameters, all required.
    const PARAMETERS: &'static [Field];
    /// Named parameters, all optional.
    const NAMED: &'static [Field] = &[];
    /// Whether the first rows are returned early: a query with a LIMIT needs no more.
    const IS_EAGER: bool = false;
    /// An example of the twin; only a table that is registered without one has none.
    const LIST_EXAMPLE: &'static str = panic!("its twin has no example");
    /// The query.
    type Query: Query;

    /// Validates the arguments; does no I/O.
    ///
    /// # Errors
    /// `invalid_args`.
    fn query(args: Args<'_>) -> Result<Self::Query>;
}
