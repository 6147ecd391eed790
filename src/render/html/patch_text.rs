//! The text of a patch: lines that were added and removed have their colour before any script runs,
//! and what stands before the first hunk is folded.

use super::writer::Html;
use crate::diff;
use crate::line::{Line, Tone};
use redline_base::budget::text_of;
use redline_base::error::Result;
use redline_edit::payload::NotUtf8;

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
    head(html, text)?;
    html.markup("</pre></details>\n")
}

/// Writes what stands before and between hunks.
pub(super) fn head(html: &mut Html<'_>, text: &[u8]) -> Result<()> {
    let (text, not_utf8) = (text_of(text), NotUtf8::of(text));
    diff::lines_of_patch(&text, &not_utf8).try_for_each(|line| html.line(&line))
}

/// Writes lines of a hunk; those next to each other with one sign are one run.
pub(super) fn lines<'a>(html: &mut Html<'_>, lines: impl Iterator<Item = Line<'a>>) -> Result<()> {
    let mut last = None;
    for line in lines {
        let class = match line.tone {
            Tone::Added => Some("ins"),
            Tone::Removed => Some("del"),
            _ => None,
        };
        if class != last {
            html.markup(last.map_or("", |_| "</span>"))?;
            if let Some(class) = class {
                html.markup(&format!("<span class=\"{class}\">"))?;
            }
            last = class;
        }
        html.line(&line)?;
    }
    html.markup(last.map_or("", |_| "</span>"))
}
