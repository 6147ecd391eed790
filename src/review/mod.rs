//! A change of many files, shown page by page within a budget of bytes.
//!
//! Pure: a caller tells what each file's patch measures ([`File`]) and hands the patches of the files
//! that are shown when they are wanted. Every page begins with the totals. The list of files comes
//! first, each file once over all pages; the rest of the room goes to hunks in an order that is fair
//! to the files ([`Review`]), each hunk once over all pages. A page ends in what is left out and the
//! cursor ([`Binding`]) that asks for it.

mod cursor;
mod file;
mod form;
mod noise;
mod page;
mod plan;
mod wording;

pub use cursor::{Binding, CURSOR_BYTES, Position};
pub use file::{File, Measures, Patch};
pub use form::Form;
pub use noise::{Marks, Noise};
pub use page::{Kind, Page, Section};
pub use plan::Review;
