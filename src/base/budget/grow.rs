//! Values that grow with the input, in memory that the system may refuse.
//!
//! `Vec`, `String` and `HashMap` abort the process where an allocation fails. What is here does what
//! their methods do, and unwinds with [`Stopped::Allocation`] instead: a value is appended at
//! hundreds of places, none of which could do better, and the boundary to DuckDB makes the query's
//! error of it. A test of the sources refuses the methods of the standard library in the crates
//! whose values are as large as what is given. `BTreeMap` and `BTreeSet` allocate small nodes, for
//! which there is room ([`crate::limits::HEADROOM_BYTES`]): they have the same methods so that the
//! rule needs no exception.

use std::any::Any;
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::collections::{
    BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque, btree_map, hash_map,
};
use std::hash::{BuildHasher, Hash};

use super::Stopped;
use super::memory::lossy;

/// Unwinds to the boundary, which makes the query's error of the reason.
#[cold]
pub fn stop(why: Stopped) -> ! {
    std::panic::resume_unwind(Box::new(why))
}

/// Returns the reason with which [`stop`] has unwound; `None` for any other panic.
#[must_use]
pub fn stopped_by(panic: &(dyn Any + Send)) -> Option<Stopped> {
    panic.downcast_ref().copied()
}

/// Returns what was made; unwinds where memory was refused.
#[inline]
fn made<T, E>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|_| stop(Stopped::Allocation))
}

/// Makes room for `more` items.
#[inline]
fn reserve<T>(items: &mut Vec<T>, more: usize) {
    if items.capacity() - items.len() < more {
        made(items.try_reserve(more));
    }
}

/// Returns an empty buffer with room for so many items.
#[must_use]
pub fn room_for<T>(count: usize) -> Vec<T> {
    let mut items = Vec::new();
    made(items.try_reserve_exact(count));
    items
}

/// Returns `count` times `item`.
#[must_use]
pub fn filled<T: Clone>(item: T, count: usize) -> Vec<T> {
    let mut items = room_for(count);
    items.resize(count, item);
    items
}

/// Returns bytes as text; invalid UTF-8 becomes U+FFFD.
#[must_use]
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    made(lossy(bytes))
}

/// A collection that items are appended to.
pub trait Grow<T> {
    /// Appends an item.
    fn add(&mut self, item: T);

    /// Makes room for so many more items.
    fn make_room(&mut self, _more: usize) {}

    /// Appends all items.
    fn add_all(&mut self, items: impl IntoIterator<Item = T>) {
        let items = items.into_iter();
        self.make_room(items.size_hint().0);
        items.for_each(|item| self.add(item));
    }
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn add(&mut self, item: T) {
        reserve(self, 1);
        self.push(item);
    }

    fn make_room(&mut self, more: usize) {
        reserve(self, more);
    }
}

impl<T> Grow<T> for VecDeque<T> {
    #[inline]
    fn add(&mut self, item: T) {
        made(self.try_reserve(1));
        self.push_back(item);
    }
}

impl<T: Ord> Grow<T> for BinaryHeap<T> {
    #[inline]
    fn add(&mut self, item: T) {
        made(self.try_reserve(1));
        self.push(item);
    }
}

impl Grow<char> for String {
    #[inline]
    fn add(&mut self, item: char) {
        made(self.try_reserve(item.len_utf8()));
        self.push(item);
    }
}

impl<'a> Grow<&'a str> for String {
    #[inline]
    fn add(&mut self, item: &'a str) {
        made(self.try_reserve(item.len()));
        self.push_str(item);
    }
}

impl Grow<String> for String {
    fn add(&mut self, item: String) {
        self.add(item.as_str());
    }
}

impl<'a> Grow<Cow<'a, str>> for String {
    fn add(&mut self, item: Cow<'a, str>) {
        self.add(&*item);
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Grow<(K, V)> for HashMap<K, V, S> {
    fn add(&mut self, (key, value): (K, V)) {
        self.put(key, value);
    }

    fn make_room(&mut self, more: usize) {
        made(self.try_reserve(more));
    }
}

impl<K: Eq + Hash, S: BuildHasher> Grow<K> for HashSet<K, S> {
    fn add(&mut self, key: K) {
        self.put(key);
    }

    fn make_room(&mut self, more: usize) {
        made(self.try_reserve(more));
    }
}

impl<K: Ord, V> Grow<(K, V)> for BTreeMap<K, V> {
    fn add(&mut self, (key, value): (K, V)) {
        self.insert(key, value);
    }
}

impl<K: Ord> Grow<K> for BTreeSet<K> {
    fn add(&mut self, key: K) {
        self.insert(key);
    }
}

/// A text or a list that slices are appended to.
pub trait GrowBy<S: ?Sized> {
    /// Appends a slice.
    fn add_slice(&mut self, slice: &S);
}

impl<T: Clone> GrowBy<[T]> for Vec<T> {
    #[inline]
    fn add_slice(&mut self, slice: &[T]) {
        reserve(self, slice.len());
        self.extend_from_slice(slice);
    }
}

impl GrowBy<str> for String {
    #[inline]
    fn add_slice(&mut self, slice: &str) {
        self.add(slice);
    }
}

/// A table by keys.
pub trait GrowMap<K, V> {
    /// The place of a key.
    type Slot<'a>
    where
        Self: 'a;

    /// Sets the value of a key, and returns the one before.
    fn put(&mut self, key: K, value: V) -> Option<V>;

    /// Returns the place of a key.
    fn slot(&mut self, key: K) -> Self::Slot<'_>;
}

impl<K: Eq + Hash, V, S: BuildHasher> GrowMap<K, V> for HashMap<K, V, S> {
    type Slot<'a>
        = hash_map::Entry<'a, K, V>
    where
        Self: 'a;

    #[inline]
    fn put(&mut self, key: K, value: V) -> Option<V> {
        made(self.try_reserve(1));
        self.insert(key, value)
    }

    #[inline]
    fn slot(&mut self, key: K) -> hash_map::Entry<'_, K, V> {
        made(self.try_reserve(1));
        self.entry(key)
    }
}

impl<K: Ord, V> GrowMap<K, V> for BTreeMap<K, V> {
    type Slot<'a>
        = btree_map::Entry<'a, K, V>
    where
        Self: 'a;

    fn put(&mut self, key: K, value: V) -> Option<V> {
        self.insert(key, value)
    }

    fn slot(&mut self, key: K) -> btree_map::Entry<'_, K, V> {
        self.entry(key)
    }
}

/// A set of keys.
pub trait GrowSet<K> {
    /// Adds a key; tells whether it is new.
    fn put(&mut self, key: K) -> bool;
}

impl<K: Eq + Hash, S: BuildHasher> GrowSet<K> for HashSet<K, S> {
    #[inline]
    fn put(&mut self, key: K) -> bool {
        made(self.try_reserve(1));
        self.insert(key)
    }
}

impl<K: Ord> GrowSet<K> for BTreeSet<K> {
    fn put(&mut self, key: K) -> bool {
        self.insert(key)
    }
}

/// A collection that is made of the items of an iterator.
pub trait Gathered<T>: Sized {
    /// Returns a collection of the items.
    fn gathered(items: impl Iterator<Item = T>) -> Self;
}

impl<T, C: Default + Grow<T>> Gathered<T> for C {
    #[inline]
    fn gathered(items: impl Iterator<Item = T>) -> Self {
        let mut all = C::default();
        all.add_all(items);
        all
    }
}

/// Does what `collect` does.
pub trait Gather: Iterator + Sized {
    /// Returns all items.
    #[inline]
    fn gather<C: Gathered<Self::Item>>(self) -> C {
        C::gathered(self)
    }
}

impl<I: Iterator> Gather for I {}

/// Does what `collect` does of items that may be failures.
pub trait TryGather<T, E>: Iterator<Item = Result<T, E>> + Sized {
    /// Returns the values of all items.
    ///
    /// # Errors
    /// That of the first item that has one.
    fn try_gather<C: Gathered<T>>(mut self) -> Result<C, E> {
        let mut failure = None;
        let values = std::iter::from_fn(|| match self.next()? {
            Ok(value) => Some(value),
            Err(error) => {
                failure = Some(error);
                None
            }
        });
        let all = C::gathered(values);
        failure.map_or(Ok(all), Err)
    }
}

impl<T, E, I: Iterator<Item = Result<T, E>>> TryGather<T, E> for I {}

/// Does the same of items that may be absent.
pub trait GatherSome<T>: Iterator<Item = Option<T>> + Sized {
    /// Returns the values of all items, or `None` if one has none.
    fn gather_some<C: Gathered<T>>(self) -> Option<C> {
        self.map(|item| item.ok_or(())).try_gather().ok()
    }
}

impl<T, I: Iterator<Item = Option<T>>> GatherSome<T> for I {}

/// A list whose items are put into an order, those that are equal as they were.
pub trait Ordered<T> {
    /// Sorts the items.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts the items by a key.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }
}

impl<T> Ordered<T> for Vec<T> {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut placed = room_for(self.len());
        placed.extend(self.drain(..).enumerate());
        placed.sort_unstable_by(|(at, one), (after, other): &(usize, T)| {
            compare(one, other).then(at.cmp(after))
        });
        self.extend(placed.into_iter().map(|(_, item)| item));
    }
}

/// Copies of what is borrowed.
pub trait Copied<T> {
    /// Returns a copy.
    fn copied_vec(&self) -> Vec<T>;
}

impl<T: Clone> Copied<T> for [T] {
    fn copied_vec(&self) -> Vec<T> {
        let mut copy = room_for(self.len());
        copy.extend_from_slice(self);
        copy
    }
}

/// Copies of texts.
pub trait CopiedText {
    /// Returns a copy.
    fn copied_text(&self) -> String;

    /// Returns a copy with `to` wherever it has `from`.
    fn replaced(&self, from: &str, to: &str) -> String;
}

impl CopiedText for str {
    fn copied_text(&self) -> String {
        made(super::memory::owned(self))
    }

    fn replaced(&self, from: &str, to: &str) -> String {
        let mut all = String::new();
        let mut end = 0;
        for (at, part) in self.match_indices(from) {
            all.add(&self[end..at]);
            all.add(to);
            end = at + part.len();
        }
        all.add(&self[end..]);
        all
    }
}

/// Takes what may be borrowed.
pub trait Taken<T> {
    /// Returns the value itself, copied if it is borrowed.
    fn taken(self) -> T;
}

impl Taken<String> for Cow<'_, str> {
    fn taken(self) -> String {
        match self {
            Cow::Owned(text) => text,
            Cow::Borrowed(text) => text.copied_text(),
        }
    }
}

impl<T: Clone> Taken<Vec<T>> for Cow<'_, [T]> {
    fn taken(self) -> Vec<T> {
        match self {
            Cow::Owned(items) => items,
            Cow::Borrowed(items) => items.copied_vec(),
        }
    }
}

/// Parts of a text or of bytes, to be made one.
pub trait Joined {
    /// Returns the parts as one text, with `between` between them.
    fn joined(&self, between: &str) -> String
    where
        Self: AsParts<str>,
    {
        let mut all = String::new();
        for (place, part) in self.parts().enumerate() {
            all.add(if place == 0 { "" } else { between });
            all.add(part);
        }
        all
    }

    /// Returns the parts as one list.
    fn chained<T: Clone>(&self) -> Vec<T>
    where
        Self: AsParts<[T]>,
    {
        let mut all = Vec::new();
        self.parts().for_each(|part| all.add_slice(part));
        all
    }
}

impl<P> Joined for [P] {}

/// A list of parts.
pub trait AsParts<S: ?Sized> {
    /// Returns the parts.
    fn parts<'a>(&'a self) -> impl Iterator<Item = &'a S>
    where
        S: 'a;
}

impl<S: ?Sized, P: Borrow<S>> AsParts<S> for [P] {
    fn parts<'a>(&'a self) -> impl Iterator<Item = &'a S>
    where
        S: 'a,
    {
        self.iter().map(Borrow::borrow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs what is refused memory, and returns why it stopped.
    fn refused(work: impl FnOnce() + std::panic::UnwindSafe) -> Stopped {
        let panic = std::panic::catch_unwind(work).unwrap_err();
        stopped_by(&*panic).expect("a reason")
    }

    #[test]
    fn what_the_system_refuses_unwinds_with_its_reason() {
        let endless = || std::iter::repeat_n(0_u64, usize::MAX);
        assert_eq!(refused(|| drop(endless().gather::<Vec<_>>())), Stopped::Allocation);
        assert_eq!(refused(|| drop(filled(0_u8, usize::MAX))), Stopped::Allocation);
        assert_eq!(refused(|| drop(room_for::<u64>(usize::MAX))), Stopped::Allocation);
        assert_eq!(
            refused(|| HashMap::<u64, u64>::new().make_room(usize::MAX)),
            Stopped::Allocation
        );
    }

    #[test]
    fn the_values_are_those_of_the_standard_library() {
        let words = ["one", "two", "three"];
        let mut ordered = words.to_vec();
        ordered.order_by_key(|word| word.len());
        assert_eq!(ordered, ["one", "two", "three"]);
        ordered.order_by(|one, other| other.len().cmp(&one.len()));
        assert_eq!(ordered, ["three", "one", "two"]);
        assert_eq!(words.joined(", "), words.join(", "));
        assert_eq!([&b"a"[..], b"bc"].chained(), [&b"a"[..], b"bc"].concat());
        assert_eq!(words.iter().copied().gather::<String>(), words.concat());
        let lengths = words.map(|word| (word, word.len()));
        assert_eq!(
            lengths.into_iter().gather::<HashMap<_, _>>(),
            lengths.into_iter().collect::<HashMap<_, _>>()
        );
        let parsed = |numbers: &[&str]| {
            let numbers = numbers.iter().map(|number| number.parse::<u8>());
            numbers.try_gather::<Vec<_>>().map_err(|error| error.to_string())
        };
        assert_eq!(parsed(&["1", "2"]), Ok(vec![1, 2]));
        assert_eq!(parsed(&["1", "x", "999"]), Err("invalid digit found in string".to_owned()));
        assert_eq!([Some(1), None].into_iter().gather_some::<Vec<_>>(), None);
        assert_eq!(text_of(b"a\xff").taken(), "a\u{fffd}");
        for (from, to) in [("ab", "c"), ("a", ""), ("x", "y"), ("", "-")] {
            assert_eq!("abcabaab".replaced(from, to), "abcabaab".replace(from, to));
        }
    }
}
