//! Finds an entry of a large tree through the deltas of a pack, without making the tree.
//!
//! A directory of thousands of files has a version for each commit that changes one of them, and
//! each is stored as a few changes of another. Such a version is held as pieces: of a whole tree,
//! whose entries are known, and of new bytes. A piece that begins where an entry begins has the
//! entries of the whole tree; those at its ends, and the new ones, are read. So what is found is
//! what reading all entries would find, whatever the bytes are; where they are no tree, nothing is
//! told, and the tree is made.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gix::objs::Kind;
use memchr::memmem;
use quick_cache::DefaultHashBuilder;

use super::data::{Base, EntryHeader, Pack, Unpacker};
use super::fault::Fault;
use super::windows::Next;
use super::{MAX_DELTAS, base_offset};
use crate::Entry;
use crate::model::bytes::Bytes;
use crate::model::tree_entry::parse;
use crate::store::cache::{Object, PackEntry};
use crate::store::delta::{self, Command};

/// Smaller trees are made: that takes no longer. Larger ones, too, as few of them would be held.
const TREE_BYTES: std::ops::Range<u64> = 4 << 10..1 << 20;
/// A tree of more pieces is made.
const MOST_PIECES: usize = 1 << 10;
/// A tree with a larger delta is made.
const DELTA_BYTES: u64 = 64 << 10;
/// Bytes of the trees that a thread holds.
const HELD_BYTES: usize = 4 << 20;
/// Bytes in which most entries end.
const ENTRY_BYTES: usize = 128;

/// What a look for an entry of a tree came to.
pub enum Looked {
    /// The entry, or that the tree has none of the name.
    Entry(Option<Entry>),
    /// The tree, in which it has to be looked for.
    Tree(Bytes),
}

/// The trees of one thread, by their places.
#[derive(Default)]
pub struct Trees {
    held: HashMap<PackEntry, Arc<Spliced>, DefaultHashBuilder>,
    bytes: usize,
}

impl Trees {
    /// Looks for the entry of a tree with a name; `None` if the tree has to be made for it.
    pub fn look(
        &mut self,
        pack: &Pack,
        offset: u64,
        unpacker: &mut Unpacker,
        name: &[u8],
    ) -> Result<Option<Looked>, Fault> {
        let place = (pack.number(), offset);
        if !self.held.contains_key(&place)
            && let Some(Object { kind: Kind::Tree, bytes }) = unpacker.read_before(place)
        {
            // It is made already.
            let charge = unpacker.budget.charge_large(bytes.len() as u64)?;
            return Ok(Some(Looked::Tree(Bytes::held(bytes, charge))));
        }
        let tree = self.spliced(pack, offset, unpacker)?;
        Ok(tree.and_then(|tree| tree.entry(name)).map(Looked::Entry))
    }

    /// Returns the tree at an offset in pieces, `None` if it has to be made.
    fn spliced(
        &mut self,
        pack: &Pack,
        offset: u64,
        unpacker: &mut Unpacker,
    ) -> Result<Option<Arc<Spliced>>, Fault> {
        let mut chain: Vec<EntryHeader> = Vec::new();
        let mut at = offset;
        let mut tree = loop {
            let place = (pack.number(), at);
            if let Some(tree) = self.held.get(&place) {
                break Arc::clone(tree);
            }
            let whole = match unpacker.read_before(place) {
                Some(object) => Some(object),
                None => {
                    unpacker.budget.check()?;
                    let entry = pack.entry(at, unpacker, Next::Near)?;
                    match entry.base {
                        Base::Whole(kind)
                            if kind == Kind::Tree && TREE_BYTES.contains(&entry.size) =>
                        {
                            let mut bytes = Vec::new();
                            unpacker.inflate(pack, &entry, &mut bytes, Next::Near)?;
                            Some(Object { kind, bytes: Arc::new(bytes) })
                        }
                        Base::Whole(_) => return Ok(None),
                        _ if chain.len() == MAX_DELTAS || entry.size > DELTA_BYTES => {
                            return Ok(None);
                        }
                        base => {
                            chain.push(entry);
                            at = base_offset(pack, base)?;
                            None
                        }
                    }
                }
            };
            let Some(whole) = whole else { continue };
            let whole = Whole::new(whole, pack.id_bytes()).map(Spliced::from);
            match whole.and_then(|tree| self.put(place, tree)) {
                Some(tree) => break tree,
                None => return Ok(None),
            }
        };
        while let Some(entry) = chain.pop() {
            unpacker.budget.check()?;
            let mut delta = std::mem::take(&mut unpacker.delta);
            delta.clear();
            let inflated = unpacker.inflate(pack, &entry, &mut delta, Next::Near);
            let changed = inflated.map(|_| tree.changed(&delta));
            unpacker.delta = delta;
            let place = (pack.number(), entry.offset);
            match changed?.and_then(|tree| self.put(place, tree)) {
                Some(changed) => tree = changed,
                None => return Ok(None),
            }
        }
        Ok(Some(tree))
    }

    /// Holds a tree, instead of all others where these are too many; returns it, `None` without
    /// memory.
    fn put(&mut self, place: PackEntry, tree: Spliced) -> Option<Arc<Spliced>> {
        let bytes = tree.bytes();
        if self.bytes + bytes > HELD_BYTES {
            self.held.clear();
            self.bytes = 0;
        }
        self.held.try_reserve(1).ok()?;
        self.bytes += bytes;
        let tree = Arc::new(tree);
        self.held.insert(place, Arc::clone(&tree));
        Some(tree)
    }
}

/// A tree that was made, all of whose entries are right.
struct Whole {
    bytes: Arc<Vec<u8>>,
    id_bytes: usize,
    /// A bit for each offset at which an entry begins, and for the end.
    starts: Vec<u64>,
    /// The name that was looked for last, and the entries of that name.
    named: Mutex<(Vec<u8>, Vec<usize>)>,
}

impl Whole {
    /// Reads all entries; `None` if the object is not a tree of the size that is worth it.
    fn new(object: Object, id_bytes: usize) -> Option<Self> {
        let Object { kind, bytes } = object;
        if kind != Kind::Tree || !TREE_BYTES.contains(&(bytes.len() as u64)) {
            return None;
        }
        let mut starts = Vec::new();
        starts.try_reserve_exact(bytes.len() / 64 + 1).ok()?;
        starts.resize(bytes.len() / 64 + 1, 0);
        let mut rest = &bytes[..];
        loop {
            let at = bytes.len() - rest.len();
            starts[at / 64] |= 1 << (at % 64);
            if rest.is_empty() {
                return Some(Self { bytes, id_bytes, starts, named: Mutex::default() });
            }
            (_, rest) = parse(rest, id_bytes).ok()?;
        }
    }

    /// Tells whether an entry begins at an offset, or the tree ends there.
    fn is_start(&self, at: usize) -> bool {
        self.starts[at / 64] >> (at % 64) & 1 == 1
    }

    /// Returns the last such offset up to `end`.
    fn last_start(&self, end: usize) -> usize {
        let mut word = end / 64;
        let mut bits = self.starts[word] & (u64::MAX >> (63 - end % 64));
        // The first entry begins at 0.
        while bits == 0 {
            word -= 1;
            bits = self.starts[word];
        }
        word * 64 + 63 - bits.leading_zeros() as usize
    }

    /// Returns the first entry of a name that begins from `start` on and before `end`, both of
    /// which are where entries begin.
    fn named(&self, name: &[u8], start: usize, end: usize) -> Option<Entry> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if named.0 != name {
            *named = (name.to_vec(), self.entries_named(name));
        }
        let at = *named.1.iter().find(|&&at| (start..end).contains(&at))?;
        let (entry, _) = parse(&self.bytes[at..], self.id_bytes).ok()?;
        Some(entry.entry())
    }

    fn entries_named(&self, name: &[u8]) -> Vec<usize> {
        let wanted = [b" ", name, b"\0"].concat();
        let met = memmem::find_iter(&self.bytes, &wanted).map(|at| self.last_start(at));
        let is_so = |at: &usize| {
            parse(&self.bytes[*at..], self.id_bytes).is_ok_and(|(entry, _)| entry.name == name)
        };
        met.filter(is_so).collect()
    }
}

/// A tree in pieces.
struct Spliced {
    whole: Arc<Whole>,
    pieces: Vec<Piece>,
    /// The bytes that the whole tree does not have.
    new: Vec<u8>,
    size: usize,
}

/// Bytes of a tree in pieces.
struct Piece {
    /// Where they begin and end in this tree.
    start: usize,
    end: usize,
    /// Where they begin in the whole tree, or in the new bytes.
    from: usize,
    is_new: bool,
}

impl From<Whole> for Spliced {
    fn from(whole: Whole) -> Self {
        let size = whole.bytes.len();
        let pieces = vec![Piece { start: 0, end: size, from: 0, is_new: false }];
        Self { whole: Arc::new(whole), pieces, new: Vec::new(), size }
    }
}

impl Spliced {
    /// Returns about the bytes that it holds; the whole tree's with the first of its versions.
    fn bytes(&self) -> usize {
        /// The tree, its place and their allocations.
        const TREE: usize = size_of::<Spliced>() + size_of::<PackEntry>() + 128;
        let whole = if self.pieces.len() == 1 { self.size + self.size / 8 } else { 0 };
        TREE + self.pieces.capacity() * size_of::<Piece>() + self.new.capacity() + whole
    }

    /// Returns what a delta makes of it; `None` if it is damaged, or too much for pieces.
    fn changed(&self, delta: &[u8]) -> Option<Self> {
        let sizes = delta::sizes(delta).ok()?;
        if sizes.base != self.size as u64 || !TREE_BYTES.contains(&sizes.result) {
            return None;
        }
        let whole = Arc::clone(&self.whole);
        let mut made = Self { whole, pieces: Vec::new(), new: Vec::new(), size: 0 };
        // Most deltas change one entry, and what is new was new before or is in the delta.
        made.pieces.try_reserve_exact(self.pieces.len() + 2).ok()?;
        made.new.try_reserve_exact(self.new.len() + delta.len()).ok()?;
        let mut commands = sizes.commands;
        while !commands.is_empty() {
            match delta::command(&mut commands)? {
                Command::Copy(start, length) => self.copy(start, length, &mut made)?,
                Command::New(bytes) => made.add_new(bytes)?,
            }
            if made.size as u64 > sizes.result {
                return None;
            }
        }
        (made.size as u64 == sizes.result).then_some(made)
    }

    /// Appends some of its bytes to another; `None` if it has fewer.
    fn copy(&self, start: usize, length: usize, to: &mut Self) -> Option<()> {
        let end = start.checked_add(length).filter(|&end| end <= self.size)?;
        let first = self.pieces.partition_point(|piece| piece.end <= start);
        for piece in self.pieces[first..].iter().take_while(|piece| piece.start < end) {
            let from = piece.from + start.saturating_sub(piece.start);
            let length = piece.end.min(end) - piece.start.max(start);
            if piece.is_new {
                to.add_new(&self.new[from..from + length])?;
            } else {
                to.add(from, length, false)?;
            }
        }
        Some(())
    }

    fn add_new(&mut self, bytes: &[u8]) -> Option<()> {
        self.new.try_reserve(bytes.len()).ok()?;
        self.add(self.new.len(), bytes.len(), true)?;
        self.new.extend_from_slice(bytes);
        Some(())
    }

    /// Appends bytes of the whole tree, or new ones; `None` if there are too many pieces.
    fn add(&mut self, from: usize, length: usize, is_new: bool) -> Option<()> {
        let start = self.size;
        self.size += length;
        if let Some(last) = self.pieces.last_mut()
            && last.is_new == is_new
            && last.from + (start - last.start) == from
        {
            last.end = self.size;
            return Some(());
        }
        if self.pieces.len() == MOST_PIECES {
            return None;
        }
        self.pieces.try_reserve(1).ok()?;
        self.pieces.push(Piece { start, end: self.size, from, is_new });
        Some(())
    }

    /// Returns the first entry with a name; `None` if the bytes are not those of a tree.
    fn entry(&self, name: &[u8]) -> Option<Option<Entry>> {
        let (mut at, mut number) = (0, 0);
        let mut bytes = Vec::new();
        while at < self.size {
            // Begins an entry here.
            while self.pieces[number].end <= at {
                number += 1;
            }
            let Piece { start, end, from, is_new } = self.pieces[number];
            let [first, end] = [at, end].map(|place| place - start + from);
            if !is_new && self.whole.is_start(first) {
                let last = self.whole.last_start(end);
                if let Some(found) = self.whole.named(name, first, last) {
                    return Some(Some(found));
                }
                if last > first {
                    at += last - first;
                    continue;
                }
            }
            match self.read(at, number, name, &mut bytes)? {
                (Some(found), _) => return Some(Some(found)),
                (None, length) => at += length,
            }
        }
        Some(None)
    }

    /// Reads the entry at an offset, which is in a piece; returns it if it has the name, and its
    /// length.
    fn read(
        &self,
        at: usize,
        piece: usize,
        name: &[u8],
        bytes: &mut Vec<u8>,
    ) -> Option<(Option<Entry>, usize)> {
        let mut most = ENTRY_BYTES;
        loop {
            bytes.clear();
            for piece in &self.pieces[piece..] {
                let from = piece.from + at.saturating_sub(piece.start);
                let length = piece.end - piece.start.max(at);
                let source = if piece.is_new { &self.new } else { &*self.whole.bytes };
                let length = length.min(most - bytes.len());
                bytes.try_reserve(length).ok()?;
                bytes.extend_from_slice(&source[from..from + length]);
                if bytes.len() == most {
                    break;
                }
            }
            match parse(bytes, self.whole.id_bytes) {
                Ok((entry, rest)) => {
                    let found = (entry.name == name).then(|| entry.entry());
                    return Some((found, bytes.len() - rest.len()));
                }
                Err(_) if bytes.len() == most => most *= 8,
                Err(_) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_base::budget::Budget;

    /// Numbers by chance.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % end.max(1)
        }
    }

    fn entry_bytes(name: &str, id: &[u8; 20]) -> Vec<u8> {
        [b"100644 ", name.as_bytes(), b"\0", id].concat()
    }

    /// An id, mostly one that itself reads as an entry.
    fn id(chance: &mut Chance) -> [u8; 20] {
        let mut id = [0; 20];
        id.fill_with(|| chance.below(256) as u8);
        let named = format!("100644 n{}\0", chance.below(300));
        if chance.below(3) > 0 {
            let at = chance.below(20 - named.len());
            id[at..at + named.len()].copy_from_slice(named.as_bytes());
        }
        id
    }

    fn tree(chance: &mut Chance) -> Vec<u8> {
        (0..200).flat_map(|n| entry_bytes(&format!("n{n}"), &id(chance))).collect()
    }

    /// A delta of copies and new bytes, some of them of whole entries and some anywhere.
    fn delta(base: &[u8], chance: &mut Chance) -> Vec<u8> {
        let starts: Vec<usize> = {
            let mut rest = base;
            let mut starts = vec![0];
            while let Ok((_, after)) = parse(rest, 20) {
                rest = after;
                starts.push(base.len() - rest.len());
            }
            starts
        };
        let is_wild = chance.below(20) == 0;
        let mut cuts: Vec<usize> = (0..6)
            .map(|_| match is_wild {
                true => chance.below(base.len() + 1),
                false => starts[chance.below(starts.len())],
            })
            .collect();
        cuts.sort_unstable();
        let (mut commands, mut size) = (Vec::new(), 0);
        let copy = |start: usize, end: usize, commands: &mut Vec<u8>| {
            if start < end {
                let (start, length) = (start as u32, (end - start) as u32);
                commands.push(0x80 | 0xf | 0x70);
                commands.extend_from_slice(&start.to_le_bytes());
                commands.extend_from_slice(&length.to_le_bytes()[..3]);
            }
            end.saturating_sub(start)
        };
        size += copy(0, cuts[0], &mut commands);
        for pair in cuts.windows(2) {
            match chance.below(4) {
                // An entry with another id, or another end of it.
                0 if pair[0] < pair[1] => {
                    let new = &id(chance)[chance.below(20)..];
                    let named = base[pair[0]..].iter().position(|&byte| byte == 0);
                    let end = pair[0] + named.map_or(0, |length| length + 21 - new.len());
                    size += copy(pair[0], end, &mut commands) + new.len();
                    commands.push(new.len() as u8);
                    commands.extend_from_slice(new);
                    size += copy(end + new.len(), pair[1], &mut commands);
                }
                1 => {
                    let new = entry_bytes(&format!("n{}", chance.below(400)), &id(chance));
                    commands.push(new.len() as u8);
                    commands.extend_from_slice(&new);
                    size += new.len() + copy(pair[0], pair[1], &mut commands);
                }
                // Less than before, or some of it again.
                2 if is_wild => size += copy(pair[0] / 2, pair[1], &mut commands),
                2 => {}
                _ => size += copy(pair[0], pair[1], &mut commands),
            }
        }
        size += copy(cuts[5], base.len(), &mut commands);
        let number = |mut number: usize| {
            let mut bytes = Vec::new();
            while number > 0x7f {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
            bytes
        };
        [number(base.len()), number(size), commands].concat()
    }

    /// What reading all entries finds: `None` for bytes that are no tree up to it.
    fn scanned(bytes: &[u8], name: &[u8]) -> Option<Option<Entry>> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (entry, after) = parse(rest, 20).ok()?;
            if entry.name == name {
                return Some(Some(entry.entry()));
            }
            rest = after;
        }
        Some(None)
    }

    #[test]
    fn a_name_is_found_in_pieces_as_in_the_tree_that_they_make() {
        let mut told = [0; 3];
        for seed in 0..300 {
            let mut chance = Chance(seed);
            let mut bytes = tree(&mut chance);
            let whole = Object { kind: Kind::Tree, bytes: Arc::new(bytes.clone()) };
            let mut spliced = Spliced::from(Whole::new(whole, 20).unwrap());
            for _ in 0..12 {
                let delta = delta(&bytes, &mut chance);
                let (made, _) = delta::apply(&bytes, &delta, &Budget::default()).unwrap();
                let Some(changed) = spliced.changed(&delta) else { break };
                (bytes, spliced) = (made, changed);
                assert_eq!(spliced.size, bytes.len(), "{seed}");
                for _ in 0..20 {
                    let name = format!("n{}", chance.below(400));
                    let found = spliced.entry(name.as_bytes());
                    assert_eq!(found, scanned(&bytes, name.as_bytes()), "{seed} {name}");
                    told[found.map_or(0, |found| 1 + usize::from(found.is_some()))] += 1;
                }
            }
        }
        assert!(told.iter().all(|&count| count > 1000), "{told:?}");
    }

    #[test]
    fn what_is_no_tree_or_not_of_its_base_is_not_spliced() {
        let mut chance = Chance(7);
        let bytes = tree(&mut chance);
        let object = |bytes: &[u8], kind| Object { kind, bytes: Arc::new(bytes.to_vec()) };
        assert!(Whole::new(object(&bytes, Kind::Blob), 20).is_none());
        assert!(Whole::new(object(&bytes[..bytes.len() - 1], Kind::Tree), 20).is_none());
        assert!(Whole::new(object(&bytes[..100], Kind::Tree), 20).is_none(), "too small");
        let spliced = Spliced::from(Whole::new(object(&bytes, Kind::Tree), 20).unwrap());
        let delta = delta(&bytes, &mut chance);
        assert!(spliced.changed(&delta).is_some());
        for end in 0..delta.len() {
            assert!(spliced.changed(&delta[..end]).is_none(), "{end}");
        }
        let other = Spliced { size: spliced.size + 1, ..spliced };
        assert!(other.changed(&delta).is_none());
    }
}
