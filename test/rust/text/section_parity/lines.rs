//! Makes lines that a driver's rules nearly take, and texts of them.

use super::samples::{samples, words};
use crate::engine_parity::random::Random;

/// What patterns treat in a way of their own: blanks, brackets, other white space, NUL, characters
/// that are not ASCII and bytes that are not UTF-8.
const BITS: [&[u8]; 48] = [
    b" ",
    b"  ",
    b"\t",
    b"(",
    b")",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b">",
    b";",
    b":",
    b"=",
    b",",
    b".",
    b"#",
    b"/",
    b"*",
    b"+",
    b"-",
    b"&",
    b"@",
    b"%",
    b"'",
    b"\"",
    b"!",
    b"\\",
    b"|",
    b"~",
    b"_",
    b"?",
    b"$",
    b"a",
    b"Z",
    b"0",
    b"\r",
    b"\x0b",
    b"\x0c",
    b"\0",
    b"\xff",
    b"\xc3",
    "é".as_bytes(),
    "日本".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{ffff}".as_bytes(),
    "🦀".as_bytes(),
];

/// Returns a line without its end, of the driver's samples or made from them.
pub fn line(r: &mut Random, driver: &str) -> Vec<u8> {
    let samples = samples(if r.one_in(8) { "" } else { driver });
    let mut line = r.pick(&samples).as_bytes().to_vec();
    for _ in 0..r.below(4) {
        change(r, &samples, &mut line);
    }
    line.retain(|&byte| byte != b'\n');
    line
}

fn change(r: &mut Random, samples: &[&str], line: &mut Vec<u8>) {
    let at = r.below(line.len() + 1);
    match r.below(12) {
        0 | 1 => drop(line.splice(at..at, r.pick(&BITS).iter().copied())),
        2 if at < line.len() => drop(line.remove(at)),
        3 if at < line.len() => drop(line.splice(at..=at, r.pick(&BITS).iter().copied())),
        4 | 5 => {
            let other = r.pick(samples).as_bytes();
            line.truncate(at);
            line.extend_from_slice(&other[r.below(other.len() + 1)..]);
        }
        6 | 7 => {
            let words: Vec<&str> = r.pick(samples).split([' ', '\t', '(', '{']).collect();
            let word = *r.pick(&words);
            let place = line.iter().position(|&byte| byte == b' ').unwrap_or(at) * r.below(2);
            line.splice(
                place..place,
                [word.as_bytes(), *r.pick::<&[u8]>(&[b" ", b"\t", b"", b"("])].concat(),
            );
        }
        8 => drop(
            line.splice(0..0, r.pick::<&[u8]>(&[b" ", b"\t", b"    ", b"\x0b"]).iter().copied()),
        ),
        9 if r.one_in(3) => {
            let long = r
                .pick::<&[u8]>(&[b" ", b"x", b"ab ", "é".as_bytes(), "日".as_bytes()])
                .repeat(70 + r.below(20));
            line.splice(at..at, long);
        }
        10 if at < line.len() => line[at] ^= if line[at].is_ascii_alphabetic() { 0x20 } else { 0 },
        _ => line.extend_from_slice(
            r.pick::<&[u8]>(&[b" ", b"\r", b" \t", b" {", b";", b":", b"\xff", b"()"]),
        ),
    }
}

/// Returns a pair in which each line is followed by one that changes, so that each is asked for
/// alone.
pub fn one_by_one(lines: impl IntoIterator<Item = Vec<u8>>) -> (Vec<u8>, Vec<u8>) {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for line in lines {
        for (side, mark) in [(&mut old, b"\n }0;\n"), (&mut new, b"\n }1;\n")] {
            side.extend_from_slice(&line);
            side.extend_from_slice(mark);
        }
    }
    (old, new)
}

/// Returns the driver's samples with each ASCII character put at, or instead of, each of theirs.
pub fn each_character_everywhere(driver: &str) -> impl Iterator<Item = Vec<u8>> {
    let characters = (0..0x80).filter(|&byte| byte != b'\n');
    let places = samples(driver)
        .into_iter()
        .flat_map(|sample| (0..=sample.len()).map(move |at| (sample.as_bytes(), at)));
    places.flat_map(move |(sample, at)| {
        let put = move |byte, after: usize| {
            [&sample[..at], &[byte], &sample[after.min(sample.len())..]].concat()
        };
        characters.clone().flat_map(move |byte| [put(byte, at), put(byte, at + 1)])
    })
}

/// What a line can look like around the word that decides about it.
const FRAMES: [&str; 24] = [
    "W",
    "W ",
    "W x",
    "  W x",
    "W x {",
    "W:",
    "W: x",
    "W(",
    "W x(",
    "W x y(",
    "  W x y(z) {",
    "x W y(z)",
    "W x = y;",
    "(W x",
    "(W- y",
    "(defW",
    "\\W{x}",
    "@W x {",
    "x=W y",
    "W class x",
    "W function x",
    "class W x",
    "end W x",
    ".W x",
];

/// Returns each word in each frame.
pub fn each_word() -> impl Iterator<Item = Vec<u8>> {
    words().into_iter().flat_map(|word| FRAMES.map(|frame| frame.replace('W', word).into_bytes()))
}

/// Returns `old` with a line changed, added or removed now and then.
pub fn edited(r: &mut Random, old: &[u8], every: usize) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len());
    for line in old.split_inclusive(|&byte| byte == b'\n') {
        match r.below(4 * every) {
            3 => new.extend_from_slice(&[line, b"\n"].concat()),
            0 => new.extend_from_slice(b" }+\n"),
            1 => new.extend_from_slice(&[line, b" }+\n"].concat()),
            2 => {}
            _ => new.extend_from_slice(line),
        }
    }
    new
}
