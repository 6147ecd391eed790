//! Objects that were read, kept within a budget of bytes for all threads of a query, and for the next query where
//! they are few.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clru::{CLruCache, CLruCacheConfig, WeightScale};
use gix::objs::Kind;

/// An object's kind and bytes; shared, so that whoever reads it copies nothing.
#[derive(Debug, Clone)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// What it holds.
    pub bytes: Arc<Vec<u8>>,
}

/// The number of a pack and an offset in it.
pub type Place = (u32, u64);

type Objects = CLruCache<Place, Object, std::hash::RandomState, Bytes>;

/// The objects used last, by where they lie.
pub struct Cache(Mutex<Objects>);

/// Weighs an object by what it takes in memory.
struct Bytes;

impl WeightScale<Place, Object> for Bytes {
    fn weight(&self, _: &Place, object: &Object) -> usize {
        /// The entry itself, its key and the allocations behind it.
        const ENTRY: usize = 128;
        object.bytes.capacity() + ENTRY
    }
}

impl Cache {
    /// Returns a cache of at most so many bytes.
    pub fn new(bytes: usize) -> Self {
        let bytes = NonZeroUsize::new(bytes).unwrap_or(NonZeroUsize::MIN);
        Self(Mutex::new(CLruCache::with_config(CLruCacheConfig::new(bytes).with_scale(Bytes))))
    }

    /// Returns the bytes that are kept at most.
    pub fn capacity(&self) -> usize {
        self.lock().capacity()
    }

    /// Returns the bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.lock().weight()
    }

    /// Returns the object at a place, which is then the one used last.
    pub fn get(&self, place: Place) -> Option<Object> {
        self.lock().get(&place).cloned()
    }

    /// Keeps an object; those not used for longest make room, and one larger than the whole is not kept.
    pub fn put(&self, place: Place, object: Object) {
        // What was there and what is too large come back, and are dropped after the lock.
        let _dropped = self.lock().put_with_weight(place, object);
    }

    fn lock(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(bytes: usize) -> Object {
        Object { kind: Kind::Blob, bytes: Arc::new(vec![0; bytes]) }
    }

    #[test]
    fn a_cache_keeps_more_than_its_budget_or_the_wrong_object() {
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
