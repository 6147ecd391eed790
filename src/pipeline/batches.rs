//! Jobs that are small beside handing them over, taken some at a time.

use crate::error::{Error, Result};

/// Items in a batch at most.
const MAX_BATCH: usize = 64;

/// The items of an iterator in batches: first of one, as the first rows are waited for, then of twice as many each time.
pub struct Batches<I> {
    items: I,
    size: usize,
    /// An error behind the last batch.
    failed: Option<Error>,
}

impl<I> Batches<I> {
    /// Takes the items from an iterator.
    pub fn new(items: I) -> Self {
        Self { items, size: 1, failed: None }
    }
}

impl<T, I: Iterator<Item = Result<T>>> Iterator for Batches<I> {
    type Item = Result<Vec<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let mut batch = Vec::with_capacity(self.size);
        while batch.len() < self.size {
            match self.items.next() {
                Some(Ok(item)) => batch.push(item),
                Some(Err(error)) if batch.is_empty() => return Some(Err(error)),
                Some(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                None => break,
            }
        }
        self.size = (2 * self.size).min(MAX_BATCH);
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_all_items_in_order_and_an_error_comes_behind_those_before_it() {
        let items = (0..200).map(|n| if n == 150 { Err(Error::stale("150")) } else { Ok(n) });
        let mut batches = Batches::new(items);
        let lengths: Vec<usize> = (0..8).map(|_| batches.next().unwrap().unwrap().len()).collect();
        assert_eq!(lengths, [1, 2, 4, 8, 16, 32, 64, 23]);
        assert!(batches.next().unwrap().is_err());
        let all: Vec<i32> = Batches::new((0..200).map(Ok)).flat_map(Result::unwrap).collect();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
        assert!(Batches::new(std::iter::empty::<Result<i32>>()).next().is_none());
    }
}
