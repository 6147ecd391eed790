//! A change of many files, shown page by page within a budget of bytes.
//!
//! Pure: a caller tells what each file's patch measures ([`File`]) and hands the patches of the files
//! that are shown when they are wanted. Every page begins with the totals. Then the files are listed,
//! each once over all pages, in a bounded part of the page; where they have no room, the first page has the
//! totals of directories instead. The rest of the room goes to hunks, each once over all pages: what matters
//! most first, on the first page some of each file, then file by file. A page ends in what is left out and
//! the cursor ([`Binding`]) that asks for it.

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
