//! What differs between two sides: `comparison` (the sides), `differences` (the files that differ), `changed_file` (one
//! of them), `contents` and `measure` (its contents, sizes and line counts), `renames`, `change_iter` (the changes, with
//! or without renames), `search` (changes that add or
//! remove a text), `side_files` (single files of one side) and `patch` (git's headers around the hunks).

pub mod change_iter;
pub mod changed_file;
pub mod combined;
pub mod combined_patch;
pub mod comparison;
pub mod contents;
pub mod differences;
pub mod measure;
pub mod patch;
pub mod renames;
pub mod search;
pub mod side_files;
