//! Binary files in patches: `Binary files … differ`, and git's binary data, which is not decoded.

use super::super::cancel_token::Stopped;
use super::super::lines::without_cr;
use super::error::{PatchError, excerpt_or_end};
use super::lines::{Line, LineCursor};
use super::work::Work;
use redline_base::budget::Grow;

/// Returns the text between `Binary files` (or `Files`) and `differ`.
pub(super) fn binary_files(text: &[u8]) -> Option<&[u8]> {
    let starts = [&b"Binary files "[..], b"Files "];
    let names = starts.iter().find_map(|start| text.strip_prefix(*start))?;
    let names = names.strip_suffix(b" differ")?;
    names.windows(5).any(|part| part == b" and ").then_some(names)
}

/// Takes one or two blocks `literal <size>` or `delta <size>`, each with lines of base 85 and an
/// empty line; returns them as written.
pub(super) fn binary_patch<'a>(
    lines: &mut LineCursor<'a>,
    work: &mut Work<'_>,
) -> Result<&'a [u8], PatchError> {
    let from = lines.clone();
    let mut blocks = 0;
    while blocks < 2 {
        let Some(head) = lines.peek().filter(is_block) else {
            break;
        };
        lines.next();
        blocks += 1;
        let mut data = 0;
        loop {
            work.line(b"")?;
            match lines.peek() {
                Some(line) if is_base85(line.header()) => data += 1,
                Some(line) if data > 0 && line.header().is_empty() => {
                    lines.next();
                    break;
                }
                None if data > 0 => break,
                line => {
                    let line = line.unwrap_or(head);
                    return Err(unfit(line.number, Some(line)));
                }
            }
            lines.next();
        }
    }
    if blocks == 0 {
        return Err(unfit(lines.number(), lines.peek()));
    }
    Ok(lines.since(&from))
}

fn unfit(number: u32, line: Option<Line<'_>>) -> PatchError {
    PatchError::BinaryPatch { line: number, found: excerpt_or_end(line.map(|line| line.text)) }
}

fn is_block(line: &Line<'_>) -> bool {
    let text = line.header();
    let size = [&b"literal "[..], b"delta "].iter().find_map(|start| text.strip_prefix(*start));
    size.is_some_and(|size| !size.is_empty() && size.iter().all(u8::is_ascii_digit))
}

/// Tells whether the line is a length letter and that many bytes in base 85.
fn is_base85(line: &[u8]) -> bool {
    let Some((letter, data)) = line.split_first() else {
        return false;
    };
    let length = match letter {
        b'A'..=b'Z' => usize::from(letter - b'A') + 1,
        b'a'..=b'z' => usize::from(letter - b'a') + 27,
        _ => return false,
    };
    data.len() == length.div_ceil(4) * 5 && data.iter().all(u8::is_ascii_graphic)
}

/// Splits a binary patch into its blocks, without their empty lines.
pub(super) fn binary_blocks<'a>(
    block: &'a [u8],
    work: &mut Work<'_>,
) -> Result<Vec<Vec<&'a [u8]>>, Stopped> {
    let mut blocks = vec![Vec::new()];
    for line in LineCursor::new(block, work.cancel())? {
        work.line(line.text)?;
        match without_cr(line.text) {
            b"" => blocks.add(Vec::new()),
            text => work.push(blocks.last_mut().unwrap_or(&mut Vec::new()), text)?,
        }
    }
    blocks.retain(|block| !block.is_empty());
    Ok(blocks)
}
