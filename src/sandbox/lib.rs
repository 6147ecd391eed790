//! Access rules for reading and writing: DuckDB's own limits, and the named roots of
//! `redline_sandboxes`.
//!
//! | file | holds |
//! |---|---|
//! | `access` | both limits together, and the check of a repository's resolved paths |
//! | `policy`, `sandboxes` | a named root and its rules; all of them, and the one of a path |
//! | `setting` | the setting: reads its JSON, opens its roots |
//! | `private` | a directory of redline's own, such as that of the journal |
//! | `pooled` | files that are closed when handles are scarce, and reopened when they are read |
//! | `recovery` | reverts or finishes changes of several files whose process was killed |
//! | `ref_limit` | the references of repositories that may be read |
//! | `rel_path` | paths beneath a root that cannot mean another place |
//! | `copies` | copies of contents as files that DuckDB reads, in a directory of the database's own |
//! | `copy_name` | the names of such copies |
//! | `beneath` | opening beneath a root without following a link |
//! | `directory` | opened directories, and files that are opened beneath them once |
//! | `directories` | checks of many files beneath a root, one call each |
//! | `guard` | threads that the kernel keeps within the roots of their query |
//! | `handles` | the count of the handles that the process keeps |
//! | `intent` | the plan of a change of several files, kept until the change is complete |
//! | `local` | local paths as DuckDB reads them, if no sandboxes are configured |
//! | `locked` | makes and locks a directory that is written, and clears reserved names in it |
//! | `named` | reads the files that options of queries name |
//! | `new_file` | files of a repository that are written: created, filled, renamed to their place |
//! | `run_names` | names of files that tools run, of which a person is warned |
//! | `sandbox_path` | a file by its sandbox and path: opened, read within limits |
//! | `staging` | the locked directories of such a change, with staged new and kept old contents |
//! | `state` | the state of a file as the file system tells it |
//! | `file_walk` | walks the files of a sandbox, and finds names near a path that was not found |
//! | `transaction` | changes of several files, all or none, also when the process is killed |
//! | `walk` | resolves a path; the system never accesses anything outside of the roots |
//! | `write` | writes such a file: whole, durable, and only over the state that was read |

mod access;
mod beneath;
mod copies;
mod copy_name;
mod directories;
mod directory;
mod file_walk;
#[cfg(test)]
mod fixture;
mod guard;
mod handles;
mod intent;
mod local;
mod locked;
mod named;
mod new_file;
mod policy;
mod pooled;
mod private;
mod recovery;
mod ref_limit;
mod rel_path;
mod run_names;
mod sandbox_path;
mod sandboxes;
mod setting;
mod spelling;
mod staging;
mod state;
mod transaction;
mod walk;
mod write;

pub use access::Access;
pub use beneath::Root;
pub use copies::{Copies, CopyAs, CopyRules, Sink};
pub use copy_name::{copy_name, is_read_as_written};
pub use directories::Directories;
pub use directory::{Directory, DirectoryEntry, OpenError, RegularFile};
pub use file_walk::{Next, WalkEntry};
pub use guard::{kernel_guard, read_restricted};
pub use local::{LocalFile, LocalPath, is_free_name};
pub use new_file::NewFile;
pub use policy::{GitGrant, Sandbox};
pub use pooled::PooledFile;
pub use private::{PrivateDirectory, PrivateLock};
pub use ref_limit::{RefLimit, RefPattern};
pub use sandbox_path::SandboxPath;
pub use sandboxes::Sandboxes;
pub use spelling::without_side;
pub use state::{EntryKind, FileState, Moment, Stamp};
pub use transaction::{After, Change, apply};
pub use write::Expected;
