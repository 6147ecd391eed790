//! What changed in the rows of a file of data, for the lists and pages of a comparison.

use redline_base::budget::{Grow, Stopped};
use redline_base::error::Result;
use redline_base::limits;
use redline_git::{Change, Reader};
use redline_render::html::{PageCell, PageData};
use redline_text::CancelToken;
use redline_text::data_changes::DataChanges;
use redline_text::data_rows::Format;

/// Returns the changed cells of a file, at most [`limits::DATA_CELLS`], whose texts have at most
/// [`limits::DATA_CELL_BYTES`]; `None` for a file that is no data, or has too much of it.
///
/// # Errors
/// Those of the repository and of the budget.
pub fn data_cells(
    reader: &mut Reader,
    change: &Change,
    cancel: &CancelToken<'_>,
) -> Result<Option<PageData>> {
    compared(reader, change, cancel, |changes| {
        let changes = changes?;
        let mut table = PageData { words: changes.words(), cells: Vec::new(), left_out: 0 };
        for cell in changes.changed_cells() {
            if table.cells.len() == limits::DATA_CELLS {
                table.left_out += 1;
                continue;
            }
            let [old, new] = [cell.old, cell.new].map(|text| text.map(cut));
            table.cells.add(PageCell {
                change: cell.change,
                key: cell.key.map(cut),
                column: cell.column.map(|column| cut(column.to_owned())),
                old,
                new,
            });
        }
        Some(table)
    })
}

/// Returns approximately how many bytes the cells take in memory.
pub fn cells_bytes(data: &PageData) -> usize {
    let texts = |cell: &PageCell| -> usize {
        let texts = [&cell.key, &cell.column, &cell.old, &cell.new];
        size_of::<PageCell>() + texts.into_iter().flatten().map(String::len).sum::<usize>()
    };
    data.words.len() + data.cells.iter().map(texts).sum::<usize>()
}

/// Returns what changed in one line; `None` for a file that is no data.
///
/// # Errors
/// Those of the repository and of the budget.
pub fn data_words(
    reader: &mut Reader,
    change: &Change,
    cancel: &CancelToken<'_>,
) -> Result<Option<String>> {
    compared(reader, change, cancel, |changes| match changes {
        Some(changes) => Some(changes.words()),
        None => Some("rows not compared".to_owned()),
    })
}

/// Compares the rows of both versions of a file, and returns what `shown` makes of them: `None` if
/// they are too large, or the query may use no more memory.
fn compared<T>(
    reader: &mut Reader,
    change: &Change,
    cancel: &CancelToken<'_>,
    shown: impl FnOnce(Option<&DataChanges<'_>>) -> Option<T>,
) -> Result<Option<T>> {
    let Some(file) = std::str::from_utf8(&change.path).ok().filter(|path| {
        Format::of(path).is_some() && change.is_of_files() && !change.has_same_content()
    }) else {
        return Ok(None);
    };
    let (old, new) = reader.contents(change)?;
    let [Some(old), Some(new)] = [&old, &new].map(|side| side.text()) else { return Ok(None) };
    if old.len() + new.len() > limits::DATA_BYTES {
        return Ok(shown(None));
    }
    let [Ok(old), Ok(new)] = [old, new].map(std::str::from_utf8) else { return Ok(None) };
    match DataChanges::of(old, new, file, &[], cancel) {
        Ok(Ok(changes)) => Ok(shown(Some(&changes))),
        // What is no table is shown as lines alone.
        Ok(Err(_)) => Ok(None),
        Err(Stopped::Memory { .. }) => Ok(shown(None)),
        Err(stopped) => Err(stopped.into()),
    }
}

/// Returns the beginning of a text, and whether that is not all.
fn cut(mut text: String) -> String {
    let end = text.floor_char_boundary(limits::DATA_CELL_BYTES);
    if end < text.len() {
        text.truncate(end);
        text.add('…');
    }
    text
}
