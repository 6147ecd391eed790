//! The packs of a query, and what a thread looks for in them.

use std::sync::Arc;

use gix::hash::Prefix;
use gix::objs::Kind;

use super::data::{Pack, Unpacker};
use super::fault::Fault;
use super::{header, size, unpack};
use crate::budget::Budget;
use crate::git::Oid;
use crate::git::model::bytes::Bytes;
use crate::git::store::cache::Cache;

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

/// What one thread reads packs with.
pub struct PackReader {
    /// The packs as they were listed last, and their places, the last hit first.
    packs: Arc<Packs>,
    places: Vec<u32>,
    unpacker: Unpacker,
}

impl PackReader {
    /// Returns a reader within the budget of its query.
    pub fn new(packs: Arc<Packs>, budget: Arc<Budget>) -> Self {
        Self { places: packs.places(), packs, unpacker: Unpacker::new(budget) }
    }

    /// Returns the budget of its query.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.unpacker.budget
    }

    /// Tells whether these are the packs that it looks in.
    pub fn looks_in(&self, packs: &Arc<Packs>) -> bool {
        Arc::ptr_eq(&self.packs, packs)
    }

    /// Looks in other packs from now on.
    pub fn look_in(&mut self, packs: Arc<Packs>) {
        self.places = packs.places();
        self.packs = packs;
    }

    /// Returns an object, `None` where no pack has it.
    ///
    /// # Errors
    /// The last [`Fault`] where packs name it and none has it whole.
    pub fn find(&mut self, id: &Oid, cache: &Cache) -> Result<Option<(Kind, Bytes)>, Fault> {
        self.each_with(id, |pack, offset, unpacker| unpack(pack, offset, cache, unpacker))
    }

    /// Returns the kind and the size of an object, of which as little is read as tells them.
    pub fn header(&mut self, id: &Oid, cache: &Cache) -> Result<Option<(Kind, u64)>, Fault> {
        self.each_with(id, |pack, offset, unpacker| header(pack, offset, cache, unpacker))
    }

    /// Returns the size of an object, and its kind where its own entry tells it: that of a delta is its base's.
    pub fn size(&mut self, id: &Oid, cache: &Cache) -> Result<Option<(Option<Kind>, u64)>, Fault> {
        self.each_with(id, |pack, offset, unpacker| {
            size(pack, offset, cache, unpacker).map(|(kind, size, _)| (kind, size))
        })
    }

    /// Returns what `take` makes of an object in the first pack in which that succeeds. The pack that had one is asked
    /// first for the next, as git does: what is asked for together was mostly packed together.
    fn each_with<T>(
        &mut self,
        id: &Oid,
        mut take: impl FnMut(&Pack, u64, &mut Unpacker) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let mut fault = None;
        for position in 0..self.places.len() {
            let (_, pack) = &self.packs.packs[self.places[position] as usize];
            let taken = match pack.index().find(id) {
                Ok(None) => continue,
                Ok(Some(offset)) => take(pack, offset, &mut self.unpacker),
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
