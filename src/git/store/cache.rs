//! Objects that were read, kept within a budget of bytes for all threads of a query, and for the next query where
//! they are few.

use std::sync::Arc;

use gix::objs::Kind;
use quick_cache::sync::{self, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// Parts of the cache that are locked by themselves, as far as each has room for large files.
const MAX_PARTS: usize = 16;
const PART_BYTES: usize = 8 << 20;

/// The part of the budget that is for objects that were read more than once; the others are most often the base of a
/// delta that is read soon.
const HOT: f64 = 0.5;

/// What an object takes on average, for the tables that are made beforehand.
const USUAL_BYTES: usize = 4 << 10;

/// An object's kind and bytes; shared, so that whoever reads it copies nothing.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// What it holds.
    pub bytes: Arc<Vec<u8>>,
}

/// Entries that the tables are made for at most; they grow with more.
const MAX_TABLE: usize = 1 << 20;

/// The number of a pack and an offset in it.
pub type PackEntry = (u32, u64);

/// The objects used lately, by where they lie.
pub struct Cache {
    objects: sync::Cache<PackEntry, Object, Bytes>,
    capacity: usize,
}

/// Weighs an object by what it takes in memory.
#[derive(Clone)]
struct Bytes;

impl Weighter<PackEntry, Object> for Bytes {
    fn weight(&self, _: &PackEntry, object: &Object) -> u64 {
        /// The entry itself, its key and the allocations behind it.
        const ENTRY: usize = 128;
        (object.bytes.capacity() + ENTRY) as u64
    }
}

impl Cache {
    /// Returns a cache of at most so many bytes.
    pub fn new(bytes: usize) -> Self {
        let options = OptionsBuilder::new()
            .shards((bytes / PART_BYTES).clamp(1, MAX_PARTS))
            .weight_capacity(bytes as u64)
            .estimated_items_capacity((bytes / USUAL_BYTES).min(MAX_TABLE))
            .hot_allocation(HOT)
            .build()
            .expect("all that has no default is given");
        let (hashes, events) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self { objects: sync::Cache::with_options(options, Bytes, hashes, events), capacity: bytes }
    }

    /// Returns the bytes that are kept at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.objects.weight() as usize
    }

    /// Returns the object at a place, which then counts as used.
    pub fn get(&self, place: PackEntry) -> Option<Object> {
        self.objects.get(&place)
    }

    /// Keeps an object; those not used lately make room, and one larger than its part of the cache is not kept.
    pub fn put(&self, place: PackEntry, object: Object) {
        self.objects.insert(place, object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(bytes: usize) -> Object {
        Object { kind: Kind::Blob, bytes: Arc::new(vec![0; bytes]) }
    }

    #[test]
    fn a_cache_keeps_what_was_used_last_within_its_budget() {
        let cache = Cache::new(3000);
        for offset in 0..3 {
            cache.put((0, offset), object(800));
        }
        assert!(cache.get((0, 0)).is_some());
        cache.put((0, 3), object(800));
        assert!(cache.get((0, 1)).is_none(), "the one not used for longest");
        assert!([0, 2, 3].iter().all(|&offset| cache.get((0, offset)).is_some()));
        cache.put((1, 0), object(4000));
        assert!(cache.get((1, 0)).is_none());
        assert!(cache.get((0, 0)).is_some(), "one that is too large pushes none out");
        Cache::new(0).put((0, 0), object(1));
        assert!(cache.bytes() <= cache.capacity());
    }
}
