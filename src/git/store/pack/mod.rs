//! Reads objects from packs, and decodes each once as far as the cache allows.
//!
//! | file | holds |
//! |---|---|
//! | `index` | the offsets of objects |
//! | `packs` | the packs of a query, and a thread's search in them |
//! | `data` | the entries of a pack, and which of a chain are kept |
//! | `prefix` | the first bytes of an entry |
//! | `spliced` | an entry of a large tree, without making the tree of its deltas |
//! | `file` | the file of a pack, while it is the opened one |
//! | `windows` | the bytes of packs that were read last |
//! | `multi_index` | the packs of a multi-pack-index, and their number of objects |
//! | `fault` | why a file could not be read |
//! | `table` | the bytes of an index, read by pages |
//!
//! Every object in a delta chain is cached, as a history mostly needs them next, unless two
//! versions alone are compared: then their reader holds these until it reads the next two. Objects
//! are found by the packs' own indexes, which git keeps beside a multi-pack-index.
//!
//! Each version of a file is unpacked once: in a history of 23,000 commits, the same entries
//! would otherwise be inflated four times. If an object is in several packs, or loose too, the
//! first intact copy is used, as in git. Small indexes are read whole, others by pages, each
//! once.

mod data;
pub mod fault;
mod file;
mod index;
mod multi_index;
mod packs;
mod prefix;
mod spliced;
mod table;
mod windows;

use std::sync::Arc;

use gix::objs::Kind;

pub use data::{KeptDeltas, Pack};
pub use fault::Fault;
pub use index::PackIndex;
pub use multi_index::covered;
pub use packs::{PackReader, Packs};
pub use spliced::Looked;

use self::data::{Base, EntryHeader, Unpacker};
use self::windows::Next;
use crate::model::bytes::Bytes;
use crate::store::cache::Object;
use crate::store::delta;

/// The most deltas of a chain; git creates at most 50, or 4095 if configured.
const MAX_DELTAS: usize = 4096;

/// Bytes of deltas that are held while a chain is walked to its base.
const HELD_DELTAS: usize = 1 << 20;

/// Returns the object at an offset, and caches the objects of its chain that are kept.
fn unpack(pack: &Pack, offset: u64, unpacker: &mut Unpacker) -> Result<(Kind, Bytes), Fault> {
    // Small deltas are inflated when their entries are met, where the file is read sequentially;
    // the others when they are applied.
    let mut deltas = std::mem::take(&mut unpacker.delta);
    deltas.clear();
    let object = unpack_with(&mut deltas, pack, offset, unpacker);
    if deltas.capacity() <= 2 * HELD_DELTAS {
        unpacker.delta = deltas;
    }
    object
}

fn unpack_with(
    deltas: &mut Vec<u8>,
    pack: &Pack,
    offset: u64,
    unpacker: &mut Unpacker,
) -> Result<(Kind, Bytes), Fault> {
    // Each entry with the end of its delta in the buffer, or `None` if it is not held.
    let mut chain: Vec<(EntryHeader, Option<usize>)> = Vec::new();
    let mut at = offset;
    let pair = unpacker.pair_with(pack, offset)?;
    // Cached objects are within the cache's limit; objects held here are charged.
    let (mut object, mut charge) = loop {
        if let Some(object) = unpacker.read_before((pack.number(), at)) {
            let charge = unpacker.budget.charge_large(object.bytes.len() as u64)?;
            break (object, charge);
        }
        unpacker.budget.check()?;
        let entry = pack.entry(at, unpacker, Next::Near)?;
        if let Base::Whole(kind) = entry.base {
            let mut bytes = Vec::new();
            let charge = unpacker.inflate(pack, &entry, &mut bytes, Next::Near)?;
            let object = Object { kind, bytes: Arc::new(bytes) };
            unpacker.put((pack.number(), at), &object, pair);
            break (object, charge);
        }
        if chain.len() == MAX_DELTAS {
            return Err(Fault::Damaged);
        }
        let is_held = entry.size <= (HELD_DELTAS - deltas.len()) as u64;
        if is_held {
            unpacker.inflate(pack, &entry, deltas, Next::Near)?;
        }
        chain.push((entry, is_held.then_some(deltas.len())));
        at = base_offset(pack, entry.base)?;
    };
    while let Some((entry, end)) = chain.pop() {
        unpacker.budget.check()?;
        let applied = match end {
            Some(end) => {
                let start = end - entry.size as usize;
                delta::apply(&object.bytes, &deltas[start..end], &unpacker.budget)?
            }
            None => {
                let mut delta = Vec::new();
                let _held = unpacker.inflate(pack, &entry, &mut delta, Next::Near)?;
                delta::apply(&object.bytes, &delta, &unpacker.budget)?
            }
        };
        let (bytes, of_result) = applied;
        object = Object { kind: object.kind, bytes: Arc::new(bytes) };
        charge = of_result;
        unpacker.put((pack.number(), entry.offset), &object, pair);
    }
    Ok((object.kind, Bytes::held(object.bytes, charge)))
}

/// Returns the kind and the size of the object at an offset.
fn header(pack: &Pack, offset: u64, unpacker: &mut Unpacker) -> Result<(Kind, u64), Fault> {
    let (mut base, size) = size(pack, offset, unpacker)?;
    for _ in 0..MAX_DELTAS {
        if let Base::Whole(kind) = base {
            return Ok((kind, size));
        }
        let at = base_offset(pack, base)?;
        base = match unpacker.cache.get((pack.number(), at)) {
            Some(object) => Base::Whole(object.kind),
            None => pack.entry(at, unpacker, Next::Near)?.base,
        };
    }
    base.kind().map(|kind| (kind, size)).ok_or(Fault::Damaged)
}

/// Returns the size of the object at an offset, and its base, which is its kind unless that is in
/// another entry.
fn size(pack: &Pack, offset: u64, unpacker: &mut Unpacker) -> Result<(Base, u64), Fault> {
    if let Some(object) = unpacker.cache.get((pack.number(), offset)) {
        return Ok((Base::Whole(object.kind), object.bytes.len() as u64));
    }
    let entry = pack.entry(offset, unpacker, Next::Anywhere)?;
    let is_whole = entry.base.kind().is_some();
    Ok((entry.base, if is_whole { entry.size } else { result_size(pack, &entry, unpacker)? }))
}

/// Returns the size of what a delta makes, which its first bytes tell.
fn result_size(pack: &Pack, entry: &EntryHeader, unpacker: &mut Unpacker) -> Result<u64, Fault> {
    let mut head = [0; delta::HEAD_BYTES];
    let head = &mut head[..entry.size.min(delta::HEAD_BYTES as u64) as usize];
    if unpacker.inflate_prefix(pack, entry, head)? {
        return delta::sizes(head).map(|sizes| sizes.result);
    }
    let mut delta = Vec::new();
    let _held = unpacker.inflate(pack, entry, &mut delta, Next::Anywhere)?;
    delta::sizes(&delta).map(|sizes| sizes.result)
}

fn base_offset(pack: &Pack, base: Base) -> Result<u64, Fault> {
    match base {
        Base::At(offset) => Ok(offset),
        Base::Object(id) => pack.index.find(&id)?.ok_or(Fault::Damaged),
        Base::Whole(_) => Err(Fault::Damaged),
    }
}
