//! The list of files: one line each, or below the name of their shared directory.

use super::file::File;
use super::layout::Layout;
use super::wording;
use redline_base::budget::{Gather, Grow, Joined, Ordered};

/// The text before the files that come last, which share one line.
const LAST: &str = "Lock files and generated files, shown last: ";

/// The mark of a file that a page does not show completely.
const MARK: &str = " *";

/// Files in the order of the list, from the first one that a page lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a> {
    pub files: &'a [File],
    pub layout: Layout,
    pub from: usize,
}

impl List<'_> {
    /// Returns the text that a file adds to the list.
    pub fn text(&self, at: usize, is_marked: bool) -> String {
        let file = &self.files[at];
        let is_first = at == self.from;
        let mark = if is_marked { MARK } else { "" };
        if self.layout == Layout::Rows {
            return format!("{}{mark}\n", wording::file_line(file));
        }
        if file.noise.is_some() {
            let before = if is_first || self.files[at - 1].noise.is_none() { LAST } else { ", " };
            return format!("{before}{}{}{mark}", file.name, wording::counts(file));
        }
        let counts = wording::counts(file);
        let Some(directory) = self.shared_directory(at) else {
            return format!("{} {}{counts}{mark}\n", file.letter, file.name);
        };
        let name = &file.name[directory.len()..];
        let is_headed = is_first || self.directory(at - 1) != Some(directory);
        let head = if is_headed { format!("{directory}\n") } else { String::new() };
        format!("{head} {} {name}{counts}{mark}\n", file.letter)
    }

    /// Returns the text that ends the list if `at` is its last file: files on a shared line have no
    /// newline yet.
    pub fn end(&self, at: usize) -> &'static str {
        let is_open = self.layout != Layout::Rows && self.files[at].noise.is_some();
        if is_open { "\n" } else { "" }
    }

    /// Returns the highest cost of a file, its newline included.
    pub fn cost(&self, at: usize) -> usize {
        let file = &self.files[at];
        let text = self.text(at, !file.patch.is_empty());
        // Counted for each file, but needed once.
        self.layout.words(&text) + self.layout.words(self.end(at)) + file.extra
    }

    /// Returns one line that counts the files from `at` on by their topmost directories, as many as
    /// fit into `room`; `None` if not even the total fits.
    pub fn rest(&self, at: usize, room: usize) -> Option<String> {
        let files = &self.files[at..];
        if files.is_empty() || !matches!(self.layout, Layout::Text(_)) {
            return None;
        }
        let mut directories: Vec<(&str, usize)> = Vec::new();
        for file in files {
            let top = file.name.split_inclusive('/').next().filter(|top| top.ends_with('/'));
            let top = top.filter(|_| !file.name.starts_with('"')).unwrap_or("");
            match directories.iter_mut().find(|(name, _)| *name == top) {
                Some((_, count)) => *count += 1,
                None => directories.add((top, 1)),
            }
        }
        directories.retain(|(name, _)| !name.is_empty());
        directories.order_by_key(|&(_, count)| std::cmp::Reverse(count));
        let line = |named: usize| {
            let names: Vec<String> = directories[..named]
                .iter()
                .map(|(name, count)| format!("{count} in {name}"))
                .gather();
            let names =
                if named == 0 { String::new() } else { format!(": {}", names.joined(", ")) };
            format!("{} more files are listed on later pages{names}\n", files.len())
        };
        let fits = |line: &String| self.layout.words(line) <= room;
        (0..=directories.len().min(12)).rev().map(line).find(fits)
    }

    /// Returns the directory of a file if the previous or the next file is in it too.
    fn shared_directory(&self, at: usize) -> Option<&str> {
        let own = self.directory(at)?;
        let neighbours = at.checked_sub(1).into_iter().chain([at + 1]);
        let mut neighbours = neighbours.filter(|&other| other < self.files.len());
        neighbours.any(|other| self.directory(other) == Some(own)).then_some(own)
    }

    /// Returns the directory below which a file may be listed: none for a rename, whose line has
    /// two paths, for a quoted name, and for a file that comes last.
    fn directory(&self, at: usize) -> Option<&str> {
        let file = &self.files[at];
        let name = &file.name[..];
        let is_plain =
            file.noise.is_none() && !matches!(file.letter, 'R' | 'C') && !name.starts_with('"');
        name.rfind('/').filter(|_| is_plain).map(|slash| &name[..=slash])
    }
}
