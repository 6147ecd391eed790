//! The index of a pack: the offsets of its objects (git's `gitformat-pack`, versions 1 and 2).

use std::ops::Range;

use gix::hash::{Kind, Prefix};

use super::fault::Fault;
use super::table::Table;
use crate::Oid;
use crate::model::big_endian;
use redline_sandbox::PooledFile;

const MAGIC: &[u8] = b"\xfftOc\0\0\0\x02";
const FANOUT_BYTES: u64 = 256 * 4;
/// Interpolation steps before a binary search; evenly spread ids need two or three.
const GUESSES: u32 = 8;

/// An index; the sizes that it states were checked.
pub struct PackIndex {
    /// The table from which it is read.
    pub table: Table,
    hash: Kind,
    /// For each first byte of an id, the number of ids with that or a lower first byte.
    fanout: Box<[u32; 256]>,
    layout: Layout,
}

/// The layout of the index.
#[derive(Clone, Copy)]
enum Layout {
    /// Entries of an offset and an id.
    One,
    /// Ids, checksums, 31-bit offsets, and `large` 63-bit offsets.
    Two { large: u64 },
}

impl PackIndex {
    /// Reads the header of an index; `hash` is the kind of its ids.
    pub fn open(file: PooledFile, hash: Kind) -> Result<Self, Fault> {
        let table = Table::new(file);
        let id = hash.len_in_bytes() as u64;
        let mut head = [0; FANOUT_BYTES as usize];
        let is_two = table.read(0, &mut head[..8])? == MAGIC;
        let start = if is_two { 8 } else { 0 };
        let counts = table.read(start, &mut head)?;
        let mut fanout = Box::new([0; 256]);
        for (count, bytes) in fanout.iter_mut().zip(counts.chunks_exact(4)) {
            *count = big_endian(bytes) as u32;
        }
        if !fanout.is_sorted() {
            return Err(Fault::Damaged);
        }
        let count = u64::from(fanout[255]);
        let tail = 2 * id;
        let layout = if is_two {
            let fixed = start + FANOUT_BYTES + count * (id + 8) + tail;
            let large = table.size().checked_sub(fixed).ok_or(Fault::Damaged)?;
            if large % 8 != 0 || large / 8 > count {
                return Err(Fault::Damaged);
            }
            Layout::Two { large: large / 8 }
        } else if table.size() == FANOUT_BYTES + count * (id + 4) + tail {
            Layout::One
        } else {
            return Err(Fault::Damaged);
        };
        Ok(Self { table, hash, fanout, layout })
    }

    /// Returns the number of objects in the pack.
    pub fn count(&self) -> u32 {
        self.fanout[255]
    }

    /// Returns the checksum of the pack of this index.
    pub fn pack_checksum(&self) -> Result<Vec<u8>, Fault> {
        let id = self.hash.len_in_bytes();
        let mut bytes = vec![0; id];
        Ok(self.table.read(self.table.size() - 2 * id as u64, &mut bytes)?.to_vec())
    }

    /// Returns the offset of an object in the pack, `None` if the pack does not have it.
    pub fn find(&self, id: &gix::oid) -> Result<Option<u64>, Fault> {
        match self.place(id)? {
            Ok(at) => self.offset_at(at).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Calls `each` with the ids that begin with `prefix`.
    pub fn each_with_prefix(
        &self,
        prefix: &Prefix,
        each: &mut dyn FnMut(&gix::oid),
    ) -> Result<(), Fault> {
        let mut buffer = [0; 32];
        let start = self.place(prefix.as_oid())?.unwrap_or_else(|start| start);
        for at in start..self.bucket(prefix.as_oid().first_byte()).end {
            let id = gix::oid::try_from_bytes(self.id_at(at, &mut buffer)?)
                .map_err(|_| Fault::Damaged)?;
            if prefix.cmp_oid(id).is_ne() {
                break;
            }
            each(id);
        }
        Ok(())
    }

    /// Returns the position of an id, or as an error that of the first one after it.
    ///
    /// Ids are spread evenly, so this is an interpolation search. Falls back to binary search after
    /// a few steps, in case ids were crafted to be uneven.
    fn place(&self, id: &gix::oid) -> Result<std::result::Result<u32, u32>, Fault> {
        let mut range = self.bucket(id.first_byte());
        let mut buffer = [0; 32];
        let count = i128::from(range.end - range.start);
        let wanted = spread(id.as_bytes());
        let mut guess = i64::from(range.start);
        let mut known = 0;
        let mut guesses = GUESSES;
        while !range.is_empty() {
            let at = if guesses > 0 {
                guesses -= 1;
                guess += (((wanted - known) * count) >> 32) as i64;
                // Within the range, so within the type of its bounds.
                guess.clamp(i64::from(range.start), i64::from(range.end) - 1) as u32
            } else {
                range.start + (range.end - range.start) / 2
            };
            let found = self.id_at(at, &mut buffer)?;
            (guess, known) = (i64::from(at), spread(found));
            match found.cmp(id.as_bytes()) {
                std::cmp::Ordering::Less => range.start = at + 1,
                std::cmp::Ordering::Greater => range.end = at,
                std::cmp::Ordering::Equal => return Ok(Ok(at)),
            }
        }
        Ok(Err(range.start))
    }

    /// Returns the positions of the ids that begin with a byte.
    fn bucket(&self, first: u8) -> Range<u32> {
        let start = first.checked_sub(1).map_or(0, |before| self.fanout[usize::from(before)]);
        start..self.fanout[usize::from(first)]
    }

    fn id_at<'b>(&'b self, at: u32, buffer: &'b mut [u8; 32]) -> Result<&'b [u8], Fault> {
        let id = self.hash.len_in_bytes();
        let offset = match self.layout {
            Layout::One => FANOUT_BYTES + u64::from(at) * (id as u64 + 4) + 4,
            Layout::Two { .. } => 8 + FANOUT_BYTES + u64::from(at) * id as u64,
        };
        self.table.read(offset, &mut buffer[..id])
    }

    fn offset_at(&self, at: u32) -> Result<u64, Fault> {
        let (id, count) = (self.hash.len_in_bytes() as u64, u64::from(self.count()));
        let mut buffer = [0; 8];
        let short = match self.layout {
            Layout::One => FANOUT_BYTES + u64::from(at) * (id + 4),
            Layout::Two { .. } => 8 + FANOUT_BYTES + count * (id + 4) + u64::from(at) * 4,
        };
        let offset = big_endian(self.table.read(short, &mut buffer[..4])?);
        match self.layout {
            Layout::Two { large } if offset & 0x8000_0000 != 0 => {
                let at = offset & 0x7fff_ffff;
                if at >= large {
                    return Err(Fault::Damaged);
                }
                let start = 8 + FANOUT_BYTES + count * (id + 8) + at * 8;
                Ok(big_endian(self.table.read(start, &mut buffer)?))
            }
            _ => Ok(offset),
        }
    }
}

/// Returns the four bytes after the first one: the relative place of an id among those with the
/// same first byte.
fn spread(id: &[u8]) -> i128 {
    id.get(1..5).map_or(0, |bytes| big_endian(bytes).into())
}

/// Converts bytes to an id.
pub fn oid(bytes: &[u8]) -> Result<Oid, Fault> {
    Oid::try_from(bytes).map_err(|_| Fault::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_sandbox::Access;

    /// Returns an index of version 2 with sorted ids, each with its position as offset.
    fn index(temp: &std::path::Path, ids: &[Oid]) -> PackIndex {
        let count = |first: usize| {
            ids.iter().filter(|id| usize::from(id.first_byte()) <= first).count() as u32
        };
        let mut bytes = MAGIC.to_vec();
        (0..256).for_each(|first| bytes.extend(count(first).to_be_bytes()));
        ids.iter().for_each(|id| bytes.extend(id.as_bytes()));
        bytes.extend(vec![0; 4 * ids.len()]);
        (0..ids.len() as u32).for_each(|place| bytes.extend(place.to_be_bytes()));
        bytes.extend([0; 40]);
        std::fs::write(temp.join("idx"), bytes).unwrap();
        let directory = Access::new(true, &[]).open_directory(temp).unwrap();
        let file = PooledFile::open(&directory, b"idx").unwrap();
        PackIndex::open(file, Kind::Sha1).unwrap()
    }

    #[test]
    fn every_id_is_found_however_the_ids_are_spread() {
        let temp = tempfile::tempdir().unwrap();
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 32).to_be_bytes()
        };
        let mut even = || [random(), random(), random()].map(|bytes| bytes[4..].to_vec()).concat();
        let spread: Vec<Vec<u8>> = (0..3000).map(|_| [even(), vec![1; 8]].concat()).collect();
        // All in one bucket, with all but the last byte equal; a few at one end; powers of two.
        let same = (0..=255).map(|last| [vec![7; 19], vec![last]].concat()).collect();
        let ends = (0..200u8)
            .map(|n| [vec![9, if n == 0 { 0 } else { 255 }], vec![n; 18]].concat())
            .collect();
        let powers = (0..32)
            .map(|n| [vec![3], (1u32 << n).to_be_bytes().to_vec(), vec![0; 15]].concat())
            .collect();
        for ids in [Vec::new(), spread, same, ends, powers] {
            let mut ids: Vec<Oid> = ids.iter().map(|id| oid(id).unwrap()).collect();
            ids.sort();
            let index = index(temp.path(), &ids);
            for (place, id) in ids.iter().enumerate() {
                assert_eq!(index.find(id).unwrap(), Some(place as u64), "{id}");
            }
            for first in [0, 3, 7, 9, 255] {
                for rest in [0, 1, 7, 255] {
                    let id = oid(&[vec![first], vec![rest; 19]].concat()).unwrap();
                    let place = ids.binary_search(&id);
                    assert_eq!(
                        index.place(&id).unwrap().map_err(|at| at as usize),
                        place.map(|at| at as u32),
                        "{id}"
                    );
                }
            }
        }
    }
}
