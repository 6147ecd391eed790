//! Access rules for reading and writing: DuckDB's own limits, and the named roots of
//! `redline_sandboxes`.
//!
//! | module | file | holds |
//! |---|---|---|
//! | `rules` | `access` | both limits together, and the check of a repository's resolved paths |
//! | `rules` | `policy`, `sandboxes` | a named root and its rules; all of them, and the one of a path |
//! | `rules` | `setting` | the setting: reads its JSON, opens its roots |
//! | `rules` | `rel_path` | paths beneath a root that cannot mean another place |
//! | `rules` | `ref_limit` | the references of repositories that may be read |
//! | `rules` | `run_names` | names of files that tools run, of which a person is warned |
//! | `open` | `beneath` | opening beneath a root without following a link |
//! | `open` | `walk` | resolves a path; the system never accesses anything outside of the roots |
//! | `open` | `directory` | opened directories, and files that are opened beneath them once |
//! | `open` | `directories` | checks of many files beneath a root, one call each |
//! | `open` | `sandbox_path` | a file by its sandbox and path: opened, read within limits |
//! | `open` | `file_walk` | walks the files of a sandbox, and finds names near a path that was not found |
//! | `open` | `local` | local paths as DuckDB reads them, if no sandboxes are configured |
//! | `open` | `named` | reads the files that options of queries name |
//! | `open` | `pooled` | files that are closed when handles are scarce, and reopened when they are read |
//! | `open` | `handles` | the count of the handles that the process keeps |
//! | `open` | `guard` | threads that the kernel keeps within the roots of their query |
//! | `open` | `state` | the state of a file as the file system tells it |
//! | `system` | itself, `windows` | what the others ask of the system, and what of it Windows has |
//! | `write` | itself | writes such a file: whole, durable, and only over the state that was read |
//! | `write` | `new_file` | files of a repository that are written: created, filled, renamed to their place |
//! | `write` | `locked` | makes and locks a directory that is written, and clears reserved names in it |
//! | `write` | `transaction` | changes of several files, all or none, also when the process is killed |
//! | `write` | `intent` | the plan of a change of several files, kept until the change is complete |
//! | `write` | `staging` | the locked directories of such a change, with staged new and kept old contents |
//! | `write` | `recovery` | reverts or finishes changes of several files whose process was killed |
//! | `write` | `unwritten` | why the system does not write, in words |
//! | `write` | `private` | a directory of redline's own, such as that of the journal |
//! | `write` | `copies` | copies of contents as files that DuckDB reads, in a directory of the database's own |
//! | `write` | `copy_name` | the names of such copies |

#[cfg(all(test, unix))]
mod fixture;
mod open;
mod rules;
mod system;
mod write;

pub use open::beneath::Root;
pub use open::directories::Directories;
pub use open::directory::{Directory, DirectoryEntry, OpenError, RegularFile};
pub use open::file_walk::{Next, WalkEntry};
pub use open::guard::{kernel_guard, read_restricted};
pub use open::local::{LocalFile, LocalPath, is_free_name};
pub use open::pooled::PooledFile;
pub use open::sandbox_path::SandboxPath;
pub use open::state::{EntryKind, FileState, Moment, Stamp};
pub use rules::access::Access;
pub use rules::policy::{GitGrant, Sandbox};
pub use rules::ref_limit::{RefLimit, RefPattern};
pub use rules::sandboxes::Sandboxes;
pub use rules::spelling::without_side;
pub use write::Expected;
pub use write::copies::{Copies, CopyAs, CopyRules, Sink};
pub use write::copy_name::{copy_name, is_read_as_written};
pub use write::new_file::NewFile;
pub use write::private::{PrivateDirectory, PrivateLock};
pub use write::transaction::{After, Change, apply};
pub use write::unwritten::why_unwritten;
