//! Sizes as people write them: `64K`, `64M`, `2G`.

/// Bytes of the heap's nursery.
pub(super) fn nursery(text: &str) -> Result<usize, String> {
    match size(text)? {
        bytes @ 0x1_0000..=0x4000_0000 => Ok(bytes),
        _ => Err("a size from 64K to 1G is expected".to_string()),
    }
}

/// A number of bytes with an optional unit: `65536`, `64K`, `64M`, `2G`.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        other => return Err(format!("unknown unit '{other}', expected K, M or G")),
    };
    let number: usize = digits
        .parse()
        .map_err(|_| "expected a number of bytes".to_string())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "too large".to_string())
}
