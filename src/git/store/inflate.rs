//! Room for an object, and inflating a large one in pieces, with checks of the budget in between.

use gix::zlib::{Decompress, FlushDecompress, Status};

use crate::store::pack::fault::Fault;
use redline_base::budget::{Budget, Charge};
use redline_base::limits;

/// Bytes that are inflated between two checks of the budget.
const PIECE_BYTES: usize = 4 << 20;

/// Returns an empty buffer with room for an object, and what is charged for it.
///
/// # Errors
/// [`Fault`] if the object exceeds the limit of one, or the memory.
pub fn room(size: u64, budget: &Budget) -> Result<(Vec<u8>, Charge), Fault> {
    if size > limits::OBJECT_BYTES {
        return Err(Fault::TooLarge(size));
    }
    let charge = budget.charge_large(size)?;
    let length = usize::try_from(size).map_err(|_| Fault::TooLarge(size))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| Fault::NoMemory(size))?;
    Ok((bytes, charge))
}

/// Inflates the rest of a stream whose bytes after the first `skipped` ones must fill `room`
/// exactly; those that were inflated before are in `room` already.
///
/// # Errors
/// [`Fault`] for a stream that is damaged or of another length; the reason why the query ended.
pub fn inflate_rest(
    zlib: &mut Decompress,
    packed: &[u8],
    skipped: usize,
    room: &mut [u8],
    budget: &Budget,
) -> Result<(), Fault> {
    let end = skipped + room.len();
    loop {
        budget.check()?;
        let [read, written] = [zlib.total_in(), zlib.total_out()]
            .map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        // A further byte reveals a stream that is longer.
        let mut over = [0];
        let piece = match written < end {
            true => &mut room[written - skipped..][..PIECE_BYTES.min(end - written)],
            false => &mut over[..],
        };
        let rest = packed.get(read..).ok_or(Fault::Damaged)?;
        let status = zlib.decompress(rest, piece, FlushDecompress::None);
        let is_over = zlib.total_out() > end as u64;
        let is_stuck = zlib.total_in() == read as u64 && zlib.total_out() == written as u64;
        match status {
            Ok(Status::StreamEnd) if zlib.total_out() == end as u64 => return Ok(()),
            Ok(Status::Ok | Status::BufError) if !is_over && !is_stuck => {}
            _ => return Err(Fault::Damaged),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use libdeflater::{CompressionLvl, Compressor};

    /// Returns bytes as a zlib stream.
    pub fn packed(content: &[u8], level: i32) -> Vec<u8> {
        let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
        let mut packed = vec![0; compressor.zlib_compress_bound(content.len())];
        let size = compressor.zlib_compress(content, &mut packed).unwrap();
        packed.truncate(size);
        packed
    }

    #[test]
    fn a_stream_in_pieces_is_what_was_packed_or_damaged() {
        let content: Vec<u8> = (0..PIECE_BYTES * 2 + 17).map(|n| (n / 7 % 251) as u8).collect();
        let mut packed = packed(&content, 0);
        let size = packed.len();
        // In a pack other entries follow.
        packed.extend([7; 100]);
        let inflate = |packed: &[u8], size: usize| {
            let mut room = vec![0; size];
            inflate_rest(&mut Decompress::new(), packed, 0, &mut room, &Budget::default())
                .map(|()| room)
        };
        assert!(inflate(&packed, content.len()).unwrap() == content);
        for size in [0, 1, content.len() - 1, content.len() + 1] {
            assert!(matches!(inflate(&packed, size), Err(Fault::Damaged)), "{size}");
        }
        assert!(matches!(inflate(&packed[..size - 1], content.len()), Err(Fault::Damaged)));
        packed[size - 1] ^= 1;
        assert!(matches!(inflate(&packed, content.len()), Err(Fault::Damaged)));
        let stopped = Budget::default();
        stopped.cancel();
        let mut room = vec![0; content.len()];
        let stopped = inflate_rest(&mut Decompress::new(), &packed, 0, &mut room, &stopped);
        assert!(matches!(stopped, Err(Fault::Stopped(_))));
    }
}
