//! The nested slices of the lanes. A lane is a stack. What ends below the top closes what stands above it for a moment, and that goes on
//! in a further part. Only processes of one processor that enter scopes in turn are nested in this way.

use crate::following::Follower;
use crate::measured::{Measured, Window};
use crate::sink::Accepted;

use super::pen::{Edge, Pen, Slice, SliceKind};

/// The slices that are open, by lane.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    lanes: Vec<Vec<Slice>>,
}

/// The slice of this kind of a request.
pub(crate) fn slice(kind: SliceKind, request: u32, row: &Measured) -> Slice {
    Slice {
        kind,
        request,
        feature: row.feature,
        client: row.client,
        supplier: row.supplier,
        called: row.called,
        is_sent: !row.is_local && request > 0,
    }
}

impl Slices {
    pub(crate) fn processor(&mut self) {
        self.lanes.push(Vec::new());
    }

    /// The slice begins. It is drawn if there is a moment to draw it at.
    pub(crate) fn begin(
        &mut self,
        lane: u32,
        time: Option<u64>,
        slice: Slice,
        pen: &mut dyn Pen,
    ) -> Accepted {
        let Some(stack) = self.lanes.get_mut(lane as usize) else {
            return Ok(());
        };
        stack.push(slice);
        match time {
            Some(time) => pen.edge(lane, time, &slice, Edge::Begin { is_first: true }),
            None => Ok(()),
        }
    }

    /// The slice of this kind of the request ends.
    pub(crate) fn end(
        &mut self,
        lane: u32,
        time: Option<u64>,
        (kind, request): (SliceKind, u32),
        pen: &mut dyn Pen,
    ) -> Accepted {
        let Some(stack) = self.lanes.get_mut(lane as usize) else {
            return Ok(());
        };
        let is_it = |slice: &Slice| slice.kind == kind && slice.request == request;
        let Some(place) = stack.iter().rposition(is_it) else {
            return Ok(());
        };
        let slice = stack.remove(place);
        let Some(time) = time else { return Ok(()) };
        for above in stack[place..].iter().rev() {
            pen.edge(lane, time, above, Edge::End { is_last: false })?;
        }
        pen.edge(lane, time, &slice, Edge::End { is_last: true })?;
        for above in &stack[place..] {
            pen.edge(lane, time, above, Edge::Begin { is_first: false })?;
        }
        Ok(())
    }

    /// Draws the begins of all slices that are open where the part begins.
    pub(crate) fn open(&mut self, time: u64, pen: &mut dyn Pen) -> Accepted {
        for (lane, stack) in (0..).zip(&self.lanes) {
            for slice in stack {
                pen.edge(lane, time, slice, Edge::Begin { is_first: false })?;
            }
        }
        Ok(())
    }

    /// Draws the ends of all slices that are open where the part ends.
    pub(crate) fn close(&mut self, time: u64, pen: &mut dyn Pen) -> Accepted {
        for (lane, stack) in (0..).zip(&mut self.lanes) {
            while let Some(slice) = stack.pop() {
                pen.edge(lane, time, &slice, Edge::End { is_last: false })?;
            }
        }
        Ok(())
    }

    /// Takes up what is under way: requests in their lanes, and waits for answers that have not come.
    pub(crate) fn resume(
        &mut self,
        follower: &Follower,
        is_in: impl Fn(u32, &Measured) -> bool,
        window: Window,
    ) {
        let mut stacks: Vec<Vec<(u64, u32, u8, Slice)>> = vec![Vec::new(); self.lanes.len()];
        for (lane, stack) in follower.lanes.iter().zip(&mut stacks) {
            for open in &lane.open {
                let Some(row) = follower.rows.get(&open.request) else {
                    continue;
                };
                let since = row.synchronizes.unwrap_or(window.from);
                let kinds = [
                    Some(SliceKind::Request),
                    row.executes.is_none().then_some(SliceKind::Step),
                ];
                for (rank, kind) in (0..).zip(kinds.into_iter().flatten()) {
                    let slice = slice(kind, open.request, row);
                    stack.push((since, open.request, rank, slice));
                }
            }
        }
        for (&number, row) in follower.rows.iter().filter(|(_, row)| row.waits) {
            let since = row.joined.or(row.called);
            if let (Some(since), Some(stack)) = (since, stacks.get_mut(row.client as usize)) {
                // A request that is sent at the moment at which another one begins has the higher number if that one sent it.
                let slice = slice(SliceKind::Call, number, row);
                stack.push((since, number, 0, slice));
            }
        }
        for (lane, mut stack) in self.lanes.iter_mut().zip(stacks) {
            stack.sort_by_key(|(since, number, rank, _)| (*since, *number, *rank));
            let stack = stack.into_iter().map(|(.., slice)| slice);
            let wanted = stack.filter(|slice| {
                let row = follower.rows.get(&slice.request);
                row.is_some_and(|row| is_in(slice.request, row))
            });
            *lane = wanted.collect();
        }
    }
}
