//! The signature of a commit: its kind, who says to have signed, and what was signed. It is never
//! verified here.
//!
//! Sources: the header `gpgsig` of git's "signature-format", RFC 9580 for OpenPGP packets, and
//! OpenSSH's PROTOCOL.sshsig.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use gix::bstr::ByteSlice;
use gix::hash::{Kind, hasher};

use super::big_endian;
use redline_base::budget::{Stopped, append, check_every};

/// Lines between two checks of the budget.
const LINES_PER_CHECK: usize = 1 << 14;

/// A longer signature is not parsed for its key.
const PARSED_BYTES: usize = 1 << 16;

/// The number of an OpenPGP packet with a signature.
const SIGNATURE_PACKET: u8 = 2;
/// The numbers of the parts of such a packet that name its key.
const ISSUER_KEY_ID: u8 = 16;
const ISSUER_FINGERPRINT: u8 = 33;

/// The signature of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// `openpgp`, `ssh` or `x509`; `None` for any other text.
    pub kind: Option<&'static str>,
    /// The key that the signature names: the fingerprint or id of an OpenPGP key in hexadecimal,
    /// the fingerprint `SHA256:…` of an SSH key; `None` if it names none that is read here.
    pub key: Option<String>,
    /// The armored text.
    pub text: Vec<u8>,
    /// The SHA-256 of the signed bytes, in hexadecimal: the commit without its signatures.
    pub payload_sha256: String,
}

/// Returns the signature of a commit, of the header for this hash.
///
/// # Errors
/// The reason why the query ended.
pub fn signature(commit: &[u8], hash: Kind) -> Result<Option<Signature>, Stopped> {
    let header: &[u8] = if hash == Kind::Sha256 { b"gpgsig-sha256 " } else { b"gpgsig " };
    let mut text = Vec::new();
    let mut payload = hasher(Kind::Sha256);
    let (mut is_signed, mut is_ours, mut is_other) = (false, false, false);
    let mut rest = commit;
    for (number, line) in commit.lines_with_terminator().enumerate() {
        check_every(LINES_PER_CHECK, number + 1)?;
        if line == b"\n" {
            break;
        }
        rest = &rest[line.len()..];
        let begins = line.strip_prefix(header);
        let continued = if is_ours { line.strip_prefix(b" ") } else { None };
        is_ours = begins.or(continued).is_some();
        if let Some(part) = begins.or(continued) {
            is_signed = true;
            is_other = false;
            append(&mut text, part)?;
            continue;
        }
        is_other = line.starts_with(b"gpgsig") || (is_other && line.starts_with(b" "));
        if !is_other {
            payload.update(line);
        }
    }
    if !is_signed {
        return Ok(None);
    }
    payload.update(rest);
    let kind = kind_of(&text);
    let key = Some(&text).filter(|text| text.len() <= PARSED_BYTES).and_then(|text| match kind {
        Some("openpgp") => openpgp_key(&unarmored(text)?),
        Some("ssh") => ssh_key(&unarmored(text)?),
        _ => None,
    });
    // SHA-256 has no known collisions to refuse.
    let Ok(digest) = payload.try_finalize() else { return Ok(None) };
    Ok(Some(Signature { kind, key, text, payload_sha256: digest.to_string() }))
}

/// Returns the kind of a signature by its first line; `None` for any other text.
pub fn kind_of(text: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 4] = [
        (b"-----BEGIN PGP SIGNATURE-----", "openpgp"),
        (b"-----BEGIN PGP MESSAGE-----", "openpgp"),
        (b"-----BEGIN SSH SIGNATURE-----", "ssh"),
        (b"-----BEGIN SIGNED MESSAGE-----", "x509"),
    ];
    KINDS.iter().find(|(begin, _)| text.starts_with(begin)).map(|(_, kind)| *kind)
}

/// Returns the bytes in an armor: base64 without its headers and its checksum.
fn unarmored(text: &[u8]) -> Option<Vec<u8>> {
    let lines = text.lines().skip(1).map(<[u8]>::trim_ascii);
    let is_code = |line: &&[u8]| !line.starts_with(b"=") && !line.starts_with(b"-----");
    let code: Vec<&[u8]> = lines
        .skip_while(|line| line.contains(&b':'))
        .take_while(is_code)
        .filter(|line| !line.is_empty())
        .collect();
    STANDARD.decode(code.concat()).ok()
}

/// Returns the key that an SSH signature holds, as `ssh-keygen -l` shows it.
fn ssh_key(bytes: &[u8]) -> Option<String> {
    let (_version, rest) = bytes.strip_prefix(b"SSHSIG")?.split_at_checked(4)?;
    let (length, rest) = rest.split_at_checked(4)?;
    let key = rest.get(..usize::try_from(big_endian(length)).ok()?)?;
    let mut hash = hasher(Kind::Sha256);
    hash.update(key);
    let digest = hash.try_finalize().ok()?;
    Some(format!("SHA256:{}", STANDARD_NO_PAD.encode(digest.as_slice())))
}

/// Returns the key that an OpenPGP signature names.
fn openpgp_key(bytes: &[u8]) -> Option<String> {
    let (&tag, rest) = bytes.split_first()?;
    let (number, body) = match tag {
        0xc0..=0xff => (tag & 0x3f, sized(rest)?.0),
        // The old form: the lowest two bits are the size of the length.
        0x80..=0xbf => {
            let (length, rest) = rest.split_at_checked(*[1, 2, 4].get(usize::from(tag & 3))?)?;
            (tag >> 2 & 0xf, rest.get(..usize::try_from(big_endian(length)).ok()?)?)
        }
        _ => return None,
    };
    if number != SIGNATURE_PACKET {
        return None;
    }
    match body {
        // Length, type and time come before the id of the key.
        [2 | 3, 5, rest @ ..] => rest.get(5..13).map(hex),
        [version @ 4..=6, _kind, _algorithm, _hash, rest @ ..] => {
            let width = if *version == 6 { 4 } else { 2 };
            let (hashed, rest) = area(rest, width)?;
            let parts = [hashed, area(rest, width).map_or(&[][..], |(plain, _)| plain)];
            let named = |wanted| parts.iter().find_map(|part| subpacket(part, wanted));
            let fingerprint = named(ISSUER_FINGERPRINT).and_then(|part| part.get(1..));
            fingerprint.or_else(|| named(ISSUER_KEY_ID)).map(hex)
        }
        _ => None,
    }
}

/// Splits an area with a length of `width` bytes from what follows.
fn area(bytes: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(width)?;
    rest.split_at_checked(usize::try_from(big_endian(length)).ok()?)
}

/// Splits what a length of one, two or five bytes counts from what follows.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match bytes {
        [first @ 0..=191, rest @ ..] => (u64::from(*first), rest),
        [first @ 192..=223, second, rest @ ..] => {
            (((u64::from(*first) - 192) << 8) + u64::from(*second) + 192, rest)
        }
        [255, rest @ ..] => {
            let (length, rest) = rest.split_at_checked(4)?;
            (big_endian(length), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// Returns the content of the first subpacket of a type.
fn subpacket(mut area: &[u8], wanted: u8) -> Option<&[u8]> {
    while !area.is_empty() {
        let (packet, rest) = sized(area)?;
        let (kind, content) = packet.split_first()?;
        // The highest bit marks a critical one.
        if kind & 0x7f == wanted {
            return Some(content);
        }
        area = rest;
    }
    None
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
