//! Reading objects out of packs, each decoded once as far as the cache reaches.
//!
//! | file | holds |
//! |---|---|
//! | `index` | where which object lies |
//! | `data` | the entries of a pack |
//! | `file` | the file of a pack, which is still the one that was opened |
//! | `windows` | the bytes of packs that were read last |
//! | `multi_index` | which packs a multi-pack-index counts, and how many objects they have |
//! | `fault` | why something could not be read |
//! | `table` | the bytes of an index, read by pieces or whole |
//!
//! Every object on the way from a whole one through its deltas is kept in the cache: what lies between is mostly what
//! a history asks for next. Objects are found by the packs' own indexes, which git leaves in place beside a
//! multi-pack-index.

mod data;
pub mod fault;
mod file;
mod index;
mod multi_index;
mod table;
mod windows;

use std::sync::Arc;

use gix::hash::Prefix;
use gix::objs::Kind;

pub use data::{Pack, Unpacker};
pub use fault::Fault;
pub use index::PackIndex;
pub use multi_index::covered;

use self::data::{Base, Entry};
use self::windows::Next;
use crate::git::Oid;
use crate::git::objects::cache::{Cache, Object};
use crate::git::objects::delta;
use crate::limits;

/// Deltas between an object and a whole one; git makes 50 at most, and 4095 where it is told to.
const MAX_DELTAS: usize = 4096;

/// Bytes of deltas that are held while the way to their base is walked.
const HELD_DELTAS: usize = 1 << 20;

/// The packs of a query.
#[derive(Default)]
pub struct Packs {
    /// Each with the name of its index.
    packs: Vec<(Vec<u8>, Arc<Pack>)>,
    /// Names of indexes and packs that cannot be used.
    broken: Vec<Vec<u8>>,
}

impl Packs {
    /// Returns the packs that were opened, and the names of those that could not be.
    pub fn new(packs: Vec<(Vec<u8>, Arc<Pack>)>, broken: Vec<Vec<u8>>) -> Self {
        Self { packs, broken }
    }

    /// Returns the packs, each with the name of its index from the git directory on.
    pub fn iter(&self) -> impl Iterator<Item = (&Vec<u8>, &Arc<Pack>)> {
        self.packs.iter().map(|(name, pack)| (name, pack))
    }

    /// Returns the names of what cannot be used.
    pub fn broken(&self) -> &[Vec<u8>] {
        &self.broken
    }

    /// Tells whether these are the same packs as others.
    pub fn are(&self, others: &Self) -> bool {
        self.packs.len() == others.packs.len()
            && self.packs.iter().zip(&others.packs).all(|((_, a), (_, b))| Arc::ptr_eq(a, b))
    }

    /// Returns the places of all packs.
    fn places(&self) -> Vec<u32> {
        (0..self.packs.len() as u32).collect()
    }

    /// Calls `each` with the ids of all packed objects that begin as `prefix`; a damaged index is passed over, as git
    /// does.
    pub fn each_with_prefix(
        &self,
        prefix: &Prefix,
        each: &mut dyn FnMut(&gix::oid),
    ) -> Result<(), Fault> {
        for (_, pack) in &self.packs {
            match pack.index().each_with_prefix(prefix, each) {
                Ok(()) | Err(Fault::Damaged | Fault::Changed) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }
}

/// Returns an object, `None` where no pack has it.
///
/// # Errors
/// The last [`Fault`] where packs name it and none has it whole.
pub fn find(id: &Oid, cache: &Cache, unpacker: &mut Unpacker) -> Result<Option<Object>, Fault> {
    each_with(id, unpacker, |pack, offset, unpacker| unpack(pack, offset, cache, unpacker))
}

/// Returns the kind and the size of an object, of which as little is read as tells them.
pub fn find_header(
    id: &Oid,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<Option<(Kind, u64)>, Fault> {
    each_with(id, unpacker, |pack, offset, unpacker| header(pack, offset, cache, unpacker))
}

/// Returns the size of an object, and its kind where its own entry tells it: that of a delta is its base's.
pub fn find_size(
    id: &Oid,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<Option<(Option<Kind>, u64)>, Fault> {
    each_with(id, unpacker, |pack, offset, unpacker| {
        size(pack, offset, cache, unpacker).map(|(kind, size, _)| (kind, size))
    })
}

/// Returns what `take` makes of an object in the first pack in which that succeeds. The pack that had one is asked
/// first for the next, as git does: what is asked for together was mostly packed together.
fn each_with<T>(
    id: &Oid,
    unpacker: &mut Unpacker,
    mut take: impl FnMut(&Pack, u64, &mut Unpacker) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let packs = Arc::clone(&unpacker.packs);
    let mut fault = None;
    for position in 0..unpacker.places.len() {
        let (_, pack) = &packs.packs[unpacker.places[position] as usize];
        let taken = match pack.index().find(id) {
            Ok(None) => continue,
            Ok(Some(offset)) => take(pack, offset, unpacker),
            Err(error) => Err(error),
        };
        match taken {
            Ok(taken) => {
                unpacker.places[..=position].rotate_right(1);
                return Ok(Some(taken));
            }
            Err(error) => fault = Some(error),
        }
    }
    fault.map_or(Ok(None), Err)
}

/// Returns the object at an offset; every object on the way is kept.
fn unpack(
    pack: &Pack,
    offset: u64,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<Object, Fault> {
    // Deltas that are small are inflated where their entries are met, which is where they were read, one behind the
    // other; the others when their turn comes.
    let mut deltas = std::mem::take(&mut unpacker.delta);
    deltas.clear();
    let object = unpack_with(&mut deltas, pack, offset, cache, unpacker);
    if deltas.capacity() <= 2 * HELD_DELTAS {
        unpacker.delta = deltas;
    }
    object
}

fn unpack_with(
    deltas: &mut Vec<u8>,
    pack: &Pack,
    offset: u64,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<Object, Fault> {
    // Each entry with the end of its delta, or none where it is not held.
    let mut chain: Vec<(Entry, Option<usize>)> = Vec::new();
    let mut at = offset;
    let mut object = loop {
        if let Some(object) = cache.get((pack.number(), at)) {
            break object;
        }
        unpacker.budget.check()?;
        let entry = pack.entry(at, unpacker, Next::Near)?;
        if let Base::Whole(kind) = entry.base {
            let mut bytes = Vec::new();
            unpacker.inflate(pack, &entry, &mut bytes, Next::Near)?;
            let object = Object { kind, bytes: Arc::new(bytes) };
            cache.put((pack.number(), at), object.clone());
            break object;
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
        let bytes = match end {
            Some(end) => {
                let start = end - entry.size as usize;
                delta::apply(&object.bytes, &deltas[start..end], limits::OBJECT_BYTES)?
            }
            None => {
                let mut delta = Vec::new();
                unpacker.inflate(pack, &entry, &mut delta, Next::Near)?;
                delta::apply(&object.bytes, &delta, limits::OBJECT_BYTES)?
            }
        };
        object = Object { kind: object.kind, bytes: Arc::new(bytes) };
        cache.put((pack.number(), entry.offset), object.clone());
    }
    Ok(object)
}

/// Returns the kind and the size of the object at an offset.
fn header(
    pack: &Pack,
    offset: u64,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<(Kind, u64), Fault> {
    let (mut kind, size, mut base) = size(pack, offset, cache, unpacker)?;
    for _ in 0..MAX_DELTAS {
        if let Some(kind) = kind {
            return Ok((kind, size));
        }
        let at = base_offset(pack, base)?;
        kind = match cache.get((pack.number(), at)) {
            Some(object) => Some(object.kind),
            None => {
                base = pack.entry(at, unpacker, Next::Near)?.base;
                base.kind()
            }
        };
    }
    kind.map(|kind| (kind, size)).ok_or(Fault::Damaged)
}

/// Returns the size of the object at an offset and what it is made of, and its kind where no other entry tells it.
fn size(
    pack: &Pack,
    offset: u64,
    cache: &Cache,
    unpacker: &mut Unpacker,
) -> Result<(Option<Kind>, u64, Base), Fault> {
    if let Some(object) = cache.get((pack.number(), offset)) {
        return Ok((Some(object.kind), object.bytes.len() as u64, Base::Whole(object.kind)));
    }
    let entry = pack.entry(offset, unpacker, Next::Anywhere)?;
    if let Base::Whole(kind) = entry.base {
        return Ok((Some(kind), entry.size, entry.base));
    }
    let mut delta = std::mem::take(&mut unpacker.delta);
    delta.clear();
    let result = unpacker
        .inflate(pack, &entry, &mut delta, Next::Anywhere)
        .and_then(|()| delta::result_size(&delta));
    if delta.capacity() <= 2 * HELD_DELTAS {
        unpacker.delta = delta;
    }
    Ok((None, result?, entry.base))
}

fn base_offset(pack: &Pack, base: Base) -> Result<u64, Fault> {
    match base {
        Base::At(offset) => Ok(offset),
        Base::Object(id) => pack.index().find(&id)?.ok_or(Fault::Damaged),
        Base::Whole(_) => Err(Fault::Damaged),
    }
}
