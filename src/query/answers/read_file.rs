//! The answer of `read_file`.

use super::pages::{line_cursor, place_of};
use crate::files::FileTools;
use redline_base::error::Result;
use redline_review::Binding;
use redline_tools::{LineRange, LineScan, Lines, ReadFileArguments, Reply};

/// Returns the lines of a file that the arguments mean; `elsewhere` reads while no sandbox is
/// configured.
pub fn read_file(
    tools: &FileTools,
    reply: &Reply,
    arguments: &ReadFileArguments,
    elsewhere: impl FnOnce(&str) -> Result<Vec<u8>>,
) -> Result<Lines> {
    let mut range =
        LineRange::of(arguments.first_line, arguments.last_line, arguments.line_numbers)?;
    let options = format!(
        "read_file {:?} {:?} {:?} {}",
        arguments.path, arguments.first_line, arguments.last_line, range.has_numbers
    );
    // The cursor gives the start before it is known whether the file is still the same.
    let from = arguments.cursor.as_deref().map(|given| Binding::peek(given, options.as_bytes()));
    if let Some(from) = from.transpose()? {
        range.from = place_of(from);
    }
    let mut scan = LineScan::new(range, reply.max_bytes);
    let base_oid = tools.stream(&arguments.path, |chunk| scan.read(chunk), elsewhere)?;
    let binding = Binding::new(options.as_bytes(), base_oid.as_bytes());
    if let Some(cursor) = &arguments.cursor {
        binding.position(cursor)?;
    }
    let cursor = |place| line_cursor(&binding, place, &arguments.path);
    let lines = Lines { path: arguments.path.clone(), base_oid, ..Lines::default() };
    lines.filled(&scan, reply, cursor)
}
