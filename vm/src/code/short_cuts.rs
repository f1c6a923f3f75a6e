//! The primitives that the short cuts of the loop replace.

/// The entry of a primitive that was not looked up yet.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// By opcode and kind of the receiver: the primitive that a short cut replaces.
pub(crate) struct ShortCutPrimitives(pub(crate) [[u32; 4]; 256]);

impl Default for ShortCutPrimitives {
    fn default() -> ShortCutPrimitives {
        ShortCutPrimitives([[UNKNOWN; 4]; 256])
    }
}
