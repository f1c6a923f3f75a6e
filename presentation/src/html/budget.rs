//! The limits of a report's size. A report of a large program leaves out what matters least and says so; its size is
//! bounded.

/// Characters of a name that are kept.
const LONGEST_NAME: usize = 300;

/// A number of bytes from which pieces are taken until one does not fit.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// This many bytes.
    pub fn new(bytes: usize) -> Budget {
        Budget { left: bytes }
    }

    /// Takes this many bytes, or says that there are not as many left.
    pub fn take(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Lets something spend at most this much of it; what that leaves stays here.
    pub fn part<T>(&mut self, bytes: usize, spend: impl FnOnce(&mut Budget) -> T) -> T {
        let given = bytes.min(self.left);
        let mut part = Budget::new(given);
        let made = spend(&mut part);
        self.left -= given - part.left;
        made
    }
}

/// Bytes of a number and what separates it from the next.
pub fn number_size(number: u64) -> usize {
    // Numbers beyond what a script holds exactly stand in quotes.
    number.checked_ilog10().unwrap_or(0) as usize + if number > super::count::EXACT { 4 } else { 2 }
}

/// Bytes of a text as it is embedded in the page, with its quotes and what separates it from the next.
pub fn text_size(text: &str) -> usize {
    let size = |c: char| match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => 6,
        '\0'..='\u{1f}' => 6,
        '"' | '\\' => 2,
        _ => c.len_utf8(),
    };
    text.chars().map(size).sum::<usize>() + 3
}

/// A name as it is shown: whole, or its beginning and an ellipsis.
pub fn clipped(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_string(),
    }
}
