//! Reading objects out of packs, each decoded once as far as the cache reaches.
//!
//! gix maps the packs and finds the entries; libdeflate inflates them. Putting deltas together is done here, because gix
//! keeps only the object that was asked for: what lies between it and the whole object at the end of its chain is mostly
//! what a history asks for next, and both would be unpacked again for each version of a file. What is not found or not
//! whole here is left to gix, which knows the loose objects and says what is wrong.

use std::path::PathBuf;
use std::sync::Arc;

use gix::odb::pack::data::entry::Header;
use gix::odb::pack::{data, index};
use libdeflater::Decompressor;

use super::Oid;
use super::cache::{Cache, Object};
use super::delta;
use crate::limits;

/// Deltas between an object and a whole one; git makes 50 at most, and 4095 where it is told to.
const MOST_DELTAS: usize = 4096;

/// The packs of a repository and of those it borrows from, and what was read of them.
pub struct Packs {
    packs: Vec<Pack>,
}

struct Pack {
    /// By which caches know it.
    number: u32,
    index: index::File,
    data: data::File,
}

/// What one thread unpacks with.
pub struct Unpacker {
    inflate: Decompressor,
    delta: Vec<u8>,
}

impl Packs {
    /// Maps the packs in object stores; what cannot be mapped is left to gix.
    pub fn open(stores: &[PathBuf], hash: gix::hash::Kind, number: impl Fn() -> u32) -> Self {
        let folders = stores.iter().filter_map(|store| std::fs::read_dir(store.join("pack")).ok());
        let mut paths: Vec<_> = folders.flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "idx"));
        paths.sort();
        let open = |path: &PathBuf| {
            let data = data::File::at(path.with_extension("pack"), hash).ok()?;
            let limit = usize::try_from(limits::OBJECT_BYTES).ok();
            let index = index::File::at(path, hash).ok()?;
            Some(Pack { number: number(), index, data: data.with_alloc_limit_bytes(limit) })
        };
        Self { packs: paths.iter().filter_map(open).collect() }
    }

    /// Returns an object, or nothing where the packs do not have it whole.
    pub fn find(&self, id: &Oid, cache: &Cache, unpacker: &mut Unpacker) -> Option<Object> {
        let (pack, offset) = self.locate(id)?;
        unpack(pack, offset, cache, unpacker)
    }

    /// Returns an object if it was read before.
    pub fn find_cached(&self, id: &Oid, cache: &Cache) -> Option<Object> {
        let (pack, offset) = self.locate(id)?;
        cache.get((pack.number, offset))
    }

    /// Calls `each` with the ids of all packed objects that begin as `prefix`.
    pub fn each_with_prefix(&self, prefix: gix::hash::Prefix, mut each: impl FnMut(&gix::oid)) {
        for pack in &self.packs {
            let mut places = 0..0;
            if pack.index.lookup_prefix(prefix, Some(&mut places)).is_some() {
                places.for_each(|place| each(pack.index.oid_at_index(place)));
            }
        }
    }

    fn locate(&self, id: &Oid) -> Option<(&Pack, u64)> {
        self.packs.iter().find_map(|pack| {
            let place = pack.index.lookup(id)?;
            Some((pack, pack.index.pack_offset_at_index(place)))
        })
    }
}

/// Returns the object at an offset; every object on the way is kept.
fn unpack(pack: &Pack, offset: u64, cache: &Cache, unpacker: &mut Unpacker) -> Option<Object> {
    let mut chain = Vec::new();
    let mut at = offset;
    let mut object = loop {
        if let Some(object) = cache.get((pack.number, at)) {
            break object;
        }
        let entry = pack.data.entry(at).ok()?;
        at = match entry.header {
            Header::OfsDelta { base_distance } => entry.checked_base_pack_offset(base_distance)?,
            Header::RefDelta { base_id } => pack.index.pack_offset_at_index(pack.index.lookup(base_id)?),
            whole => {
                let mut bytes = Vec::new();
                unpacker.inflate(pack, &entry, &mut bytes)?;
                let object = Object { kind: whole.as_kind()?, bytes: Arc::new(bytes) };
                cache.put((pack.number, at), object.clone());
                break object;
            }
        };
        if chain.len() == MOST_DELTAS {
            return None;
        }
        chain.push(entry);
    };
    while let Some(entry) = chain.pop() {
        let mut delta = std::mem::take(&mut unpacker.delta);
        let bytes = unpacker
            .inflate(pack, &entry, &mut delta)
            .and_then(|()| delta::apply(&object.bytes, &delta, limits::OBJECT_BYTES));
        unpacker.delta = delta;
        object = Object { kind: object.kind, bytes: Arc::new(bytes?) };
        cache.put((pack.number, entry.pack_offset()), object.clone());
    }
    Some(object)
}

impl Default for Unpacker {
    fn default() -> Self {
        Self { inflate: Decompressor::new(), delta: Vec::new() }
    }
}

impl Unpacker {
    /// Inflates an entry into `bytes`.
    fn inflate(&mut self, pack: &Pack, entry: &data::Entry, bytes: &mut Vec<u8>) -> Option<()> {
        if entry.decompressed_size > limits::OBJECT_BYTES {
            return None;
        }
        bytes.clear();
        bytes.resize(usize::try_from(entry.decompressed_size).ok()?, 0);
        let packed = pack.data.entry_slice(entry.data_offset..pack.data.pack_end() as u64)?;
        // The end of the stream is where it says so, and its sum is compared.
        let written = self.inflate.zlib_decompress(packed, bytes).ok()?;
        (written == bytes.len()).then_some(())
    }
}
