//! Policies of users: rules that some messages arrive before others. Document 002 names such constraints in its conclusion. A rule looks
//! only at the pending messages, so what may happen still follows from the state.

/// Messages that fit the first pattern arrive before those that fit the second one, as long as both are pending.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    first: String,
    second: String,
}

/// Rules for the order of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
    texts: Vec<String>,
}

/// The rules of a pending message, one bit for each: those in which it goes first, and those in which it comes second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    first: u64,
    second: u64,
}

/// The most rules of a policy.
pub const MOST_RULES: usize = 64;

impl Policy {
    /// Adds a rule: `paid: * < order: *`. A pattern fits a message as `target ← message`, or the message alone. A `*` stands for any text.
    ///
    /// # Errors
    ///
    /// A sentence, if the text is no rule, or there are too many.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let sides = text.split_once('<');
        let sides = sides.map(|(first, second)| (first.trim(), second.trim()));
        let sides = sides.filter(|(first, second)| !first.is_empty() && !second.is_empty());
        let Some((first, second)) = sides else {
            return Err("a rule names two kinds of messages: 'paid: * < order: *'".to_string());
        };
        if self.rules.len() == MOST_RULES {
            return Err(format!("a policy has at most {MOST_RULES} rules"));
        }
        self.rules.push(Rule {
            first: first.to_string(),
            second: second.to_string(),
        });
        self.texts.push(text.to_string());
        Ok(())
    }

    /// The rules as they were added.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The marks of a message to a target.
    pub(crate) fn marks(&self, target: &str, message: &str) -> Marks {
        let whole = format!("{target} ← {message}");
        let fits = |pattern: &str| fits(pattern, message) || fits(pattern, &whole);
        let mut marks = Marks::default();
        for (bit, rule) in self.rules.iter().enumerate() {
            marks.first |= u64::from(fits(&rule.first)) << bit;
            marks.second |= u64::from(fits(&rule.second)) << bit;
        }
        marks
    }
}

/// Leaves out the messages that others precede, by their places. If all are left out, the rules contradict each other and say nothing.
pub(crate) fn restrict(pending: &[Marks], found: &mut Vec<u32>) {
    let precedes =
        |other: usize, one: usize| other != one && pending[other].first & pending[one].second != 0;
    let is_free = |place: &u32| !(0..pending.len()).any(|other| precedes(other, *place as usize));
    let free: Vec<u32> = found.iter().copied().filter(is_free).collect();
    if !free.is_empty() {
        *found = free;
    }
}

/// Whether a text fits a pattern, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|head| text.strip_prefix(head)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit() {
        for (pattern, text, expected) in [
            ("paid: *", "paid: 20", true),
            ("paid: 20", "paid: 20", true),
            ("paid: 2", "paid: 20", false),
            ("*: 2*", "paid: 20", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("aa*aa", "aaa", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn messages_are_left_out_that_others_precede() {
        let mut policy = Policy::default();
        assert!(policy.add("pay").is_err());
        assert!(policy.add("< pay").is_err());
        policy.add("paid: * < a1 ← order: *").unwrap();
        let marks = |target: &str, message: &str| policy.marks(target, message);
        let pending = [
            marks("a1", "order: 3"),
            marks("a2", "paid: 3"),
            marks("a2", "order: 3"),
        ];
        let mut found = vec![0, 1, 2];
        restrict(&pending, &mut found);
        assert_eq!(found, [1, 2]);
        // Only contradictory rules leave nothing.
        policy.add("a1 ← order: * < paid: *").unwrap();
        let pending = [
            policy.marks("a1", "order: 3"),
            policy.marks("a2", "paid: 3"),
        ];
        let mut found = vec![0, 1];
        restrict(&pending, &mut found);
        assert_eq!(found, [0, 1]);
    }
}
