//! Repositories: parity with git of attributes, the index and merge bases.

mod attributes_git;
mod index_git;
mod merge_bases;
