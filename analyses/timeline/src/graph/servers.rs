//! A processor that serves several clients at once.

use std::collections::BTreeMap;

/// When it can serve another client.
#[derive(Debug)]
pub(super) struct Servers<V> {
    /// Where it was created: from there on it can serve this many more.
    created: V,
    unused: usize,
    /// Where it has ended serving clients, by the rank of the moment and the number of the end.
    free: BTreeMap<(u64, u64), V>,
    ended: u64,
    /// Whether it serves a client in the order of the run.
    pub(super) is_busy: bool,
}

impl<V: Clone> Servers<V> {
    /// One that can serve `number` clients, from here on.
    pub(super) fn new(created: V, number: usize) -> Servers<V> {
        Servers {
            created,
            unused: number,
            free: BTreeMap::new(),
            ended: 0,
            is_busy: false,
        }
    }

    /// It begins to serve a client: where it was created, or else where it has ended serving one first.
    pub(super) fn begin(&mut self) -> V {
        self.is_busy = true;
        match self.unused.checked_sub(1) {
            Some(unused) => {
                self.unused = unused;
                self.created.clone()
            }
            None => match self.free.pop_first() {
                Some((_, value)) => value,
                None => self.created.clone(),
            },
        }
    }

    /// It has ended serving the client here, at a moment of this rank.
    pub(super) fn end(&mut self, value: V, rank: u64) {
        self.is_busy = false;
        self.ended += 1;
        self.free.insert((rank, self.ended), value);
    }
}

#[cfg(test)]
mod tests {
    use super::Servers;

    #[test]
    fn the_first_that_is_free_serves() {
        let mut servers = Servers::new(0_u64, 2);
        assert_eq!((servers.begin(), servers.begin()), (0, 0));
        for end in [9, 3, 9] {
            servers.end(end, end);
        }
        let begins = [servers.begin(), servers.begin(), servers.begin()];
        assert_eq!(begins, [3, 9, 9]);
        assert!(servers.is_busy);
    }
}
