//! A comparison for who reads it: pages within a budget, whole pages, and what was seen.

pub mod cutter;
pub mod data_changes;
pub mod diff_page;
pub mod pages;
mod seen;
pub mod unchanged_lines;
