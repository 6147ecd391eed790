//! A change of many files, shown page by page within a budget of bytes.
//!
//! Pure: the caller gives the sizes of each file's patch ([`File`]), and the patches of the shown
//! files on demand. Every page begins with the totals. Then the files are listed, each once over
//! all pages, in a bounded part of the page; if they do not fit, the first page has the totals of
//! directories instead. The rest of the page is for hunks, each once over all pages: most important
//! first, on the first page some of each file, then file by file. A page ends with the counts of
//! omitted files and hunks, and the cursor ([`Binding`]) of the next page.
//!
//! The caller measures every change once, in parallel: the size of its patch, not its text. The
//! patches of the files on a page are written a second time and compared with their measures.
//! Nothing is kept between pages: a cursor is a position in the order of hunks, with digests of
//! the options, of both sides, of all differing ids and of all measures, and `max_bytes` may
//! change from one page to the next.

mod cursor;
mod directories;
mod file;
mod layout;
mod list;
mod noise;
mod order;
mod page;
mod plan;
mod rank;
mod wording;

pub use cursor::{Binding, CURSOR_BYTES, Position};
pub use file::{File, Measures, Patch};
pub use layout::Layout;
pub use noise::{Marks, Noise};
pub use page::{Kind, Page, Section};
pub use plan::Review;
pub use rank::Rank;
