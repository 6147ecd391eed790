//! Reads the files named by options of queries over a repository.

use std::ffi::OsStr;
use std::path::Path;

use crate::open::directory::OpenError;
use crate::open::local::LocalPath;
use crate::rules::access::Access;
use redline_base::error::{Error, Result, quoted};

impl Access {
    /// Returns the content of a file named by the option `option`: below a sandbox if any are
    /// configured, else within DuckDB's own limits.
    ///
    /// # Errors
    /// `not_found`, `fs_denied`, `too_large` for more than `limit` bytes, and `approval_required`
    /// in a sandbox where reading needs an approval.
    pub fn named_file(&self, option: &str, given: &str, limit: u64) -> Result<Vec<u8>> {
        if let Some(sandboxes) = self.sandboxes() {
            let place = sandboxes.resolve(given)?;
            if place.sandbox().approvals.read {
                return Err(Error::approval_required(format!(
                    "reading {} must be approved, which an option cannot ask for",
                    quoted(given)
                ))
                .with_hint(format!("Leave {option} out, or name a file of another sandbox")));
            }
            let bytes = place.read()?;
            let size = bytes.len() as u64;
            return if size > limit { Err(too_large(given, size, limit)) } else { Ok(bytes) };
        }
        let path = LocalPath::new(given, None);
        let path = Path::new(path.as_str());
        let name = path.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let read = self
            .open_directory(parent.unwrap_or(Path::new(".")))
            .and_then(|directory| directory.file(name))
            .and_then(|file| file.read_all(limit));
        let file = || format!("{}, which {option} names", quoted(given));
        read.map_err(|error| match error {
            OpenError::Absent => Error::not_found(format!("there is no file {}", file()))
                .with_hint("A relative path starts at the directory that DuckDB runs in"),
            OpenError::Outside | OpenError::Reserved(_) | OpenError::Link => {
                Error::fs_denied(format!("DuckDB's settings do not allow reading {}", file()))
                    .with_hint("Give a file of allowed_directories, links resolved")
            }
            OpenError::Directory | OpenError::Special => {
                Error::invalid_args(format!("{}, is not a file", file()))
                    .with_hint("Give the path of a file")
            }
            OpenError::TooLarge { size } => too_large(given, size, limit),
            OpenError::Stopped(stopped) => stopped.into(),
            OpenError::System(error) => {
                Error::tool_failed(format!("the file {}, cannot be read", file()))
                    .with_source(error)
            }
        })
    }
}

fn too_large(given: &str, size: u64, limit: u64) -> Error {
    Error::too_large(format!("the file {} has {size} bytes, and {limit} are read", quoted(given)))
        .with_hint("Give a smaller file")
}
