//! Character sets of one to four bytes per character, decoded as by glibc's iconv, which git uses
//! on Linux.
//!
//! The tables are those of `encoding_rs` (the WHATWG standard); `names` lists iconv's differences.

use encoding_rs::{DecoderResult, Encoding};

use redline_base::budget::{Stopped, append, check_current};

/// Bytes that are decoded at once, and between two checks of the budget.
const PIECE: usize = 1 << 18;

/// The table of a character set.
#[derive(Debug)]
pub enum Table {
    /// A table of the WHATWG standard.
    Web(&'static Encoding),
    /// A table that depends on escape sequences in the text.
    Escapes(&'static Encoding),
    /// One byte per character; this is the upper half, empty where each byte is a code point.
    Upper(&'static str),
}

/// A part of a table that iconv does not have.
#[derive(Debug)]
pub enum Without {
    /// Two-byte characters with the first byte in the first range and the second byte in the second
    /// range.
    Cells((u8, u8), (u8, u8)),
    /// Characters whose bytes, read as one number, are in the range.
    Codes(u32, u32),
    /// The control characters with which the standard fills free cells.
    Controls,
}

/// A character set of iconv.
#[derive(Debug)]
pub struct Charset {
    /// Its names in capital letters, separated by spaces.
    names: &'static str,
    table: Table,
    without: &'static [Without],
    controls: &'static [(u8, u8)],
    other: &'static [(u32, char)],
}

impl Charset {
    /// Returns the character set of a table; its names are in capital letters, separated by spaces.
    pub const fn new(table: Table, names: &'static str) -> Self {
        Self { names, table, without: &[], controls: &[], other: &[] }
    }

    /// Removes characters of the table.
    pub const fn without(self, without: &'static [Without]) -> Self {
        Self { without, ..self }
    }

    /// Maps ranges of bytes to the control characters with their numbers.
    pub const fn controls(self, controls: &'static [(u8, u8)]) -> Self {
        Self { controls, ..self }
    }

    /// Replaces characters of the table, by their code.
    pub const fn other(self, other: &'static [(u32, char)]) -> Self {
        Self { other, ..self }
    }

    /// Tells whether it has a name, in any case.
    pub fn is_called(&self, label: &[u8]) -> bool {
        self.names.split(' ').any(|name| name.as_bytes().eq_ignore_ascii_case(label))
    }

    /// Returns a text in UTF-8, or `None` if it is malformed.
    ///
    /// # Errors
    /// The reason why the query ended.
    pub fn decode(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Stopped> {
        let mut out = Vec::new();
        if let Table::Escapes(table) = self.table {
            return Ok(decode_escapes(table, bytes, &mut out)?.then_some(out));
        }
        let has_other_ascii = self.other.iter().any(|(code, _)| *code < 0x80);
        let (mut kept, mut at) = (0, 0);
        while at < bytes.len() {
            if at - kept >= PIECE {
                check_current()?;
                if !self.decode_run(&bytes[kept..at], &mut out)? {
                    return Ok(None);
                }
                kept = at;
            }
            if bytes[at] < 0x80 && !has_other_ascii {
                at += 1;
                continue;
            }
            let length = self.length(&bytes[at..]);
            let Some(unit) = bytes.get(at..at + length) else { return Ok(None) };
            let code = unit.iter().fold(0, |code, &byte| code << 8 | u32::from(byte));
            if let Some(other) = self.other_than_the_table(code, length) {
                if !self.decode_run(&bytes[kept..at], &mut out)? {
                    return Ok(None);
                }
                append(&mut out, other.encode_utf8(&mut [0; 4]).as_bytes())?;
                kept = at + length;
            } else if self.is_left_out(code, length) {
                return Ok(None);
            }
            at += length;
        }
        Ok(self.decode_run(&bytes[kept..], &mut out)?.then_some(out))
    }

    /// Returns the length of the first character in bytes.
    fn length(&self, bytes: &[u8]) -> usize {
        let Table::Web(web) = self.table else { return 1 };
        let first = bytes[0];
        if web.is_single_byte() || first < 0x80 || self.is_control(first) {
            return 1;
        }
        match web.name() {
            "EUC-JP" if first == 0x8f => 3,
            "Shift_JIS" if matches!(first, 0x80 | 0xa0..=0xdf | 0xfd..) => 1,
            "GBK" | "gb18030" if first == 0x80 => 1,
            "GBK" | "gb18030" if matches!(bytes.get(1), Some(b'0'..=b'9')) => 4,
            _ => 2,
        }
    }

    fn is_control(&self, byte: u8) -> bool {
        self.controls.iter().any(|&(from, to)| (from..=to).contains(&byte))
    }

    fn other_than_the_table(&self, code: u32, length: usize) -> Option<char> {
        if length == 1 && self.is_control(code as u8) {
            return char::from_u32(code);
        }
        // Big5's user-defined rows.
        if self.names.starts_with("BIG5 ") && (0xc6a1..=0xc8fe).contains(&code) {
            let cell = match code & 0xff {
                cell @ 0x40..=0x7e => cell - 0x40,
                cell @ 0xa1..=0xfe => cell - 0xa1 + 63,
                _ => return None,
            };
            return char::from_u32(0xf6b1 + ((code >> 8) - 0xc6) * 157 + cell - 63);
        }
        self.other.iter().find(|(other, _)| *other == code).map(|(_, other)| *other)
    }

    fn is_left_out(&self, code: u32, length: usize) -> bool {
        let [.., row, cell] = code.to_be_bytes();
        self.without.iter().any(|without| match *without {
            Without::Cells(rows, cells) => {
                length == 2 && (rows.0..=rows.1).contains(&row) && (cells.0..=cells.1).contains(&cell)
            }
            Without::Codes(from, to) => (from..=to).contains(&code),
            Without::Controls => {
                let byte = [cell];
                let is_control = |text: &str| text.chars().any(|char| ('\u{80}'..='\u{9f}').contains(&char));
                length == 1
                    && matches!(self.table, Table::Web(web) if is_control(&web.decode_without_bom_handling(&byte).0))
            }
        })
    }

    /// Appends whole characters of the table, about one piece at most; false if one is malformed.
    fn decode_run(&self, bytes: &[u8], out: &mut Vec<u8>) -> Result<bool, Stopped> {
        match self.table {
            Table::Web(web) | Table::Escapes(web) => {
                match web.decode_without_bom_handling_and_without_replacement(bytes) {
                    Some(text) => append(out, text.as_bytes())?,
                    None => return Ok(false),
                }
            }
            Table::Upper(upper) => {
                let upper: Vec<char> = upper.chars().collect();
                for &byte in bytes {
                    let place = usize::from(byte).checked_sub(0x80);
                    let char = place.and_then(|place| upper.get(place)).copied();
                    let char = char.unwrap_or(char::from(byte));
                    append(out, char.encode_utf8(&mut [0; 4]).as_bytes())?;
                }
            }
        }
        Ok(true)
    }
}

/// Appends a text in which each piece depends on those before it; false if it is malformed.
fn decode_escapes(
    table: &'static Encoding,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, Stopped> {
    let mut decoder = table.new_decoder_without_bom_handling();
    let mut pieces = bytes.chunks(PIECE).peekable();
    while let Some(piece) = pieces.next() {
        check_current()?;
        let room = decoder
            .max_utf8_buffer_length_without_replacement(piece.len())
            .ok_or(Stopped::Allocation)?;
        let mut text = vec![0; room];
        let is_last = pieces.peek().is_none();
        let (result, _, written) =
            decoder.decode_to_utf8_without_replacement(piece, &mut text, is_last);
        if result != DecoderResult::InputEmpty {
            return Ok(false);
        }
        append(out, &text[..written])?;
    }
    Ok(true)
}
