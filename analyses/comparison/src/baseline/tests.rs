//! Baselines survive a round trip through bytes, and damaged ones are refused.

use proptest::prelude::*;

use super::*;
use crate::explanation::tests::{counts, method};

#[test]
fn an_older_baseline_explains_nothing() {
    let tests = [(
        "T>>a".to_string(),
        vec![method("x", 1, 1, 3), method("y", 1, 1, 4)],
    )];
    let baseline = Baseline {
        tests: tests.into(),
    };
    assert_eq!(baseline.methods_of("T>>a", 7).map(<[_]>::len), Some(2));
    assert_eq!(baseline.methods_of("T>>a", 8), None);
    assert_eq!(baseline.methods_of("T>>b", 7), None);
}

#[test]
fn what_is_no_baseline_is_refused() {
    let bytes = Baseline::default().to_bytes();
    assert_eq!(Baseline::from_bytes(b""), Err(BaselineError::Version));
    assert_eq!(
        Baseline::from_bytes(b"tally baseline 2\n12345678"),
        Err(BaselineError::Version)
    );
    assert_eq!(Baseline::from_bytes(HEAD), Err(BaselineError::Damaged));
    assert_eq!(Baseline::from_bytes(&bytes), Ok(Baseline::default()));
    // A row of a method that is not there, under a right checksum.
    let stored = Stored {
        methods: Vec::new(),
        tests: vec![StoredTest {
            name: "T>>a".to_string(),
            counts: vec![(1, 2, 3)],
        }],
    };
    let mut bytes = HEAD.to_vec();
    bytes.extend(postcard::to_allocvec(&stored).unwrap());
    bytes.extend(checksum(&bytes));
    assert_eq!(Baseline::from_bytes(&bytes), Err(BaselineError::Damaged));
    let errors = [BaselineError::Version, BaselineError::Damaged].map(|error| error.to_string());
    assert_eq!(
        errors,
        [
            "it was not written by this version of Tally",
            "it is damaged"
        ]
    );
}

proptest! {
    #[test]
    fn baselines_come_back(tests in proptest::collection::btree_map("[a-c]{1,3}", counts(), 0..5)) {
        let baseline = Baseline { tests };
        prop_assert_eq!(Baseline::from_bytes(&baseline.to_bytes()), Ok(baseline));
    }

    #[test]
    fn damage_is_noticed(
        tests in proptest::collection::btree_map("[a-c]{1,3}", counts(), 0..5),
        at in any::<prop::sample::Index>(), byte in any::<u8>(), is_cut in any::<bool>()
    ) {
        let bytes = Baseline { tests }.to_bytes();
        let mut changed = bytes.clone();
        let at = at.index(bytes.len());
        match is_cut {
            true => changed.truncate(at),
            false => changed[at] = byte,
        }
        prop_assert!(changed == bytes || Baseline::from_bytes(&changed).is_err());
    }

    #[test]
    fn any_content_under_a_right_checksum_is_read_or_refused(content in proptest::collection::vec(any::<u8>(), 0..80)) {
        let mut bytes = HEAD.to_vec();
        bytes.extend(content);
        bytes.extend(checksum(&bytes));
        if let Ok(baseline) = Baseline::from_bytes(&bytes) {
            prop_assert_eq!(Baseline::from_bytes(&baseline.to_bytes()), Ok(baseline));
        }
    }
}
