//! Values that git works with, without a repository.
//!
//! | file | holds |
//! |---|---|
//! | `changed_file` | a mode, one side of a change, a change |
//! | `diff_attribute` | what attributes say of the diff of a path |
//! | `commit` | the bytes of a commit or a tag |
//! | `mailmap` | the names that people want to be known by |
//! | `bytes` | the bytes of an object, shared and charged |
//! | `id_tables` | tables by object id |
//! | `space` | what git's C library calls a space |

pub mod bytes;
pub mod changed_file;
pub mod commit;
pub mod diff_attribute;
pub mod id_tables;
pub mod mailmap;
pub mod space;

/// An object id; SHA-1 or SHA-256, as the repository has it.
pub type Oid = gix::ObjectId;
