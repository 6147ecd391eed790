//! The linear assignment problem: which row belongs to which column, so that the sum of the costs
//! is least.
//!
//! Source: R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
//! linear assignment problems", Computing 38 (1987). Where several assignments cost the same, the
//! order of the steps decides, and it is that of git, whose `range-diff` solves the same problem.

use super::cancel_token::{CancelToken, PacedToken, Stopped};
use redline_base::budget::{Charge, Grow, filled};

/// No row or column.
const NONE: usize = usize::MAX;

/// Returns the row of each column of a square matrix.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it.
pub fn assign(
    size: usize,
    cost: impl Fn(usize, usize) -> i64,
    cancel: &CancelToken<'_>,
) -> Result<Vec<usize>, Stopped> {
    if size < 2 {
        return Ok(filled(0, size));
    }
    let _charge: Charge = cancel.charge(8 * size * size_of::<usize>())?;
    let mut solver = Solver {
        size,
        cost,
        prices: filled(0, size),
        row_of: filled(NONE, size),
        column_of: filled(NONE, size),
        pace: cancel.pace(),
    };
    let contested = solver.reduce_columns()?;
    let mut free = solver.transfer(&contested)?;
    if !free.is_empty() {
        for _ in 0..2 {
            free = solver.reduce_rows(free)?;
        }
        let mut paths =
            Paths { distance: filled(0, size), before: filled(0, size), columns: filled(0, size) };
        for row in free {
            solver.augment(row, &mut paths)?;
        }
    }
    Ok(solver.row_of)
}

struct Solver<'a, C> {
    size: usize,
    cost: C,
    /// The amount subtracted from the costs of each column.
    prices: Vec<i64>,
    row_of: Vec<usize>,
    column_of: Vec<usize>,
    pace: PacedToken<'a>,
}

/// The shortest paths from a row to all columns.
struct Paths {
    distance: Vec<i64>,
    /// The row before each column.
    before: Vec<usize>,
    /// The columns: those whose distance is final, then those at the least distance, then the
    /// others.
    columns: Vec<usize>,
}

impl<C: Fn(usize, usize) -> i64> Solver<'_, C> {
    fn reduced(&self, column: usize, row: usize) -> i64 {
        (self.cost)(column, row) - self.prices[column]
    }

    /// Gives each column, the last first, to the row where it costs least; returns which rows more
    /// than one column wanted.
    fn reduce_columns(&mut self) -> Result<Vec<bool>, Stopped> {
        let mut contested = filled(false, self.size);
        for column in (0..self.size).rev() {
            let mut best = 0;
            for row in 1..self.size {
                if (self.cost)(column, best) > (self.cost)(column, row) {
                    best = row;
                }
            }
            self.pace.spend(self.size)?;
            self.prices[column] = (self.cost)(column, best);
            if self.column_of[best] == NONE {
                self.column_of[best] = column;
                self.row_of[column] = best;
            } else {
                contested[best] = true;
            }
        }
        Ok(contested)
    }

    /// Lowers the prices of columns that a row has uncontested; returns the rows without a column.
    fn transfer(&mut self, contested: &[bool]) -> Result<Vec<usize>, Stopped> {
        let mut free = Vec::new();
        for (row, &is_contested) in contested.iter().enumerate() {
            let own = self.column_of[row];
            if own == NONE {
                free.add(row);
            } else if !is_contested {
                let others = (0..self.size).filter(|&column| column != own);
                let least = others.map(|column| self.reduced(column, row)).min().unwrap_or(0);
                self.prices[own] -= least;
                self.pace.spend(self.size)?;
            }
        }
        Ok(free)
    }

    /// Gives each free row its cheapest column, which frees the row that had it; returns the rows
    /// that stay free.
    fn reduce_rows(&mut self, mut free: Vec<usize>) -> Result<Vec<usize>, Stopped> {
        let mut left = Vec::new();
        // The next rows come from the end.
        free.reverse();
        while let Some(row) = free.pop() {
            self.pace.spend(self.size)?;
            let (mut best, mut second) = (0, NONE);
            let (mut least, mut next) = (self.reduced(0, row), i64::MAX);
            for column in 1..self.size {
                let cost = self.reduced(column, row);
                if next > cost {
                    if least < cost {
                        (next, second) = (cost, column);
                    } else {
                        (next, second) = (least, best);
                        (least, best) = (cost, column);
                    }
                }
            }
            let mut other = self.row_of[best];
            if least < next {
                self.prices[best] -= next - least;
            } else if other != NONE {
                best = second;
                other = self.row_of[best];
            }
            if other != NONE {
                if least < next { &mut free } else { &mut left }.add(other);
            }
            self.column_of[row] = best;
            self.row_of[best] = row;
        }
        Ok(left)
    }

    /// Finds the shortest path from a free row to a free column, and moves each row on it to the
    /// next column.
    fn augment(&mut self, free: usize, paths: &mut Paths) -> Result<(), Stopped> {
        for column in 0..self.size {
            paths.distance[column] = self.reduced(column, free);
            paths.before[column] = free;
            paths.columns[column] = column;
        }
        let (end, done, least) = self.shortest(paths)?;
        for &column in &paths.columns[..done] {
            self.prices[column] += paths.distance[column] - least;
        }
        let mut column = end;
        loop {
            self.pace.spend(1)?;
            let row = paths.before[column];
            self.row_of[column] = row;
            std::mem::swap(&mut column, &mut self.column_of[row]);
            if row == free {
                return Ok(());
            }
        }
    }

    /// Returns the column at which the path ends, how many columns are nearer than it, and its
    /// distance.
    fn shortest(&mut self, paths: &mut Paths) -> Result<(usize, usize, i64), Stopped> {
        let Paths { distance, before, columns } = paths;
        let (mut low, mut up) = (0, 0);
        // As in git the path ends at the column that was compared last, also where another one was
        // found to be free.
        let mut last = 0;
        loop {
            let done = low;
            let mut least = distance[columns[up]];
            up += 1;
            let rest = up..self.size;
            for at in rest {
                last = columns[at];
                if distance[last] <= least {
                    if distance[last] < least {
                        up = low;
                        least = distance[last];
                    }
                    columns.swap(at, up);
                    up += 1;
                }
            }
            self.pace.spend(self.size)?;
            if columns[low..up].iter().any(|&column| self.row_of[column] == NONE) {
                return Ok((last, done, least));
            }
            while low != up {
                let from = columns[low];
                low += 1;
                let row = self.row_of[from];
                let offset = self.reduced(from, row) - least;
                let rest = up..self.size;
                for at in rest {
                    last = columns[at];
                    let longer = self.reduced(last, row) - offset;
                    if longer < distance[last] {
                        distance[last] = longer;
                        before[last] = row;
                        if longer == least {
                            if self.row_of[last] == NONE {
                                return Ok((last, done, least));
                            }
                            columns.swap(at, up);
                            up += 1;
                        }
                    }
                }
                self.pace.spend(self.size)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(costs: &[&[i64]]) -> Vec<usize> {
        assign(costs.len(), |column, row| costs[row][column], &CancelToken::never()).unwrap()
    }

    #[test]
    fn the_cheapest_assignment_is_found() {
        assert_eq!(solve(&[]), Vec::<usize>::new());
        assert_eq!(solve(&[&[5]]), [0]);
        assert_eq!(solve(&[&[1, 2], &[2, 1]]), [0, 1]);
        assert_eq!(solve(&[&[2, 1], &[1, 2]]), [1, 0]);
        assert_eq!(solve(&[&[4, 1, 3], &[2, 0, 5], &[3, 2, 2]]), [1, 0, 2]);
    }

    #[test]
    fn a_long_search_can_be_left() {
        use redline_base::budget::Budget;
        let budget = Budget::new(None);
        budget.cancel();
        let cost = |column: usize, row: usize| (column * 7919 + row * 104_729) as i64 % 1009;
        assert_eq!(assign(600, cost, &CancelToken::of(&budget)), Err(Stopped::Cancelled));
    }
}
