//! Resolves one routine: its scopes, functions and captures are here; `names`, `statements` and `messages` walk the
//! tree. `inline` decides which control messages are inlined, and `file` walks the items of a file.
//!
//! The walk recurses as deep as the tree is. The function for one kind of node is never inlined into the walk.
//! Otherwise each level would need the stack space of all kinds together.

mod messages;
mod names;
mod statements;
mod usage;

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use tally_vm::bytecode::{CodeKind, Span};

use super::context::{Context, Place};
use super::session::Session;
use super::tree::{Captured, Function, FunctionId, Routine, Scope, Variable, VariableId};
use super::variables::{Notes, Role, Walk, index};
use super::world::ClassScope;
use crate::diagnostics::Diagnostic;

pub(super) use messages::is_super;
pub(super) use statements::{Ended, convert};

/// A function that is being walked.
/// Names that are variables in the grammar and belong to the language.
const RESERVED: [&str; 6] = ["self", "super", "thisContext", "nil", "true", "false"];

#[derive(Debug)]
struct Level {
    id: FunctionId,
    captures: Vec<Captured>,
    returns_home: bool,
    receiver_uses: u32,
}

/// The names of one scope.
#[derive(Debug, Default)]
struct Names {
    names: HashMap<String, VariableId>,
}

/// The walk through one routine.
pub(super) struct RoutineResolver<'r, 'w, 'e> {
    pub(super) context: &'r mut Context<'w, 'e>,
    in_class: bool,
    class_scope: Rc<ClassScope>,
    /// The class whose class side the routine belongs to.
    class_side_of: Option<String>,
    variables: Vec<Notes>,
    functions: Vec<Function>,
    levels: Vec<Level>,
    scopes: Vec<Names>,
    pub(super) walk: Walk,
    /// Whether an assignment makes a variable of an unknown name.
    makes_variables: bool,
    /// Whether the routine is a file's script.
    pub(super) is_script: bool,
    /// Whether the machine reads the temporaries, as in a method with a mark record of its own kind. Such temporaries
    /// are nil from the start, and none counts as unused.
    pub(super) machine_reads: bool,
    /// Variables that assignments of the current statement made.
    made: Vec<VariableId>,
    /// Unknown names that were reported. Each is reported once.
    unknown_names: HashSet<String>,
    /// How many diagnostics were found that explain their whole statement.
    explained: usize,
    /// The variables whose values are being read, the innermost last.
    targets: Vec<String>,
}

impl<'r, 'w, 'e> RoutineResolver<'r, 'w, 'e> {
    /// A routine in the scope of a class, or outside of all classes.
    pub(super) fn new(
        context: &'r mut Context<'w, 'e>,
        place: Option<Place<'_>>,
        makes_variables: bool,
    ) -> RoutineResolver<'r, 'w, 'e> {
        let class_scope = context.class_scope(place);
        let mut resolver = RoutineResolver {
            context,
            in_class: place.is_some(),
            class_scope,
            class_side_of: place
                .filter(|place| place.class_side)
                .map(|place| place.class.to_owned()),
            variables: Vec::new(),
            functions: Vec::new(),
            levels: Vec::new(),
            scopes: vec![Names::default()],
            walk: Walk::default(),
            makes_variables,
            is_script: false,
            machine_reads: false,
            made: Vec::new(),
            unknown_names: HashSet::new(),
            explained: 0,
            targets: Vec::new(),
        };
        resolver.open_function();
        resolver
    }

    /// The resolved routine; the pragmas are the caller's to add.
    pub(super) fn finish(
        mut self,
        selector: String,
        kind: CodeKind,
        span: Span,
        parameters: Vec<VariableId>,
        body: Scope,
    ) -> Routine {
        self.close_names();
        self.close_function(parameters, body, span);
        let mut variables: Vec<Variable> = self.variables.iter().map(Notes::settle).collect();
        for variable in &mut variables {
            variable.starts_nil |= self.machine_reads;
        }
        Routine {
            selector,
            kind,
            variables,
            functions: self.functions,
            pragmas: Vec::new(),
            primitive: None,
            frame: None,
            span,
        }
    }

    fn open_function(&mut self) -> FunctionId {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function::default());
        self.levels.push(Level {
            id,
            captures: Vec::new(),
            returns_home: false,
            receiver_uses: 0,
        });
        id
    }

    fn close_function(&mut self, parameters: Vec<VariableId>, body: Scope, span: Span) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        self.functions[level.id.0 as usize] = Function {
            parameters,
            body,
            captures: level.captures,
            returns_home: level.returns_home,
            receiver_uses: level.receiver_uses,
            span,
        };
    }

    pub(super) fn open_names(&mut self) {
        self.scopes.push(Names::default());
    }

    pub(super) fn close_names(&mut self) {
        let Some(closed) = self.scopes.pop() else {
            return;
        };
        if self.machine_reads || self.context.world.is_open {
            return;
        }
        let mut unused: Vec<&Notes> = closed
            .names
            .values()
            .map(|id| &self.variables[index(*id)])
            .filter(|notes| notes.role == Role::Temporary && !notes.is_read)
            .collect();
        unused.sort_by_key(|notes| notes.span.start);
        for notes in unused {
            let (message, label) = if notes.is_unused() {
                (
                    format!("the temporary `{}` is never used", notes.name),
                    "never used",
                )
            } else {
                (
                    format!("the temporary `{}` is never read", notes.name),
                    "assigned, never read",
                )
            };
            let warning = Diagnostic::warning("W0301", notes.span, message).labelled(label);
            self.context
                .diagnostics
                .push(warning.helping("remove it, or use it"));
        }
    }

    fn this_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// The session whose variables are visible here; `None` inside classes.
    fn session(&self) -> Option<&Session> {
        self.context.session.as_deref().filter(|_| !self.in_class)
    }

    /// Makes the variable reachable for the running function; answers whether it is captured.
    fn reach(&mut self, id: VariableId) -> bool {
        let owner = self.variables[index(id)].owner;
        let mut captured = false;
        for level in self.levels.iter_mut().rev() {
            if level.id == owner {
                break;
            }
            captured = true;
            if !level.captures.contains(&Captured::Variable(id)) {
                level.captures.push(Captured::Variable(id));
            }
        }
        captured
    }

    /// Makes the receiver reachable for the running function.
    fn reach_receiver(&mut self) {
        let innermost = self.this_level();
        for (depth, level) in self.levels.iter_mut().enumerate().rev() {
            let known = depth == 0 || level.captures.contains(&Captured::Receiver);
            if !known {
                level.captures.push(Captured::Receiver);
            }
            // An outer function uses the receiver when it makes the block that captures it.
            if depth == innermost || !known {
                level.receiver_uses += 1;
            }
        }
    }
}
