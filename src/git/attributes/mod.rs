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

use crate::error::{Error, Result, quoted};
use crate::git::config::drivers::Drivers;
use crate::git::model::diff_attribute::{DiffAttribute, PathAttributes};
use crate::git::objects::Objects;
use crate::git::pathspec::glob::Work;
use crate::limits;

/// All attributes that redline reads; macros may set them too.
const NAMES: [&str; 7] =
    ["diff", "linguist-generated", "text", "crlf", "eol", "ident", "working-tree-encoding"];

/// Looks up attributes for one thread; fastest for paths in ascending order.
pub struct Attributes {
    source: ContentSource,
    /// The reader of `.gitattributes` files in the index.
    objects: Objects,
    selected: &'static [&'static str],
    /// The lists of `directory` and its parents from the root on, `None` for those without a file.
    stack: Vec<Option<Arc<AttributeList>>>,
    directory: Vec<u8>,
    /// The state found for the path, by the number of the name; and the numbers with a state.
    found: Vec<Option<State>>,
    touched: Vec<usize>,
}

impl Attributes {
    /// Creates a lookup of the attributes `selected`.
    pub fn new(source: &ContentSource, selected: &'static [&'static str]) -> Self {
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
    pub fn of(&mut self, path: &[u8]) -> Result<Vec<State>> {
        let files = self.source.attributes()?;
        self.enter(&files, path.rfind_byte(b'/').map_or(&[][..], |slash| &path[..slash]))?;
        self.found.resize(files.names.len(), None);
        for name in self.touched.drain(..) {
            self.found[name] = None;
        }
        let mut work = Work::new(limits::PATTERN_STEPS);
        let stack = std::mem::take(&mut self.stack);
        // `info/attributes` has precedence, then the nearest directories.
        let levels = std::iter::once((0, &files.info)).chain(lists(&stack, &self.directory));
        for (base, list) in levels {
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
        let state =
            |name: &&str| self.state(&files.names, name).cloned().unwrap_or(State::Unspecified);
        Ok(self.selected.iter().map(state).collect())
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
        // `stack[0]` is the root's; `stack[n]` that of the first n components.
        let kept = if self.stack.is_empty() {
            0
        } else {
            1 + common_components(&self.directory, directory)
        };
        self.stack.truncate(kept);
        self.directory.clear();
        self.directory.extend_from_slice(directory);
        let mut bytes: usize = self.stack.iter().flatten().map(|list| list.bytes).sum();
        for end in ends(directory).skip(kept) {
            let list = match files.list(&directory[..end], self.source.index(), &self.objects) {
                Ok(list) => list,
                Err(error) => {
                    self.stack.clear();
                    return Err(error);
                }
            };
            bytes += list.as_ref().map_or(0, |list| list.bytes);
            if bytes > limits::PATTERN_BYTES {
                self.stack.clear();
                return Err(Error::too_large(format!(
                    "the .gitattributes files of {} and the directories above have {bytes} bytes",
                    quoted(&directory.to_str_lossy())
                ))
                .with_hint("This is a fixed limit; docs/limitations.md lists all limits"));
            }
            self.stack.push(list);
        }
        Ok(())
    }
}

/// Returns the lists of a stack from the nearest directory on, with the lengths of the directories'
/// paths.
fn lists<'s>(
    stack: &'s [Option<Arc<AttributeList>>],
    directory: &[u8],
) -> impl Iterator<Item = (usize, &'s AttributeList)> + use<'s> {
    let bases: Vec<usize> = ends(directory).map(|end| if end == 0 { 0 } else { end + 1 }).collect();
    let lists = stack.iter().zip(bases).filter_map(|(list, base)| Some((base, list.as_deref()?)));
    lists.collect::<Vec<_>>().into_iter().rev()
}

/// Returns the lengths of the paths of a directory and its parents, the root's first.
fn ends(directory: &[u8]) -> impl Iterator<Item = usize> + '_ {
    std::iter::once(0)
        .chain(directory.iter().enumerate().filter_map(|(at, &byte)| (byte == b'/').then_some(at)))
        .chain((!directory.is_empty()).then_some(directory.len()))
}

/// Returns the number of leading components that two directories have in common.
fn common_components(a: &[u8], b: &[u8]) -> usize {
    if a.is_empty() || b.is_empty() {
        return 0;
    }
    a.split(|&byte| byte == b'/')
        .zip(b.split(|&byte| byte == b'/'))
        .take_while(|(a, b)| a == b)
        .count()
}

/// Looks up the attributes of a file's diff for one thread: text or binary, the driver of its
/// headings, and whether it is generated.
pub struct DiffAttributes {
    attributes: Attributes,
    drivers: Arc<Drivers>,
    /// A cache of results: a history needs the same paths again and again, and each may open files.
    known: HashMap<Vec<u8>, PathAttributes>,
}

impl DiffAttributes {
    /// Creates a lookup in a source.
    pub fn new(source: &ContentSource) -> Self {
        let drivers = Arc::clone(&source.repository().drivers);
        let attributes = Attributes::new(source, &["diff", "linguist-generated"]);
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
        let mut states = self.attributes.of(path)?.into_iter();
        let (diff, driver) = match states.next() {
            Some(State::Set) => (DiffAttribute::Set, None),
            Some(State::Unset) => (DiffAttribute::Unset, None),
            Some(State::Value(driver)) => {
                let diff = match self.drivers.get(&driver) {
                    Some(true) => DiffAttribute::Unset,
                    Some(false) => DiffAttribute::Set,
                    None => DiffAttribute::Unspecified,
                };
                (diff, Some(driver))
            }
            Some(State::Unspecified) | None => (DiffAttribute::Unspecified, None),
        };
        let generated = match states.next() {
            Some(State::Set) => Some(true),
            Some(State::Unset) => Some(false),
            Some(State::Value(value)) => Some(value != b"false"),
            Some(State::Unspecified) | None => None,
        };
        Ok(PathAttributes { diff, driver, generated })
    }
}
