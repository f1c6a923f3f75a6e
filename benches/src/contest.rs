//! Equivalent command lines, timed in turns, and the ratio of the first to each of the others. The caller chooses the
//! command lines.

use std::time::Duration;

use crate::measure::{Command, median};
use crate::report::{Row, Verdict};

/// What a ratio is held against.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// It may be this at most.
    Most(f64),
    /// No limit: the ratio is only printed.
    None,
}

/// Why an entrant has no figures.
#[derive(Clone, Debug)]
enum Absence {
    Missing(String),
    Broken(String),
}

/// A command line, and the seconds that it took in each round.
#[derive(Debug)]
pub struct Entrant {
    commands: Option<Commands>,
    seconds: Vec<f64>,
    absence: Option<Absence>,
}

/// The run that is timed, and one whose time is subtracted.
#[derive(Debug)]
struct Commands {
    run: Command,
    less: Option<Command>,
}

impl Entrant {
    /// What `run` takes more than `less`; all that it takes, if there is no `less`. A run that lasts longer than
    /// `patience` is given up, so that one hopeless program does not hold up all others.
    pub fn new(run: Command, less: Option<Command>, patience: Duration) -> Entrant {
        let commands = Commands {
            run: run.within(patience),
            less: less.map(|less| less.within(patience)),
        };
        Entrant {
            commands: Some(commands),
            seconds: Vec::new(),
            absence: None,
        }
    }

    /// One that cannot run here, for this reason.
    pub fn missing(why: String) -> Entrant {
        Entrant {
            commands: None,
            seconds: Vec::new(),
            absence: Some(Absence::Missing(why)),
        }
    }

    /// Its output; `None` if it cannot run or fails, which is remembered.
    fn output(&mut self) -> Option<String> {
        let commands = self.commands.as_ref()?;
        let outputs = commands.run.output().and_then(|output| {
            if output.is_empty() {
                return Err("the program printed nothing".to_string());
            }
            // Also the run that warms up the file system, and finds out whether this one ends.
            commands
                .less
                .as_ref()
                .map_or(Ok(String::new()), Command::output)?;
            Ok(output)
        });
        match outputs {
            Ok(output) => Some(output),
            Err(why) => {
                self.absence = Some(Absence::Broken(why));
                None
            }
        }
    }

    fn measure(&mut self) {
        let Some(commands) = self.commands.as_ref().filter(|_| self.absence.is_none()) else {
            return;
        };
        match commands.seconds() {
            Ok(seconds) => self.seconds.push(seconds),
            Err(why) => self.absence = Some(Absence::Broken(why)),
        }
    }
}

impl Commands {
    fn seconds(&self) -> Result<f64, String> {
        let less = self.less.as_ref().map_or(Ok(0.0), |less| less.seconds(1))?;
        Ok(self.run.seconds(1)? - less)
    }
}

/// Entrants that take turns. Each of the others is compared with the first.
#[derive(Debug)]
pub struct Contest {
    entrants: Vec<Entrant>,
}

impl Contest {
    /// Checks that all run and, if they are to print the same, that they do.
    pub fn new(mut entrants: Vec<Entrant>, same_output: bool) -> Contest {
        let outputs: Vec<Option<String>> = entrants.iter_mut().map(Entrant::output).collect();
        let first = outputs.first().cloned().flatten();
        for (entrant, output) in entrants.iter_mut().zip(outputs) {
            let differs = first.is_some() && output.is_some() && output != first;
            if same_output && differs {
                entrant.absence = Some(Absence::Broken("the outputs differ".to_string()));
            }
        }
        Contest { entrants }
    }

    /// Times all of them that often. Who goes first changes from round to round. When the first has no figures, or
    /// no peer to be compared with, nothing needs to be timed.
    pub fn run(&mut self, rounds: u32) {
        let is_present = |entrant: &Entrant| entrant.absence.is_none();
        let has_peer = self.entrants.iter().skip(1).any(is_present);
        if !(self.entrants.first().is_some_and(is_present) && has_peer) {
            return;
        }
        let count = self.entrants.len();
        for round in 0..rounds as usize {
            for turn in 0..count {
                self.entrants[(round + turn) % count].measure();
            }
        }
    }

    /// How many times the time of the entrant with that number the first one takes: the ratio of the medians.
    pub fn ratio(&self, number: usize) -> Option<f64> {
        let (first, other) = self.pair(number).ok()?;
        Some(median(&first.seconds) / median(&other.seconds))
    }

    /// The first one beside the entrant with that number. The range is that of the ratios of single rounds.
    pub fn row(&self, name: &str, number: usize, limit: Limit) -> Row {
        let (first, other) = match self.pair(number) {
            Ok(pair) => pair,
            Err(Absence::Missing(why)) => {
                return Row::without_figures(name, Verdict::Skipped(why));
            }
            Err(Absence::Broken(why)) => return Row::without_figures(name, Verdict::Broken(why)),
        };
        let (above, below) = (median(&first.seconds), median(&other.seconds));
        let ratios = first.seconds.iter().zip(&other.seconds);
        let ratios: Vec<f64> = ratios.map(|(above, below)| above / below).collect();
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = ratios.iter().copied().fold(0.0, f64::max);
        let (limit, verdict) = match limit {
            Limit::Most(limit) => (format!("{limit:.2}"), Verdict::of(above / below, limit)),
            Limit::None => (String::new(), Verdict::None),
        };
        Row {
            name: name.to_string(),
            figures: vec![
                format!("{:.1}", above * 1000.0),
                format!("{:.1}", below * 1000.0),
                format!("{:.2}", above / below),
                format!("{lowest:.2}-{highest:.2}"),
                limit,
            ],
            verdict,
        }
    }

    /// The first entrant and another, or why one of them has no figures.
    fn pair(&self, number: usize) -> Result<(&Entrant, &Entrant), Absence> {
        let entrant = |number: usize| {
            let entrant = self.entrants.get(number);
            let no_peer = || Absence::Broken("no peer to compare with".to_string());
            let entrant = entrant.ok_or_else(no_peer)?;
            entrant.absence.clone().map_or(Ok(entrant), Err)
        };
        // That a peer is missing says more than that Tally is slow or fails: nothing was to be measured then.
        let other = entrant(number);
        if let Err(Absence::Missing(why)) = other {
            return Err(Absence::Missing(why));
        }
        Ok((entrant(0)?, other?))
    }
}

#[cfg(test)]
mod tests {
    use super::{Contest, Entrant, Limit};
    use crate::report::Verdict;

    fn ran(seconds: &[f64]) -> Entrant {
        Entrant {
            commands: None,
            seconds: seconds.to_vec(),
            absence: None,
        }
    }

    #[test]
    fn a_ratio_is_that_of_the_medians() {
        let contest = Contest {
            entrants: vec![ran(&[1.0, 9.0, 2.0]), ran(&[4.0, 4.0, 1.0])],
        };
        assert_eq!(contest.ratio(1), Some(0.5));
        let row = contest.row("a", 1, Limit::Most(0.4));
        assert_eq!(row.figures[3], "0.25-2.25");
        assert_eq!(row.verdict, Verdict::Fail);
    }

    #[test]
    fn a_missing_peer_is_skipped_and_has_no_ratio() {
        let why = "lua5.4 is not installed".to_string();
        let contest = Contest {
            entrants: vec![ran(&[1.0]), Entrant::missing(why.clone())],
        };
        assert_eq!(contest.ratio(1), None);
        let row = contest.row("a", 1, Limit::Most(2.0));
        assert_eq!(row.verdict, Verdict::Skipped(why));
    }
}
