//! The result of an operation on several files.

/// The result of an operation on several files, each told as an `F`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFiles<F> {
    /// The operation, as in `redline_log()`; `None` if nothing was written.
    pub id: Option<String>,
    /// `applied`, `already_applied` or `would_apply`.
    pub outcome: &'static str,
    /// The files.
    pub files: Vec<F>,
    /// The report, in one line.
    pub message: String,
}

impl<F> ChangedFiles<F> {
    /// Returns the message, and how to take the operation back.
    pub fn summary(&self) -> String {
        match &self.id {
            Some(id) => format!("{}\nundo with id = {id} takes this back", self.message),
            None => self.message.clone(),
        }
    }
}
