//! Loose objects: files with one zlib stream of `<kind> <size>\0` and the bytes (git's
//! `gitrepository-layout`).

use std::sync::Arc;

use gix::hash::Kind as HashKind;
use gix::objs::Kind;
use gix::zlib::{Decompress, FlushDecompress};

use super::gate::GitDirectory;
use super::inflate::{inflate_rest, room};
use super::pack::fault::Fault;
use crate::Oid;
use crate::model::bytes::Bytes;
use redline_base::budget::Budget;
use redline_base::limits;
use redline_sandbox::{EntryKind, RegularFile};

/// The bytes of the longest header: a kind, a 64-bit size and separators.
const HEADER_BYTES: usize = 32;
/// Bytes of a file that contain the header however it is compressed.
const HEAD_BYTES: usize = 4 << 10;

/// Returns an object, `None` if no store has it loose.
pub fn find(
    stores: &[GitDirectory],
    id: &Oid,
    budget: &Budget,
) -> Result<Option<(Kind, Bytes)>, Fault> {
    let name = name(id);
    open(stores, &name, |store, file| {
        // A compressed object is hardly longer than its content.
        let limit = limits::OBJECT_BYTES + limits::OBJECT_BYTES / 8;
        let _held = budget.charge_large(file.stamp().size().min(limit))?;
        let packed = store.contents(file, &name, limit)?;
        if packed.len() as u64 != file.stamp().size() {
            return Err(Fault::Changed);
        }
        inflate(&packed, budget)
    })
}

/// Returns the kind and the size of an object; reads only its start.
pub fn header(stores: &[GitDirectory], id: &Oid) -> Result<Option<(Kind, u64)>, Fault> {
    open(stores, &name(id), |_, file| {
        let mut packed = vec![0; HEAD_BYTES];
        let read = file.read_at(0, &mut packed).map_err(Fault::System)?;
        let mut head = [0; HEADER_BYTES];
        let (header, _) = start(&mut Decompress::new(), &packed[..read], &mut head)?;
        Ok((header.kind, header.size))
    })
}

/// Returns the ids of the loose objects that begin with a byte.
pub fn ids(
    stores: &[GitDirectory],
    first: u8,
    hash: HashKind,
) -> redline_base::error::Result<Vec<Oid>> {
    let first = format!("{first:02x}");
    let mut ids = Vec::new();
    for store in stores {
        let Some(directory) = store.directory(first.as_bytes())? else { continue };
        let names = directory.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::File);
        let names =
            names.filter_map(|entry| Oid::from_hex(&[first.as_bytes(), &entry.name].concat()).ok());
        ids.extend(names.filter(|id| id.kind() == hash));
    }
    Ok(ids)
}

fn name(id: &Oid) -> Vec<u8> {
    let hex = id.to_string();
    format!("{}/{}", &hex[..2], &hex[2..]).into_bytes()
}

/// Returns the first successful result of `take` for the object in each store; else the last fault.
fn open<T>(
    stores: &[GitDirectory],
    name: &[u8],
    take: impl Fn(&GitDirectory, &RegularFile) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let mut fault = None;
    for store in stores {
        let Some(file) = store.open(name)? else { continue };
        match take(store, &file) {
            Ok(taken) => return Ok(Some(taken)),
            Err(error) => fault = Some(error),
        }
    }
    fault.map_or(Ok(None), Err)
}

struct Header {
    kind: Kind,
    size: u64,
    /// Its length in bytes, with the NUL.
    length: usize,
}

/// Inflates the start of an object into `head`; returns its header and the number of bytes in
/// `head`.
fn start(
    zlib: &mut Decompress,
    packed: &[u8],
    head: &mut [u8; HEADER_BYTES],
) -> Result<(Header, usize), Fault> {
    zlib.decompress(packed, head, FlushDecompress::None).map_err(|_| Fault::Damaged)?;
    let filled = usize::try_from(zlib.total_out()).map_err(|_| Fault::Damaged)?;
    let end = head[..filled].iter().position(|&byte| byte == 0).ok_or(Fault::Damaged)?;
    let text = std::str::from_utf8(&head[..end]).map_err(|_| Fault::Damaged)?;
    let (kind, size) = text.split_once(' ').ok_or(Fault::Damaged)?;
    let kind = Kind::from_bytes(kind.as_bytes()).map_err(|_| Fault::Damaged)?;
    let is_number = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
    let size = size.parse().ok().filter(|_| is_number && (size == "0" || !size.starts_with('0')));
    Ok((Header { kind, size: size.ok_or(Fault::Damaged)?, length: end + 1 }, filled))
}

fn inflate(packed: &[u8], budget: &Budget) -> Result<(Kind, Bytes), Fault> {
    let mut zlib = Decompress::new();
    let mut head = [0; HEADER_BYTES];
    let (Header { kind, size, length }, filled) = start(&mut zlib, packed, &mut head)?;
    let (mut bytes, charge) = room(size, budget)?;
    bytes.extend_from_slice(&head[length..filled]);
    if bytes.len() as u64 > size {
        return Err(Fault::Damaged);
    }
    bytes.resize(size as usize, 0);
    inflate_rest(&mut zlib, packed, length, &mut bytes, budget)?;
    if zlib.total_in() < packed.len() as u64 {
        return Err(Fault::Damaged);
    }
    Ok((kind, Bytes::held(Arc::new(bytes), charge)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflate(packed: &[u8]) -> Result<(Kind, Bytes), Fault> {
        super::inflate(packed, &Budget::default())
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        crate::store::inflate::tests::packed(bytes, 6)
    }

    #[test]
    fn an_object_is_whole_or_damaged() {
        let long = [b"blob 5000\0".to_vec(), vec![b'x'; 5000]].concat();
        for (bytes, kind, size) in [
            (&b"blob 0\0"[..], Kind::Blob, 0),
            (b"tree 2\0ab", Kind::Tree, 2),
            (&long, Kind::Blob, 5000),
        ] {
            let (found, content) = inflate(&packed(bytes)).unwrap();
            assert_eq!((found, content.len()), (kind, size));
        }
        for bad in [
            &b"blob 1\0"[..],
            b"blob 1\0ab",
            b"blob 01\0a",
            b"blob -1\0a",
            b"blob +1\0a",
            b"blub 1\0a",
            b"blob 1",
            b"",
        ] {
            assert!(matches!(inflate(&packed(bad)), Err(Fault::Damaged)), "{bad:?}");
        }
        let whole = packed(&long);
        for end in 0..whole.len() {
            assert!(inflate(&whole[..end]).is_err(), "{end}");
        }
        assert!(inflate(&[&whole[..], b"x"].concat()).is_err());
        assert!(matches!(
            inflate(&packed(b"blob 9999999999\0a")),
            Err(Fault::TooLarge(9_999_999_999))
        ));
    }
}
