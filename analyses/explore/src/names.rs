//! Names of actors, as in the paper: the creator's name and the number of the creation. Interleavings therefore agree on names.

use hashbrown::HashMap;

/// An actor, in all states of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ActorId(pub(crate) u32);

/// What sends the messages of the start.
pub(crate) const SCRIPT: ActorId = ActorId(0);

#[derive(Debug, Clone, Copy)]
struct Creation {
    creator: ActorId,
    ordinal: u32,
}

/// The names of all actors.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    creations: Vec<Creation>,
    numbers: HashMap<(u32, u32), u32>,
    /// Whether the script's only actor is the root.
    has_root: bool,
}

impl Names {
    /// The names of a program whose script creates `starting` actors.
    pub(crate) fn new(starting: usize) -> Names {
        let script = Creation {
            creator: SCRIPT,
            ordinal: 0,
        };
        Names {
            creations: vec![script],
            numbers: HashMap::new(),
            has_root: starting == 1,
        }
    }

    /// The actor that the creator creates as its n-th, from 1.
    pub(crate) fn created(&mut self, creator: ActorId, ordinal: u32) -> ActorId {
        let next = self.creations.len() as u32;
        let number = *self.numbers.entry((creator.0, ordinal)).or_insert(next);
        if number == next {
            self.creations.push(Creation { creator, ordinal });
        }
        ActorId(number)
    }

    /// Whether the script created the actor.
    pub(crate) fn is_of_script(&self, actor: ActorId) -> bool {
        self.creations[actor.0 as usize].creator == SCRIPT
    }

    /// How many there are, with the script.
    pub(crate) fn count(&self) -> usize {
        self.creations.len()
    }

    /// The name: `r`, `a1`, `a12` for the second actor of `a1`. Numbers above 9, and all behind them, follow a dot: `a1.12.3`.
    pub(crate) fn text(&self, actor: ActorId) -> String {
        let mut ordinals = Vec::new();
        let mut next = actor;
        while next != SCRIPT {
            let creation = self.creations[next.0 as usize];
            ordinals.push(creation.ordinal);
            next = creation.creator;
        }
        if self.has_root {
            ordinals.pop();
        }
        if ordinals.is_empty() {
            let is_nameless = self.has_root && actor == SCRIPT;
            return if is_nameless { "–" } else { "r" }.to_string();
        }
        let mut text = "a".to_string();
        let mut is_dotted = false;
        for ordinal in ordinals.iter().rev() {
            is_dotted |= *ordinal > 9;
            if is_dotted {
                text.push('.');
            }
            text.push_str(&ordinal.to_string());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_paper() {
        let mut names = Names::new(1);
        let root = names.created(SCRIPT, 1);
        let first = names.created(root, 1);
        let second = names.created(first, 2);
        let twelfth = names.created(first, 12);
        let below = names.created(twelfth, 3);
        assert_eq!(names.created(first, 2), second);
        let texts = [SCRIPT, root, first, second, twelfth, below].map(|one| names.text(one));
        assert_eq!(texts, ["–", "r", "a1", "a12", "a1.12", "a1.12.3"]);
    }

    #[test]
    fn a_script_with_several_actors_is_the_root() {
        let mut names = Names::new(2);
        let second = names.created(SCRIPT, 2);
        assert_eq!(names.text(SCRIPT), "r");
        assert_eq!(names.text(second), "a2");
    }
}
