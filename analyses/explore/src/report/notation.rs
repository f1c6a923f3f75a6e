//! The states in the notation of the paper's figure 2: events that happened, actors with their behaviours, and pending events.

use std::fmt::Write as _;

use crate::program::Program;
use crate::space::Space;
use crate::tables::Tables;
use crate::tree::Tree;
use crate::unfolding::{Event, Prefix, Unfolding};

impl Space {
    /// The nodes of a tree as states: `Ex` by the event that is new, `Bx` and `Px`. Merged nodes name the equal one.
    ///
    /// # Errors
    ///
    /// Those of the program, whose turns are executed again.
    pub fn notation<P: Program>(
        &mut self,
        tree: &Tree,
        program: &mut P,
    ) -> Result<String, P::Error> {
        let mut text = String::new();
        let mut unfolding = Unfolding::default();
        let mut prefixes: Vec<Option<Prefix>> = Vec::new();
        for node in &tree.nodes {
            let parent = node.parent.map(|parent| &tree.nodes[parent]);
            let before = node.parent.and_then(|parent| prefixes[parent].as_ref());
            let (Some(parent), Some(before)) = (parent, before) else {
                let first = Prefix::new(self.start.clone());
                let _ = write!(text, "Ex {} = ∅", node.name);
                push_state(
                    &first,
                    &node.name,
                    &unfolding,
                    &self.tables,
                    program,
                    &mut text,
                );
                prefixes.push(Some(first));
                continue;
            };
            let mut prefix = before.clone();
            let mut places = Vec::new();
            let mut scratch = Default::default();
            let (delivery, tables) = (self.delivery, &mut self.tables);
            let state = &prefix.state;
            state.choices(delivery, tables, &mut scratch, &mut places);
            let Some(place) = places.get(node.number).copied() else {
                prefixes.push(None);
                continue;
            };
            let event = prefix.take(place, &mut unfolding, tables, program)?;
            let event = unfolding.events[event as usize];
            let event = event_text(&event, &unfolding, &self.tables, program);
            let _ = write!(text, "Ex {} = Ex {} ∪ {{{event}}}", node.name, parent.name);
            match node.merged {
                Some(first) => {
                    let _ = writeln!(text, "\n{} ≡ {}\n", node.name, tree.nodes[first].name);
                }
                None => push_state(
                    &prefix,
                    &node.name,
                    &unfolding,
                    &self.tables,
                    program,
                    &mut text,
                ),
            }
            prefixes.push(Some(prefix));
        }
        Ok(text)
    }
}

fn push_state<P: Program>(
    prefix: &Prefix,
    name: &str,
    unfolding: &Unfolding,
    tables: &Tables,
    program: &P,
    text: &mut String,
) {
    let actors = prefix.actors(unfolding).map(|(local, ordinal)| {
        let actor = tables.names.text(tables.actor(local));
        format!(
            "{actor}({})^{ordinal}",
            tables.behaviour_text(local, program)
        )
    });
    let pending = prefix.messages().map(|(pending, origin)| {
        let target = tables.names.text(tables.target(pending));
        let message = tables.message_text(pending, program);
        let sender = tables.sender_text(unfolding.events.get(origin.by as usize));
        format!("[{target}.{message}, {sender}]")
    });
    let _ = write!(text, "\nBx {name} = {}", set(actors));
    let _ = writeln!(text, "\nPx {name} = {}", set(pending));
    for list in &prefix.state.outputs {
        let outputs = tables.outputs(*list).into_iter();
        let outputs: Vec<String> = outputs.map(|output| program.output_text(output)).collect();
        let actor = tables.names.text(tables.writings[*list as usize].actor);
        let _ = writeln!(text, "{actor} wrote {}", outputs.join(", "));
    }
    if let Some((actor, error)) = prefix.state.failed {
        let actor = tables.names.text(actor);
        let _ = writeln!(text, "{actor} fails: {}", program.output_text(error));
    }
    text.push('\n');
}

/// An event: `[t(b).m, s^j]^i`.
fn event_text<P: Program>(
    event: &Event,
    unfolding: &Unfolding,
    tables: &Tables,
    program: &P,
) -> String {
    format!(
        "[{}({}).{}, {}]^{}",
        tables.names.text(event.actor),
        tables.behaviour_text(event.local, program),
        tables.message_text(event.pending, program),
        tables.sender_text(unfolding.events.get(event.origin.by as usize)),
        event.ordinal
    )
}

fn set(elements: impl Iterator<Item = String>) -> String {
    let elements: Vec<String> = elements.collect();
    match elements.is_empty() {
        true => "∅".to_string(),
        false => format!("{{{}}}", elements.join(", ")),
    }
}
