//! The attributes of a file's diff: text or binary, the driver of its headings, and whether it is
//! generated.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Result;
use crate::git::attributes::{Attributes, ContentSource, State};
use crate::git::config::drivers::Drivers;
use crate::git::model::diff_attribute::{DiffAttribute, PathAttributes};
use crate::limits;

/// Looks up these attributes for one thread.
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
