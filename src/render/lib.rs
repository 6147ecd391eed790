//! Output for people: approvals as boxes on a terminal. Pure: values in, text out.
//!
//! The display matches the operation: [`visible`] makes every character visible, a cut line is
//! marked in a column that text never uses, and names are never cut.

mod approval;
mod card;
mod diff;
pub mod html;
mod line;
mod pages;
mod pieces;
pub mod visible;

pub use approval::{Paging, paging, shown};
pub use card::{Extent, Layout};
pub use line::ShownPiece;
pub use pages::pages;
pub use pieces::{ShownRow, name_pieces, patch_rows, rows};
