//! Coverage as a tracefile of lcov, which `genhtml` and most services read; geninfo(1) describes it. Each real block is a
//! branch, because the method may evaluate the block or not.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::{Counts, Coverage, Routine, Share, Shares, lines_of};

impl Coverage {
    /// The tracefile. Files in which there is nothing to be covered have no record.
    pub fn to_lcov(&self) -> String {
        let mut text = String::new();
        for (number, file) in self.outline.files.iter().enumerate() {
            let routines: Vec<_> = self.routines_of(number).collect();
            let shares = self.shares_of(routines.iter().copied());
            if shares == Shares::default() {
                continue;
            }
            let _ = writeln!(text, "TN:\nSF:{}", one_line(&file.name));
            functions(&routines, shares.methods, &mut text);
            branches(&routines, shares.blocks, &mut text);
            for (line, row) in lines_of(routines.iter().copied()) {
                let _ = writeln!(text, "DA:{line},{}", row.count);
            }
            summary("L", shares.lines, &mut text);
            text.push_str("end_of_record\n");
        }
        text
    }
}

/// Methods. Their names are keys, so one that stands there a second time gets its line.
fn functions(routines: &[(&Routine, &Counts)], share: Share, text: &mut String) {
    let mut met: HashMap<&str, usize> = HashMap::new();
    let mut counts = String::new();
    for (routine, count) in routines {
        let times = met.entry(&routine.name).or_default();
        *times += 1;
        let name = match *times {
            1 => routine.name.clone(),
            _ => format!("{}:{}", routine.name, routine.line),
        };
        let _ = writeln!(text, "FN:{},{name}", routine.line);
        let _ = writeln!(counts, "FNDA:{},{name}", count.of_method(routine));
    }
    text.push_str(&counts);
    summary("FN", share, text);
}

/// Blocks: a block is the only branch of a decision of its own. One in a method that was never entered has no count.
fn branches(routines: &[(&Routine, &Counts)], share: Share, text: &mut String) {
    if share.all == 0 {
        return;
    }
    let mut number = 0;
    for (routine, counts) in routines {
        let was_entered = counts.of_method(routine) > 0;
        for (block, &count) in routine.blocks.iter().zip(&counts.blocks) {
            let taken = match was_entered || count > 0 {
                true => count.to_string(),
                false => "-".to_string(),
            };
            let _ = writeln!(text, "BRDA:{},{number},0,{taken}", block.line);
            number += 1;
        }
    }
    summary("BR", share, text);
}

fn summary(kind: &str, share: Share, text: &mut String) {
    let Share { covered, all } = share;
    let _ = writeln!(text, "{kind}F:{all}\n{kind}H:{covered}");
}

/// A name that cannot end its line early.
fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], "?")
}
