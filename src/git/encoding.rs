//! Texts in other encodings, read as git reads them with iconv.
//!
//! What Unicode's own encodings, ISO-8859-1 and US-ASCII are is decided here: the WHATWG standard, after which
//! `encoding_rs` goes, takes the last two for windows-1252 and knows no UTF-32.

use gix::bstr::ByteSlice;
use gix::filter::plumbing::worktree::encoding::for_label;
use gix::filter::plumbing::worktree::{encode_to_git, encode_to_git::RoundTripCheck};

/// Names of ISO-8859-1, in lower case.
const LATIN_1: [&[u8]; 12] = [
    b"iso-8859-1",
    b"iso8859-1",
    b"iso88591",
    b"iso_8859-1",
    b"8859_1",
    b"iso-ir-100",
    b"latin1",
    b"latin-1",
    b"l1",
    b"cp819",
    b"ibm819",
    b"csisolatin1",
];

/// Names of US-ASCII, in lower case.
const ASCII: [&[u8]; 12] = [
    b"us-ascii",
    b"ascii",
    b"us",
    b"ansi_x3.4-1968",
    b"ansi_x3.4-1986",
    b"iso646-us",
    b"iso-ir-6",
    b"cp367",
    b"ibm367",
    b"csascii",
    b"iso_646.irv:1991",
    b"646",
];

/// How the bytes of a unit are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Big,
    Little,
}

/// A text of a work tree in UTF-8, `None` where git would store it as it is: it is UTF-8, the encoding is unknown, the
/// text is malformed, or its byte-order mark is missing or out of place.
pub fn file_to_utf8(bytes: &[u8], label: &[u8]) -> Option<Vec<u8>> {
    let mark16 = mark(bytes, &[0xFE, 0xFF], &[0xFF, 0xFE]);
    let mark32 = mark(bytes, &[0, 0, 0xFE, 0xFF], &[0xFF, 0xFE, 0, 0]);
    match unicode(label).as_deref() {
        Some(b"16") => mark16.and(to_utf8(bytes, label)),
        Some(b"32") => mark32.and(to_utf8(bytes, label)),
        Some(b"16le" | b"16be") if mark16.is_some() => None,
        Some(b"32le" | b"32be") if mark32.is_some() => None,
        Some(b"8") => None,
        _ => to_utf8(bytes, label),
    }
}

/// A text in UTF-8, `None` where the encoding is unknown or the text malformed.
pub fn to_utf8(bytes: &[u8], label: &[u8]) -> Option<Vec<u8>> {
    let lower = label.to_ascii_lowercase();
    match unicode(label).as_deref() {
        Some(b"8") => return bytes.to_str().ok().map(|text| text.as_bytes().to_vec()),
        // Without a mark iconv takes the order of this machine; git's own name for one with a mark is read so too.
        Some(b"16" | b"16le-bom") => {
            let mark = mark(bytes, &[0xFE, 0xFF], &[0xFF, 0xFE]);
            let rest = if mark.is_some() { &bytes[2..] } else { bytes };
            return utf16(rest, mark.unwrap_or(NATIVE));
        }
        Some(b"16le") => return utf16(bytes, Order::Little),
        Some(b"16be") => return utf16(bytes, Order::Big),
        Some(b"32") => {
            let mark = mark(bytes, &[0, 0, 0xFE, 0xFF], &[0xFF, 0xFE, 0, 0]);
            let rest = if mark.is_some() { &bytes[4..] } else { bytes };
            return utf32(rest, mark.unwrap_or(NATIVE));
        }
        Some(b"32le") => return utf32(bytes, Order::Little),
        Some(b"32be") => return utf32(bytes, Order::Big),
        Some(_) => return None,
        None => {}
    }
    let name = lower.as_slice();
    if LATIN_1.contains(&name) {
        return Some(bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes());
    }
    if ASCII.contains(&name) {
        return bytes.is_ascii().then(|| bytes.to_vec());
    }
    let encoding = for_label(label.as_bstr()).ok()?;
    let mut utf8 = Vec::new();
    encode_to_git(bytes, encoding, &mut utf8, RoundTripCheck::Skip).ok()?;
    // What Windows left open the WHATWG standard fills with control characters, and iconv does not.
    let is_filled = encoding.name().starts_with("windows-")
        && utf8.to_str_lossy().chars().any(|c| matches!(c, '\u{80}'..='\u{9f}'));
    (!is_filled).then_some(utf8)
}

const NATIVE: Order = if cfg!(target_endian = "big") { Order::Big } else { Order::Little };

/// Returns what stands behind `UTF-` or `UTF` in a name, in lower case.
fn unicode(label: &[u8]) -> Option<Vec<u8>> {
    let lower = label.to_ascii_lowercase();
    let rest = lower.strip_prefix(b"utf")?;
    Some(rest.strip_prefix(b"-").unwrap_or(rest).to_vec())
}

fn mark(bytes: &[u8], big: &[u8], little: &[u8]) -> Option<Order> {
    if bytes.starts_with(big) { Some(Order::Big) } else { bytes.starts_with(little).then_some(Order::Little) }
}

fn utf16(bytes: &[u8], order: Order) -> Option<Vec<u8>> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units = units.iter().map(|&unit| match order {
        Order::Big => u16::from_be_bytes(unit),
        Order::Little => u16::from_le_bytes(unit),
    });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    rest.is_empty().then_some(text.ok()?.into_bytes())
}

fn utf32(bytes: &[u8], order: Order) -> Option<Vec<u8>> {
    let (units, rest) = bytes.as_chunks::<4>();
    let units = units.iter().map(|&unit| match order {
        Order::Big => u32::from_be_bytes(unit),
        Order::Little => u32::from_le_bytes(unit),
    });
    let text: Option<String> = units.map(char::from_u32).collect();
    rest.is_empty().then_some(text?.into_bytes())
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
            (b"x", "no-such-encoding", None),
            (b"\xef\xbb\xbfx", "UTF-8", None),
            (b"h\0i", "UTF-16LE", None),
        ] {
            assert_eq!(
                file_to_utf8(bytes, label.as_bytes()).as_deref(),
                decoded.map(str::as_bytes),
                "{label} {bytes:?}"
            );
        }
    }
}
