//! The source text of the program's own send or condition in which an error happened. The library words its help by it.

use super::Vm;
use crate::bytecode::{Op, instructions};
use crate::code::{Target, send_before};
use crate::processes::FrameView;

/// Characters of an expression that are handed out.
const MOST_SHOWN: usize = 40;

/// A send of the program, as it stands in its source text.
#[derive(Debug, Default)]
pub(crate) struct FailingSend {
    /// The text of the receiver; empty if it is long.
    pub(crate) receiver: String,
    pub(crate) selector: String,
    /// The text behind the selector, or behind its first keyword; empty if it is long.
    pub(crate) arguments: String,
    /// The keyword or the operator that directly follows the send; else empty.
    pub(crate) follower: String,
    /// The selector of the method that the send stands in.
    pub(crate) method: String,
}

impl FailingSend {
    /// The parts in the order in which the library gets them.
    pub(crate) fn parts(&self) -> [&str; 5] {
        [
            &self.receiver,
            &self.selector,
            &self.arguments,
            &self.follower,
            &self.method,
        ]
    }
}

impl Vm {
    /// The innermost send of the program's own code below a frame.
    pub(crate) fn failing_send(&mut self, from_frame: Option<usize>) -> Option<FailingSend> {
        let mut walk = self.walk_frames();
        while let Some(view) = walk.next(self) {
            let target = self.registers.code_of(&view);
            let is_below = from_frame.is_none_or(|limit| view.frame < limit);
            if is_below && !self.image.is_of_library(target.method) {
                return self.send_of(target, &view);
            }
        }
        None
    }

    fn send_of(&self, target: &Target, view: &FrameView) -> Option<FailingSend> {
        let at = match view.is_top {
            true => view.ip,
            false => send_before(view.ip),
        };
        if is_condition(target, view) {
            return None;
        }
        let linked = target.instruction_at(at)?.site()?;
        let linked = self.code.sites.get(linked as usize)?;
        let code = self.method(linked.method).code.get();
        let site = code.sites.get(linked.index as usize)?;
        let source = self.unit_text(self.unit_of(linked.method));
        let text = |start: u32, end: u32| source.get(start as usize..end as usize);
        let first = site.selector.split_inclusive(':').next().unwrap_or("");
        let behind = site.selector_span.start + first.len() as u32;
        Some(FailingSend {
            receiver: shown(text(site.span.start, site.selector_span.start)?),
            selector: site.selector.clone(),
            arguments: shown(text(behind, site.span.end).unwrap_or("")),
            follower: follower(source.get(site.span.end as usize..)?).to_string(),
            method: code.selector.clone(),
        })
    }

    /// Where the condition stands that a frame tests. If a send gave the condition, the place is the send's. Else it is
    /// the line of the next send behind the condition: most often that of the branch.
    pub(crate) fn place_of_condition(&self, target: &Target, view: &FrameView) -> Option<u32> {
        let at = target.index_of(view.ip)?;
        let tested = instructions(&target.words)
            .find(|one| one.pc == at)?
            .word
            .a();
        let site = |number: u32| {
            let linked = self.code.sites.get(number as usize)?;
            let code = self.method(linked.method).code.get();
            code.sites.get(linked.index as usize)
        };
        let gives = instructions(&target.words).find(|one| {
            let cache = target.words.get(one.pc + 1);
            one.end() == at
                && one.site().is_some()
                && cache.is_some_and(|cache| cache >> 48 == u64::from(tested))
        });
        if let Some(site) = gives.and_then(|one| site(one.site()?)) {
            return Some(site.span.start);
        }
        let next = instructions(&target.words).find(|one| one.pc > at && one.site().is_some());
        let site = site(next?.site()?)?;
        let source = self.unit_text(self.unit_of(target.method));
        let before = source.get(..site.selector_span.start as usize)?;
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        let indent = source[line..].len() - source[line..].trim_start().len();
        u32::try_from(line + indent).ok()
    }
}

/// Whether the frame waits for an answer to `mustBeBoolean`: the machine delivered it, and a conditional jump is next.
pub(crate) fn is_condition(target: &Target, view: &FrameView) -> bool {
    let jumps = [Op::JumpTrue, Op::JumpFalse, Op::LoopTrue, Op::LoopFalse];
    !view.is_top
        && view.awaiting.is_none()
        && target
            .instruction_at(view.ip)
            .is_some_and(|found| jumps.contains(&found.op))
}

/// The text on one line, or nothing if it is long.
fn shown(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() > MOST_SHOWN || text.contains('\n') {
        return String::new();
    }
    text.to_string()
}

/// The keyword or the operator that a text begins with.
fn follower(text: &str) -> &str {
    let text = text.trim_start();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.len() - text.trim_start_matches(is_word).len();
    let rest = &text[word..];
    if word > 0 {
        let is_keyword = rest.starts_with(':') && !rest.starts_with(":=");
        return if is_keyword { &text[..=word] } else { "" };
    }
    let is_operator = |c: char| "+-*/\\<>=~@%&?,".contains(c);
    &text[..text.len() - text.trim_start_matches(is_operator).len()]
}
