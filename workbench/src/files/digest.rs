//! Digests of untrusted data: two contents with the same digest are the same, even if an attacker chose one of them.
//! BLAKE3 of fields, each with its length in front, so that what ends one field cannot begin the next.

use std::fmt;
use std::io;

/// A digest, 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// That of plain bytes, without a field.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// The digest with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    /// Its bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// A digest of several fields while it is made.
#[derive(Debug)]
pub struct Fields(blake3::Hasher);

impl Fields {
    /// None yet. Digests of different purposes are never the same.
    pub fn new(purpose: &str) -> Fields {
        let mut fields = Fields(blake3::Hasher::new());
        fields.add(purpose.as_bytes());
        fields
    }

    /// Adds one.
    pub fn add(&mut self, field: &[u8]) -> &mut Fields {
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field);
        self
    }

    /// The digest of all that were added.
    pub fn digest(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

/// A digest of bytes that come one after the other.
#[derive(Debug, Default)]
pub struct Bytes(blake3::Hasher);

impl Bytes {
    /// Adds what came.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all that came, as [`Digest::of`] gives it.
    pub fn digest(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl io::Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(fields: &[&str]) -> Digest {
        let mut digest = Fields::new("a test");
        for field in fields {
            digest.add(field.as_bytes());
        }
        digest.digest()
    }

    #[test]
    fn where_a_field_ends_makes_a_difference() {
        assert_ne!(fields(&["ab", "c"]), fields(&["a", "bc"]));
        assert_ne!(fields(&["a", ""]), fields(&["a"]));
        assert_ne!(Fields::new("one").digest(), Fields::new("other").digest());
        assert_eq!(fields(&["a", "b"]), fields(&["a", "b"]));
    }

    #[test]
    fn bytes_that_come_in_pieces_have_the_digest_of_the_whole() {
        let mut pieces = Bytes::default();
        pieces.add(b"one ");
        pieces.add(b"two");
        assert_eq!(pieces.digest(), Digest::of(b"one two"));
        // The first test vector of BLAKE3.
        assert_eq!(
            Digest::of(b"").to_string(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }
}
