//! The `diff` attribute: whether a file is text or binary, and which driver finds its headings.

use std::collections::HashMap;
use std::sync::Arc;

use gix::attrs::StateRef;

use super::Comparison;
use super::attributes::Attributes;
use crate::error::Result;

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

/// Looks the attribute up for one thread.
pub struct DiffAttributes {
    attributes: Attributes,
    drivers: Arc<Drivers>,
}

impl DiffAttributes {
    pub(super) fn new(comparison: &Comparison) -> Self {
        let drivers = Arc::clone(&comparison.repository().drivers);
        Self { attributes: Attributes::new(comparison, &["diff"]), drivers }
    }

    /// Returns what is said of the file at `path`.
    pub fn of(&mut self, path: &[u8]) -> Result<PathAttributes> {
        let (diff, driver) = match self.attributes.of(path)?.next() {
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
        Ok(PathAttributes { diff, driver })
    }
}
