//! The text of a page besides the patches; every line ends in a newline.

use super::file::{File, changes};
use redline_base::budget::{Gather, GrowBy, Joined};
use redline_base::form::{counted, more};

/// The totals where all was seen.
pub const NOTHING_LEFT: &str = "Nothing is left to see.\n";

/// Returns the totals; `ends` names the two sides.
pub fn summary(files: &[File], ends: &str, is_continued: bool) -> String {
    if files.is_empty() {
        return "No file differs.\n".to_owned();
    }
    let (additions, deletions) = changes(files);
    let noise = match files.iter().filter(|file| file.noise.is_some()).count() {
        0 => String::new(),
        count => format!("; {count} of them generated and listed last"),
    };
    let continued = if is_continued { " (continued)" } else { "" };
    format!(
        "{} changed, {}, {}{noise}{ends}{continued}\n",
        counted(files.len() as u64, "file"),
        counted(additions, "insertion(+)"),
        counted(deletions, "deletion(-)")
    )
}

/// Returns the summary line of one file, without its newline.
pub fn file_line(file: &File) -> String {
    let mut line = format!("{} {}", file.letter, file.name);
    if let Some((additions, deletions)) = file.lines {
        line.add_slice(&format!("  +{additions} -{deletions}"));
    }
    let hunks = file.patch.hunks();
    let hunks = (hunks > 0).then(|| counted(hunks as u64, "hunk"));
    let noise = file.noise.map(|noise| noise.words().to_owned());
    let notes: Vec<String> =
        hunks.into_iter().chain(file.notes.iter().cloned()).chain(noise).gather();
    if !notes.is_empty() {
        line.add_slice(&format!("  ({})", notes.joined(", ")));
    }
    line
}

/// Returns the counts after a file's name in a list of many files.
pub fn counts(file: &File) -> String {
    let mut counts = match file.lines {
        None | Some((0, 0)) => String::new(),
        Some((additions, 0)) => format!(" +{additions}"),
        Some((0, deletions)) => format!(" -{deletions}"),
        Some((additions, deletions)) => format!(" +{additions} -{deletions}"),
    };
    if !file.notes.is_empty() {
        counts.add_slice(&format!(" ({})", file.notes.joined(", ")));
    }
    counts
}

/// The files and hunks that no page has shown yet.
#[derive(Debug, Clone, Copy)]
pub struct Rest {
    /// Files not listed.
    pub files: usize,
    /// Hunks not shown, or not completely.
    pub hunks: usize,
    /// The number of files with such hunks.
    pub of_files: usize,
}

/// Returns the line with the cursor of the next page; `has_list` if files are marked on the page.
pub fn closing(rest: Rest, cursor: &str, files: usize, has_list: bool) -> String {
    let unlisted =
        (rest.files > 0).then(|| format!("{} not listed yet", counted(rest.files as u64, "file")));
    let mark = if files == 1 || !has_list { "" } else { " (marked *)" };
    let of = match rest.of_files {
        1 if files == 1 => String::new(),
        count => format!(" of {}", counted(count as u64, "file")),
    };
    let hunks = (rest.hunks > 0)
        .then(|| format!("{}{of} left out{mark}", counted(rest.hunks as u64, "hunk")));
    let what: Vec<String> = unlisted.into_iter().chain(hunks).gather();
    let alone = if files == 1 { "" } else { "; paths names files to see alone" };
    format!("{}{alone}\n{}\n", what.joined(", "), more(cursor))
}

/// Returns the line that says that only noise is left; empty if more is, or if the whole change is
/// noise.
pub fn only_noise(files: &[File], waiting: impl Iterator<Item = usize>) -> String {
    let mut waiting: Vec<usize> = waiting.gather();
    let is_noise = |file: &File| file.noise.is_some();
    if files.iter().all(is_noise) || !waiting.iter().all(|&file| is_noise(&files[file])) {
        return String::new();
    }
    waiting.sort_unstable();
    waiting.dedup();
    match &waiting[..] {
        [] => String::new(),
        [only] => one_noise(&files[*only].name),
        _ => ONLY_NOISE.to_owned(),
    }
}

/// Returns the longest such line.
pub fn longest_only_noise(files: &[File]) -> String {
    let noise = files.iter().filter(|file| file.noise.is_some());
    let lines = noise.map(|file| one_noise(&file.name)).chain([ONLY_NOISE.to_owned()]);
    let has_noise = files.iter().any(|file| file.noise.is_some());
    lines.max_by_key(String::len).filter(|_| has_noise).unwrap_or_default()
}

const ONLY_NOISE: &str =
    "Only generated files are left: stop here, or name those that matter in paths.\n";

fn one_noise(name: &str) -> String {
    const SHOWN: usize = 80;
    if name.len() > SHOWN {
        return ONLY_NOISE.to_owned();
    }
    format!("Only a generated file is left, {name}: stop here, unless it matters.\n")
}

/// Returns the line before a part of a hunk, which names the hunk by its line numbers.
pub fn part(hunk: &str, from: usize, to: usize) -> String {
    let end = hunk.strip_prefix("@@ ").and_then(|rest| rest.find(" @@"));
    let lines = end.map_or("a patch", |end| &hunk[..end + "@@  @@".len()]);
    format!("[part of {lines}: bytes {from} to {to} of {}]\n", hunk.len())
}
