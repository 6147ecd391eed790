//! A scan over complete rows.

use super::columns::Row;
use super::table::Scan;
use crate::error::Result;
use crate::ffi::Batch;

/// The remaining rows, and the projection.
pub struct Rows<K> {
    left: std::vec::IntoIter<K>,
    projection: Vec<usize>,
}

impl<K> Rows<K>
where
    K: Send + for<'a> Row<Of<'a> = &'a K>,
{
    /// Returns a scan of the projected columns.
    pub fn new(rows: impl IntoIterator<Item = K>, projection: &[usize]) -> Self {
        Self {
            left: rows.into_iter().collect::<Vec<_>>().into_iter(),
            projection: projection.to_vec(),
        }
    }
}

impl<K> Scan for Rows<K>
where
    K: Send + for<'a> Row<Of<'a> = &'a K>,
{
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some(row) = self.left.next()
        {
            K::COLUMNS.write_projected(&row, &self.projection, batch.columns_mut());
        }
        Ok(())
    }
}
