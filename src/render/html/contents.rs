//! The list of files: directories in the order of their names, each with its files.

use super::Page;
use super::writer::Html;
use redline_base::budget::{Gather, Ordered};
use redline_base::error::Result;
use redline_base::form::counted;

/// Writes the list; files lead to their sections, which stand in reading order.
pub(super) fn contents(html: &mut Html<'_>, page: &Page) -> Result<()> {
    if page.files.is_empty() {
        return Ok(());
    }
    html.markup("<nav aria-label=\"Files\">\n<details><summary>")?;
    html.markup(&counted(page.files.len() as u64, "file"))?;
    html.markup("</summary>\n<ul>\n")?;
    let mut files: Vec<_> = (1..).zip(&page.files).gather();
    files.order_by_key(|(_, file)| parts(&file.path));
    let mut is_open = false;
    let mut last: &[u8] = b"";
    for (number, file) in files {
        let (directory, name) = parts(&file.path);
        if directory != last {
            html.markup(if is_open { "</ul></li>\n<li>" } else { "<li>" })?;
            html.name(directory)?;
            html.markup("<ul>\n")?;
            (is_open, last) = (true, directory);
        }
        html.markup(&format!("<li><a href=\"#f{number}\">"))?;
        html.name(name)?;
        html.markup("</a>")?;
        if let Some((added, removed)) = file.lines {
            html.markup(&format!(" <span class=\"count\">+{added} −{removed}</span>"))?;
        }
        html.markup("</li>\n")?;
    }
    html.markup(if is_open { "</ul></li>\n</ul>" } else { "</ul>" })?;
    html.markup("\n</details>\n</nav>\n")
}

/// Returns the directory of a path with its slash, and the name in it.
fn parts(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1))
}
