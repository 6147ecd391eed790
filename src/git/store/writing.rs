//! What is written into a git directory: locks, objects, logs and references, through the same
//! handles that are read.

use gix::bstr::ByteSlice;

use super::gate::GitDirectory;
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::{NewFile, OpenError, why_unwritten};

impl GitDirectory {
    /// Creates the lock of the file at `name`, waiting a little for another's.
    ///
    /// # Errors
    /// `stale` if another keeps it; those of the system.
    pub fn lock(&self, name: &[u8]) -> Result<NewFile> {
        let lock = [name, b".lock"].concat();
        match self.directory_to_write().create_when_free(&lock, 0o666) {
            Ok(Some(made)) => Ok(made),
            Ok(None) => Err(Error::stale(format!(
                "{} of the repository at {} is locked: {} exists",
                quoted(&self.full(name).to_str_lossy()),
                quoted(self.gate().given()),
                quoted(&self.full(&lock).to_str_lossy())
            ))
            .with_hint(
                "A git command runs there, or one was killed: then a person removes that file",
            )),
            Err(error) => Err(self.unwritten(error, &lock)),
        }
    }

    /// Creates a file at `name`; `None` if there is one.
    ///
    /// # Errors
    /// Those of the system.
    pub fn create(&self, name: &[u8], mode: u32) -> Result<Option<NewFile>> {
        let made = self.directory_to_write().create(name, mode);
        made.map_err(|error| self.unwritten(error, name))
    }

    /// Appends lines to the file at `name`, with the directories that are missing.
    ///
    /// # Errors
    /// Those of the system.
    pub fn append(&self, name: &[u8], lines: &[u8]) -> Result<()> {
        self.make_parent(name)?;
        let appended = self.directory_to_write().append(name, lines);
        appended.map_err(|error| self.unwritten(error, name))
    }

    /// Removes the file at `name`, if there is one.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self, name: &[u8]) -> Result<()> {
        let removed = self.directory_to_write().remove(name);
        removed.map(|_| ()).map_err(|error| self.unwritten(error, name))
    }

    /// Makes the directories above `name` that are missing.
    ///
    /// # Errors
    /// Those of the system.
    pub fn make_parent(&self, name: &[u8]) -> Result<()> {
        let Some(slash) = name.rfind_byte(b'/') else { return Ok(()) };
        let made = self.directory_to_write().make_directories(&name[..slash]);
        made.map_err(|error| self.unwritten(error, &name[..slash]))
    }

    /// Returns the error of what could not be written at `name`.
    pub fn unwritten(&self, error: OpenError, name: &[u8]) -> Error {
        match error {
            OpenError::System(error) => {
                let (words, hint) = why_unwritten(&error);
                Error::tool_failed(format!(
                    "{} of the repository at {} cannot be written: {words}",
                    quoted(&self.full(name).to_str_lossy()),
                    quoted(self.gate().given())
                ))
                .with_hint(hint)
                .with_source(error)
            }
            error => self.failed(error, name),
        }
    }
}
