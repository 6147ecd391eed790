//! A change as one self-contained page for a browser; no text of a repository can become markup.
//!
//! Each file is one text in a section, which is read, searched and printed without script; the
//! script makes rows of what comes near the screen. The page asks for nothing: its policy names the
//! digests of its style and its script, and allows no more.

mod contents;
mod data;
mod file;
mod patch_text;
mod policy;
mod writer;

use std::ops::{Range, RangeInclusive};

pub use data::{PageCell, PageData};
use policy::{SCRIPT, STYLE};
use redline_base::error::Result;
use redline_base::form::counted;
use redline_base::limits;
use redline_text::CancelToken;
use redline_text::hunk_id::HunkId;
use writer::Html;

/// A change to show, which owns its texts: whoever compared two sides moves them here.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The repository's name, under which the viewed hunks are remembered.
    pub repository: String,
    /// What was asked for, as it was typed.
    pub asked: String,
    /// The permanent names of both sides.
    pub ends: [String; 2],
    /// The files in reading order.
    pub files: Vec<PageFile>,
    /// Whether moved lines were not searched, as too many lines are equal.
    pub are_moves_left_out: bool,
}

/// A changed file.
#[derive(Debug, Clone, Default)]
pub struct PageFile {
    /// Its status, in a word.
    pub status: &'static str,
    /// Its path.
    pub path: Vec<u8>,
    /// The path before, of a file that was renamed or copied.
    pub old_path: Option<Vec<u8>>,
    /// Added and removed lines; `None` if no lines are shown.
    pub lines: Option<(u64, u64)>,
    /// A note about it.
    pub note: Option<&'static str>,
    /// The names of its change, if it has no hunks.
    pub id: Option<HunkId>,
    /// Its patch.
    pub patch: Vec<u8>,
    /// The hunks of the patch, in order.
    pub hunks: Vec<PageHunk>,
    /// Its moved lines.
    pub moved: Vec<MovedRun>,
    /// The changed cells of a file of data.
    pub data: Option<PageData>,
    /// The unchanged lines beside its hunks, in order.
    pub unchanged: Vec<PageLines>,
}

/// A hunk of a patch.
#[derive(Debug, Clone)]
pub struct PageHunk {
    /// Its range in the patch, with its header.
    pub span: Range<usize>,
    /// The number of its first line before.
    pub old: u32,
    /// The number of its first line after.
    pub new: u32,
    /// Its names.
    pub id: Option<HunkId>,
}

/// Unchanged lines next to each other, which are folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLines {
    /// The hunk before which they stand; the number of hunks after the last one.
    pub before: usize,
    /// The number of the first of them before.
    pub old: u32,
    /// The same after.
    pub new: u32,
    /// How many they are.
    pub count: u32,
    /// They, each after a blank, as in a hunk.
    pub text: Vec<u8>,
}

/// Lines that were moved together.
#[derive(Debug, Clone)]
pub struct MovedRun {
    /// Whether they were added, not removed.
    pub is_added: bool,
    /// Their numbers on their side.
    pub lines: RangeInclusive<u32>,
    /// The place of the file with the same lines on the other side.
    pub other_file: usize,
    /// The number of the first of them there.
    pub other_first: u32,
    /// Whether they have the second colour.
    pub is_alternate: bool,
}

/// Returns the page.
///
/// # Errors
/// The reason for which the query ends: time, memory, the caller.
pub fn page(page: &Page, cancel: &CancelToken<'_>) -> Result<Vec<u8>> {
    let mut html = Html::new(cancel);
    head(&mut html, page)?;
    contents::contents(&mut html, page)?;
    html.markup("<main>\n")?;
    let mut emphasis = limits::EMPHASIS_PATCH_BYTES;
    let widest = page.files.iter().filter_map(|file| file.lines).map(|(a, b)| a + b).max();
    for (index, file) in page.files.iter().enumerate() {
        file::section(&mut html, page, index, file, (widest.unwrap_or_default(), &mut emphasis))?;
    }
    if page.files.is_empty() {
        html.markup("<p>Nothing differs.</p>\n")?;
    }
    html.markup("</main>\n<script>")?;
    html.markup(SCRIPT)?;
    html.markup("</script>\n</body>\n</html>\n")?;
    Ok(html.finish())
}

fn head(html: &mut Html<'_>, page: &Page) -> Result<()> {
    html.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
    html.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"")?;
    html.markup(&policy::POLICY)?;
    html.markup("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")?;
    html.markup("<meta name=\"viewport\" content=\"width=device-width\">\n<title>")?;
    title(html, page)?;
    html.markup("</title>\n<style>")?;
    html.markup(STYLE)?;
    html.markup("</style>\n</head>\n<body data-repository=\"")?;
    html.name(page.repository.as_bytes())?;
    html.markup("\">\n<header>\n<h1>")?;
    title(html, page)?;
    let lines = |side: fn((u64, u64)) -> u64| -> u64 {
        page.files.iter().filter_map(|file| file.lines).map(side).sum()
    };
    let (added, removed) = (lines(|lines| lines.0), lines(|lines| lines.1));
    let files = counted(page.files.len() as u64, "file");
    let hunks = page.files.iter().map(|file| file.hunks.len() as u64).sum();
    let hunks = counted(hunks, "hunk");
    html.markup(&format!(
        "</h1>\n<p>{files}, {hunks}, <b class=\"ins\">+{added}</b> <b class=\"del\">−{removed}</b> <span class=\"ends\">"
    ))?;
    html.name(page.ends[0].as_bytes())?;
    html.markup("..")?;
    html.name(page.ends[1].as_bytes())?;
    html.markup("</span></p>\n")?;
    if page.are_moves_left_out {
        html.markup("<p>Moved lines were not searched: too many lines are equal.</p>\n")?;
    }
    html.markup("</header>\n")
}

fn title(html: &mut Html<'_>, page: &Page) -> Result<()> {
    html.name(page.repository.as_bytes())?;
    html.markup(" ")?;
    html.name(page.asked.as_bytes())
}

#[cfg(test)]
mod tests;
