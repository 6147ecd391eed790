//! Decodes texts in other encodings as git does with iconv.
//!
//! | file | holds |
//! |---|---|
//! | this one | Unicode's own encodings, with or without a byte-order mark |
//! | `charset` | other character sets, of one to four bytes per character |
//! | `names` | the list of these, and iconv's differences from the WHATWG standard |

mod charset;
mod names;

use redline_base::budget::{Stopped, append, check_every, copied};

/// Bytes that are decoded between two checks of the budget.
const PIECE: usize = 1 << 18;

/// The byte order of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

impl Order {
    fn number(self, unit: &[u8]) -> u32 {
        let next = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        match self {
            Self::Big => unit.iter().fold(0, next),
            Self::Little => unit.iter().rev().fold(0, next),
        }
    }
}

/// Returns a file's text in UTF-8, or `None` if git would store it unchanged: it is UTF-8, the
/// encoding is unknown, the text is malformed, or its byte-order mark is missing or not allowed.
///
/// # Errors
/// The reason why the query ended.
pub fn file_to_utf8(bytes: &[u8], label: &[u8]) -> Result<Option<Vec<u8>>, Stopped> {
    match unicode(label).as_deref() {
        Some(b"16") if mark::<2>(bytes).is_none() => Ok(None),
        Some(b"32") if mark::<4>(bytes).is_none() => Ok(None),
        Some(b"16le" | b"16be") if mark::<2>(bytes).is_some() => Ok(None),
        Some(b"32le" | b"32be") if mark::<4>(bytes).is_some() => Ok(None),
        Some(b"8") => Ok(None),
        _ => to_utf8(bytes, label),
    }
}

/// Returns a text in UTF-8, or `None` if the encoding is unknown or the text malformed.
///
/// # Errors
/// The reason why the query ended.
pub fn to_utf8(bytes: &[u8], label: &[u8]) -> Result<Option<Vec<u8>>, Stopped> {
    match unicode(label).as_deref() {
        Some(b"8") if std::str::from_utf8(bytes).is_err() => Ok(None),
        Some(b"8") => copied(bytes).map(Some),
        // `utf16le-bom`, git's own name, is read alike.
        Some(b"16" | b"16le-bom") => decode_marked::<2>(bytes),
        Some(b"16le") => decode::<2>(bytes, Order::Little),
        Some(b"16be") => decode::<2>(bytes, Order::Big),
        Some(b"32") => decode_marked::<4>(bytes),
        Some(b"32le") => decode::<4>(bytes, Order::Little),
        Some(b"32be") => decode::<4>(bytes, Order::Big),
        Some(_) => Ok(None),
        None => names::find(label).map_or(Ok(None), |charset| charset.decode(bytes)),
    }
}

const NATIVE: Order = if cfg!(target_endian = "big") { Order::Big } else { Order::Little };

/// Returns the part of a name after `UTF-` or `UTF`, in lower case.
fn unicode(label: &[u8]) -> Option<Vec<u8>> {
    let lower = label.to_ascii_lowercase();
    let rest = lower.strip_prefix(b"utf")?;
    Some(rest.strip_prefix(b"-").unwrap_or(rest).to_vec())
}

/// Returns the byte order that a byte-order mark at the front tells, `None` without one.
fn mark<const SIZE: usize>(bytes: &[u8]) -> Option<Order> {
    let first = bytes.first_chunk::<SIZE>()?;
    [Order::Big, Order::Little].into_iter().find(|order| order.number(first) == 0xFEFF)
}

/// Decodes units after their byte-order mark; without one iconv uses this machine's byte order.
fn decode_marked<const SIZE: usize>(bytes: &[u8]) -> Result<Option<Vec<u8>>, Stopped> {
    match mark::<SIZE>(bytes) {
        Some(order) => decode::<SIZE>(&bytes[SIZE..], order),
        None => decode::<SIZE>(bytes, NATIVE),
    }
}

/// Decodes units of two or four bytes; a surrogate pair is two units of two bytes.
fn decode<const SIZE: usize>(bytes: &[u8], order: Order) -> Result<Option<Vec<u8>>, Stopped> {
    let (units, rest) = bytes.as_chunks::<SIZE>();
    let mut text = Vec::new();
    let mut units = units.iter().map(|unit| order.number(unit)).enumerate();
    while let Some((at, unit)) = units.next() {
        check_every(PIECE, at)?;
        let code = match unit {
            0xd800..0xdc00 if SIZE == 2 => match units.next() {
                Some((_, low @ 0xdc00..0xe000)) => {
                    0x1_0000 + ((unit - 0xd800) << 10 | (low - 0xdc00))
                }
                _ => return Ok(None),
            },
            unit => unit,
        };
        let Some(char) = char::from_u32(code) else { return Ok(None) };
        append(&mut text, char.encode_utf8(&mut [0; 4]).as_bytes())?;
    }
    Ok(rest.is_empty().then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_git_cannot_decode_stays_as_it_is() {
        for (bytes, label, decoded) in [
            (&b"\xff\xfeh\0i\0"[..], "UTF-16", Some("hi")),
            (b"\xfe\xff\0h\0i", "utf-16", Some("hi")),
            (b"h\0i\0", "UTF-16", None),
            (b"h\0i\0", "UTF-16LE", Some("hi")),
            (b"\xff\xfeh\0i\0", "UTF-16LE", None),
            (b"\xff\xfeh\0i\0", "UTF-16LE-BOM", Some("hi")),
            (b"\xfe\xff\0h", "UTF-16BE-BOM", None),
            (b"\0\0\0h", "UTF-32BE", Some("h")),
            (b"\0\0\xfe\xff\0\0\0h", "UTF-32", Some("h")),
            (b"\0\0\0h", "UTF-32", None),
            (b"\0\0\xd8\0", "UTF-32BE", None),
            (b"\0\xd8", "UTF-16LE", None),
            (b"caf\xe9\x80", "ISO-8859-1", Some("caf\u{e9}\u{80}")),
            (b"caf\xe9", "US-ASCII", None),
            (b"caf\x80", "windows-1252", Some("caf\u{20ac}")),
            (b"caf\x81", "windows-1252", None),
            (b"\0\x3d\0\xd8", "UTF-16LE", None),
            (b"\x3d\xd8\0\xde", "UTF-16LE", Some("\u{1f600}")),
            (b"\0\0\xde\0", "UTF-32BE", None),
            (b"\x83\x5c\\~", "Shift_JIS", Some("\u{30bd}\u{a5}\u{203e}")),
            (b"\x83\x5c\\~", "cp932", Some("\u{30bd}\\~")),
            (b"\x87\x40", "SJIS", None),
            (b"\x87\x40", "windows-31j", Some("\u{2460}")),
            (b"\x83", "CP932", None),
            (b"\xa1\xc1\x8f\xb0\xa1", "EUC-JP", Some("\u{301c}\u{4e02}")),
            (b"\xc7\x40", "BIG5", Some("\u{f70f}")),
            (b"\x82\xa0", "GBK", Some("\u{5041}")),
            (b"\x82\xa0", "GB2312", None),
            (b"\x81\x30\x81\x30", "GBK", None),
            (b"\x81\x30\x81\x30", "GB18030", Some("\u{80}")),
            (b"\x82", "CP437", Some("\u{e9}")),
            (b"x", "x-sjis", None),
            (b"x", "no-such-encoding", None),
            (b"\xef\xbb\xbfx", "UTF-8", None),
            (b"h\0i", "UTF-16LE", None),
        ] {
            assert_eq!(
                file_to_utf8(bytes, label.as_bytes()).unwrap().as_deref(),
                decoded.map(str::as_bytes),
                "{label} {bytes:?}"
            );
        }
    }
}
