//! The output of a script, kept until the caller takes it: tests that run side by side must not mix their lines.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::host::{CommandHost, Events};
use super::permissions::Permissions;

/// The most bytes of one script that are kept.
const MOST_BYTES: usize = 16 << 20;

/// What a script printed, in order.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    #[serde(with = "as_texts")]
    pieces: Vec<(Stream, Vec<u8>)>,
    bytes: usize,
    /// How many bytes were too many.
    lost: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stream {
    Out,
    Error,
}

/// Where a script's output is kept while it runs.
pub struct Keeper(Arc<Mutex<Kept>>);

impl Kept {
    /// An outside world whose output is kept, and whose standard input is empty.
    pub fn host(permissions: &Permissions, events: &Arc<Events>) -> (Keeper, CommandHost) {
        let kept = Arc::<Mutex<Kept>>::default();
        let writer = |stream| {
            let kept = Arc::clone(&kept);
            Box::new(KeptStream { kept, stream })
        };
        let (out, error) = (writer(Stream::Out), writer(Stream::Error));
        let host = CommandHost::keeping(out, error, permissions.clone(), Arc::clone(events));
        (Keeper(kept), host)
    }

    /// What was printed to both streams.
    pub fn text(&self) -> String {
        let pieces = self.pieces.iter();
        let texts = pieces.map(|(_, bytes)| String::from_utf8_lossy(bytes));
        texts.collect::<String>() + &self.notice()
    }

    /// The pieces in order: whether each went to standard output, and its text.
    pub fn pieces(&self) -> impl DoubleEndedIterator<Item = (bool, Cow<'_, str>)> {
        let pieces = self.pieces.iter();
        pieces.map(|(stream, bytes)| (*stream == Stream::Out, String::from_utf8_lossy(bytes)))
    }

    /// Says how much was too much to be kept; empty if nothing was.
    pub fn notice(&self) -> String {
        match self.lost {
            0 => String::new(),
            lost => format!("\n({lost} more bytes of output are not shown)\n"),
        }
    }

    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        let room = MOST_BYTES - self.bytes;
        let (taken, lost) = bytes.split_at(bytes.len().min(room));
        self.bytes += taken.len();
        self.lost += lost.len();
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == stream => piece.extend_from_slice(taken),
            _ => self.pieces.push((stream, taken.to_vec())),
        }
    }
}

impl Keeper {
    /// The kept output. It is complete once the machine is dropped.
    pub fn take(&self) -> Kept {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut kept)
    }
}

/// Pieces as another process gets them: as the texts that they are printed as.
mod as_texts {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Stream;

    type Pieces = Vec<(Stream, Vec<u8>)>;

    pub(super) fn serialize<S: Serializer>(pieces: &Pieces, to: S) -> Result<S::Ok, S::Error> {
        let texts = pieces.iter();
        to.collect_seq(texts.map(|(stream, bytes)| (stream, String::from_utf8_lossy(bytes))))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Pieces, D::Error> {
        let texts = Vec::<(Stream, String)>::deserialize(from)?.into_iter();
        Ok(texts
            .map(|(stream, text)| (stream, text.into_bytes()))
            .collect())
    }
}

struct KeptStream {
    kept: Arc<Mutex<Kept>>,
    stream: Stream,
}

impl Write for KeptStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.add(self.stream, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_order_and_what_is_too_much_is_said() {
        let mut kept = Kept::default();
        for (stream, text) in [
            (Stream::Out, "a"),
            (Stream::Out, "b\n"),
            (Stream::Error, "c"),
        ] {
            kept.add(stream, text.as_bytes());
        }
        assert_eq!(kept.pieces.len(), 2);
        assert_eq!(kept.text(), "ab\nc");
        kept.add(Stream::Out, &vec![b'x'; MOST_BYTES]);
        assert_eq!(kept.bytes, MOST_BYTES);
        assert!(
            kept.text()
                .ends_with("\n(4 more bytes of output are not shown)\n")
        );
    }
}
