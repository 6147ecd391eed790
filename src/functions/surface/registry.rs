//! Every function, once: registration, grants and help are read from here.

use super::declaration::{Declaration, Declared, Family};
use crate::error::Result;
use crate::ffi::{Field, Overload, Registrar, ScalarFunction, TableFunction, Type};
#[cfg(debug_assertions)]
use crate::functions::debug::{debug_edits, debug_panic};
use crate::functions::{agent, approvals, files, git, text};

/// A function as it is registered.
pub struct Entry {
    /// The name in SQL.
    pub name: &'static str,
    /// What it takes and returns.
    pub signature: Signature,
    /// What it says of itself.
    pub declaration: Declaration,
    register: fn(&Registrar) -> Result<()>,
}

/// What a function takes and returns.
pub enum Signature {
    /// A table function.
    Table {
        /// Positional parameters, all required.
        parameters: &'static [Field],
        /// Named parameters, all optional.
        named: &'static [Field],
        /// The columns.
        columns: &'static [Field],
    },
    /// A scalar function.
    Scalar {
        /// The parameters of each overload.
        overloads: &'static [Overload],
        /// The type of the result.
        returns: Type,
    },
}

impl Entry {
    /// Registers the function on the database that loads the extension.
    pub fn register(&self, registrar: &Registrar) -> Result<()> {
        (self.register)(registrar)
    }

    /// Tells whether users are told of it.
    pub fn is_public(&self) -> bool {
        self.declaration.family != Family::Debug
    }
}

const fn table<F: TableFunction + Declared>() -> Entry {
    Entry {
        name: F::NAME,
        signature: Signature::Table {
            parameters: F::PARAMETERS,
            named: F::NAMED,
            columns: F::COLUMNS,
        },
        declaration: F::DECLARATION,
        register: |registrar| registrar.table::<F>(),
    }
}

const fn scalar<F: ScalarFunction + Declared>() -> Entry {
    Entry {
        name: F::NAME,
        signature: Signature::Scalar { overloads: F::OVERLOADS, returns: F::RETURNS },
        declaration: F::DECLARATION,
        register: |registrar| registrar.scalar::<F>(),
    }
}

/// Every function, in the order in which help lists them.
pub static FUNCTIONS: &[Entry] = &[
    table::<git::file_changes::FileChanges>(),
    scalar::<git::file_changes::FileChangesList>(),
    table::<git::commit_changes::CommitChangesTable>(),
    table::<git::file_diff::FileDiff>(),
    scalar::<git::file_diff::FileDiffList>(),
    table::<git::diff_lines::DiffLines>(),
    scalar::<git::diff_lines::DiffLinesList>(),
    table::<git::diff_hunks::DiffHunks>(),
    table::<git::file_patches::FilePatches>(),
    table::<git::diff_review::DiffReview>(),
    scalar::<git::resolve_revision::ResolveRevision>(),
    scalar::<git::merge_base::MergeBase>(),
    scalar::<git::ahead_behind::AheadBehind>(),
    table::<git::commits::CommitsTable>(),
    scalar::<git::commits::CommitsList>(),
    table::<git::refs::RefsTable>(),
    scalar::<git::refs::RefsList>(),
    table::<git::file_status::FileStatusTable>(),
    scalar::<git::file_status::FileStatusList>(),
    table::<git::tree_files::TreeFiles>(),
    scalar::<git::tree_files::TreeFilesList>(),
    scalar::<git::file_content::FileContent<git::file_content::Text>>(),
    scalar::<git::file_content::FileContent<git::file_content::Bytes>>(),
    scalar::<text::unified_diff::UnifiedDiff>(),
    scalar::<text::diff_stats::DiffStats>(),
    scalar::<text::diff_rows::DiffRows>(),
    scalar::<text::inline_diff::InlineDiff>(),
    scalar::<text::diff_texts::DiffTexts>(),
    scalar::<text::diff_files::DiffFiles>(),
    scalar::<text::patch_files::PatchFiles>(),
    scalar::<text::patch_hunks::PatchHunks>(),
    scalar::<text::apply_patch::ApplyPatch>(),
    scalar::<text::reverse_patch::ReversePatch>(),
    scalar::<files::read_file::ReadFile>(),
    scalar::<files::write_file::WriteFile>(),
    scalar::<files::edit_file::EditFile>(),
    table::<files::edit_explain::EditExplain>(),
    scalar::<approvals::needs_approval::NeedsApproval>(),
    scalar::<approvals::call_approval::ReadApproval>(),
    scalar::<approvals::call_approval::WriteApproval>(),
    scalar::<approvals::call_approval::EditApproval>(),
    scalar::<approvals::approval_chunk::ApprovalChunk>(),
    scalar::<approvals::approval_pages::ApprovalPages>(),
    scalar::<approvals::approve::Approve>(),
    scalar::<approvals::withdraw::Withdraw>(),
    scalar::<approvals::approval_file::ApprovalFile>(),
    table::<approvals::pending_approvals::PendingApprovals>(),
    table::<approvals::approvals_given::ApprovalsGiven>(),
    scalar::<approvals::approval_display::ApprovalDisplay>(),
    scalar::<approvals::approval_display::ApprovalComplete>(),
    scalar::<approvals::approval_display::ApprovalPaging>(),
    table::<agent::redline_help::RedlineHelp>(),
    scalar::<agent::redline_sql::RedlineSql>(),
    table::<agent::redline_tools::RedlineTools>(),
    scalar::<agent::redline_call::RedlineCall>(),
    scalar::<agent::redline_call::RedlineCallText>(),
    table::<agent::redline_capabilities::Capabilities>(),
    #[cfg(debug_assertions)]
    scalar::<debug_edits::Edits>(),
    #[cfg(debug_assertions)]
    scalar::<debug_panic::Panic>(),
    #[cfg(debug_assertions)]
    table::<debug_panic::PanicScan>(),
];
