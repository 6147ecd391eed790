//! A whole payload page by page, for an approval of all of it.

use super::approval::{card, question};
use super::card::{Extent, Layout};
use redline_base::budget::{Gather, Joined};
use redline_edit::payload::Payload;

/// Lines of a page besides the payload: its number, and that it continues.
const AROUND: usize = 2;

/// Returns a whole payload in pages of at most `height` lines of `width` columns, framed or not; only the
/// question, which ends the last page, is never split. Joined without their first and last lines,
/// the pages are the whole.
pub fn pages(payload: &Payload, width: usize, height: usize, is_framed: bool) -> Vec<String> {
    let layout = Layout { width, extent: Extent::Whole, color: false, is_framed };
    let asked = question(payload, &layout);
    let whole = card(payload, layout.extent).draw(&layout).text;
    let lines: Vec<&str> = whole.split('\n').gather();
    if lines.len() + asked.len() <= height {
        return vec![[whole.as_str(), &asked.joined("\n")].joined("\n")];
    }
    let room = height.saturating_sub(AROUND.max(asked.len() + 1)).max(1);
    let parts: Vec<&[&str]> = lines.chunks(room).gather();
    let count = parts.len();
    let page = |(index, part): (usize, &&[&str])| {
        let end = if index + 1 == count { asked.joined("\n") } else { "(goes on)".to_owned() };
        format!("Page {} of {count}\n{}\n{end}", index + 1, part.joined("\n"))
    };
    parts.iter().enumerate().map(page).gather()
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_edit::payload::Received;

    fn write(content: &str) -> Payload {
        let json = serde_json::json!({
            "type": "write", "description": "Write", "path": "w/a", "sandbox": "w", "content": content,
            "content_lines": content.lines().count(), "content_bytes": content.len(), "preview": "",
            "preview_truncated": true, "file_exists": false,
        });
        match Received::parse(&json.to_string()).unwrap() {
            Received::Known(payload) => *payload,
            other @ Received::Other { .. } => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_line_and_column_is_on_a_page() {
        for lines in [0, 1, 3, 4, 30, 100] {
            let content: String = (0..lines)
                .map(|line| format!("{line:03} {} end{line:03}\n", "x".repeat(60)))
                .collect();
            for (width, height, is_framed) in
                [(20, 8, true), (40, 10, false), (80, 24, true), (1000, 100_000, false)]
            {
                let pages = pages(&write(&content), width, height, is_framed);
                let all = pages.concat();
                assert!(
                    pages.iter().all(|page| page.split('\n').count() <= height),
                    "{lines} {width}x{height}"
                );
                assert!(pages.last().unwrap().ends_with("[y/n]"), "{all}");
                assert_eq!(all.matches("this file?").count(), 1);
                assert!(!all.contains("cut at the edge") && !all.contains("showing"));
                let text: String = all.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
                if width >= 80 {
                    assert!(
                        (0..lines).all(|line| text.contains(&format!("end{line:03}"))),
                        "{width}x{height}"
                    );
                }
            }
        }
    }
}
