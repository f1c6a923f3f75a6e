//! Long lists in pages. They grow without being copied, so that memory never holds them twice.

/// Elements of a page.
const PAGE: usize = 1 << 16;

/// A list in pages.
#[derive(Debug, Clone)]
pub(crate) struct Paged<T> {
    pages: Vec<Vec<T>>,
    length: usize,
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Paged {
            pages: Vec::new(),
            length: 0,
        }
    }
}

impl<T: Copy> Paged<T> {
    pub(crate) fn push(&mut self, value: T) {
        if self.length.is_multiple_of(PAGE) {
            self.pages.push(Vec::with_capacity(PAGE));
        }
        if let Some(page) = self.pages.last_mut() {
            page.push(value);
            self.length += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn get(&self, place: usize) -> T {
        self.pages[place / PAGE][place % PAGE]
    }

    /// Frees pages that hold only elements before this place.
    pub(crate) fn forget(&mut self, before: usize) {
        free(&mut self.pages, before / PAGE);
    }

    /// The memory of its pages in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let capacity = self.pages.iter().map(Vec::capacity).sum::<usize>();
        capacity * size_of::<T>()
    }
}

/// Frees the pages before this one. Those before them are free already.
fn free<T>(pages: &mut [Vec<T>], before: usize) {
    let old = pages[..before].iter_mut().rev();
    for page in old.take_while(|page| page.capacity() > 0) {
        *page = Vec::new();
    }
}

/// Bytes of a page of texts. A longer text has a page of its own.
const TEXTS: usize = 1 << 18;
const NO_PAGE: u32 = u32::MAX;

/// Short lists of bytes in pages, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    pages: Vec<Vec<u8>>,
    /// Page and first byte of each.
    starts: Paged<(u32, u32)>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: &[u8]) {
        let has_room = |page: &Vec<u8>| page.len() + text.len() <= TEXTS;
        if !self.pages.last().is_some_and(has_room) {
            self.pages.push(Vec::with_capacity(TEXTS.max(text.len())));
        }
        let number = self.pages.len() - 1;
        let page = &mut self.pages[number];
        self.starts.push((number as u32, page.len() as u32));
        page.extend_from_slice(text);
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// A text.
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        let (page, start) = self.starts.get(place);
        let text = &self.pages[page as usize][start as usize..];
        let is_last = place + 1 == self.starts.len();
        let next = if is_last {
            (NO_PAGE, 0)
        } else {
            self.starts.get(place + 1)
        };
        match next {
            (next, end) if next == page => &text[..(end - start) as usize],
            _ => text,
        }
    }

    /// Frees pages that hold only texts before this place, which must be there.
    pub(crate) fn forget(&mut self, before: usize) {
        free(&mut self.pages, self.starts.get(before).0 as usize);
        self.starts.forget(before);
    }

    /// The memory of its pages in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.iter().map(Vec::capacity).sum::<usize>() + self.starts.bytes()
    }
}
