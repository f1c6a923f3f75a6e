//! A page's content security policy: it allows styles and scripts by their digests. A nonce that is the same in every
//! page would allow anything that carries the nonce.

use sha2::{Digest as _, Sha256};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The source of a policy that allows an element with exactly this text.
pub fn content_digest(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

/// Bytes in base 64, as RFC 4648 has it.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(piece.get(at).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(match digit <= piece.len() {
                true => char::from(DIGITS[value as usize]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_standard_says() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_digest_is_that_of_the_text() {
        // As `printf "alert('Hello, world.');" | openssl dgst -sha256 -binary | base64` has it.
        let digest = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert_eq!(content_digest("alert('Hello, world.');"), digest);
    }
}
