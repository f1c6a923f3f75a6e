//! The few shapes of Protocol Buffers that messages of Perfetto need: numbers, texts and messages inside messages.

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

/// How a field is written.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BYTES: u32 = 2;

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

impl Message {
    /// A number. Signed numbers that are not negative are written alike.
    #[must_use]
    pub(crate) fn number(mut self, field: u32, value: u64) -> Message {
        push_varint(&mut self.0, u64::from(field << 3 | VARINT));
        push_varint(&mut self.0, value);
        self
    }

    /// A number of eight bytes.
    #[must_use]
    pub(crate) fn fixed(mut self, field: u32, value: u64) -> Message {
        push_varint(&mut self.0, u64::from(field << 3 | FIXED64));
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A text.
    #[must_use]
    pub(crate) fn text(self, field: u32, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    /// A message.
    #[must_use]
    pub(crate) fn message(self, field: u32, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Message {
        push_varint(&mut self.0, u64::from(field << 3 | BYTES));
        push_varint(&mut self.0, bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    /// What was written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    /// The examples of the format's own description: field 1 is 150, field 2 is a text, field 3 a message of field 1.
    #[test]
    fn messages_are_those_of_the_description() {
        let one = Message::default().number(1, 150);
        let all = Message::default().text(2, "testing").message(3, &one);
        let expected = b"\x12\x07testing\x1a\x03\x08\x96\x01";
        assert_eq!(all.into_bytes(), expected);
        let fixed = Message::default().fixed(47, 2).into_bytes();
        assert_eq!(fixed, b"\xf9\x02\x02\0\0\0\0\0\0\0");
    }
}
