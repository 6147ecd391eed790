//! Two objects that are compared, held by their reader alone.
//!
//! Their memory is free again when the next two are read, so a reader of thousands of pairs touches
//! that of a few. In the cache, each would take memory that was never used before.

use crate::budget::LARGE_BYTES;
use crate::git::store::cache::{Cache, Object, PackEntry};

/// The objects of a pair that were read; each with its place.
#[derive(Default)]
pub struct Pair([Option<(PackEntry, Object)>; 2]);

impl Pair {
    /// Returns the object at a place, if it is one of the two.
    pub fn get(&self, place: PackEntry) -> Option<Object> {
        let found = self.0.iter().flatten().find(|(at, _)| *at == place);
        found.map(|(_, object)| object.clone())
    }

    /// Holds an object; a large one is the cache's, whose limit counts it.
    pub fn put(&mut self, place: PackEntry, object: &Object, cache: &Cache) {
        if object.bytes.capacity() >= LARGE_BYTES {
            cache.put(place, object.clone());
        } else {
            self.0.swap(0, 1);
            self.0[0] = Some((place, object.clone()));
        }
    }
}
