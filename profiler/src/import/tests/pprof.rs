//! Profiles of pprof: the tables of a protocol buffer, packed by gzip or not, whole or damaged.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{read, shown};

/// A message of a protocol buffer, from its fields.
fn message(fields: &[(u8, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, content) in fields {
        bytes.push(number << 3 | 2);
        bytes.push(u8::try_from(content.len()).unwrap());
        bytes.extend(*content);
    }
    bytes
}

/// A profile of pprof: samples and CPU time; `main` calls `a`, in which `b` was inlined.
pub(super) fn pprof_bytes() -> Vec<u8> {
    let line = |function: u8| message(&[(4, &[8, function, 16, 9])]);
    let location = |id: u8, lines: &[u8]| [&[8, id, 16, 1], lines].concat();
    message(&[
        (1, &[8, 1, 16, 2]),
        (1, &[8, 3, 16, 4]),
        // The innermost location first; values of both types.
        (2, &[10, 2, 2, 1, 18, 2, 3, 30]),
        (2, &[8, 1, 16, 1, 16, 10]),
        (3, &[8, 1, 40, 8]),
        (4, &location(1, &line(1))),
        (4, &location(2, &[line(3), line(2)].concat())),
        (5, &[8, 1, 16, 5, 32, 9, 40, 4]),
        (5, &[8, 2, 16, 6, 32, 9]),
        (5, &[8, 3, 16, 7, 32, 9]),
        (6, b""),
        (6, b"samples"),
        (6, b"count"),
        (6, b"cpu"),
        (6, b"nanoseconds"),
        (6, b"main"),
        (6, b"a"),
        (6, b"b"),
        (6, b"/bin/x"),
        (6, b"x.go"),
    ])
}

/// The bytes packed by gzip.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn pprof_is_read_packed_or_not() {
    let bytes = pprof_bytes();
    let (start, end) = bytes.split_at(bytes.len() / 2);
    let of_two_members = [gzip(start), gzip(end)].concat();
    for bytes in [pprof_bytes(), gzip(&bytes), of_two_members] {
        let profile = read("x.pprof", &bytes, None).unwrap();
        assert_eq!(profile.unit.name, "samples");
        assert_eq!(shown(&profile), "a 0/3, b 3/3, main 1/4");
        let main = profile.methods.iter().find(|m| m.name == "main").unwrap();
        assert_eq!(
            (main.file.as_str(), main.line, main.package.as_str()),
            ("x.go", 4, "x")
        );
        let profile = read("x.pprof", &bytes, Some("nanoseconds (cpu)")).unwrap();
        assert_eq!(shown(&profile), "a 0/30, b 30/30, main 10/40");
    }
}

#[test]
fn a_file_of_gzip_has_a_bound() {
    let bomb = gzip(&vec![0; crate::recording::MAX_CONTENT + 1]);
    assert!(bomb.len() < 1 << 20);
    let error = read("x.pprof", &bomb, None).unwrap_err();
    assert_eq!(error.why, "it unpacks to more than 256 MiB");
}

#[test]
fn what_is_wrong_with_a_file_of_gzip_is_told() {
    let packed = gzip(&pprof_bytes());
    let error = |bytes: &[u8]| read("x.pprof", bytes, None).unwrap_err().why;
    let wrong = "damaged: it cannot be unpacked, or its checksum is wrong";
    // The checksum of the content, and its length.
    for at in packed.len() - 8..packed.len() {
        let mut changed = packed.clone();
        changed[at] ^= 1;
        assert_eq!(error(&changed), wrong, "{at}");
    }
    let cut = "damaged: its end is missing";
    assert_eq!(error(&packed[..packed.len() - 1]), cut);
    assert_eq!(error(&packed[..12]), cut);
    // Neither a cut second member nor other bytes behind the first are passed over.
    assert_eq!(error(&[&packed[..], &packed[..20]].concat()), cut);
    assert_eq!(error(&[&packed[..], b"more than nothing"].concat()), wrong);
}
