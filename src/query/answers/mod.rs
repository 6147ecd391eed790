//! The answers of tools that read: a page of rows within the bytes of the reply.

mod blame;
mod commits;
mod file;
mod list_files;
mod log;
mod missing_file;
mod pages;
mod read_file;
mod references;
mod search;
mod series;
mod show;
mod status;
mod unnamed;

pub use blame::blame;
pub use file::file;
pub use list_files::answer as list_files;
pub use log::log;
pub use missing_file::explained;
pub use pages::opened;
pub use read_file::read_file;
pub use references::references;
pub use search::answer as search;
pub use series::range_diff;
pub use show::words;
pub use status::status;
pub use unnamed::unnamed;
