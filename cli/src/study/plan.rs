//! Which runs a study makes, and in which order: rounds, in each of which every program runs in every form that is due, so that what
//! disturbs the machine for a while disturbs all alike.

use tally_study::data::{Form, Role};
use tally_study::statistics::Random;

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
            (Role::HeldOut | Role::Blind | Role::Counterexample, Form::Counted) => {
                self.others_programs
            }
            // Nothing but counts is taken from these, which are the same each time.
            (Role::Basket, Form::Inlined) => 1.min(self.others),
            (Role::Basket | Role::HeldOut | Role::Blind | Role::Counterexample, Form::Vector) => 1,
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

/// Decides the order of runs within a round.
const SEED: u64 = 1;
/// All forms, of which a role has some.
const FORMS: [Form; 8] = [
    Form::Vector,
    Form::Inlined,
    Form::Counted,
    Form::Uncounted,
    Form::Recorded,
    Form::Sampled,
    Form::WrappedPackage,
    Form::Wrapped,
];

/// All runs, in their order; the normal way is the first one. What is repeated less often is spread over all rounds, and within a
/// round a program's runs come in an order that a fixed seed decides, so that none has always the same one before it.
pub(super) fn plan(subjects: &[Subject], ways: &[Way], repetitions: Repetitions) -> Vec<Step> {
    let runs: Vec<Vec<(usize, Form, u32)>> = subjects
        .iter()
        .map(|subject| runs_of(subject.role, ways, repetitions))
        .collect();
    let numbers = runs.iter().flatten().map(|(_, _, number)| *number);
    let rounds = numbers.max().unwrap_or(0);
    let mut random = Random::new(SEED);
    let mut steps = Vec::new();
    for round in 1..=rounds {
        for (subject, runs) in runs.iter().enumerate() {
            let due = runs
                .iter()
                .filter(|(_, _, number)| is_due(*number, round, rounds));
            let mut due: Vec<Step> = due
                .map(|&(way, form, _)| Step {
                    subject,
                    way,
                    form,
                    round,
                })
                .collect();
            random.shuffle(&mut due);
            steps.extend(due);
        }
    }
    steps
}

/// How a program of this role is run, and how often.
fn runs_of(role: Role, ways: &[Way], repetitions: Repetitions) -> Vec<(usize, Form, u32)> {
    let normally = FORMS.map(|form| (0, form, repetitions.of(role, form)));
    let elsewhere = ways.iter().enumerate().skip(1).map(|(number, way)| {
        let often = match role {
            Role::Basket => way.rounds.min(repetitions.contexts),
            _ => 0,
        };
        (number, Form::Counted, often)
    });
    normally.into_iter().chain(elsewhere).collect()
}

/// Whether work that is done `times` times, spread over all rounds, is done in this round.
fn is_due(times: u32, round: u32, rounds: u32) -> bool {
    let by = |round: u32| (u64::from(round) * u64::from(times)).div_ceil(u64::from(rounds.max(1)));
    by(round) > by(round - 1)
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
    fn every_form_runs_as_often_as_it_is_to_and_over_all_rounds() {
        let subjects = [subject("a", Role::Basket), subject("b", Role::HeldOut)];
        let steps = plan(&subjects, &[Way::default()], Repetitions::FULL);
        let rounds = |subject, form| -> Vec<u32> {
            let its = |step: &&Step| step.subject == subject && step.form == form;
            steps.iter().filter(its).map(|step| step.round).collect()
        };
        assert_eq!(rounds(0, Form::Counted), (1..=10).collect::<Vec<u32>>());
        assert_eq!(rounds(0, Form::Sampled).len(), 10);
        assert_eq!(rounds(0, Form::Wrapped), [1, 4, 7]);
        assert_eq!(rounds(1, Form::Counted), [1, 3, 5, 7, 9]);
        assert_eq!(rounds(0, Form::Vector), [1]);
        assert_eq!(rounds(1, Form::Vector), [1]);
        assert!(rounds(1, Form::Sampled).is_empty());
        let in_order = steps.windows(2).all(|pair| pair[0].round <= pair[1].round);
        assert!(in_order);
    }

    #[test]
    fn no_form_has_always_the_same_one_before_it() {
        let subjects: Vec<Subject> = (0..16).map(|_| subject("a", Role::Basket)).collect();
        let steps = plan(&subjects, &[Way::default()], Repetitions::FULL);
        for form in [Form::Counted, Form::Uncounted, Form::Recorded] {
            let mut before = std::collections::BTreeMap::new();
            for pair in steps.windows(2).filter(|pair| pair[1].form == form) {
                *before.entry(pair[0].form).or_insert(0) += 1;
            }
            let all: u32 = before.values().sum();
            assert!(before.values().all(|number| number * 2 < all), "{before:?}");
        }
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
