//! A scan over complete rows.

use crate::ffi::Scan;
use redline_base::error::Result;
use redline_rows::{Batch, Row};

/// The remaining rows.
pub struct Rows<K>(std::vec::IntoIter<K>);

impl<K> Rows<K> {
    /// Returns a scan of rows.
    pub fn new(rows: impl IntoIterator<Item = K>) -> Self {
        Self(rows.into_iter().collect::<Vec<_>>().into_iter())
    }
}

impl<K> Scan for Rows<K>
where
    K: Send + for<'a> Row<Of<'a> = &'a K>,
{
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some(row) = self.0.next()
        {
            K::COLUMNS.write_projected(&row, batch);
        }
        Ok(())
    }
}
