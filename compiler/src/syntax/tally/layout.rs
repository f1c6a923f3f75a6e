//! Where a missing bracket shows in a script: definitions and methods have square brackets and begin at the start of a
//! line.

use super::outline::{class_body_opener, class_side_opener, opens_definition, opens_method};
use crate::syntax::brackets::{Here, Layout};
use crate::syntax::lines::{is_first_on_line, starts_line};

#[derive(Default)]
pub(super) struct ScriptLayout {
    /// The number of the bracket that opens the class body which is, or is about to be, open.
    class_body: Option<usize>,
    /// The number of the bracket that opens a class side in the class body.
    class_side: Option<usize>,
}

impl Layout for ScriptLayout {
    /// A definition at the first column cannot be inside brackets. A line of a class body that begins with a method's
    /// pattern and a bracket cannot be inside another method.
    fn closes(&mut self, here: &Here<'_, '_>) -> Option<(usize, &'static str)> {
        let is_inside = here.depth() > 0;
        let ends = is_inside && self.is_behind_definition(here);
        if !is_inside || ends {
            // Between a header's first token and its bracket nothing is open either.
            if self.class_body.is_none_or(|opener| here.index > opener) {
                let opener = class_body_opener(here.rest());
                self.class_body = opener.map(|offset| here.index + offset);
            }
            return ends.then_some((0, "a definition begins here"));
        }
        let outside = self.depth_of_members(here);
        let ends = here.depth() > outside && self.is_behind_method(here);
        ends.then_some((outside, "another method begins here"))
    }

    fn holds_statements(&self, _: usize) -> bool {
        false
    }
}

impl ScriptLayout {
    /// How many brackets stand around the members: one more in `Foo class [ … ]`.
    fn depth_of_members(&mut self, here: &Here<'_, '_>) -> usize {
        if here.depth() == 1 {
            let opener = class_side_opener(here.rest()).map(|offset| here.index + offset);
            if opener.is_some() || self.class_side.is_some_and(|opener| here.index > opener) {
                self.class_side = opener;
            }
        }
        1 + usize::from(self.class_side.is_some_and(|opener| here.index > opener))
    }

    fn is_behind_definition(&self, here: &Here<'_, '_>) -> bool {
        starts_line(here.source, here.start())
            && match self.class_body {
                Some(_) => class_body_opener(here.rest()).is_some(),
                None => opens_definition(here.rest()),
            }
    }

    fn is_behind_method(&self, here: &Here<'_, '_>) -> bool {
        self.class_body.is_some()
            && opens_method(here.rest())
            && is_first_on_line(here.source, here.start())
            && !here.is_in_literal()
    }
}
