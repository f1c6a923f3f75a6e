//! The costs of a program for reports: on a machine, as forms, and by the values of one parameter.

use crate::computations::Computations;
use crate::costs::Cost;
use crate::depth::Bounds;
use crate::machine::{Form, Forms, Machine};
use crate::space::Space;
use crate::variation::Piece;

/// The vectors that a state may have, unless a caller wants another number.
pub const FRONTIER: usize = 4_096;

/// The costs of a program.
#[derive(Debug, Clone)]
pub struct Prices {
    /// The machine.
    pub machine: Machine,
    /// The least and the largest costs, if they are known.
    pub bounds: Option<Bounds>,
    /// The costs of each computation, if computations are known.
    pub computations: Vec<Cost>,
    /// Work as forms: all that some computation has. Empty if they are not known.
    pub work: Vec<Form>,
    /// The largest Depth as forms, if it is known.
    pub depth: Option<Forms>,
}

impl Space {
    /// The costs on a machine: of the computations if they are given, otherwise over merged states, each with at most `frontier` vectors.
    pub fn prices(
        &self,
        computations: Option<&Computations>,
        machine: &Machine,
        frontier: usize,
    ) -> Prices {
        let Some(all) = computations.filter(|_| self.limit.is_none()) else {
            return Prices {
                machine: *machine,
                bounds: self.bounds(machine, frontier),
                computations: Vec::new(),
                work: Vec::new(),
                depth: None,
            };
        };
        let costs = all.costs(self, machine);
        let forms = if machine.is_linear() {
            all.forms(self)
        } else {
            Vec::new()
        };
        let mut work: Vec<Form> = forms.iter().map(|forms| forms.work).collect();
        work.sort_unstable();
        work.dedup();
        let mut depth = (!forms.is_empty()).then(Forms::default);
        for forms in &forms {
            let single = forms.depth.as_ref();
            depth = depth.filter(|_| single.is_some());
            for form in single.iter().flat_map(|forms| forms.all()) {
                depth = depth.and_then(|mut all| all.add(*form).then_some(all));
            }
        }
        Prices {
            machine: *machine,
            bounds: bounds(&costs),
            computations: costs,
            work,
            depth,
        }
    }
}

impl Prices {
    /// The largest Depth by the values of a parameter, if its forms are known. See [`Forms::vary`].
    pub fn vary(&self, parameter: usize, range: (u64, u64)) -> Option<Vec<Piece>> {
        let depth = self.depth.as_ref()?;
        Some(depth.vary(parameter, &self.machine, range))
    }

    /// The number of a computation with the largest Depth.
    pub fn deepest(&self) -> Option<usize> {
        let costs = self.computations.iter().enumerate().rev();
        costs
            .max_by_key(|(_, cost)| cost.depth)
            .map(|(number, _)| number)
    }
}

/// The least and the largest of the costs of all computations.
fn bounds(costs: &[Cost]) -> Option<Bounds> {
    let works = || costs.iter().map(|cost| cost.work);
    let depths = || costs.iter().map(|cost| cost.depth);
    Some(Bounds {
        least: Cost {
            work: works().min()?,
            depth: depths().min()?,
        },
        largest: Cost {
            work: works().max()?,
            depth: depths().max()?,
        },
        is_exact: true,
    })
}
