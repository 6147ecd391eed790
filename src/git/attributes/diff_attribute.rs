//! What attributes say of a file's diff: whether it is text or binary, which driver finds its
//! headings, and whether a program wrote it.

use std::collections::HashMap;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::error::Result;
use crate::git::Comparison;
use crate::git::attributes::{Attributes, State};
use crate::limits;

/// What the `diff` attribute says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffAttribute {
    /// Nothing: the bytes decide.
    Unspecified,
    /// `diff`, or a driver that is not binary: text, whatever the bytes.
    Set,
    /// `-diff`, `binary`, or a driver that is binary: binary, whatever the bytes.
    Unset,
}

/// What the attributes say of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAttributes {
    /// Whether it is text or binary.
    pub diff: DiffAttribute,
    /// The driver that `diff=<driver>` names: it finds the section headings.
    pub driver: Option<Vec<u8>>,
    /// Whether `linguist-generated` says that a program wrote it, where it says something.
    pub generated: Option<bool>,
}

/// Diff drivers by name, and whether each calls its files binary (`diff.<driver>.binary`).
pub type Drivers = HashMap<Vec<u8>, bool>;

/// Returns the drivers of a configuration; of several words on one, the last counts.
pub fn drivers(config: &gix::config::File) -> Drivers {
    // Asked for by name, each section would pass over all of them.
    let sections =
        config.sections().filter(|section| section.header().name().eq_ignore_ascii_case(b"diff"));
    let mut drivers = Drivers::new();
    for section in sections {
        let Some(name) = section.header().subsection_name() else { continue };
        let Some(value) = section.value_implicit("binary") else { continue };
        // A name alone means yes.
        let is_binary = value.map_or(Some(true), |value| {
            gix::config::Boolean::try_from(value.as_bstr()).ok().map(|value| value.is_true())
        });
        match is_binary {
            Some(is_binary) => drivers.insert(name.to_vec(), is_binary),
            None => drivers.remove(name.as_bytes()),
        };
    }
    drivers
}

/// Looks them up for one thread.
pub struct DiffAttributes {
    attributes: Attributes,
    drivers: Arc<Drivers>,
    /// Answers given before: a history asks for the same paths again and again, and each may open files.
    known: HashMap<Vec<u8>, PathAttributes>,
}

impl DiffAttributes {
    pub(crate) fn new(comparison: &Comparison) -> Self {
        let drivers = Arc::clone(&comparison.repository().drivers);
        let attributes = Attributes::new(comparison, &["diff", "linguist-generated"]);
        Self { attributes, drivers, known: HashMap::new() }
    }

    /// Returns what is said of the file at `path`.
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
