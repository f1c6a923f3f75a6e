//! The counts of every method in every test when the snapshot was last taken. They explain a difference of a test's sends
//! by methods. A snapshot is committed. A baseline is a cache: without it, an explanation is missing and the verdict
//! stays the same.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explanation::MethodCount;

/// The first line of a baseline's file; the number is the version of the format.
const HEAD: &[u8] = b"tally baseline 1\n";
/// Bytes of the checksum at its end.
const CHECK: usize = 8;

/// What methods did, by tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The methods of each test.
    pub tests: BTreeMap<String, Vec<MethodCount>>,
}

/// Why bytes are no baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaselineError {
    /// It is something else, or of another version.
    Version,
    /// It is not all there, or was changed.
    Damaged,
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BaselineError::Version => "it was not written by this version of Tally",
            BaselineError::Damaged => "it is damaged",
        })
    }
}

impl std::error::Error for BaselineError {}

/// A baseline as it is written: most methods are in many tests, and their names are written once.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    methods: Vec<StoredMethod>,
    tests: Vec<StoredTest>,
}

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct StoredMethod {
    name: String,
    digest: u64,
    file: String,
    line: usize,
}

#[derive(Serialize, Deserialize)]
struct StoredTest {
    name: String,
    /// Index of a method, its calls and its own sends.
    counts: Vec<(u32, u64, u64)>,
}

impl Baseline {
    /// The baseline as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        for (name, methods) in &self.tests {
            writer.test(name, methods);
        }
        // Nothing in it can fail to be written: it has no maps and no foreign types.
        let payload = postcard::to_allocvec(&writer.stored).unwrap_or_default();
        let mut bytes = HEAD.to_vec();
        bytes.extend(payload);
        let check = checksum(&bytes);
        bytes.extend(check);
        bytes
    }

    /// The baseline that bytes stand for.
    ///
    /// # Errors
    /// They are not what [`Baseline::to_bytes`] of this version answers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Baseline, BaselineError> {
        if !bytes.starts_with(HEAD) {
            return Err(BaselineError::Version);
        }
        let damaged = BaselineError::Damaged;
        let end = bytes.len().checked_sub(CHECK).ok_or(damaged)?;
        let (content, check) = bytes.split_at_checked(end).ok_or(damaged)?;
        let payload = content.get(HEAD.len()..).ok_or(damaged)?;
        if check != checksum(content) {
            return Err(damaged);
        }
        let (stored, rest): (Stored, _) =
            postcard::take_from_bytes(payload).map_err(|_| damaged)?;
        if !rest.is_empty() {
            return Err(damaged);
        }
        let tests = stored.tests.iter().map(|test| {
            let methods = test.counts.iter().map(|row| stored.method(row));
            Some((test.name.clone(), methods.collect::<Option<Vec<_>>>()?))
        });
        let tests = tests.collect::<Option<BTreeMap<_, _>>>().ok_or(damaged)?;
        Ok(Baseline { tests })
    }

    /// What the methods did in a test that sent `sends` messages before. Nothing if the baseline lacks the test
    /// or holds another number of messages: then it would explain another difference.
    pub fn methods_of(&self, test: &str, sends: u64) -> Option<&[MethodCount]> {
        let methods = self.tests.get(test)?;
        let own = methods.iter().map(|method| u128::from(method.own));
        (own.sum::<u128>() == u128::from(sends)).then_some(methods)
    }
}

impl Stored {
    fn method(&self, (index, calls, own): &(u32, u64, u64)) -> Option<MethodCount> {
        let method = self.methods.get(usize::try_from(*index).ok()?)?;
        Some(MethodCount {
            name: method.name.clone(),
            digest: method.digest,
            calls: *calls,
            own: *own,
            file: method.file.clone(),
            line: method.line,
        })
    }
}

#[derive(Default)]
struct Writer {
    stored: Stored,
    numbers: HashMap<StoredMethod, u32>,
}

impl Writer {
    fn test(&mut self, name: &str, methods: &[MethodCount]) {
        let counts = methods
            .iter()
            .map(|method| (self.number(method), method.calls, method.own));
        let counts = counts.collect();
        self.stored.tests.push(StoredTest {
            name: name.to_string(),
            counts,
        });
    }

    fn number(&mut self, method: &MethodCount) -> u32 {
        let method = StoredMethod {
            name: method.name.clone(),
            digest: method.digest,
            file: method.file.clone(),
            line: method.line,
        };
        let Stored { methods, .. } = &mut self.stored;
        *self.numbers.entry(method).or_insert_with_key(|method| {
            methods.push(method.clone());
            (methods.len() - 1) as u32
        })
    }
}

/// 64-bit FNV-1a.
fn checksum(bytes: &[u8]) -> [u8; CHECK] {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.to_le_bytes()
}
