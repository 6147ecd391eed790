//! The number of objects in a multi-pack-index (git's `gitformat-pack`): git derives the length of
//! abbreviated ids from it, and an object in several packs counts once.

use gix::hash::Kind;

use crate::model::big_endian;
use crate::store::gate::GitDirectory;
use redline_base::error::Result;
use redline_base::limits;

const FILE: &[u8] = b"multi-pack-index";

/// Returns the number of objects in the multi-pack-index of a pack directory, and the names of the
/// pack indexes that it covers; `None` if there is no usable one.
pub fn covered(packs: &GitDirectory, hash: Kind) -> Result<Option<(u64, Vec<Vec<u8>>)>> {
    let Some(file) = packs.open(FILE)? else { return Ok(None) };
    // `None` if it is not valid.
    let read = |offset: u64, length: u64| -> Result<Option<Vec<u8>>> {
        if length > limits::MULTI_INDEX_NAMES_BYTES as u64 {
            return Ok(None);
        }
        let mut bytes = vec![0; length as usize];
        let read = file.read_at(offset, &mut bytes);
        let read = read.map_err(|error| packs.failed(error.into(), FILE))?;
        Ok((read == bytes.len()).then_some(bytes))
    };
    let Some(head) = read(0, 12)? else { return Ok(None) };
    let version = match hash {
        Kind::Sha1 => 1,
        _ => 2,
    };
    if &head[..4] != b"MIDX" || !matches!(head[4], 1 | 2) || head[5] != version {
        return Ok(None);
    }
    let Some(table) = read(12, (u64::from(head[6]) + 1) * 12)? else { return Ok(None) };
    let place = |id: &[u8; 4]| {
        let mut entries = table.chunks_exact(12);
        let start = big_endian(&entries.find(|entry| entry.starts_with(id))?[4..]);
        let end = big_endian(&entries.next()?[4..]);
        Some((start, end.checked_sub(start)?))
    };
    let places = (place(b"OIDF").and_then(|(at, _)| at.checked_add(255 * 4)), place(b"PNAM"));
    let (Some(count), Some((names, length))) = places else { return Ok(None) };
    let (Some(count), Some(names)) = (read(count, 4)?, read(names, length)?) else {
        return Ok(None);
    };
    let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    Ok(Some((big_endian(&count), names.map(<[u8]>::to_vec).collect())))
}
