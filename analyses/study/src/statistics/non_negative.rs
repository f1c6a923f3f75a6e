//! Least squares with non-negative coefficients, because no event takes negative time.

/// A column whose independent share is below this bound differs by rounding only, and counts as a linear combination of
/// the others.
const INDEPENDENT: f64 = 1e-12;

/// Gradients below this share of the target's length are rounding.
const FLAT: f64 = 1e-10;

/// The coefficients x ≥ 0 that make ‖A x − b‖ least, of columns of A and the target b: the active set method of Lawson and
/// Hanson ("Solving Least Squares Problems", 1974, algorithm NNLS, chapter 23) on the normal equations. Columns are scaled to
/// length 1 before, so that their units are of no account; a column of zeros, or one that is a sum of others, gets 0. Rows
/// beyond the shortest column are left out.
pub fn non_negative(columns: &[Vec<f64>], target: &[f64]) -> Vec<f64> {
    let lengths: Vec<f64> = columns.iter().map(|column| length(column)).collect();
    let scaled: Vec<Vec<f64>> = columns
        .iter()
        .zip(&lengths)
        .map(|(column, length)| column.iter().map(|x| shared(*x, *length)).collect())
        .collect();
    let solved = Normal::of(&scaled, target).solve();
    let solved = solved.iter().zip(&lengths);
    solved.map(|(x, length)| shared(*x, *length)).collect()
}

/// The normal equations AᵀA x = Aᵀb.
struct Normal {
    matrix: Vec<Vec<f64>>,
    right: Vec<f64>,
    flat: f64,
}

impl Normal {
    fn of(columns: &[Vec<f64>], target: &[f64]) -> Normal {
        Normal {
            matrix: columns
                .iter()
                .map(|one| columns.iter().map(|other| product(one, other)).collect())
                .collect(),
            right: columns.iter().map(|one| product(one, target)).collect(),
            flat: FLAT * length(target),
        }
    }

    /// Frees one coefficient after the other, always the one that lowers the error fastest, until none would lower it.
    fn solve(&self) -> Vec<f64> {
        let count = self.right.len();
        let mut x = vec![0.0; count];
        let mut free = Vec::new();
        let mut refused = vec![false; count];
        // Each round that changes x lowers the error, so none comes twice; the bound is for rounding, which might undo that.
        for _ in 0..10 * count * count {
            let gradient = self.gradient(&x);
            let steepest = (0..count)
                .filter(|j| gradient[*j] > self.flat && !refused[*j] && !free.contains(j))
                .max_by(|i, j| gradient[*i].total_cmp(&gradient[*j]));
            let Some(chosen) = steepest else { break };
            free.push(chosen);
            match self.least_squares(&free) {
                Some(aim) if aim.last().is_some_and(|z| *z > 0.0) => {
                    self.approach(&mut x, &mut free, aim);
                    refused.fill(false);
                }
                _ => {
                    free.pop();
                    refused[chosen] = true;
                }
            }
        }
        x
    }

    /// Moves x towards the least squares over the free coefficients, until one would become negative. A coefficient that
    /// reaches 0 is no longer free, and the others get a new aim.
    fn approach(&self, x: &mut [f64], free: &mut Vec<usize>, mut aim: Vec<f64>) {
        loop {
            let step = free
                .iter()
                .zip(&aim)
                .filter(|(_, z)| **z <= 0.0)
                .map(|(j, z)| x[*j] / (x[*j] - z))
                .fold(1.0, f64::min);
            let mut stopped = vec![false; x.len()];
            for (j, z) in free.iter().zip(&aim) {
                stopped[*j] = *z <= 0.0 && x[*j] / (x[*j] - z) <= step;
                x[*j] = if stopped[*j] {
                    0.0
                } else {
                    x[*j] + step * (z - x[*j])
                };
            }
            if !stopped.contains(&true) {
                return;
            }
            free.retain(|j| !stopped[*j]);
            match self.least_squares(free) {
                Some(next) => aim = next,
                None => return,
            }
        }
    }

    /// Half of how fast the error falls when a coefficient grows.
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.matrix.iter().zip(&self.right);
        rows.map(|(row, right)| right - product(row, x)).collect()
    }

    /// The least squares over some coefficients, the others 0, by Cholesky's factors; absent if their columns depend on one
    /// another.
    fn least_squares(&self, free: &[usize]) -> Option<Vec<f64>> {
        let count = free.len();
        let mut factor = vec![vec![0.0; count]; count];
        let mut solution = vec![0.0; count];
        for row in 0..count {
            for column in 0..=row {
                let known: f64 = (0..column)
                    .map(|k| factor[row][k] * factor[column][k])
                    .sum();
                let rest = self.matrix[free[row]][free[column]] - known;
                factor[row][column] = if column < row {
                    rest / factor[column][column]
                } else if rest > INDEPENDENT {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
            let known: f64 = (0..row).map(|k| factor[row][k] * solution[k]).sum();
            solution[row] = (self.right[free[row]] - known) / factor[row][row];
        }
        for row in (0..count).rev() {
            let known: f64 = (row + 1..count).map(|k| factor[k][row] * solution[k]).sum();
            solution[row] = (solution[row] - known) / factor[row][row];
        }
        Some(solution)
    }
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

fn length(column: &[f64]) -> f64 {
    product(column, column).sqrt()
}

/// A part of a length; of none nothing.
fn shared(part: f64, length: f64) -> f64 {
    if length > 0.0 { part / length } else { 0.0 }
}
