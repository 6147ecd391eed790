//! The diff drivers of a configuration.

use std::collections::HashMap;

use gix::bstr::ByteSlice;

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
