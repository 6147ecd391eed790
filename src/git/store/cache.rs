//! A cache of objects within a budget of bytes, for all threads of a query, and for the next query
//! if it is small.

use std::sync::Arc;

use gix::objs::Kind;
use quick_cache::sync::{self, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// The most parts of the cache, which are locked separately; each must have room for large files.
const MAX_PARTS: usize = 16;
const PART_BYTES: usize = 8 << 20;

/// The part of the budget for objects that were read more than once; the others are mostly bases of
/// deltas that are needed soon.
const HOT: f64 = 0.5;

/// The estimated size of an object, for the initial size of the tables.
const USUAL_BYTES: usize = 4 << 10;

/// An object's kind and bytes; shared, so that readers copy nothing.
#[derive(Debug, Clone)]
pub struct Object {
    pub kind: Kind,
    pub bytes: Arc<Vec<u8>>,
}

/// The most entries for which the tables are allocated; they grow with more.
const MAX_TABLE: usize = 1 << 20;

/// The number of a pack and an offset in it.
pub type PackEntry = (u32, u64);

/// The recently used objects, by pack and offset.
pub struct Cache {
    objects: sync::Cache<PackEntry, Object, Bytes>,
    capacity: usize,
}

/// Weighs an object by its size in memory.
#[derive(Clone)]
struct Bytes;

impl Weighter<PackEntry, Object> for Bytes {
    fn weight(&self, _: &PackEntry, object: &Object) -> u64 {
        /// The entry itself, its key and its allocations.
        const ENTRY: usize = 128;
        (object.bytes.capacity() + ENTRY) as u64
    }
}

impl Cache {
    /// Creates a cache of at most `bytes` bytes.
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

    /// Returns the limit in bytes.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the cached bytes.
    pub fn bytes(&self) -> usize {
        self.objects.weight() as usize
    }

    /// Returns the object at a pack entry, and marks it as used.
    pub fn get(&self, place: PackEntry) -> Option<Object> {
        self.objects.get(&place)
    }

    /// Caches an object; evicts those not used recently, and does not cache one larger than its
    /// part of the cache.
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
