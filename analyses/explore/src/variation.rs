//! How Depth depends on one parameter: straight pieces, with the values at which the critical path changes.

use crate::machine::{Forms, Machine, PARAMETERS};

/// A piece: from a value of the parameter on, Depth is `base + slope · value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Piece {
    /// The value at which the piece begins, as a fraction.
    pub from: (u64, u64),
    /// Depth at 0, as if the piece went so far.
    pub base: u64,
    /// How much Depth grows with the parameter.
    pub slope: u64,
}

impl Forms {
    /// Depth by the values of a parameter, as a place of [`PARAMETERS`], between two values. The other parameters are those of the machine.
    pub fn vary(&self, parameter: usize, machine: &Machine, (from, to): (u64, u64)) -> Vec<Piece> {
        let others = machine.with(parameter, 0);
        let lines = self.all().iter().map(|form| {
            let slope = form.parameters.get(parameter).copied().unwrap_or(0);
            (form.value(&others), slope)
        });
        let lines: Vec<(u64, u64)> = lines.collect();
        let value = |line: &(u64, u64)| u128::from(line.0) + u128::from(line.1) * u128::from(from);
        let mut pieces = Vec::new();
        // Of equal lines at the beginning, the steeper one is above the other from there on.
        let first = lines.iter().max_by_key(|line| (value(line), line.1));
        let mut current = first.copied();
        let mut at = (from, 1);
        while let Some((base, slope)) = current {
            pieces.push(Piece {
                from: at,
                base,
                slope,
            });
            let steeper = lines.iter().filter(|line| line.1 > slope && line.0 < base);
            let crossings = steeper.map(|line| ((base - line.0, line.1 - slope), *line));
            // The next crossing, and there the steepest line.
            let next = crossings.min_by(|left, right| {
                let ((up, down), (other_up, other_down)) = (left.0, right.0);
                let first = u128::from(up) * u128::from(other_down);
                let second = u128::from(other_up) * u128::from(down);
                first.cmp(&second).then(right.1.1.cmp(&left.1.1))
            });
            let within = |((up, down), _): &((u64, u64), (u64, u64))| {
                u128::from(*up) <= u128::from(to) * u128::from(*down)
            };
            current = next.filter(within).map(|(crossing, line)| {
                at = reduced(crossing);
                line
            });
        }
        pieces
    }
}

/// A fraction in lowest terms.
fn reduced((up, down): (u64, u64)) -> (u64, u64) {
    let (mut left, mut right) = (up, down);
    while right > 0 {
        (left, right) = (right, left % right);
    }
    let divisor = left.max(1);
    (up / divisor, down / divisor)
}

/// The place of a parameter in [`PARAMETERS`], by its name.
pub fn parameter(name: &str) -> Option<usize> {
    PARAMETERS.iter().position(|other| *other == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Form;

    fn form(latency: u64, local: u64) -> Form {
        let mut form = Form {
            local,
            ..Form::default()
        };
        form.parameters[6] = latency;
        form
    }

    #[test]
    fn breakpoints_are_exact() {
        let forms = Forms(vec![form(4, 10), form(1, 20), form(0, 22), form(3, 11)]);
        let pieces = forms.vary(6, &Machine::default(), (0, 100));
        let found: Vec<_> = pieces
            .iter()
            .map(|piece| (piece.from, piece.slope))
            .collect();
        assert_eq!(found, [((0, 1), 0), ((2, 1), 1), ((10, 3), 4)]);
        for value in 0..=10 {
            let machine = Machine::default().with(6, value);
            let mut started = pieces.iter().rev();
            let piece = started.find(|piece| piece.from.0 <= value * piece.from.1);
            let piece = piece.unwrap();
            assert_eq!(piece.base + piece.slope * value, forms.value(&machine));
        }
        let pieces = forms.vary(6, &Machine::default(), (3, 3));
        assert_eq!(pieces.len(), 1);
    }
}
