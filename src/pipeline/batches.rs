//! Batches of jobs that are too small to be handed over one by one.

use crate::error::{Error, Result};

/// The growth of batches from one item on, as a query with a LIMIT may need no more.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// The number of batches after which their size doubles.
    pub doubles_after: u32,
    /// The most items of a batch.
    pub most: usize,
}

/// Groups the items of an iterator in growing batches; an error comes after the items before it.
pub struct Batches<I> {
    items: I,
    growth: Growth,
    /// The number of returned batches.
    given: u32,
    /// An error after the last batch.
    failed: Option<Error>,
}

impl<I> Batches<I> {
    /// Takes the items from an iterator.
    pub fn new(items: I, growth: Growth) -> Self {
        Self { items, growth, given: 0, failed: None }
    }

    /// Returns the iterator.
    pub fn items(&self) -> &I {
        &self.items
    }

    /// Returns the iterator.
    pub fn items_mut(&mut self) -> &mut I {
        &mut self.items
    }

    /// Returns the maximum size of the next batch.
    fn room(&mut self) -> usize {
        let doubled = self.given / self.growth.doubles_after;
        self.given = self.given.saturating_add(1);
        1usize.checked_shl(doubled).unwrap_or(usize::MAX).min(self.growth.most)
    }
}

impl<T, I: Iterator<Item = Result<T>>> Iterator for Batches<I> {
    type Item = Result<Vec<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let room = self.room();
        let mut batch = Vec::with_capacity(room);
        while batch.len() < room {
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
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn batches<T, I: Iterator<Item = Result<T>>>(
        items: I,
        doubles_after: u32,
        most: usize,
    ) -> Batches<I> {
        Batches::new(items, Growth { doubles_after, most })
    }

    #[test]
    fn batches_hold_all_items_in_order_and_an_error_comes_after_those_before_it() {
        let items = (0..200).map(|n| if n == 150 { Err(Error::stale("150")) } else { Ok(n) });
        let mut found = batches(items, 1, 64);
        let lengths: Vec<usize> = (0..8).map(|_| found.next().unwrap().unwrap().len()).collect();
        assert_eq!(lengths, [1, 2, 4, 8, 16, 32, 64, 23]);
        assert!(found.next().unwrap().is_err());
        let all: Vec<i32> = batches((0..200).map(Ok), 1, 64).flat_map(Result::unwrap).collect();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
        assert!(batches(std::iter::empty::<Result<i32>>(), 1, 64).next().is_none());
    }

    #[test]
    fn batches_grow_as_slowly_as_they_are_told() {
        let lengths = batches((0..40).map(Ok), 3, 4).map(|batch| batch.unwrap().len());
        assert_eq!(lengths.collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 3]);
    }
}
