//! The head of a trace: what was run, and under which rules.

use std::io::Read;

use tally_profiler::recording::bytes::{Input, push_number};

use super::block::checksum;
use super::encode::shortened;
use super::{MAGIC, MAJOR, MINOR, TraceError};

/// Bytes before the content of the head.
const FIXED: usize = 20;
/// The most bytes of the content.
const MOST_CONTENT: usize = 64 << 10;
/// The room that the names of files leave for the costs.
const MOST_FILES: usize = 60 << 10;

/// What was run, and under which rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Version of the counting model.
    pub model: u32,
    /// Digest of the program's source texts.
    pub program: u64,
    /// The files that were run, as the user named them. A trace holds the first 60 KiB of them.
    pub files: Vec<String>,
    /// Simulated CPUs; any number if absent.
    pub cpus: Option<u64>,
    /// What communication costs, in ticks, by name.
    pub costs: Vec<(String, u64)>,
    /// What else differs from the usual machine, by name: policies, slices, ties, jitter, clock.
    pub settings: Vec<(String, String)>,
}

impl Head {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut content = self.program.to_le_bytes().to_vec();
        push_number(&mut content, self.cpus.unwrap_or(0));
        push_number(&mut content, self.costs.len() as u64);
        for (name, ticks) in &self.costs {
            push_text(&mut content, name);
            push_number(&mut content, *ticks);
        }
        push_number(&mut content, self.settings.len() as u64);
        for (name, value) in &self.settings {
            push_text(&mut content, name);
            push_text(&mut content, value);
        }
        let mut files = Vec::new();
        let mut count = 0;
        for file in &self.files {
            let before = files.len();
            push_text(&mut files, file);
            if files.len() > MOST_FILES {
                files.truncate(before);
                break;
            }
            count += 1;
        }
        push_number(&mut content, count);
        content.extend(files);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(MAJOR.to_le_bytes());
        bytes.extend(MINOR.to_le_bytes());
        bytes.extend(self.model.to_le_bytes());
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
        let sum = checksum(&[&bytes]);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the head; answers how many bytes it has.
    pub(super) fn read(input: &mut impl Read) -> Result<(Head, u64), TraceError> {
        let mut bytes = Vec::new();
        input.by_ref().take(FIXED as u64).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&MAGIC) {
            return Err(match MAGIC.starts_with(&bytes) && !bytes.is_empty() {
                true => TraceError::Truncated,
                false => TraceError::NoTrace,
            });
        }
        let small = |at: usize| bytes.get(at..at + 2)?.try_into().ok();
        let small = |at: usize| small(at).map(u16::from_le_bytes);
        let (major, minor) = small(8).zip(small(10)).ok_or(TraceError::Truncated)?;
        if major != MAJOR {
            return Err(TraceError::Version(major, minor));
        }
        let number = |at: usize| bytes.get(at..at + 4)?.try_into().ok();
        let number = |at: usize| number(at).map(u32::from_le_bytes);
        let (model, length) = number(12).zip(number(16)).ok_or(TraceError::Truncated)?;
        let length = length as usize;
        if length > MOST_CONTENT {
            return Err(TraceError::Damaged(16, "its head is too long"));
        }
        let mut rest = Vec::new();
        input
            .by_ref()
            .take(length as u64 + 4)
            .read_to_end(&mut rest)?;
        let (content, sum) = rest.split_at_checked(length).ok_or(TraceError::Truncated)?;
        let sum: [u8; 4] = sum.try_into().map_err(|_| TraceError::Truncated)?;
        if checksum(&[&bytes, content]) != u32::from_le_bytes(sum) {
            return Err(TraceError::Damaged(0, "the checksum of its head is wrong"));
        }
        let head = Head::decoded(model, content);
        let head = head.ok_or(TraceError::Damaged(0, "its head is inconsistent"))?;
        Ok((head, (FIXED + length + 4) as u64))
    }

    /// Bytes behind the known members belong to a later minor version.
    fn decoded(model: u32, content: &[u8]) -> Option<Head> {
        let mut input = Input(content);
        let program: [u8; 8] = input.take(8).ok()?.try_into().ok()?;
        let cpus = Some(input.number().ok()?).filter(|cpus| *cpus > 0);
        let mut costs = Vec::new();
        for _ in 0..input.number().ok()? {
            costs.push((text(&mut input)?, input.number().ok()?));
        }
        let mut settings = Vec::new();
        for _ in 0..input.number().ok()? {
            settings.push((text(&mut input)?, text(&mut input)?));
        }
        let mut files = Vec::new();
        for _ in 0..input.number().ok()? {
            files.push(text(&mut input)?);
        }
        Some(Head {
            model,
            program: u64::from_le_bytes(program),
            files,
            cpus,
            costs,
            settings,
        })
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    let text = shortened(text);
    push_number(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

fn text(input: &mut Input<'_>) -> Option<String> {
    let length = input.number().ok()?;
    let bytes = input.take(length).ok()?;
    std::str::from_utf8(bytes).ok().map(str::to_string)
}
