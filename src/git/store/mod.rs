//! The gate: every file of a repository is opened here, and nowhere else.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | directories of a repository and the files that are opened beneath them, with errors of our own |

mod gate;

pub use gate::{Found, Gate, GitDirectory};
