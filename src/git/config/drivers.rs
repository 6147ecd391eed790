//! The diff drivers of a configuration.

use std::collections::HashMap;

use gix::bstr::ByteSlice;

use crate::model::settings::boolean_of;

/// Diff drivers by name, and whether they treat files as binary (`diff.<driver>.binary`).
pub type Drivers = HashMap<Vec<u8>, bool>;

/// Returns the drivers of a configuration; the last value of a driver counts.
pub fn drivers(config: &gix::config::File) -> Drivers {
    // A lookup by name would scan all sections for each driver.
    let sections =
        config.sections().filter(|section| section.header().name().eq_ignore_ascii_case(b"diff"));
    let mut drivers = Drivers::new();
    for section in sections {
        let Some(name) = section.header().subsection_name() else { continue };
        let Some(value) = section.value_implicit("binary") else { continue };
        match boolean_of(&value) {
            Some(is_binary) => drivers.insert(name.to_vec(), is_binary),
            None => drivers.remove(name.as_bytes()),
        };
    }
    drivers
}
