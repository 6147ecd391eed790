//! Where a shallow history ends: commits whose parents are not there.

use std::collections::HashSet;

use super::gate::GitDirectory;
use crate::error::Result;
use crate::git::Oid;
use crate::limits;

/// Reads the ids of the commits at which a history ends; none where it is whole.
pub fn read(common_dir: &GitDirectory) -> Result<HashSet<Oid>> {
    let Some(bytes) = common_dir.read(b"shallow", limits::SHALLOW_BYTES)? else { return Ok(HashSet::new()) };
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let ids = lines.map(|line| Oid::from_hex(line.strip_suffix(b"\r").unwrap_or(line)).ok());
    let ids: Option<HashSet<Oid>> = ids.collect();
    ids.ok_or_else(|| common_dir.gate().damaged("its 'shallow' holds something else than ids"))
}
