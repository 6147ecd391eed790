//! Totals by directory, for when the list of files does not fit.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::file::{File, changes};
use super::layout::Layout;
use super::rank::Rank;
use redline_base::budget::{Gather, Grow, GrowMap, Ordered};
use redline_base::form::counted;
use redline_base::limits;

/// The files below a directory.
#[derive(Clone)]
struct Group<'a> {
    /// The directory with its trailing slash; empty for the root.
    directory: &'a str,
    /// Whether the group holds only the files directly in the directory.
    is_flat: bool,
    /// Whether the group is not divided further.
    is_whole: bool,
    files: Vec<&'a File>,
}

/// Returns the totals of all files by as many directories as fit; `None` if there is only one
/// directory or the totals of the topmost directories do not fit.
pub(super) fn totals(files: &[File], layout: Layout, room: usize) -> Option<String> {
    if !matches!(layout, Layout::Text(_)) {
        return None;
    }
    let root =
        Group { directory: "", is_flat: false, is_whole: false, files: files.iter().gather() };
    let fits = |groups: &[Group<'_>]| {
        groups.len() <= limits::REVIEW_DIRECTORIES && layout.words(&text(groups)) <= room
    };
    let mut groups = root.parts();
    if groups.len() < 2 || !fits(&groups) {
        return None;
    }
    while let Some(at) = (0..groups.len())
        .filter(|&at| !groups[at].is_whole)
        .max_by_key(|&at| (groups[at].lines(), groups[at].files.len()))
    {
        let parts = groups[at].parts();
        let mut divided = groups.clone();
        divided.swap_remove(at);
        let is_divided = parts.len() > 1;
        divided.add_all(parts);
        if is_divided && fits(&divided) {
            groups = divided;
        } else {
            groups[at].is_whole = true;
        }
    }
    groups.order_by_key(|group| (group.rank(), Reverse(group.lines()), group.directory));
    Some(text(&groups))
}

fn text(groups: &[Group<'_>]) -> String {
    let example = groups.iter().find(|group| !group.directory.is_empty() && !group.is_flat);
    let example = example.map_or("src", |group| group.directory.trim_end_matches('/'));
    let mut text = format!("By directory; paths = {example} shows that part:\n");
    for group in groups {
        let name = match (group.directory, group.is_flat) {
            ("", _) => "files at the root:".to_owned(),
            (directory, true) => format!("files in {directory} itself:"),
            (directory, false) => directory.to_owned(),
        };
        let (added, removed) = changes(group.files.iter().copied());
        let files = counted(group.files.len() as u64, "file");
        text += &format!("{name} {files} +{added} -{removed}\n");
    }
    text
}

impl<'a> Group<'a> {
    /// Returns the subdirectories and the files directly in the directory; skips levels with a
    /// single subdirectory.
    fn parts(&self) -> Vec<Self> {
        if self.is_flat {
            return Vec::new();
        }
        let mut parts: BTreeMap<(&str, bool), Vec<&File>> = BTreeMap::new();
        for &file in &self.files {
            let directory = directory(file);
            let below = directory[self.directory.len()..].find('/');
            let part = below
                .map_or(self.directory, |slash| &directory[..self.directory.len() + slash + 1]);
            parts.slot((part, below.is_none())).or_default().add(file);
        }
        let group =
            |((directory, is_flat), files)| Group { directory, is_flat, is_whole: false, files };
        let mut groups: Vec<Self> = parts.into_iter().map(group).gather();
        match &mut groups[..] {
            [only] if !only.is_flat => only.parts(),
            _ => groups,
        }
    }

    fn lines(&self) -> u64 {
        let (added, removed) = changes(self.files.iter().copied());
        added + removed
    }

    fn rank(&self) -> Rank {
        self.files.iter().map(|file| file.rank).min().unwrap_or_default()
    }
}

/// Returns the directory of a file with its trailing slash, as displayed; a quoted name has none.
fn directory(file: &File) -> &str {
    let is_renamed = matches!(file.letter, 'R' | 'C');
    let name =
        if is_renamed { file.name.rsplit(" => ").next().unwrap_or_default() } else { &file.name };
    match name.rfind('/') {
        Some(slash) if !name.starts_with('"') => &name[..=slash],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measures;
    use redline_base::form::Form;

    fn file(name: &str, lines: (u64, u64)) -> File {
        File {
            letter: 'M',
            name: name.to_owned(),
            lines: Some(lines),
            notes: Vec::new(),
            rank: Rank::of(name.as_bytes()),
            noise: None,
            is_shown_by_list: false,
            extra: 0,
            piece_extra: Vec::new(),
            patch: Measures::default(),
        }
    }

    #[test]
    fn large_directories_are_divided_while_there_is_room() {
        let files = [
            file("README", (1, 0)),
            file("deps/a/b/x.c", (900, 0)),
            file("deps/a/b/y.c", (0, 1)),
            file("src/core/a.c", (20, 10)),
            file("src/main.c", (1, 1)),
            file("tests/a.tcl", (1, 1)),
        ];
        let shown = |room| totals(&files, Layout::Text(Form::Text), room);
        assert_eq!(
            shown(1_000).unwrap(),
            "By directory; paths = src/core shows that part:\nsrc/core/ 1 file +20 -10\nfiles in src/ itself: 1 file +1 -1\n\
             tests/ 1 file +1 -1\nfiles at the root: 1 file +1 -0\ndeps/ 2 files +900 -1\n"
        );
        let few = shown(150).unwrap();
        assert!(few.contains("\nsrc/ 2 files +21 -11\n"), "{few}");
        assert_eq!(shown(50), None);
        assert_eq!(totals(&files[1..3], Layout::Text(Form::Text), 1_000), None);
        assert_eq!(totals(&files, Layout::Data, 1_000), None);
    }
}
