//! Folded stacks: a line for each stack, functions from the outermost to the innermost with semicolons between them, then a
//! space and a count. The format names no unit, and no calls.

use super::function::Function;
use super::stacks::{ROOT, Stacks};
use super::{ImportError, chosen};
use crate::profile::Profile;
use crate::unit::Unit;

/// The unit of a file that names none.
const UNIT: &str = "counts";

/// Nothing at a file's beginning distinguishes folded stacks from other text.
pub(super) fn begins(_: &[u8]) -> bool {
    false
}

/// Reads a file. A line `# unit: NAME` names the unit; other lines with a `#` in front are comments.
pub(super) fn read(bytes: &[u8], event: Option<&str>) -> Result<Profile, ImportError> {
    let mut stacks = Stacks::new();
    let mut unit = UNIT.to_string();
    let mut count = 0_usize;
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("# unit:") {
            unit = comment.trim().to_string();
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        count += 1;
        let wrong = |why: String| ImportError::at(number, why);
        let (stack, digits) = line
            .rsplit_once(char::is_whitespace)
            .ok_or_else(|| wrong("expected a stack, a space and a count".to_string()))?;
        let weight: u64 = digits
            .parse()
            .map_err(|_| wrong(format!("'{digits}' is no number of at most 64 bits")))?;
        let mut place = ROOT;
        for name in stack.split(';') {
            let function = stacks.number(Function::new(name, "", ""), 0)?;
            place = stacks.below(place, function)?;
        }
        if !stacks.add(place, weight) {
            return Err(wrong("the sum of the counts exceeds 64 bits".to_string()));
        }
    }
    if count == 0 {
        return Err(ImportError::whole("it has no stacks"));
    }
    chosen(std::slice::from_ref(&unit), event)?;
    stacks.profile(Unit::imported(&unit, "folded", false), bytes)
}
