//! Applies the deltas of a pack: an object as copied and new pieces (git's `gitformat-pack`).

use crate::store::inflate::room;
use crate::store::pack::fault::Fault;
use redline_base::budget::{Budget, Charge};

/// Bytes of each of the two sizes at the front of a delta, at most.
const SIZE_BYTES: usize = 9;
/// Bytes at the front of a delta that tell the sizes.
pub const HEAD_BYTES: usize = 2 * SIZE_BYTES;

/// Returns the object that a delta makes of its base, and what is charged for it.
///
/// # Errors
/// [`Fault`] if the delta is damaged, or its result exceeds the limit of an object or the memory.
pub fn apply(base: &[u8], delta: &[u8], budget: &Budget) -> Result<(Vec<u8>, Charge), Fault> {
    let Sizes { base: base_size, result: result_size, commands } = sizes(delta)?;
    if base_size != base.len() as u64 {
        return Err(Fault::Damaged);
    }
    let (mut result, charge) = room(result_size, budget)?;
    put_together(base, commands, result_size as usize, &mut result).ok_or(Fault::Damaged)?;
    Ok((result, charge))
}

/// What is at the front of a delta, and its commands.
pub struct Sizes<'a> {
    /// The bytes of the base.
    pub base: u64,
    /// The bytes of the object that it makes.
    pub result: u64,
    /// See [`command`].
    pub commands: &'a [u8],
}

/// Reads the front of a delta, of which its first bytes are enough.
pub fn sizes(delta: &[u8]) -> Result<Sizes<'_>, Fault> {
    let (base, rest) = size(delta).ok_or(Fault::Damaged)?;
    let (result, commands) = size(rest).ok_or(Fault::Damaged)?;
    Ok(Sizes { base, result, commands })
}

/// A command of a delta: what comes next in the object that it makes.
pub enum Command<'a> {
    /// So many bytes of the base, from an offset on.
    Copy(usize, usize),
    /// New bytes.
    New(&'a [u8]),
}

/// Takes the first command; `None` if there is none, or a damaged one.
pub fn command<'a>(rest: &mut &'a [u8]) -> Option<Command<'a>> {
    let (&command, after) = rest.split_first()?;
    *rest = after;
    if command & 0x80 != 0 {
        let start = number(rest, command, 4)?;
        let length = match number(rest, command >> 4, 3)? {
            0 => 0x1_0000,
            length => length,
        };
        return Some(Command::Copy(start, length));
    }
    // A length of 0 is reserved.
    let (new, after) =
        rest.split_at_checked(usize::from(command)).filter(|(new, _)| !new.is_empty())?;
    *rest = after;
    Some(Command::New(new))
}

/// Executes the commands of a delta, whose result has `result_size` bytes; `None` if they are
/// damaged.
fn put_together(
    base: &[u8],
    mut commands: &[u8],
    result_size: usize,
    result: &mut Vec<u8>,
) -> Option<()> {
    while !commands.is_empty() {
        let piece = match command(&mut commands)? {
            Command::Copy(start, length) => base.get(start..start.checked_add(length)?)?,
            Command::New(bytes) => bytes,
        };
        if piece.len() > result_size - result.len() {
            return None;
        }
        result.extend_from_slice(piece);
    }
    (result.len() == result_size).then_some(())
}

/// Reads a size at the front: seven bits per byte, the lowest first.
fn size(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut size = 0u64;
    for (place, &byte) in bytes.iter().enumerate().take(SIZE_BYTES) {
        size |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((size, &bytes[place + 1..]));
        }
    }
    None
}

/// Reads a number; only the bytes marked in `present` are stored, the lowest first.
fn number(rest: &mut &[u8], present: u8, bytes: usize) -> Option<usize> {
    let mut number = 0;
    for place in 0..bytes {
        if present & 1 << place != 0 {
            let (&byte, after) = rest.split_first()?;
            number |= usize::from(byte) << (8 * place);
            *rest = after;
        }
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_makes_the_object_that_it_describes_or_is_refused() {
        for (delta, result) in [
            (&b"\x06\x03\x03xyz"[..], Some("xyz")),
            (b"\x06\x06\x90\x06", Some("abcdef")),
            (b"\x06\x05\x91\x02\x03\x02xy", Some("cdexy")),
            (b"\x06\x00", Some("")),
            (b"\x05\x06\x90\x06", None),
            (b"\x06\x05\x90\x06", None),
            (b"\x06\x07\x90\x06", None),
            (b"\x06\x06\x91\x01\x06", None),
            (b"\x06\x01\x00", None),
            (b"\x06\x03\x03xy", None),
            (b"\x06\x03\x9f", None),
            (b"\x06", None),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None),
        ] {
            assert_eq!(
                apply(b"abcdef", delta, &Budget::default()).ok().map(|(bytes, _)| bytes),
                result.map(|text| text.as_bytes().to_vec()),
                "{delta:?}"
            );
        }
        // A result of 2 GiB, from its header alone.
        let large = b"\x06\x80\x80\x80\x80\x08\x90\x06";
        let refused = apply(b"abcdef", large, &Budget::default());
        assert!(matches!(refused, Err(Fault::TooLarge(0x8000_0000))));
    }
}
