//! What the columns that a query is asked for must have computed. Reading and comparing contents takes nearly all the
//! time, so nothing is computed that no column shows.

/// A set of the bits below.
pub type Needs = u16;

/// The sizes of contents.
pub const SIZES: Needs = 1 << 0;
/// The contents, compared line by line.
pub const LINES: Needs = 1 << 1;
/// The content of a commit.
pub const INFO: Needs = 1 << 2;
/// The names of people, which .mailmap may change.
pub const NAMES: Needs = 1 << 3;
/// The body of a commit's message.
pub const BODY: Needs = 1 << 4;
/// The names of the references that lead to a commit.
pub const REFS: Needs = 1 << 5;
/// The notes on a commit.
pub const NOTES: Needs = 1 << 6;
/// The patch of a changed file.
pub const PATCH: Needs = 1 << 7;
/// The name of a reference, as short as it is unambiguous.
pub const SHORT: Needs = 1 << 8;
/// The commit that a reference leads to through tags.
pub const COMMIT: Needs = 1 << 9;
/// The message of the object that a reference leads to.
pub const MESSAGE: Needs = 1 << 10;
/// The branch that a branch is merged with.
pub const UPSTREAM: Needs = 1 << 11;
/// How far a branch and its upstream are apart.
pub const DISTANCE: Needs = 1 << 12;
/// More of a changed file than its path and its status.
pub const DETAILS: Needs = 1 << 13;
