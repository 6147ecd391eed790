//! The index of a pack: where which object lies (git's `gitformat-pack`, versions 1 and 2).

use std::ops::Range;

use gix::hash::{Kind, Prefix};

use super::Fault;
use super::table::Table;
use crate::git::Oid;
use crate::sandbox::RegularFile;

const MAGIC: &[u8] = b"\xfftOc\0\0\0\x02";
const FANOUT_BYTES: u64 = 256 * 4;

/// An index, checked for the sizes that it states.
pub struct PackIndex {
    table: Table,
    hash: Kind,
    /// For each first byte of an id, how many ids begin with it or a lower one.
    fanout: Box<[u32; 256]>,
    layout: Layout,
}

/// Where the parts lie.
#[derive(Clone, Copy)]
enum Layout {
    /// Entries of an offset and an id.
    One,
    /// Ids, checksums, offsets of 31 bits, and so many of 63.
    Two { large: u64 },
}

impl PackIndex {
    /// Reads the head of an index; `hash` is the kind of its ids.
    pub fn open(file: RegularFile, hash: Kind) -> Result<Self, Fault> {
        let table = Table::new(file);
        let id = hash.len_in_bytes() as u64;
        let mut head = [0; 8 + FANOUT_BYTES as usize];
        let is_two = table.read(0, &mut head[..8])? == MAGIC;
        let start = if is_two { 8 } else { 0 };
        table.read(start, &mut head[8..])?;
        let mut fanout = Box::new([0; 256]);
        for (count, bytes) in fanout.iter_mut().zip(head[8..].chunks_exact(4)) {
            *count = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
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

    /// Returns how many objects the pack has.
    pub fn count(&self) -> u32 {
        self.fanout[255]
    }

    /// Returns the table that the index is read from.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the checksum of the pack that the index was made for.
    pub fn pack_checksum(&self) -> Result<Vec<u8>, Fault> {
        let id = self.hash.len_in_bytes();
        let mut bytes = vec![0; id];
        Ok(self.table.read(self.table.size() - 2 * id as u64, &mut bytes)?.to_vec())
    }

    /// Returns the offset of an object in the pack, `None` where the pack has it not.
    pub fn find(&self, id: &gix::oid) -> Result<Option<u64>, Fault> {
        let mut range = self.bucket(id.first_byte());
        let mut buffer = [0; 32];
        while !range.is_empty() {
            let middle = range.start + (range.end - range.start) / 2;
            match self.id_at(middle, &mut buffer)?.cmp(id.as_bytes()) {
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
                std::cmp::Ordering::Equal => return self.offset_at(middle).map(Some),
            }
        }
        Ok(None)
    }

    /// Calls `each` with the ids that begin as `prefix`.
    pub fn each_with_prefix(&self, prefix: &Prefix, each: &mut dyn FnMut(&gix::oid)) -> Result<(), Fault> {
        let mut buffer = [0; 32];
        let mut range = self.bucket(prefix.as_oid().first_byte());
        let end = range.end;
        while !range.is_empty() {
            let middle = range.start + (range.end - range.start) / 2;
            if self.id_at(middle, &mut buffer)? < prefix.as_oid().as_bytes() {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        for at in range.start..end {
            let id = gix::oid::try_from_bytes(self.id_at(at, &mut buffer)?).map_err(|_| Fault::Damaged)?;
            if prefix.cmp_oid(id).is_ne() {
                break;
            }
            each(id);
        }
        Ok(())
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
        let offset = number(self.table.read(short, &mut buffer[..4])?);
        match self.layout {
            Layout::Two { large } if offset & 0x8000_0000 != 0 => {
                let at = offset & 0x7fff_ffff;
                if at >= large {
                    return Err(Fault::Damaged);
                }
                let start = 8 + FANOUT_BYTES + count * (id + 8) + at * 8;
                Ok(number(self.table.read(start, &mut buffer)?))
            }
            _ => Ok(offset),
        }
    }
}

/// Returns a number whose highest byte comes first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Returns the id that lies in bytes of its length.
pub fn oid(bytes: &[u8]) -> Result<Oid, Fault> {
    Oid::try_from(bytes).map_err(|_| Fault::Damaged)
}
