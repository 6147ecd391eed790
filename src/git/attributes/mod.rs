//! The attributes of a path, from the same files as in git.
//!
//! These are the work tree's `.gitattributes` (read below its root, never through a link), the
//! index's if the comparison has an index and the work tree lacks the file, and `info/attributes`.
//! A bare repository has only the last, as in git; a comparison of two revisions does not read the
//! index, as in `git diff`. The user's and the system's files are not read.
//!
//! | file | holds |
//! |---|---|
//! | `list` | the lines of one file |
//! | `files` | a repository with or without its index, to read contents and attributes from; its files,
//! read once for all threads |
//! | `ignore` | which untracked files are ignored |

mod files;
pub mod ignore;
mod list;

use std::collections::HashMap;
use std::sync::Arc;

use gix::bstr::ByteSlice;

pub use files::ContentSource;
pub use list::State;

use files::AttributeFiles;
use list::{AttributeList, Names};

use crate::config::drivers::Drivers;
use crate::model::diff_attribute::{DiffAttribute, PathAttributes};
use crate::objects::Objects;
use crate::pathspec::glob::Work;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// All attributes that redline reads; macros may set them too.
const NAMES: [&str; 8] = [
    "diff",
    "linguist-generated",
    "text",
    "crlf",
    "eol",
    "ident",
    "working-tree-encoding",
    "filter",
];

/// Looks up attributes for one thread; fastest for paths in ascending order.
pub struct Attributes<const N: usize> {
    source: ContentSource,
    /// The reader of `.gitattributes` files in the index.
    objects: Objects,
    selected: [&'static str; N],
    /// The lists of `directory` and its parents from the root on, `None` for those without a file;
    /// each with the length of its directory's path.
    stack: Vec<(usize, Option<Arc<AttributeList>>)>,
    /// The path of the directory, with a trailing slash except for the root.
    directory: Vec<u8>,
    /// The state found for the path, by the number of the name; and the numbers with a state.
    found: Vec<Option<State>>,
    touched: Vec<usize>,
}

impl<const N: usize> Attributes<N> {
    /// Creates a lookup of the attributes `selected`.
    pub fn new(source: &ContentSource, selected: [&'static str; N]) -> Self {
        debug_assert!(
            selected.iter().all(|name| NAMES.contains(name)),
            "a name that the lists leave out"
        );
        Self {
            source: source.clone(),
            objects: source.repository().objects(),
            selected,
            stack: Vec::new(),
            directory: Vec::new(),
            found: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Returns the states of the selected attributes for the file at `path`, in their order.
    ///
    /// # Errors
    /// `too_large` for files or patterns beyond the limits.
    pub fn of(&mut self, path: &[u8]) -> Result<[State; N]> {
        let files = self.source.attributes()?;
        self.enter(&files, path.rfind_byte(b'/').map_or(&[][..], |slash| &path[..=slash]))?;
        self.found.resize(files.names.len(), None);
        for name in self.touched.drain(..) {
            self.found[name] = None;
        }
        let mut work = Work::new(limits::PATTERN_STEPS);
        let stack = std::mem::take(&mut self.stack);
        // `info/attributes` has precedence, then the nearest directories.
        let nearest = stack.iter().rev().filter_map(|(base, list)| Some((*base, list.as_deref()?)));
        for (base, list) in std::iter::once((0, &files.info)).chain(nearest) {
            let mut matching = list.table.matching(&path[base..], &mut work);
            while !self.is_done(&files.names)
                && let Some(number) = matching.next(&mut work)
            {
                self.assign(&files, list, number as usize, &mut work);
            }
        }
        self.stack = stack;
        if work.is_used_up() {
            return Err(Error::too_large(format!(
                "the patterns of .gitattributes take too many steps for {}",
                quoted(&path.to_str_lossy())
            ))
            .with_hint("Make them fewer, or their wildcards simpler"));
        }
        let state = |name| self.state(&files.names, name).cloned().unwrap_or(State::Unspecified);
        Ok(self.selected.map(state))
    }

    fn state(&self, names: &Names, name: &str) -> Option<&State> {
        self.found[*names.get(name.as_bytes())?].as_ref()
    }

    fn is_done(&self, names: &Names) -> bool {
        self.selected.iter().all(|name| self.state(names, name).is_some())
    }

    /// Sets attributes to the assignments of a line, the last word first, and of its macros;
    /// attributes that have a state keep it.
    fn assign(
        &mut self,
        files: &AttributeFiles,
        list: &AttributeList,
        number: usize,
        work: &mut Work,
    ) {
        let mut waiting = vec![(list, list.rules[number].clone())];
        while let Some((list, range)) = waiting.last_mut() {
            let Some(at) = range.next_back() else {
                waiting.pop();
                continue;
            };
            work.take(1);
            let assignment = &list.assignments[at];
            let found = &mut self.found[assignment.name];
            if found.is_none() {
                *found = Some(assignment.state.clone());
                self.touched.push(assignment.name);
                if assignment.state == State::Set
                    && let Some((list, range)) = files.definition(assignment.name)
                {
                    waiting.push((list, range));
                }
            }
        }
    }

    /// Fills the stack with the lists of `directory` and its parents.
    fn enter(&mut self, files: &AttributeFiles, directory: &[u8]) -> Result<()> {
        if !files.has_work_tree() || self.directory == directory && !self.stack.is_empty() {
            return Ok(());
        }
        let is_shared = |base: usize| directory.starts_with(&self.directory[..base]);
        let kept = self.stack.iter().take_while(|(base, _)| is_shared(*base)).count();
        self.stack.truncate(kept);
        self.directory.clear();
        self.directory.extend_from_slice(directory);
        let added = self.push_lists(files, directory);
        if added.is_err() {
            self.stack.clear();
        }
        added
    }

    /// Adds the lists of the directories that the stack lacks.
    fn push_lists(&mut self, files: &AttributeFiles, directory: &[u8]) -> Result<()> {
        let mut bytes: usize =
            self.stack.iter().filter_map(|(_, list)| list.as_ref()).map(|list| list.bytes).sum();
        let below_root = memchr::memchr_iter(b'/', directory).map(|slash| slash + 1);
        for base in std::iter::once(0).chain(below_root).skip(self.stack.len()) {
            let list = files.list(&directory[..base], self.source.index(), &self.objects)?;
            bytes += list.as_ref().map_or(0, |list| list.bytes);
            if bytes > limits::PATTERN_BYTES {
                return Err(Error::too_large(format!(
                    "the .gitattributes files of {} and the directories above have {bytes} bytes",
                    quoted(&directory.trim_end_with(|c| c == '/').to_str_lossy())
                ))
                .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
            }
            self.stack.push((base, list));
        }
        Ok(())
    }
}

/// Looks up the attributes of a file's diff for one thread: text or binary, the driver of its
/// headings, and whether it is generated.
pub struct DiffAttributes {
    attributes: Attributes<2>,
    drivers: Arc<Drivers>,
    /// A cache of results: a history needs the same paths again and again, and each may open files.
    known: HashMap<Vec<u8>, PathAttributes>,
}

impl DiffAttributes {
    /// Creates a lookup in a source.
    pub fn new(source: &ContentSource) -> Self {
        let drivers = Arc::clone(&source.repository().drivers);
        let attributes = Attributes::new(source, ["diff", "linguist-generated"]);
        Self { attributes, drivers, known: HashMap::new() }
    }

    /// Returns the attributes of the file at `path`.
    pub fn of(&mut self, path: &[u8]) -> Result<PathAttributes> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let found = self.look_up(path)?;
        if self.known.len() == limits::ATTRIBUTE_PATHS {
            self.known.clear();
        }
        self.known.insert(path.to_vec(), found.clone());
        Ok(found)
    }

    fn look_up(&mut self, path: &[u8]) -> Result<PathAttributes> {
        let [diff, generated] = self.attributes.of(path)?;
        let (diff, driver) = match diff {
            State::Set => (DiffAttribute::Set, None),
            State::Unset => (DiffAttribute::Unset, None),
            State::Value(driver) => {
                let diff = match self.drivers.get(&driver) {
                    Some(true) => DiffAttribute::Unset,
                    Some(false) => DiffAttribute::Set,
                    None => DiffAttribute::Unspecified,
                };
                (diff, Some(driver))
            }
            State::Unspecified => (DiffAttribute::Unspecified, None),
        };
        let generated = match generated {
            State::Set => Some(true),
            State::Unset => Some(false),
            State::Value(value) => Some(value != b"false"),
            State::Unspecified => None,
        };
        Ok(PathAttributes { diff, driver, generated })
    }
}
