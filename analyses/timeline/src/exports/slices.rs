//! The nested slices of the lanes. A lane is a stack. What ends below the top closes what stands above it for a moment, and that goes on
//! in a further part. Only processes of one processor that enter scopes in turn are nested in this way.

use crate::following::Follower;
use crate::measured::Measured;
use crate::sink::Accepted;

use super::pen::{Edge, Pen, Slice, SliceKind};

/// The slices that are open, by lane.
#[derive(Debug)]
pub(crate) struct Slices {
    /// Where the part that is drawn begins.
    from: u64,
    lanes: Vec<Stack>,
}

/// The slices of a lane. Those that began before the part are drawn when something happens in the lane.
#[derive(Debug, Default)]
struct Stack {
    slices: Vec<Slice>,
    /// How many of them are drawn, from the bottom on.
    drawn: usize,
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

impl Stack {
    /// Draws what is open and not drawn.
    fn draw(&mut self, lane: u32, from: u64, pen: &mut dyn Pen) -> Accepted {
        for slice in &self.slices[self.drawn..] {
            pen.edge(lane, from, slice, Edge::Begin { is_first: false })?;
        }
        self.drawn = self.slices.len();
        Ok(())
    }
}

impl Slices {
    pub(crate) fn new(from: u64) -> Slices {
        Slices {
            from,
            lanes: Vec::new(),
        }
    }

    pub(crate) fn processor(&mut self) {
        self.lanes.push(Stack::default());
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
        let Some(time) = time else {
            stack.slices.push(slice);
            return Ok(());
        };
        stack.draw(lane, self.from, pen)?;
        stack.slices.push(slice);
        stack.drawn += 1;
        pen.edge(lane, time, &slice, Edge::Begin { is_first: true })
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
        let Some(place) = stack.slices.iter().rposition(is_it) else {
            return Ok(());
        };
        if time.is_none() && place >= stack.drawn {
            stack.slices.remove(place);
            return Ok(());
        }
        let time = time.unwrap_or(self.from);
        stack.draw(lane, self.from, pen)?;
        let slice = stack.slices.remove(place);
        stack.drawn -= 1;
        for above in stack.slices[place..].iter().rev() {
            pen.edge(lane, time, above, Edge::End { is_last: false })?;
        }
        pen.edge(lane, time, &slice, Edge::End { is_last: true })?;
        for above in &stack.slices[place..] {
            pen.edge(lane, time, above, Edge::Begin { is_first: false })?;
        }
        Ok(())
    }

    /// Draws the ends of all slices that are open where the part ends.
    pub(crate) fn close(&mut self, time: u64, pen: &mut dyn Pen) -> Accepted {
        for (lane, stack) in (0..).zip(&mut self.lanes) {
            stack.draw(lane, self.from, pen)?;
            while let Some(slice) = stack.slices.pop() {
                pen.edge(lane, time, &slice, Edge::End { is_last: false })?;
            }
        }
        Ok(())
    }

    /// Takes up what is under way: requests in their lanes, and waits for answers that have not come.
    pub(crate) fn resume(&mut self, follower: &Follower, is_in: impl Fn(u32, &Measured) -> bool) {
        let mut stacks: Vec<Vec<(u64, u32, u8, Slice)>> = vec![Vec::new(); self.lanes.len()];
        for (lane, stack) in follower.lanes.iter().zip(&mut stacks) {
            for open in &lane.open {
                let Some(row) = follower.rows.get(&open.request) else {
                    continue;
                };
                let since = row.synchronizes.unwrap_or(self.from);
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
            lane.slices = wanted.collect();
        }
    }
}
