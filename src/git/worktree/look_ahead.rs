//! Checks the files of the index on several threads, ahead of their comparison, like git's
//! `core.preloadIndex`.

use crate::config::checkout::Checkout;
use crate::index::{Index, Staged};
use crate::model::changed_file::Mode;
use crate::repository::Repository;
use redline_base::budget::Permits;
use redline_sandbox::{Directories, EntryKind, FileState};

/// Entries that are checked before the first of them is compared: a query with a LIMIT may need no
/// more.
const WINDOW: usize = 8192;
/// The number of entries that are worth a thread.
const THREAD_ENTRIES: usize = 512;
/// Entries between two checks of the budget.
const STEP: usize = 256;

/// Knows which of some entries of the index have unchanged files.
pub struct LookAhead {
    /// The directories of the work tree, for each thread.
    threads: Vec<Directories>,
    repository: Repository,
    /// The position of the first checked entry.
    start: usize,
    unchanged: Vec<bool>,
    _permits: Permits,
}

impl LookAhead {
    /// Creates a look-ahead; `None` for one thread, or for too few entries.
    pub fn new(repository: &Repository, index: &Index) -> Option<Self> {
        let wanted = repository.threads.min(index.count() / THREAD_ENTRIES);
        if wanted < 2 {
            return None;
        }
        let permits = Permits::take(wanted);
        let view = |_| repository.work_tree_root().map(Directories::new).ok();
        let threads: Vec<_> = (0..permits.count()).map_while(view).collect();
        (threads.len() > 1).then(|| Self {
            threads,
            repository: repository.clone(),
            start: 0,
            unchanged: Vec::new(),
            _permits: permits,
        })
    }

    /// Tells whether the file of an entry is known to be unchanged; positions must ascend.
    pub fn is_unchanged(&mut self, index: &Index, position: usize) -> bool {
        if position >= self.start + self.unchanged.len() {
            self.look(index, position);
        }
        self.unchanged.get(position - self.start).copied().unwrap_or(false)
    }

    /// Checks the entries from a position on. Errors are ignored, as the comparison meets them
    /// again.
    fn look(&mut self, index: &Index, start: usize) {
        let entries = index.versions(start..index.count().min(start + WINDOW));
        self.start = start;
        self.unchanged.clear();
        self.unchanged.resize(entries.len(), false);
        let share = entries.len().div_ceil(self.threads.len()).max(1);
        let (checkout, budget) = (&self.repository.checkout, self.repository.budget());
        let look = |directories: &mut Directories, entries: &[Staged], unchanged: &mut [bool]| {
            for (entries, unchanged) in entries.chunks(STEP).zip(unchanged.chunks_mut(STEP)) {
                if budget.check().is_err() {
                    return;
                }
                for (entry, unchanged) in entries.iter().zip(unchanged) {
                    *unchanged = is_worth_it(entry)
                        && matches!(directories.look(&entry.path), Ok(Some(state))
                            if is_mode(entry, &state, checkout) && index.remembers(entry, &state));
                }
            }
        };
        let mut shares =
            entries.chunks(share).zip(self.unchanged.chunks_mut(share)).zip(&mut self.threads);
        let own = shares.next();
        std::thread::scope(|scope| {
            for ((entries, unchanged), directories) in shares {
                // Without another thread these entries are checked when they are compared.
                let work = move || look(directories, entries, unchanged);
                let _ =
                    std::thread::Builder::new().name("redline".into()).spawn_scoped(scope, work);
            }
            if let Some(((entries, unchanged), directories)) = own {
                look(directories, entries, unchanged);
            }
        });
    }
}

/// Tells whether a stat of its file is all that the entry needs.
fn is_worth_it(entry: &Staged) -> bool {
    entry.stage == 0
        && !entry.flags.assume_valid
        && !entry.flags.skip_worktree
        && !entry.entry.mode.is_submodule()
}

/// Tells whether a file has the mode of its entry.
fn is_mode(entry: &Staged, state: &FileState, checkout: &Checkout) -> bool {
    let mode = entry.entry.mode;
    match state.kind {
        EntryKind::File if checkout.trusts_executable => {
            mode == Mode::regular(state.is_executable())
        }
        EntryKind::File => mode.is_regular(),
        EntryKind::Link => mode.is_link(),
        EntryKind::Directory | EntryKind::Special => false,
    }
}
