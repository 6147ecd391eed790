//! The answer of `list_files`.

use crate::Context;
use crate::found_files::{FilesWanted, cursor};
use redline_base::budget::{Grow, check_current, room_for};
use redline_base::error::Result;
use redline_tools::{FileList, ListFilesArguments, ListedFile, Reply, Rest, Room};

/// Lists the files that the arguments name.
pub fn answer(
    context: &Context,
    reply: &Reply,
    arguments: &ListFilesArguments,
) -> Result<FileList> {
    within(context, arguments.rev.is_some(), || list(context, reply, arguments))
}

/// Runs work that reads a repository on a thread that can open nothing else.
pub(super) fn within<T: Send>(
    context: &Context,
    is_repository: bool,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    if is_repository { context.read(work) } else { work() }
}

fn list(context: &Context, reply: &Reply, arguments: &ListFilesArguments) -> Result<FileList> {
    let depth = arguments.depth.unwrap_or(u64::MAX);
    let wanted = FilesWanted {
        path: arguments.path.as_deref(),
        repo: arguments.repo.as_deref(),
        rev: arguments.rev.as_deref(),
        glob: arguments.glob.as_deref(),
        depth,
        include_ignored: arguments.include_ignored.unwrap_or(false),
    };
    let files = wanted.find(context)?;
    let options =
        format!("list_files {:?}", (wanted.path, wanted.repo, wanted.rev, wanted.glob, depth));
    let binding = files.binding(&options);
    let from = arguments.cursor.as_deref().map(|cursor| binding.position(cursor)).transpose()?;
    let start = from.map_or(0, |from| from.listed).min(files.len());
    let mut listed = room_for(files.len());
    for index in 0..files.len() {
        check_current()?;
        listed.add(ListedFile { path: files.path(index).to_owned(), bytes: files.bytes(index)? });
    }
    let mut list = FileList {
        place: files.place.clone(),
        count: files.len() as u64,
        bytes: listed.iter().filter_map(|file| file.bytes).sum(),
        rest: Rest::at(Some(cursor(&binding, start, 0)?)),
        reason: files.is_empty().then(|| files.none(wanted.glob)),
        files: Vec::new(),
    };
    let mut room = Room::beside(reply, &list);
    let over = room.fill(listed.into_iter().skip(start).map(Ok), &mut list.files)?;
    list.rest = match over {
        None => Rest::default(),
        Some(_) if list.files.is_empty() => return Err(room.too_small()),
        Some(_) => Rest::at(Some(cursor(&binding, start + list.files.len(), 0)?)),
    };
    Ok(list)
}
