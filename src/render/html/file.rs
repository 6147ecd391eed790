//! The section of a file: its name with a bar, and its patch in parts.
//!
//! A part is a hunk, or the piece of a large one that a browser lays out at once. Its classes
//! contain its height, one class for each digit, so that the scroll bar is right before the layout.

use std::collections::HashMap;

use super::data;
use super::writer::Html;
use super::{Page, PageFile, PageHunk, PageLines, patch_text};
use crate::diff;
use redline_base::budget::{Gather, Grow, GrowMap, Joined, text_of};
use redline_base::error::Result;
use redline_base::form::counted;
use redline_edit::payload::NotUtf8;
use redline_text::hunk_id::HunkId;

/// The most lines of a part.
const PART_LINES: usize = 400;
/// The maximum length of a bar.
const BAR: u64 = 20;
/// The classes for the digits of a number of lines, the last digit first.
const DIGITS: [char; 6] = ['u', 't', 'h', 'k', 'm', 'x'];

/// Writes the section of a file; `widest` is the largest number of changed lines in a file, and
/// `emphasis` are the bytes of which words may still be compared.
pub(super) fn section(
    html: &mut Html<'_>,
    page: &Page,
    index: usize,
    file: &PageFile,
    (widest, emphasis): (u64, &mut usize),
) -> Result<()> {
    // The header is folded into a line.
    let header = file.hunks.first().map_or(&[][..], |first| &file.patch[..first.span.start]);
    let lines = memchr::memchr_iter(b'\n', &file.patch[header.len()..]).count()
        + usize::from(!header.is_empty())
        + file.unchanged.len();
    let (number, height) = (index + 1, height(lines + 1));
    html.markup(&format!("<section id=\"f{number}\" class=\"file {height}\" data-path=\""))?;
    html.name(&file.path)?;
    html.markup("\"")?;
    if !file.moved.is_empty() {
        html.markup(" data-moved=\"")?;
        moved_runs(html, file)?;
        html.markup("\"")?;
    }
    html.markup(">\n<details open><summary><h2>")?;
    if let Some(old) = &file.old_path {
        html.name(old)?;
        html.markup(" → ")?;
    }
    html.name(&file.path)?;
    html.markup(&format!("</h2> <span class=\"what\">{}", file.status))?;
    if let Some(note) = file.note {
        html.markup(&format!(", {note}"))?;
    }
    html.markup("</span>")?;
    if let Some((added, removed)) = file.lines {
        html.markup(&bar(added, removed, widest))?;
    }
    html.markup("</summary>\n")?;
    moved_from(html, page, file)?;
    if let Some(data) = &file.data {
        data::table(html, data, number)?;
    }
    patch_text::header(html, header)?;
    html.markup("<pre>")?;
    patch(html, file, emphasis)?;
    html.markup("</pre></details></section>\n")
}

/// Returns the counts of changed lines with a bar, as `git diff --stat` draws it.
fn bar(added: u64, removed: u64, widest: u64) -> String {
    let scaled = |lines: u64| {
        let signs = if widest <= BAR { lines } else { (lines * BAR).div_ceil(widest) };
        usize::try_from(signs).unwrap_or_default()
    };
    format!(
        " <span class=\"count\">+{added} −{removed}</span> <span class=\"bar\" aria-hidden=\"true\"><b class=\"ins\">{}</b><b class=\"del\">{}</b></span>",
        "+".repeat(scaled(added)),
        "-".repeat(scaled(removed))
    )
}

/// Writes the moved lines for the script: side, first, last, file and line of the other side, and
/// whether the colour alternates.
fn moved_runs(html: &mut Html<'_>, file: &PageFile) -> Result<()> {
    let mut pace = html.pace();
    for (place, run) in file.moved.iter().enumerate() {
        pace.spend(1)?;
        let side = if run.is_added { 'n' } else { 'o' };
        let (first, last) = (run.lines.start(), run.lines.end());
        let (other, line) = (run.other_file + 1, run.other_first);
        let colour = u8::from(run.is_alternate);
        let space = if place == 0 { "" } else { " " };
        html.markup(&format!("{space}{side},{first},{last},{other},{line},{colour}"))?;
    }
    Ok(())
}

/// Writes how many lines came from which file.
fn moved_from(html: &mut Html<'_>, page: &Page, file: &PageFile) -> Result<()> {
    // In the order in which they come first.
    let mut sources: Vec<(usize, u64)> = Vec::new();
    let mut places: HashMap<usize, usize> = HashMap::new();
    let mut pace = html.pace();
    for run in file.moved.iter().filter(|run| run.is_added) {
        pace.spend(1)?;
        let lines = u64::from(run.lines.end() - run.lines.start()) + 1;
        let place = *places.slot(run.other_file).or_insert(sources.len());
        match sources.get_mut(place) {
            Some((_, all)) => *all += lines,
            None => sources.add((run.other_file, lines)),
        }
    }
    if sources.is_empty() {
        return Ok(());
    }
    html.markup("<p class=\"moves\">")?;
    for (place, (other, lines)) in sources.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let lines = counted(lines, "line");
        html.markup(&format!("{comma}{lines} moved from <a href=\"#f{}\">", other + 1))?;
        html.name(page.files.get(other).map_or(&[][..], |other| &other.path[..]))?;
        html.markup("</a>")?;
    }
    html.markup("</p>\n")
}

fn patch(html: &mut Html<'_>, file: &PageFile, emphasis: &mut usize) -> Result<()> {
    if file.hunks.is_empty() {
        // The whole text is viewed as one.
        html.markup(&opening("h", &file.patch, &names(file.id.as_ref())))?;
        patch_text::head(html, &file.patch)?;
        return html.markup("</span>");
    }
    let mut end = file.hunks[0].span.start;
    let mut unchanged = file.unchanged.iter().peekable();
    for (place, hunk) in file.hunks.iter().enumerate() {
        while let Some(lines) = unchanged.next_if(|lines| lines.before == place) {
            folded(html, lines)?;
        }
        // A type change is two patches in one, so there may be a second head.
        patch_text::head(html, &file.patch[end..hunk.span.start])?;
        parts(html, hunk, &file.patch[hunk.span.clone()], emphasis)?;
        end = hunk.span.end;
    }
    patch_text::head(html, &file.patch[end..])?;
    unchanged.try_for_each(|lines| folded(html, lines))
}

/// Writes unchanged lines, which a reader unfolds, between two texts of a patch.
fn folded(html: &mut Html<'_>, lines: &PageLines) -> Result<()> {
    let shown = counted(u64::from(lines.count), "unchanged line");
    html.markup(&format!("</pre><details class=\"more\"><summary>{shown}</summary><pre>"))?;
    let numbers = format!(" data-o=\"{}\" data-n=\"{}\"", lines.old, lines.new);
    html.markup(&opening("c", &lines.text, &numbers))?;
    let (text, not_utf8) = (text_of(&lines.text), NotUtf8::of(&lines.text));
    patch_text::lines(html, diff::lines_of_hunk(&text, &not_utf8))?;
    html.markup("</span></pre></details><pre>")
}

/// Writes a hunk in parts; those after the first contain the numbers of their first lines.
fn parts(html: &mut Html<'_>, hunk: &PageHunk, text: &[u8], emphasis: &mut usize) -> Result<()> {
    let (shown, not_utf8) = (text_of(text), NotUtf8::of(text));
    let mut lines = diff::emphasised(diff::lines_of_hunk(&shown, &not_utf8), emphasis);
    let (mut old, mut new, mut rest) = (hunk.old, hunk.new, text);
    let mut is_first = true;
    while !rest.is_empty() {
        let end = memchr::memchr_iter(b'\n', rest).nth(PART_LINES - 1);
        let (part, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        html.markup(&match is_first {
            true => opening("h", part, &names(hunk.id.as_ref())),
            false => opening("g", part, &format!(" data-o=\"{old}\" data-n=\"{new}\"")),
        })?;
        let count = part.split_inclusive(|&byte| byte == b'\n').count();
        patch_text::lines(html, lines.by_ref().take(count))?;
        html.markup("</span>")?;
        for line in part.split(|&byte| byte == b'\n').skip(usize::from(is_first)) {
            old += u32::from(matches!(line.first(), Some(b' ' | b'-')));
            new += u32::from(matches!(line.first(), Some(b' ' | b'+')));
        }
        (rest, is_first) = (after, false);
    }
    Ok(())
}

/// Returns the opening of a part with attributes, each after a space.
fn opening(class: &str, text: &[u8], attributes: &str) -> String {
    let height = height(memchr::memchr_iter(b'\n', text).count());
    format!("<span class=\"{class} {height}\"{attributes}>")
}

/// Returns the attributes with the names of a hunk.
fn names(id: Option<&HunkId>) -> String {
    let names = |id: &HunkId| format!(" id=\"{}\" data-c=\"{}\"", id.lines, id.context);
    id.map_or_else(String::new, names)
}

/// Returns the classes for a height in lines: a letter and a digit for each digit.
fn height(lines: usize) -> String {
    let digits = std::iter::successors(Some(lines), |rest| Some(rest / 10)).map(|rest| rest % 10);
    let digits = DIGITS.iter().zip(digits).filter(|(_, digit)| *digit > 0);
    digits.map(|(class, digit)| format!("{class}{digit}")).gather::<Vec<_>>().joined(" ")
}
