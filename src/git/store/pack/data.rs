//! A pack: its entries, read into buffers and inflated.
//!
//! Nothing is memory-mapped: a mapped file that is truncated or overwritten ends the process, while
//! reading it gives an error.

use std::sync::Arc;

use gix::hash::Kind as HashKind;
use gix::objs::Kind;
use gix::zlib::Decompress;
use libdeflater::Decompressor;

use super::fault::Fault;
use super::file::{HEAD_BYTES, PackFile};
use super::index::{PackIndex, oid};
use super::prefix;
use super::windows::{Next, Windows};
use crate::Oid;
use crate::model::{big_endian, offset_number};
use crate::store::cache::{Cache, Object, PackEntry};
use crate::store::inflate::inflate_rest;
use redline_base::budget::{Budget, Charge, LARGE_BYTES};
use redline_base::limits;
use redline_sandbox::{PooledFile, Stamp};

/// The most bytes of an entry before its data: ten for the size, ten for an offset or up to 32 for
/// an id.
const HEADER_BYTES: usize = 42;

/// A pack and its index.
pub struct Pack {
    /// The index.
    pub index: PackIndex,
    file: PackFile,
    hash: HashKind,
}

/// An entry's header.
#[derive(Debug, Clone, Copy)]
pub struct EntryHeader {
    /// Its offset.
    pub offset: u64,
    /// Its base, or its kind.
    pub base: Base,
    /// Its size when inflated.
    pub size: u64,
    /// The offset of its data.
    data: u64,
}

/// The base of an entry.
#[derive(Debug, Clone, Copy)]
pub enum Base {
    /// None: it is a whole object.
    Whole(Kind),
    /// An earlier entry in the pack, by offset.
    At(u64),
    /// An object in the same pack, by id.
    Object(Oid),
}

impl Base {
    /// Returns the kind of a whole object.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Whole(kind) => Some(kind),
            Self::At(_) | Self::Object(_) => None,
        }
    }
}

/// Which objects of a chain of deltas are kept.
#[derive(Debug, Clone, Copy)]
pub enum KeptDeltas {
    /// All of them, in the cache: a history mostly needs them next.
    Chains,
    /// The one that is read and another one, if that is in its chain, until the next pair: two
    /// versions are compared, and those between them are not needed. With `None`, nothing: it is
    /// the second of its pair.
    Pair(Option<Oid>),
}

/// The buffers of one thread for reading packs.
pub struct Unpacker {
    /// Checked between the entries of a chain, each of which may be large.
    pub(super) budget: Arc<Budget>,
    pub(super) cache: Arc<Cache>,
    inflate: Decompressor,
    windows: Windows,
    /// The buffer of deltas.
    pub(super) delta: Vec<u8>,
    kept: KeptDeltas,
    pair: Pair,
}

/// Two objects that are compared, each with its place, held by their reader alone.
///
/// Their memory is free again when the next two are read, so a reader of thousands of pairs touches
/// that of a few. In the cache, each would take memory that was never used before.
#[derive(Default)]
struct Pair([Option<(PackEntry, Object)>; 2]);

impl Pair {
    /// Returns the object at a place, if it is one of the two.
    fn get(&self, place: PackEntry) -> Option<Object> {
        let found = self.0.iter().flatten().find(|(at, _)| *at == place);
        found.map(|(_, object)| object.clone())
    }

    /// Holds an object; a large one is the cache's, whose limit counts it.
    fn put(&mut self, place: PackEntry, object: &Object, cache: &Cache) {
        if object.bytes.capacity() >= LARGE_BYTES {
            cache.put(place, object.clone());
        } else {
            self.0.swap(0, 1);
            self.0[0] = Some((place, object.clone()));
        }
    }
}

impl Pack {
    /// Opens a pack by its two files; `number` is its key in caches.
    pub fn open(
        number: u32,
        index: PackIndex,
        data: PooledFile,
        hash: HashKind,
    ) -> Result<Self, Fault> {
        let file = PackFile::new(number, data, hash.len_in_bytes())?;
        let mut head = [0; HEAD_BYTES as usize];
        let mut checksum = vec![0; hash.len_in_bytes()];
        file.read(0, &mut head)?;
        file.read(file.end, &mut checksum)?;
        let (version, count) = (big_endian(&head[4..8]), big_endian(&head[8..]));
        let is_pack =
            &head[..4] == b"PACK" && matches!(version, 2 | 3) && count == u64::from(index.count());
        // The index of another pack would name other objects.
        if !is_pack || checksum != index.pack_checksum()? {
            return Err(Fault::Damaged);
        }
        Ok(Self { index, file, hash })
    }

    /// Returns the pack's key in caches.
    pub fn number(&self) -> u32 {
        self.file.number
    }

    /// Returns the length of an id.
    pub fn id_bytes(&self) -> usize {
        self.hash.len_in_bytes()
    }

    /// Returns the stamps of the index and of the pack when they were opened.
    pub fn stamps(&self) -> [Stamp; 2] {
        [self.index.table.file.stamp(), self.file.stamp()]
    }

    /// Reads the header of the entry at an offset.
    pub fn entry(
        &self,
        offset: u64,
        unpacker: &mut Unpacker,
        next: Next,
    ) -> Result<EntryHeader, Fault> {
        if !(HEAD_BYTES..self.file.end).contains(&offset) {
            return Err(Fault::Damaged);
        }
        let bytes = unpacker.windows.read(&self.file, offset, HEADER_BYTES, next)?;
        let mut at = 0;
        let mut next_byte = || {
            let byte = bytes.get(at).copied();
            at += 1;
            byte
        };
        let mut byte = next_byte().ok_or(Fault::Damaged)?;
        let kind = byte >> 4 & 7;
        let mut size = u64::from(byte & 15);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = next_byte().ok_or(Fault::Damaged)?;
            if shift > 57 {
                return Err(Fault::Damaged);
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let base = match kind {
            1 => Base::Whole(Kind::Commit),
            2 => Base::Whole(Kind::Tree),
            3 => Base::Whole(Kind::Blob),
            4 => Base::Whole(Kind::Tag),
            6 => {
                let distance = offset_number(next_byte).filter(|&distance| distance > 0);
                let base = distance.and_then(|distance| offset.checked_sub(distance));
                Base::At(base.ok_or(Fault::Damaged)?)
            }
            7 => {
                let id = self.hash.len_in_bytes();
                let base = oid(bytes.get(at..at + id).ok_or(Fault::Damaged)?)?;
                at += id;
                Base::Object(base)
            }
            _ => return Err(Fault::Damaged),
        };
        Ok(EntryHeader { offset, base, size, data: offset + at as u64 })
    }
}

/// The packed bytes of an entry that are read at first: within a piece that is held.
const FIRST_BYTES: usize = 48 << 10;
/// How many times as many are read next, where these are not all: little is inflated in vain.
const LONGER: usize = 8;

/// The size from which an entry is inflated in pieces, with checks of the budget in between.
const PIECES_BYTES: usize = 16 << 20;

impl Unpacker {
    /// Creates the buffers of one thread, with the budget and the cache of its query.
    pub fn new(budget: Arc<Budget>, cache: Arc<Cache>) -> Self {
        Self {
            budget,
            cache,
            inflate: Decompressor::new(),
            windows: Windows::default(),
            delta: Vec::new(),
            kept: KeptDeltas::Chains,
            pair: Pair::default(),
        }
    }

    /// Sets which objects of a chain are kept from now on.
    pub fn keep(&mut self, kept: KeptDeltas) {
        self.kept = kept;
        if let KeptDeltas::Pair(Some(_)) = kept {
            self.pair = Pair::default();
        }
    }

    /// Returns the object at a place that was read and kept.
    pub fn read_before(&self, place: PackEntry) -> Option<Object> {
        self.pair.get(place).or_else(|| self.cache.get(place))
    }

    /// Returns the offset of an object that is read, and that of the other one of its pair; twice
    /// the same without another one in the pack.
    pub fn pair_with(&self, pack: &Pack, offset: u64) -> Result<[u64; 2], Fault> {
        let KeptDeltas::Pair(Some(other)) = self.kept else { return Ok([offset; 2]) };
        Ok([offset, pack.index.find(&other)?.unwrap_or(offset)])
    }

    /// Keeps an object of a chain: in the cache, or if it is one of the pair at these offsets.
    pub fn put(&mut self, place: PackEntry, object: &Object, pair: [u64; 2]) {
        match self.kept {
            KeptDeltas::Chains => self.cache.put(place, object.clone()),
            KeptDeltas::Pair(Some(_)) if pair.contains(&place.1) => {
                self.pair.put(place, object, &self.cache)
            }
            KeptDeltas::Pair(_) => {}
        }
    }

    /// Appends an inflated entry to `bytes`; returns its charge.
    pub fn inflate(
        &mut self,
        pack: &Pack,
        entry: &EntryHeader,
        bytes: &mut Vec<u8>,
        next: Next,
    ) -> Result<Charge, Fault> {
        if entry.size > limits::OBJECT_BYTES {
            return Err(Fault::TooLarge(entry.size));
        }
        let size = usize::try_from(entry.size).map_err(|_| Fault::TooLarge(entry.size))?;
        let charge = self.budget.charge_large(entry.size)?;
        let start = bytes.len();
        // An object is cached, so it needs its exact size; deltas are appended to one buffer.
        let reserved =
            if start == 0 { bytes.try_reserve_exact(size) } else { bytes.try_reserve(size) };
        reserved.map_err(|_| Fault::NoMemory(entry.size))?;
        bytes.resize(start + size, 0);
        // The stated size says how long the packed bytes are at most; most are much shorter, and a
        // pack can be full of entries that are a thousandth of it. So what is read for an entry is
        // at most a few times as long as it is.
        let most = packed_bytes(size);
        let mut length = most.min(FIRST_BYTES);
        loop {
            let packed = self.windows.read(&pack.file, entry.data, length, next)?;
            let is_all = length == most || packed.len() < length;
            let inflated = if size >= PIECES_BYTES {
                inflate_rest(&mut Decompress::new(), packed, 0, &mut bytes[start..], &self.budget)
            } else {
                // The end of the stream must be at the stated size, and its checksum is verified.
                match self.inflate.zlib_decompress(packed, &mut bytes[start..]) {
                    Ok(written) if written == size => Ok(()),
                    _ => Err(Fault::Damaged),
                }
            };
            match inflated {
                Err(Fault::Damaged) if !is_all => length = (length * LONGER).min(most),
                inflated => return inflated.map(|()| charge),
            }
        }
    }

    /// Inflates the first bytes of an entry; tells whether it could without inflating the whole.
    pub fn inflate_prefix(
        &mut self,
        pack: &Pack,
        entry: &EntryHeader,
        room: &mut [u8],
    ) -> Result<bool, Fault> {
        let size = usize::try_from(entry.size).map_err(|_| Fault::TooLarge(entry.size))?;
        let enough = packed_bytes(size).min(prefix::PACKED_BYTES);
        let packed = self.windows.read(&pack.file, entry.data, enough, Next::Anywhere)?;
        Ok(prefix::inflate_prefix(packed, room).is_some())
    }
}

/// Returns the most bytes that zlib makes of `size` bytes, with any settings.
fn packed_bytes(size: usize) -> usize {
    size.saturating_add(size / 8 + size / 64 + 64)
}
