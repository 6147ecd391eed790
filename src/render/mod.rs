//! What a person sees: approvals as the boxes of a terminal. Pure: values in, text out.
//!
//! What is shown is what would be written: [`visible`] leaves nothing unseen, a line that is cut
//! says so in a column where text never stands, and names are never cut.

mod approval;
mod card;
mod diff;
mod line;
mod pages;
pub mod visible;

pub use approval::{Paging, display, paging, shown};
pub use card::{Extent, Layout, Shown};
pub use pages::pages;
