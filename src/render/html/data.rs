//! The changed cells of a file of data as a table, and the switch between it and the lines.

use super::writer::Html;
use redline_base::error::Result;
use redline_base::form::counted;

/// The changed cells of a file.
#[derive(Debug, Clone)]
pub struct PageData {
    /// What changed, in one line.
    pub words: String,
    /// The cells that are shown.
    pub cells: Vec<PageCell>,
    /// How many are not.
    pub left_out: usize,
}

/// A changed cell, or a row that one side has.
#[derive(Debug, Clone)]
pub struct PageCell {
    /// `added`, `removed` or `changed`.
    pub change: &'static str,
    /// The row's key; `None` without one.
    pub key: Option<String>,
    /// The column; `None` for a whole row.
    pub column: Option<String>,
    /// The text before; `None` for no value.
    pub old: Option<String>,
    /// The text after.
    pub new: Option<String>,
}

/// Writes the switch and the table of the file of this number; nothing where no row changed.
/// Without
/// script, the style shows what is chosen: at first the cells.
pub(super) fn table(html: &mut Html<'_>, data: &PageData, number: usize) -> Result<()> {
    if data.cells.is_empty() {
        return Ok(());
    }
    html.markup("<fieldset class=\"shows\"><legend>Show</legend>")?;
    for (class, name, checked) in [("cells", "Changed cells", " checked"), ("lines", "Lines", "")] {
        html.markup(&format!(
            "<label><input type=\"radio\" name=\"shows-{number}\" class=\"{class}\"{checked}> {name}</label>"
        ))?;
    }
    html.markup("</fieldset>\n<div class=\"data\"><table>\n<caption>")?;
    html.name(data.words.as_bytes())?;
    html.markup("</caption>\n<thead><tr><th scope=\"col\">change</th>")?;
    let has_key = data.cells.iter().any(|cell| cell.key.is_some());
    for name in ["key", "column", "before", "after"] {
        if has_key || name != "key" {
            html.markup(&format!("<th scope=\"col\">{name}</th>"))?;
        }
    }
    html.markup("</tr></thead>\n<tbody>\n")?;
    for cell in &data.cells {
        html.markup(&format!("<tr><td>{}</td>", cell.change))?;
        if has_key {
            html.markup("<th scope=\"row\">")?;
            html.name(cell.key.as_deref().unwrap_or_default().as_bytes())?;
            html.markup("</th>")?;
        }
        html.markup("<td>")?;
        html.name(cell.column.as_deref().unwrap_or_default().as_bytes())?;
        html.markup("</td>")?;
        for (value, class) in [(&cell.old, "del"), (&cell.new, "ins")] {
            match value {
                Some(value) => {
                    html.markup(&format!("<td class=\"{class}\">"))?;
                    html.name(value.as_bytes())?;
                    html.markup("</td>")?;
                }
                None => html.markup("<td></td>")?,
            }
        }
        html.markup("</tr>\n")?;
    }
    html.markup("</tbody></table>\n")?;
    if data.left_out > 0 {
        let more = counted(data.left_out as u64, "more change");
        html.markup(&format!("<p class=\"moves\">{more} among the lines.</p>\n"))?;
    }
    html.markup("</div>\n")
}
