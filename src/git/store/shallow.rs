//! The ends of a shallow history: commits whose parents are missing.

use std::collections::HashSet;

use super::gate::GitDirectory;
use crate::Oid;
use redline_base::budget::check_every;
use redline_base::error::Result;
use redline_base::limits;

/// Lines between two checks of the budget.
const LOOK: usize = 1 << 10;

/// Reads the ids of the commits at which a history ends; none if it is complete.
pub fn read(common_dir: &GitDirectory) -> Result<HashSet<Oid>> {
    let bytes = common_dir.read(b"shallow", limits::SHALLOW_BYTES)?.unwrap_or_default();
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let mut ids = HashSet::new();
    for (number, line) in lines.enumerate() {
        check_every(LOOK, number)?;
        let id = Oid::from_hex(line.strip_suffix(b"\r").unwrap_or(line));
        ids.insert(
            id.map_err(|_| common_dir.gate().damaged("its 'shallow' has lines that are not ids"))?,
        );
    }
    Ok(ids)
}
