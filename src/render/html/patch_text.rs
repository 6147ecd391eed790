//! The text of a patch: lines that were added and removed have their colour before any script runs,
//! and what stands before the first hunk is folded.

use super::writer::Html;
use redline_base::error::Result;

/// What the folded lines of a header say that a reader knows from elsewhere.
const KNOWN: [&[u8]; 4] = [b"diff --git ", b"index ", b"--- ", b"+++ "];

/// Writes the header of a patch, folded; its summary has what is told there alone, such as a mode.
pub(super) fn header(html: &mut Html<'_>, text: &[u8]) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    html.markup("<details class=\"patch-header\"><summary>Header")?;
    let own = text.split(|&byte| byte == b'\n');
    let own = own.filter(|line| !line.is_empty() && !KNOWN.iter().any(|it| line.starts_with(it)));
    for (at, line) in own.enumerate() {
        html.markup(if at == 0 { ": " } else { ", " })?;
        html.name(line)?;
    }
    html.markup("</summary><pre>")?;
    html.text(text)?;
    html.markup("</pre></details>\n")
}

/// Writes lines of a hunk; those next to each other with one sign are one run.
pub(super) fn lines(html: &mut Html<'_>, text: &[u8]) -> Result<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let class = class_of(rest);
        let mut end = 0;
        while end < rest.len() && class_of(&rest[end..]) == class {
            end = memchr::memchr(b'\n', &rest[end..]).map_or(rest.len(), |at| end + at + 1);
        }
        let (run, after) = rest.split_at(end);
        match class {
            Some(class) => {
                html.markup(&format!("<span class=\"{class}\">"))?;
                html.text(run)?;
                html.markup("</span>")?;
            }
            None => html.text(run)?,
        }
        rest = after;
    }
    Ok(())
}

fn class_of(line: &[u8]) -> Option<&'static str> {
    match line.first() {
        Some(b'+') => Some("ins"),
        Some(b'-') => Some("del"),
        _ => None,
    }
}
