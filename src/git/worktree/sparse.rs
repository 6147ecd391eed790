//! Which paths a sparse checkout has.

use crate::attributes::ignore::Ignores;
use crate::repository::Repository;
use redline_base::error::Result;
use redline_base::limits;

/// The patterns of a sparse checkout (`info/sparse-checkout` of a work tree).
///
/// Those of the cone mode are read like all others, which says the same.
pub struct SparseCheckout(Option<Ignores>);

impl SparseCheckout {
    /// Reads the patterns, if the repository is set to have them.
    ///
    /// # Errors
    /// Those of reading the file, and `too_large`.
    pub fn of(repository: &Repository) -> Result<Self> {
        let checkout = &repository.checkout;
        if !checkout.is_sparse {
            return Ok(Self(None));
        }
        let git_dir = &repository.location.git_dir;
        let lines = git_dir.read(b"info/sparse-checkout", limits::IGNORE_BYTES)?;
        let parsed = lines.map(|lines| Ignores::new(&lines, b"", None, checkout.ignores_case));
        parsed.transpose().map(Self)
    }

    /// Tells whether a file belongs to the work tree: what the last matching pattern says of it, or
    /// else of the nearest directory above that one matches.
    ///
    /// # Errors
    /// `too_large` if that takes more than [`limits::PATTERN_STEPS`].
    pub fn has(&self, path: &[u8]) -> Result<bool> {
        let Some(patterns) = &self.0 else { return Ok(true) };
        let above = memchr::memrchr_iter(b'/', path).map(|end| (&path[..end], true));
        for (path, is_directory) in std::iter::once((path, false)).chain(above) {
            if let Some(is_there) = patterns.decision(path, is_directory)? {
                return Ok(is_there);
            }
        }
        Ok(false)
    }
}
