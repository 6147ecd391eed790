//! The packs of a query, and a thread's search in them.

use std::sync::Arc;

use gix::hash::Prefix;
use gix::objs::Kind;

use super::data::{KeptDeltas, Pack, Unpacker};
use super::fault::Fault;
use super::spliced::{Looked, Trees};
use super::{header, size, unpack};
use crate::Oid;
use crate::model::bytes::Bytes;
use crate::store::cache::Cache;
use redline_base::budget::Budget;

/// The packs of a query.
#[derive(Default)]
pub struct Packs {
    /// Each with the path of its index from the git directory.
    pub packs: Vec<(Vec<u8>, Arc<Pack>)>,
    /// The names of unusable indexes and packs.
    pub broken: Vec<Vec<u8>>,
}

impl Packs {
    /// Tells whether both lists have the same packs.
    pub fn are(&self, others: &Self) -> bool {
        self.packs.len() == others.packs.len()
            && self.packs.iter().zip(&others.packs).all(|((_, a), (_, b))| Arc::ptr_eq(a, b))
    }

    /// Returns the indices of all packs.
    fn places(&self) -> Vec<u32> {
        (0..self.packs.len() as u32).collect()
    }

    /// Calls `each` with the ids of all packed objects that begin with `prefix`; skips a damaged
    /// index, as git does.
    pub fn each_with_prefix(
        &self,
        prefix: &Prefix,
        each: &mut dyn FnMut(&gix::oid),
    ) -> Result<(), Fault> {
        for (_, pack) in &self.packs {
            match pack.index.each_with_prefix(prefix, each) {
                Ok(()) | Err(Fault::Damaged | Fault::Changed) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }
}

/// One thread's reader of packs.
pub struct PackReader {
    /// The packs as last listed, and their indices, the last hit first.
    packs: Arc<Packs>,
    places: Vec<u32>,
    found: RecentObjects,
    unpacker: Unpacker,
    /// The large trees in which entries were looked for.
    trees: Trees,
}

/// Where the objects that were read last are: the trees of a commit are read again as those of its
/// child's parent. Each has one slot, by its id.
struct RecentObjects(Vec<Option<(Oid, u32, u64)>>);

impl RecentObjects {
    const SLOTS: usize = 256;

    fn new() -> Self {
        Self(vec![None; Self::SLOTS])
    }

    fn slot(&mut self, id: &Oid) -> &mut Option<(Oid, u32, u64)> {
        // The first byte is that of the index's fan-out; any other is as good.
        &mut self.0[usize::from(id.as_bytes()[1]) % Self::SLOTS]
    }
}

impl PackReader {
    /// Creates a reader with the budget and the cache of its query.
    pub fn new(packs: Arc<Packs>, budget: Arc<Budget>, cache: Arc<Cache>) -> Self {
        let (places, found) = (packs.places(), RecentObjects::new());
        let unpacker = Unpacker::new(budget, cache);
        Self { packs, places, found, unpacker, trees: Trees::default() }
    }

    /// Returns the budget of its query.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.unpacker.budget
    }

    /// Sets which objects of a chain it keeps from now on.
    pub fn keep(&mut self, kept: KeptDeltas) {
        self.unpacker.keep(kept);
    }

    /// Tells whether it searches these packs.
    pub fn looks_in(&self, packs: &Arc<Packs>) -> bool {
        Arc::ptr_eq(&self.packs, packs)
    }

    /// Replaces the packs that it searches.
    pub fn look_in(&mut self, packs: Arc<Packs>) {
        self.places = packs.places();
        self.found = RecentObjects::new();
        self.packs = packs;
    }

    /// Returns an object, `None` if no pack has it.
    ///
    /// # Errors
    /// The last [`Fault`] if packs name it and none has it intact.
    pub fn find(&mut self, id: &Oid) -> Result<Option<(Kind, Bytes)>, Fault> {
        self.each_with(id, unpack)
    }

    /// Returns the kind and the size of an object, reading as little as possible.
    pub fn header(&mut self, id: &Oid) -> Result<Option<(Kind, u64)>, Fault> {
        self.each_with(id, header)
    }

    /// Returns the size and, unless the entry is a delta, the kind.
    pub fn size(&mut self, id: &Oid) -> Result<Option<(Option<Kind>, u64)>, Fault> {
        Ok(self.each_with(id, size)?.map(|(base, size)| (base.kind(), size)))
    }

    /// Looks for the entry of a tree with a name: where the tree is large, without making it; else
    /// returns the tree. `None` if no pack has it, or the object is no tree.
    ///
    /// # Errors
    /// As [`PackReader::find`].
    pub fn look_in_tree(&mut self, id: &Oid, name: &[u8]) -> Result<Option<Looked>, Fault> {
        let mut trees = std::mem::take(&mut self.trees);
        let looked = self.each_with(id, |pack, offset, unpacker| {
            match trees.look(pack, offset, unpacker, name) {
                Ok(Some(looked)) => return Ok(Some(looked)),
                Ok(None) => {}
                // To make the tree says what is wrong with this copy.
                Err(fault) if fault.may_be_mended() => {}
                Err(fault) => return Err(fault),
            }
            let (kind, bytes) = unpack(pack, offset, unpacker)?;
            Ok((kind == Kind::Tree).then_some(Looked::Tree(bytes)))
        });
        self.trees = trees;
        Ok(looked?.flatten())
    }

    /// Returns the first successful result of `take` for an object in a pack. The pack of the last
    /// hit is searched first, as in git: objects that are needed together were mostly packed
    /// together.
    fn each_with<T>(
        &mut self,
        id: &Oid,
        mut take: impl FnMut(&Pack, u64, &mut Unpacker) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let mut fault = None;
        if let Some((_, place, offset)) = self.found.slot(id).filter(|(found, ..)| found == id) {
            let (_, pack) = &self.packs.packs[place as usize];
            match take(pack, offset, &mut self.unpacker) {
                Ok(taken) => return Ok(Some(taken)),
                Err(error) => fault = Some(error),
            }
        }
        for position in 0..self.places.len() {
            let place = self.places[position];
            let (_, pack) = &self.packs.packs[place as usize];
            let taken = match pack.index.find(id) {
                Ok(None) => continue,
                Ok(Some(offset)) => {
                    *self.found.slot(id) = Some((*id, place, offset));
                    take(pack, offset, &mut self.unpacker)
                }
                Err(error) => Err(error),
            };
            match taken {
                Ok(taken) => {
                    self.places[..=position].rotate_right(1);
                    return Ok(Some(taken));
                }
                Err(error) => fault = Some(error),
            }
        }
        fault.map_or(Ok(None), Err)
    }
}
