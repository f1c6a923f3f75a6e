//! Which runs a study makes, and in which order: rounds, in each of which every program runs in every form, one after the other, so
//! that what disturbs the machine for a while disturbs all alike.

use tally_study::data::{Form, Role};

use super::subject::Subject;
use super::way::Way;

/// How often things are repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetitions {
    /// Runs as users make them.
    pub(super) counted: u32,
    /// Runs without counting, with the recorder, and with the sampling profiler.
    pub(super) others: u32,
    /// Runs with wrappers in the language, which take long.
    pub(super) wrapped: u32,
    /// Runs in contexts beside the normal one.
    pub(super) contexts: u32,
    /// Runs of programs that are not of the basket.
    pub(super) others_programs: u32,
}

impl Repetitions {
    /// The paper's ten.
    pub(super) const FULL: Repetitions = Repetitions {
        counted: 10,
        others: 10,
        wrapped: 3,
        contexts: 3,
        others_programs: 5,
    };
    /// What fits into a minute.
    pub(super) const QUICK: Repetitions = Repetitions {
        counted: 3,
        others: 2,
        wrapped: 0,
        contexts: 0,
        others_programs: 2,
    };
    /// What a calibration needs.
    pub(super) const CALIBRATION: Repetitions = Repetitions {
        counted: 3,
        others: 0,
        wrapped: 0,
        contexts: 0,
        others_programs: 0,
    };

    /// The same with another number of rounds.
    pub(super) fn with_rounds(self, rounds: u32) -> Repetitions {
        let at_most = |number: u32| number.min(rounds);
        Repetitions {
            counted: rounds,
            others: match self.others {
                0 => 0,
                _ => rounds,
            },
            wrapped: at_most(self.wrapped),
            contexts: at_most(self.contexts),
            others_programs: at_most(self.others_programs),
        }
    }

    fn of(self, role: Role, form: Form) -> u32 {
        match (role, form) {
            (Role::Basket, Form::Counted) | (Role::Variant, Form::Counted) => self.counted,
            (Role::Basket, Form::Uncounted | Form::Recorded | Form::Sampled) => self.others,
            (Role::Basket, Form::Wrapped | Form::WrappedPackage) => self.wrapped,
            (Role::HeldOut | Role::Counterexample, Form::Counted) => self.others_programs,
            // Nothing but counts is taken from these, which are the same each time.
            (Role::Basket, Form::Inlined) => 1.min(self.others),
            (Role::Basket | Role::HeldOut | Role::Counterexample, Form::Vector) => 1,
            _ => 0,
        }
    }
}

/// A run that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Index of the subject.
    pub(super) subject: usize,
    /// Index of the way to run it.
    pub(super) way: usize,
    pub(super) form: Form,
    /// From 1.
    pub(super) round: u32,
}

/// Runs that are made once, for their counts.
const ONCE: [Form; 2] = [Form::Vector, Form::Inlined];
/// Runs that are timed in turns.
const TIMED: [Form; 4] = [
    Form::Counted,
    Form::Uncounted,
    Form::Recorded,
    Form::Sampled,
];
/// Runs that take long.
const WRAPPED: [Form; 2] = [Form::WrappedPackage, Form::Wrapped];

/// All runs, in their order; the normal way is the first one.
pub(super) fn plan(subjects: &[Subject], ways: &[Way], repetitions: Repetitions) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rounds = |way: usize, forms: &[Form], most: &dyn Fn(Role, Form) -> u32| {
        let number = |subject: &Subject| forms.iter().map(|f| most(subject.role, *f)).max();
        let last = subjects.iter().filter_map(number).max().unwrap_or(0);
        for round in 1..=last {
            for (subject, of) in subjects.iter().enumerate() {
                // Who goes first changes from round to round.
                let turned = (0..forms.len()).map(|i| forms[(i + round as usize) % forms.len()]);
                let due = turned.filter(|form| round <= most(of.role, *form));
                steps.extend(due.map(|form| Step {
                    subject,
                    way,
                    form,
                    round,
                }));
            }
        }
    };
    let normally = |role, form| repetitions.of(role, form);
    rounds(0, &ONCE, &normally);
    rounds(0, &TIMED, &normally);
    for (number, way) in ways.iter().enumerate().skip(1) {
        let elsewhere = |role, _| match role {
            Role::Basket => way.rounds.min(repetitions.contexts),
            _ => 0,
        };
        rounds(number, &[Form::Counted], &elsewhere);
    }
    rounds(0, &WRAPPED, &normally);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str, role: Role) -> Subject {
        Subject {
            name: name.to_string(),
            role,
            variant_of: None,
            about: String::new(),
            files: Vec::new(),
        }
    }

    #[test]
    fn every_round_runs_every_form_and_who_is_first_changes() {
        let subjects = [subject("a", Role::Basket), subject("b", Role::HeldOut)];
        let steps = plan(&subjects, &[Way::default()], Repetitions::FULL);
        let first_of = |round| {
            let of_round = |step: &&Step| step.round == round && TIMED.contains(&step.form);
            steps.iter().find(of_round).map(|step| step.form)
        };
        assert_ne!(first_of(1), first_of(2));
        let number = |form| steps.iter().filter(|step| step.form == form).count();
        assert_eq!(number(Form::Counted), 10 + 5);
        assert_eq!(number(Form::Sampled), 10);
        assert_eq!(number(Form::Vector), 2);
        assert_eq!(number(Form::Wrapped), 3);
        let once: std::collections::BTreeSet<_> = steps
            .iter()
            .map(|step| (step.subject, step.way, step.form, step.round))
            .collect();
        assert_eq!(once.len(), steps.len());
    }

    #[test]
    fn other_ways_run_the_basket_alone() {
        let subjects = [
            subject("a", Role::Basket),
            subject("b", Role::Counterexample),
        ];
        let ways = [
            Way::default(),
            Way {
                rounds: 2,
                ..Way::default()
            },
        ];
        let steps = plan(&subjects, &ways, Repetitions::FULL);
        let elsewhere: Vec<_> = steps.iter().filter(|step| step.way == 1).collect();
        assert_eq!(elsewhere.len(), 2);
        assert!(elsewhere.iter().all(|step| step.subject == 0));
        assert!(
            plan(&subjects, &ways, Repetitions::QUICK)
                .iter()
                .all(|step| step.way == 0)
        );
    }
}
