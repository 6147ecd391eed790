//! The commit-graph: trees, parents and dates of commits without their objects (git's
//! `gitformat-commit-graph`).
//!
//! It is only an optimisation. A missing, damaged or unknown one is ignored, and the commits
//! themselves are read. Its checksum is verified once for each file, and an entry is used only if
//! each parent has a lower generation, so that it cannot contain a cycle.

use std::sync::Arc;

use gix::hash::Kind;

use super::gate::GitDirectory;
use crate::Oid;
use crate::model::big_endian;
use crate::model::commit::Links;
use redline_base::budget::check_current;
use redline_base::error::Result;
use redline_base::limits;
use redline_sandbox::{OpenError, Stamp};

const FILE: &[u8] = b"info/commit-graph";
const CHAIN_DIRECTORY: &[u8] = b"info/commit-graphs";
const CHAIN_FILE: &[u8] = b"commit-graph-chain";

/// The mark of an absent parent.
const NO_PARENT: u32 = 0x7000_0000;
/// The bit of a reference to the list of further parents, or of the last one there.
const LIST: u32 = 0x8000_0000;

/// The names of the chunks that are used: the fan-out, the ids, the commits, the lists of parents,
/// and the two of offsets that correct dates.
const CHUNKS: [&[u8; 4]; 6] = [b"OIDF", b"OIDL", b"CDAT", b"EDGE", b"GDA2", b"GDO2"];

/// Bytes that are hashed between two checks of the budget.
const HASHED_BYTES: usize = 4 << 20;

/// The layers of a commit-graph, the oldest first.
#[derive(Default)]
pub struct Graph {
    layers: Vec<Layer>,
    /// The files it was read from, and their stamps.
    files: Vec<(Vec<u8>, Stamp)>,
}

struct Layer {
    bytes: Vec<u8>,
    id_bytes: usize,
    /// The number of commits in the layers before this one.
    base: u32,
    count: u32,
    /// The offsets of the chunks: the fan-out, the ids, the commits, and the lists of parents if
    /// there are any.
    fanout: usize,
    ids: usize,
    commits: usize,
    lists: Option<(usize, usize)>,
    /// The chunk of offsets that are added to commit dates so that none is older than its parents,
    /// and the chunk of larger offsets.
    later: Option<usize>,
    much_later: Option<(usize, usize)>,
}

impl Graph {
    /// Returns the commit-graph of the first store that has one: the `known` one while it is
    /// current.
    pub fn current(
        stores: &[GitDirectory],
        hash: Kind,
        known: Option<Arc<Self>>,
    ) -> Result<Arc<Self>> {
        let mut left = limits::GRAPH_BYTES;
        for store in stores {
            check_current()?;
            if let Some(known) = &known
                && known.is_current(store)?
            {
                return Ok(Arc::clone(known));
            }
            let graph = Self::read(store, hash, &mut left)?;
            if !graph.is_empty() {
                return Ok(Arc::new(graph));
            }
        }
        Ok(Arc::default())
    }

    /// Reads the graph of an object directory, within the remaining bytes; empty if there is no
    /// usable one.
    fn read(store: &GitDirectory, hash: Kind, left: &mut u64) -> Result<Self> {
        let mut graph = Self::default();
        if graph.add(store, FILE, hash, left)? {
            return Ok(graph);
        }
        let Some(directory) = store.directory(CHAIN_DIRECTORY)? else { return Ok(graph) };
        let Some(chain) = directory.read(CHAIN_FILE, limits::GRAPH_CHAIN_BYTES)? else {
            return Ok(graph);
        };
        for line in chain.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let is_id = line.len() == hash.len_in_hex() && line.iter().all(u8::is_ascii_hexdigit);
            let name = [CHAIN_DIRECTORY, b"/graph-", line, b".graph"].concat();
            if !is_id || !graph.add(store, &name, hash, left)? {
                return Ok(Self::default());
            }
        }
        if let Some(stamp) = store.stamp(&[CHAIN_DIRECTORY, b"/", CHAIN_FILE].concat())? {
            graph.files.push(([CHAIN_DIRECTORY, b"/", CHAIN_FILE].concat(), stamp));
        }
        Ok(graph)
    }

    /// Tells whether all files are unchanged, and none with precedence was added.
    pub fn is_current(&self, store: &GitDirectory) -> Result<bool> {
        let is_single = self.files.first().is_some_and(|(name, _)| name == FILE);
        if !is_single && (self.files.is_empty() || store.stamp(FILE)?.is_some()) {
            return Ok(false);
        }
        for (name, stamp) in &self.files {
            if store.stamp(name)? != Some(*stamp) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tells whether the graph has no commit.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Returns the bytes that the graph holds in memory.
    pub fn bytes(&self) -> usize {
        self.layers.iter().map(|layer| layer.bytes.capacity()).sum()
    }

    /// Adds the layer in a file; tells whether it is usable.
    fn add(
        &mut self,
        store: &GitDirectory,
        name: &[u8],
        hash: Kind,
        left: &mut u64,
    ) -> Result<bool> {
        let Some(file) = store.open(name)? else { return Ok(false) };
        // A file of another format is not read: its size may be the limit, in each of many stores.
        let mut head = [0; 8];
        let is_known = matches!(file.read_at(0, &mut head), Ok(8)) && is_head(&head, hash);
        if !is_known || file.stamp().size() > *left {
            return Ok(false);
        }
        *left -= file.stamp().size();
        let bytes = match file.read_all(limits::GRAPH_BYTES) {
            Ok(bytes) => bytes,
            Err(OpenError::Stopped(stopped)) => return Err(stopped.into()),
            Err(_) => return Ok(false),
        };
        let base = self.layers.last().map_or(0, |layer| layer.base + layer.count);
        let is_whole = bytes.len() as u64 == file.stamp().size() && has_checksum(&bytes, hash)?;
        let Some(layer) = Layer::parse(bytes, hash, base).filter(|_| is_whole) else {
            return Ok(false);
        };
        self.layers.push(layer);
        self.files.push((name.to_vec(), file.stamp()));
        Ok(true)
    }

    /// Returns the links of a commit; `None` if it is absent or inconsistent.
    pub fn links(&self, id: &Oid) -> Option<Links> {
        let (layer, at) = self.find(id)?;
        let generation = layer.generation(at)?;
        let mut parents = Vec::new();
        for position in layer.parents(at)? {
            let (layer, at) = self.layer(position)?;
            if layer.generation(at)? >= generation {
                return None;
            }
            parents.push(layer.id(at)?);
        }
        Some(Links { tree: layer.tree(at)?, parents, date: layer.date(at)? })
    }

    /// Tells whether every layer has corrected dates, in which no commit is older than its parents.
    pub fn has_corrected_dates(&self) -> bool {
        !self.is_empty() && self.layers.iter().all(|layer| layer.later.is_some())
    }

    /// Returns the corrected date of a commit if all layers have them, else its generation.
    pub fn height(&self, id: &Oid) -> Option<u64> {
        let (layer, at) = self.find(id)?;
        if self.has_corrected_dates() {
            layer.corrected_date(at)
        } else {
            layer.generation(at).map(u64::from)
        }
    }

    /// Returns the layer of a commit, and its position there.
    fn find(&self, id: &Oid) -> Option<(&Layer, u32)> {
        self.layers.iter().rev().find_map(|layer| Some((layer, layer.find(id)?)))
    }

    /// Returns the layer of a position over all layers, and the position in it.
    fn layer(&self, position: u32) -> Option<(&Layer, u32)> {
        let layer = self.layers.iter().rev().find(|layer| layer.base <= position)?;
        Some((layer, position - layer.base))
    }
}

impl Layer {
    fn parse(bytes: Vec<u8>, hash: Kind, base: u32) -> Option<Self> {
        let head = bytes.get(..8).filter(|head| is_head(head, hash))?;
        let id_bytes = hash.len_in_bytes();
        let mut places = [None; CHUNKS.len()];
        for chunk in 0..usize::from(head[6]) {
            let entry = bytes.get(8 + chunk * 12..8 + (chunk + 2) * 12)?;
            let start = usize::try_from(big_endian(&entry[4..12])).ok()?;
            let end = usize::try_from(big_endian(&entry[16..24])).ok()?;
            if start > end || end > bytes.len() {
                return None;
            }
            if let Some(known) = CHUNKS.iter().position(|name| entry.starts_with(*name)) {
                places[known] = Some((start, end));
            }
        }
        let [fanout, ids, commits, lists, later, much_later] = places;
        let ((fanout, fanout_end), (ids, ids_end), (commits, commits_end)) =
            (fanout?, ids?, commits?);
        if fanout_end - fanout != 256 * 4 {
            return None;
        }
        let counts =
            bytes[fanout..fanout_end].chunks_exact(4).map(|count| big_endian(count) as u32);
        let count = counts.clone().next_back()?;
        let entries = count as usize;
        let fits = ids_end - ids == entries.checked_mul(id_bytes)?
            && commits_end - commits == entries.checked_mul(id_bytes + 16)?
            && base.checked_add(count)? < NO_PARENT;
        let later =
            later.filter(|(start, end)| (end - start) / 4 == entries).map(|(start, _)| start);
        (counts.is_sorted() && fits).then_some(Self {
            bytes,
            id_bytes,
            base,
            count,
            fanout,
            ids,
            commits,
            lists,
            later,
            much_later,
        })
    }

    /// Returns the position of a commit in this layer.
    fn find(&self, id: &Oid) -> Option<u32> {
        let first = usize::from(id.first_byte());
        let count = |at: usize| self.word(self.fanout + at * 4);
        let mut range = if first == 0 { 0 } else { count(first - 1)? }..count(first)?;
        while !range.is_empty() {
            let middle = range.start + (range.end - range.start) / 2;
            match self.id_bytes_at(middle)?.cmp(id.as_bytes()) {
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn id_bytes_at(&self, at: u32) -> Option<&[u8]> {
        let start = self.ids + at as usize * self.id_bytes;
        self.bytes.get(start..start + self.id_bytes).filter(|_| at < self.count)
    }

    fn id(&self, at: u32) -> Option<Oid> {
        Oid::try_from(self.id_bytes_at(at)?).ok()
    }

    /// Returns the generation of a commit: one more than the highest of its parents. 0 means not
    /// computed.
    fn generation(&self, at: u32) -> Option<u32> {
        self.word(self.after_tree(at) + 8).filter(|_| at < self.count).map(|word| word >> 2)
    }

    /// Returns the offset of a commit's entry after the id of its tree: its two parents, then its
    /// generation and its date.
    fn after_tree(&self, at: u32) -> usize {
        self.commits + at as usize * (self.id_bytes + 16) + self.id_bytes
    }

    fn tree(&self, at: u32) -> Option<Oid> {
        let end = self.after_tree(at);
        Oid::try_from(self.bytes.get(end - self.id_bytes..end)?).ok()
    }

    /// Returns the positions of a commit's parents over all layers.
    fn parents(&self, at: u32) -> Option<Vec<u32>> {
        let start = self.after_tree(at);
        let (first, second) = (self.word(start)?, self.word(start + 4)?);
        let mut parents = Vec::new();
        if first != NO_PARENT {
            parents.push(first);
        }
        if second & LIST == 0 {
            parents.extend(Some(second).filter(|&second| second != NO_PARENT));
            return Some(parents);
        }
        let (lists, end) = self.lists?;
        let mut at = lists.checked_add((second & !LIST) as usize * 4)?;
        loop {
            if at + 4 > end || parents.len() == limits::PARENTS {
                return None;
            }
            let parent = self.word(at)?;
            parents.push(parent & !LIST);
            if parent & LIST != 0 {
                return Some(parents);
            }
            at += 4;
        }
    }

    fn date(&self, at: u32) -> Option<u64> {
        let rest = self.after_tree(at);
        Some(u64::from(self.word(rest + 8)? & 3) << 32 | u64::from(self.word(rest + 12)?))
    }

    fn corrected_date(&self, at: u32) -> Option<u64> {
        let later = self.word(self.later? + at as usize * 4).filter(|_| at < self.count)?;
        let later = if later & LIST == 0 {
            u64::from(later)
        } else {
            let (start, end) = self.much_later?;
            let at = start.checked_add((later & !LIST) as usize * 8)?;
            big_endian(self.bytes.get(at..at + 8).filter(|_| at + 8 <= end)?)
        };
        self.date(at)?.checked_add(later)
    }

    fn word(&self, at: usize) -> Option<u32> {
        self.bytes.get(at..at + 4).map(|bytes| big_endian(bytes) as u32)
    }
}

/// Tells whether these are the first eight bytes of a layer.
fn is_head(head: &[u8], hash: Kind) -> bool {
    let version = match hash {
        Kind::Sha1 => 1,
        _ => 2,
    };
    &head[..4] == b"CGPH" && head[4] == 1 && head[5] == version
}

/// Tells whether the bytes end in their checksum.
fn has_checksum(bytes: &[u8], hash: Kind) -> Result<bool> {
    let Some(end) = bytes.len().checked_sub(hash.len_in_bytes()) else { return Ok(false) };
    let (content, checksum) = bytes.split_at(end);
    let mut hasher = gix::hash::hasher(hash);
    for piece in content.chunks(HASHED_BYTES) {
        check_current()?;
        hasher.update(piece);
    }
    Ok(hasher.try_finalize().is_ok_and(|found| found.as_bytes() == checksum))
}
