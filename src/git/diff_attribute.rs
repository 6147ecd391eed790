//! What attributes say of a file's diff: whether it is text or binary, which driver finds its
//! headings, and whether a program wrote it.

use std::collections::HashMap;
use std::sync::Arc;

use gix::attrs::StateRef;

use super::Comparison;
use super::attributes::Attributes;
use crate::error::Result;
use crate::limits;

/// What the `diff` attribute says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Returns the drivers of a configuration.
pub fn drivers(config: &gix::config::File) -> Drivers {
    let sections = config.sections_by_name("diff").into_iter().flatten();
    sections
        .filter_map(|section| {
            let name = section.header().subsection_name()?;
            let is_binary = config.boolean_by("diff", Some(name), "binary").ok().flatten()?;
            Some((name.to_vec(), is_binary))
        })
        .collect()
}

/// Looks them up for one thread.
pub struct DiffAttributes {
    attributes: Attributes,
    drivers: Arc<Drivers>,
    /// Answers given before: a history asks for the same paths again and again, and each may open files.
    known: HashMap<Vec<u8>, PathAttributes>,
}

impl DiffAttributes {
    pub(super) fn new(comparison: &Comparison) -> Self {
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
        let mut states = self.attributes.of(path)?;
        let (diff, driver) = match states.next() {
            Some(StateRef::Set) => (DiffAttribute::Set, None),
            Some(StateRef::Unset) => (DiffAttribute::Unset, None),
            Some(StateRef::Value(driver)) => {
                let driver = driver.as_bstr().to_vec();
                let diff = match self.drivers.get(&driver) {
                    Some(true) => DiffAttribute::Unset,
                    Some(false) => DiffAttribute::Set,
                    None => DiffAttribute::Unspecified,
                };
                (diff, Some(driver))
            }
            Some(StateRef::Unspecified) | None => (DiffAttribute::Unspecified, None),
        };
        let generated = match states.next() {
            Some(StateRef::Set) => Some(true),
            Some(StateRef::Unset) => Some(false),
            Some(StateRef::Value(value)) => Some(value.as_bstr() != "false"),
            Some(StateRef::Unspecified) | None => None,
        };
        Ok(PathAttributes { diff, driver, generated })
    }
}
