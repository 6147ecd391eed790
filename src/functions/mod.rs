//! The SQL functions, one file per family: parameters, columns and a thin adapter to the core.

mod arguments;
#[cfg(debug_assertions)]
mod debug_panic;
mod file_changes;
mod file_diff;
mod host;
mod line_rows;
mod patches;
mod text_diffs;
mod unified_diff;

use crate::error::Result;
use crate::ffi::Registrar;

/// Registers every function on the database that loads the extension.
pub fn register(registrar: &Registrar) -> Result<()> {
    registrar.table::<file_changes::FileChanges>()?;
    registrar.scalar::<file_changes::FileChangesList>()?;
    registrar.table::<file_diff::FileDiff>()?;
    registrar.scalar::<file_diff::FileDiffList>()?;
    registrar.scalar::<unified_diff::UnifiedDiff>()?;
    registrar.scalar::<text_diffs::DiffStats>()?;
    registrar.scalar::<text_diffs::DiffRows>()?;
    registrar.scalar::<text_diffs::InlineDiff>()?;
    registrar.scalar::<patches::PatchFiles>()?;
    registrar.scalar::<patches::PatchHunks>()?;
    registrar.scalar::<patches::ApplyPatch>()?;
    registrar.scalar::<patches::ReversePatch>()?;
    #[cfg(debug_assertions)]
    {
        registrar.scalar::<debug_panic::Panic>()?;
        registrar.table::<debug_panic::PanicScan>()?;
    }
    Ok(())
}
