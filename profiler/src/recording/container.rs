//! The container of a recording: magic bytes, versions, lengths, the compressed content, a checksum. The checksum covers
//! all bytes before it. It is checked first, so that damaged content is not unpacked.

use std::io::Read as _;

use flate2::bufread::{DeflateDecoder, DeflateEncoder};
use flate2::{Compression, Crc};

use super::{MAGIC, MAJOR, MAX_CONTENT, MINOR, RecordingError};

/// The properties that identify the containers of one kind.
pub struct Kind {
    /// Their first bytes.
    pub magic: [u8; 8],
    /// Version of their content.
    pub major: u16,
    /// Version within the major number.
    pub minor: u16,
    /// The level of compression, from 1 to 10. The output depends on the level and the content only.
    pub level: u8,
}

pub(super) const RECORDING: Kind = Kind {
    magic: MAGIC,
    major: MAJOR,
    minor: MINOR,
    level: 6,
};

/// Bytes before the compressed content.
const HEAD: usize = 32;

/// Bytes of the checksum at the end.
const TAIL: usize = 4;

/// No DEFLATE stream unpacks to more than this many times its length.
const MAX_RATIO: usize = 1032;

/// The content of a container.
pub struct Opened {
    /// Version of the counting model.
    pub model: u32,
    /// Version of the format within the major number.
    pub minor: u16,
    /// The content, unpacked.
    pub content: Vec<u8>,
}

/// Puts content into a recording's container: compresses it and adds head and checksum.
///
/// # Errors
/// The content is larger than recordings may be.
pub fn seal(model: u32, content: &[u8]) -> Result<Vec<u8>, RecordingError> {
    seal_as(&RECORDING, model, content)
}

/// As [`seal`], for a container of any kind.
pub fn seal_as(kind: &Kind, model: u32, content: &[u8]) -> Result<Vec<u8>, RecordingError> {
    if content.len() > MAX_CONTENT {
        return Err(RecordingError::TooLarge);
    }
    let mut packed = Vec::new();
    DeflateEncoder::new(content, Compression::new(kind.level.into()))
        .read_to_end(&mut packed)
        .map_err(|error| RecordingError::Damaged(error.to_string()))?;
    let mut file = Vec::with_capacity(HEAD + packed.len() + TAIL);
    file.extend(kind.magic);
    file.extend(kind.major.to_le_bytes());
    file.extend(kind.minor.to_le_bytes());
    file.extend(model.to_le_bytes());
    file.extend((content.len() as u64).to_le_bytes());
    file.extend((packed.len() as u64).to_le_bytes());
    file.extend(packed);
    file.extend(checksum(&file).to_le_bytes());
    Ok(file)
}

/// Opens a container of a kind, whose content has at most `most` bytes.
pub fn open(kind: &Kind, file: &[u8], most: usize) -> Result<Opened, RecordingError> {
    if !file.starts_with(&kind.magic) {
        // An empty file, or one of which not even the first bytes arrived, is a truncated one.
        return Err(match kind.magic.starts_with(file) && !file.is_empty() {
            true => RecordingError::Truncated,
            false => RecordingError::NoRecording,
        });
    }
    let major = u16::from_le_bytes(part(file, 8)?);
    let minor = u16::from_le_bytes(part(file, 10)?);
    // Another major version may define the bytes behind the version otherwise.
    if major != kind.major {
        return Err(RecordingError::Version(major, minor));
    }
    let model = u32::from_le_bytes(part(file, 12)?);
    let length = u64::from_le_bytes(part(file, 16)?);
    let packed = packed(file, u64::from_le_bytes(part(file, 24)?))?;
    Ok(Opened {
        model,
        minor,
        content: unpack(packed, length, most)?,
    })
}

fn part<const N: usize>(file: &[u8], at: usize) -> Result<[u8; N], RecordingError> {
    let bytes = file.get(at..at + N).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or(RecordingError::Truncated)
}

/// The compressed content, if the file is as long as it says and its checksum is right.
fn packed(file: &[u8], length: u64) -> Result<&[u8], RecordingError> {
    let rest = &file[HEAD..];
    let length = usize::try_from(length).map_err(|_| RecordingError::Truncated)?;
    let there = rest
        .len()
        .checked_sub(TAIL)
        .ok_or(RecordingError::Truncated)?;
    if there < length {
        return Err(RecordingError::Truncated);
    }
    if there > length {
        return Err(RecordingError::Damaged(
            "something follows its end".to_string(),
        ));
    }
    let sum = u32::from_le_bytes(part(file, HEAD + length)?);
    match checksum(&file[..HEAD + length]) == sum {
        true => Ok(&rest[..length]),
        false => Err(RecordingError::Damaged("its checksum is wrong".to_string())),
    }
}

fn unpack(packed: &[u8], length: u64, most: usize) -> Result<Vec<u8>, RecordingError> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > most {
        return Err(RecordingError::TooLarge);
    }
    let wrong =
        || RecordingError::Damaged("its content has another length than it says".to_string());
    if length > packed.len().saturating_mul(MAX_RATIO) {
        return Err(wrong());
    }
    // One byte more than there may be shows that there is more.
    let mut content = Vec::with_capacity(length + 1);
    let mut bounded = DeflateDecoder::new(packed).take(length as u64 + 1);
    bounded
        .read_to_end(&mut content)
        .map_err(|_| RecordingError::Damaged("its content cannot be unpacked".to_string()))?;
    match content.len() == length {
        true => Ok(content),
        false => Err(wrong()),
    }
}

/// CRC-32 as in zlib and PNG.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(kind: &Kind, file: &[u8]) -> Result<Opened, RecordingError> {
        super::open(kind, file, MAX_CONTENT)
    }

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn content_comes_back() {
        let content: Vec<u8> = (0..100_000_u32)
            .map(|n| (n.wrapping_mul(n) >> 3) as u8)
            .collect();
        for content in [&content[..], b"", b"x"] {
            let opened = open(&RECORDING, &seal(7, content).unwrap()).ok().unwrap();
            assert_eq!((opened.model, opened.minor), (7, MINOR));
            assert!(opened.content == content);
        }
    }

    /// A container whose head is false and whose checksum is right.
    fn lying(content: &[u8], length: u64, major: u16) -> Vec<u8> {
        let mut file = seal(1, content).unwrap();
        file.truncate(file.len() - TAIL);
        file[8..10].copy_from_slice(&major.to_le_bytes());
        file[16..24].copy_from_slice(&length.to_le_bytes());
        let sum = checksum(&file);
        file.extend(sum.to_le_bytes());
        file
    }

    #[test]
    fn what_the_head_says_has_to_be_true() {
        let text = |file: &[u8]| open(&RECORDING, file).err().map(|error| error.to_string());
        let zeros = vec![0; 1 << 20];
        assert_eq!(text(&lying(&zeros, 1 << 20, 1)), None);
        let length =
            Some("damaged recording: its content has another length than it says".to_string());
        for lie in [0, 1, (1 << 20) - 1, (1 << 20) + 1, 1 << 27] {
            assert_eq!(text(&lying(&zeros, lie, 1)), length, "{lie}");
        }
        for lie in [(1 << 28) + 1, 1 << 62, u64::MAX] {
            assert!(matches!(
                open(&RECORDING, &lying(&zeros, lie, 1)),
                Err(RecordingError::TooLarge)
            ));
        }
        let later = text(&lying(b"", 0, 2)).unwrap();
        assert!(later.contains(&format!("version 2.{MINOR},")), "{later}");
        assert!(matches!(
            open(&RECORDING, &lying(b"", 0, 0)),
            Err(RecordingError::Version(0, _))
        ));
    }

    #[test]
    fn other_files_are_told_from_cut_ones() {
        assert!(matches!(
            open(&RECORDING, b""),
            Err(RecordingError::NoRecording)
        ));
        assert!(matches!(
            open(&RECORDING, b"{\"schema\": 1}"),
            Err(RecordingError::NoRecording)
        ));
        let file = seal(1, b"some content").unwrap();
        for length in 1..file.len() {
            assert!(
                matches!(
                    open(&RECORDING, &file[..length]),
                    Err(RecordingError::Truncated)
                ),
                "{length}"
            );
        }
        let mut longer = file.clone();
        longer.push(0);
        assert!(matches!(
            open(&RECORDING, &longer),
            Err(RecordingError::Damaged(_))
        ));
        // As a transfer that takes it for text would leave it.
        let text = String::from_utf8_lossy(&file).replace("\r\n", "\n");
        assert!(matches!(
            open(&RECORDING, text.as_bytes()),
            Err(RecordingError::NoRecording)
        ));
    }

    #[test]
    fn no_byte_can_change_unnoticed() {
        let file = seal(1, b"some content some content").unwrap();
        for at in 0..file.len() {
            for change in 1..=255 {
                let mut changed = file.clone();
                changed[at] ^= change;
                assert!(open(&RECORDING, &changed).is_err(), "byte {at} ^ {change}");
            }
        }
    }
}
