//! The one list of instructions: one row each. The opcode enum, the assembler's and the disassembler's view, the decoder,
//! the verifier, the liveness analysis of the collector, the table of handlers and `docs/BYTECODE.md` all derive from it.
//! What a handler does is not here: that is `interpreter`.
//!
//! A row reads `Name { a b c imm, shape(arity standing), counts, flow, [effects] } => handler;` below its manual text. The
//! words are those of `columns`. The shape is `Plain`, `Send`, or `Form`: a send-shaped form that the machine gives a
//! `Send` while it runs. The effects are the ones that no other named effect brings with it.

/// Calls the macro with all rows. The order of the rows gives the opcodes their numbers.
macro_rules! with_instructions {
    ($apply:ident) => {
        $apply! {
        /// Copies register `b` to register `a`.
        Move { Write Read Steps Nil, Plain(Nil Nil), Nothing, Onward, [] } => moves::copy;
        /// Copies between registers beyond the reach of a byte.
        MoveWide { Nil Nil Steps WidePair, Plain(Nil Nil), Nothing, Onward, [] } => moves::copy_wide;
        /// Puts a small integer into `a`.
        LoadInt { Write Nil Steps Int32, Plain(Nil Nil), Nothing, Onward, [] } => moves::load_int;
        /// Puts nil into `a`.
        LoadNil { Write Nil Steps Nil, Plain(Nil Nil), Nothing, Onward, [] } => moves::load_nil;
        /// Puts true into `a`.
        LoadTrue { Write Nil Steps Nil, Plain(Nil Nil), Nothing, Onward, [] } => moves::load_true;
        /// Puts false into `a`.
        LoadFalse { Write Nil Steps Nil, Plain(Nil Nil), Nothing, Onward, [] } => moves::load_false;
        /// Puts a literal into `a`.
        LoadLiteral { Write Nil Steps Literal, Plain(Nil Nil), Nothing, Onward, [] } => moves::load_literal;
        /// Puts the value of a global, a class variable or a class into `a`.
        LoadGlobal { Write Nil Steps Global, Plain(Nil Nil), Nothing, Onward, [Reads] } => moves::load_global;
        /// Assigns `a` to a global or a class variable.
        StoreGlobal { Read Nil Steps Global, Plain(Nil Nil), Nothing, Onward, [Writes] } => moves::store_global;
        /// Puts an instance variable of the object in `b`, which is the method's receiver, into `a`.
        LoadIvar { Write Read Steps Ivar, Plain(Nil Nil), Nothing, Onward, [Reads] } => moves::load_ivar;
        /// Assigns `a` to an instance variable of the object in `b`, which is the method's receiver.
        StoreIvar { Read Read Steps Ivar, Plain(Nil Nil), Nothing, Onward, [Writes] } => moves::store_ivar;
        /// Puts a captured value of the block in `b` into `a`. Slot 0 is the first captured value.
        LoadCaptured { Write Read Steps Slot, Plain(Nil Nil), Nothing, Onward, [Reads] } => moves::load_captured;
        /// Puts a new cell that holds `b` into `a`.
        MakeCell { Write Read Nil Nil, Plain(Nil Nil), Nothing, Onward, [Allocates] } => moves::make_cell;
        /// Puts the object that stands for this activation into `a`: what `thisContext` means.
        MakeContext { Write Nil Steps Nil, Plain(Nil Nil), Nothing, Onward, [Allocates] } => moves::make_context;
        /// Puts the content of the cell in `b` into `a`.
        LoadCell { Write Read Steps Nil, Plain(Nil Nil), Nothing, Onward, [Reads] } => moves::load_cell;
        /// Makes `a` the content of the cell in `b`.
        StoreCell { Read Read Steps Nil, Plain(Nil Nil), Nothing, Onward, [Writes] } => moves::store_cell;
        /// Puts a new block into `a` that has captured the `c` registers from `b` on. That is a step.
        MakeBlock { Write First Count Block, Plain(Nil Nil), Nothing, Onward, [Allocates] } => moves::make_block;
        /// As `MakeBlock`, and the source assigns the block to a variable in `a`: a step more.
        AssignBlock { Write First Count Block, Plain(Nil Nil), Nothing, Onward, [Allocates] } => moves::assign_block;
        /// Puts a new Array into `a`; its size is the immediate, its elements are nil.
        NewArray { Write Nil Steps Slot, Plain(Nil Nil), Nothing, Onward, [Allocates] } => moves::new_array;
        /// Stores `a` into the Array in `b`, at the zero-based index of the immediate.
        StoreElement { Read Read Nil Slot, Plain(Nil Nil), Nothing, Onward, [Writes] } => moves::store_element;
        /// Counts an evaluation of the inlined control message with the immediate's number. It is emitted only on request.
        CountInlined { Nil Nil Nil Slot, Plain(Nil Nil), Nothing, Onward, [] } => control::count_inlined;
        /// Continues at the immediate; only ever forwards or to the condition of a loop.
        Jump { Nil Steps Nil Jump, Plain(Nil Nil), Nothing, Jumps, [] } => control::jump;
        /// Continues at the immediate if `a` is true, behind itself if it is false; else `a` gets `mustBeBoolean`.
        JumpTrue { Read Steps Steps Jump, Plain(Nil Nil), Nothing, Branches, [Sends] } => control::jump_true;
        /// Continues at the immediate if `a` is false, behind itself if it is true; else `a` gets `mustBeBoolean`.
        JumpFalse { Read Steps Steps Jump, Plain(Nil Nil), Nothing, Branches, [Sends] } => control::jump_false;
        /// Continues at the immediate if `a` is nil.
        JumpNil { Read Steps Steps Jump, Plain(Nil Nil), Nothing, Branches, [] } => control::jump_nil;
        /// Continues at the immediate if `a` is not nil.
        JumpNotNil { Read Steps Steps Jump, Plain(Nil Nil), Nothing, Branches, [] } => control::jump_not_nil;
        /// Goes round an inlined loop once more: counts the repetition, polls, continues at the immediate.
        Loop { Nil Steps Nil Jump, Plain(Nil Nil), Loop, Jumps, [Switches] } => control::repeat;
        /// If `a` is true, goes round the loop once more as `Loop` does; if false continues behind itself; else `mustBeBoolean`.
        LoopTrue { Read Steps Steps Jump, Plain(Nil Nil), Loop, Branches, [Sends] } => control::repeat_if_true;
        /// If `a` is false, goes round the loop once more as `Loop` does; if true continues behind itself; else `mustBeBoolean`.
        LoopFalse { Read Steps Steps Jump, Plain(Nil Nil), Loop, Branches, [Sends] } => control::repeat_if_false;
        /// Leaves the frame; `a` is the answer of the send or of the block's evaluation.
        Return { Read Nil Steps Nil, Plain(Nil Nil), Nothing, Leaves, [Sends] } => control::answer;
        /// Leaves the home method of the running block, which is in `b`, with the answer `a`, through every pending `ensure:`.
        NonLocalReturn { Read Read Steps Nil, Plain(Nil Nil), Nothing, Leaves, [Sends] } => control::non_local_return;
        /// Gives the frame a mark record of the kind in the immediate; the first instruction of a method that needs one. The machine will read the `c` registers from `b` on, receiver and arguments.
        MarkFrame { Nil First Count Frame, Plain(Nil Nil), Nothing, Onward, [] } => control::mark_frame;
        /// Waits for the locks of the frame's separate arguments; the frame has a mark of a scope.
        EnterScope { Nil Nil Nil Nil, Plain(Nil Nil), Nothing, Onward, [Sends] } => control::enter_scope;
        /// Goes on with an unwinding when the block of an `ensure:` has run. Only the machine's own code has it.
        ResumeUnwind { Nil Nil Nil Nil, Plain(Nil Nil), Nothing, Onward, [Sends] } => control::resume_unwind;
        /// Carries out a definition of the unit (a class, an extension).
        Define { Nil Nil Nil Definition, Plain(Nil Nil), Nothing, Onward, [Reads Writes Allocates Invalidates] } => control::define;

        /// Evaluates a code object of the unit with the object in the window's base as its receiver; no message is sent.
        Evaluate { Nil Nil Nil Definition, Send(Zero Base), Nothing, Onward, [Sends] } => control::evaluate;
        /// Puts the value of a global into the destination. If it is not defined, `unknownGlobal:` with its name is delivered to `a`, the method's receiver, and not counted; the answer is the value.
        LoadGlobalChecked { Read Nil Nil Global, Send(One Nil), Nothing, Onward, [Sends] } => moves::load_global_checked;
        /// Sends the site's selector with `c` arguments to the object in `a`. The last argument is in `b`, the others stand in the window behind its base; the rest is put there. Without arguments `b` is `a`.
        Send { Read Read Count Site, Send(C Inner), Send, Onward, [Sends] } => sends::send;
        /// As `Send`, but lookup starts above the class that holds the running method.
        SuperSend { Read Read Count Site, Send(C Inner), Send, Onward, [Sends] } => sends::send;

        /// `a + b`.
        Add { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::add;
        /// `a - b`.
        Subtract { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::subtract;
        /// `a * b`.
        Multiply { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::multiply;
        /// `a / b`.
        Divide { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::divide;
        /// `a // b`.
        FloorDivide { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::floor_divide;
        /// `a \\ b`.
        Modulo { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::modulo;
        /// `a bitAnd: b`.
        BitAnd { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::bit_and;
        /// `a bitOr: b`.
        BitOr { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::bit_or;
        /// `a bitShift: b`.
        BitShift { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::bit_shift;
        /// `a + b`, `b` an integer literal.
        AddInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::add_int;
        /// `a - b`, `b` an integer literal.
        SubtractInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::subtract_int;

        /// `a < b`.
        Less { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::less;
        /// `a <= b`.
        LessEqual { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_equal;
        /// `a > b`.
        Greater { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater;
        /// `a >= b`.
        GreaterEqual { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_equal;
        /// `a = b`.
        Equal { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::equal;
        /// `a ~= b`.
        NotEqual { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_equal;
        /// `a == b`.
        Same { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::same;
        /// `a ~~ b`.
        NotSame { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_same;

        /// `a < b`, `b` an integer literal.
        LessInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_int;
        /// `a <= b`, `b` an integer literal.
        LessEqualInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_equal_int;
        /// `a > b`, `b` an integer literal.
        GreaterInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_int;
        /// `a >= b`, `b` an integer literal.
        GreaterEqualInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_equal_int;
        /// `a = b`, `b` an integer literal.
        EqualInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::equal_int;
        /// `a ~= b`, `b` an integer literal.
        NotEqualInt { Read Int8 Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_equal_int;

        /// `a < b`, then the `JumpFalse` or `JumpTrue` on the destination that follows.
        LessJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_jump;
        /// `a <= b`, then the jump that follows.
        LessEqualJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_equal_jump;
        /// `a > b`, then the jump that follows.
        GreaterJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_jump;
        /// `a >= b`, then the jump that follows.
        GreaterEqualJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_equal_jump;
        /// `a = b`, then the jump that follows.
        EqualJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::equal_jump;
        /// `a ~= b`, then the jump that follows.
        NotEqualJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_equal_jump;
        /// `a == b`, then the jump that follows.
        SameJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::same_jump;
        /// `a ~~ b`, then the jump that follows.
        NotSameJump { Read Read Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_same_jump;

        /// `a < b`, `b` an integer literal, then the jump that follows.
        LessIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_int_jump;
        /// `a <= b`, `b` an integer literal, then the jump that follows.
        LessEqualIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::less_equal_int_jump;
        /// `a > b`, `b` an integer literal, then the jump that follows.
        GreaterIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_int_jump;
        /// `a >= b`, `b` an integer literal, then the jump that follows.
        GreaterEqualIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::greater_equal_int_jump;
        /// `a = b`, `b` an integer literal, then the jump that follows.
        EqualIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::equal_int_jump;
        /// `a ~= b`, `b` an integer literal, then the jump that follows.
        NotEqualIntJump { Read Int8 Sense Site, Send(One Nil), Send, Onward, [Sends] } => operators::not_equal_int_jump;

        /// `a at: b`.
        At { Read Read Nil Site, Send(One Nil), Send, Onward, [Sends] } => operators::at;
        /// `a at: b put: c`.
        AtPut { Read Read Read Site, Send(Two Nil), Send, Onward, [Sends] } => operators::at_put;

        /// The test of an inlined `to:do:` that counts up: `a <= b`. Its message, if one is needed, is delivered and not counted. A `LoopTrue` on the destination follows.
        LoopTestUp { Read Read Nil Site, Send(One Nil), Nothing, Onward, [Sends] } => control::loop_test_up;
        /// As `LoopTestUp`, counting down: `a >= b`.
        LoopTestDown { Read Read Nil Site, Send(One Nil), Nothing, Onward, [Sends] } => control::loop_test_down;
        /// The step of an inlined `to:do:` that counts up: the destination, which is `a`, becomes `a + c`, uncounted; `b` is the limit. A `LoopTestUp` of `a` and `b` and its `LoopTrue` follow, and on integers the three are one.
        LoopStepUp { Read Read Read Site, Send(One Nil), Nothing, Onward, [Sends] } => control::loop_step_up;
        /// As `LoopStepUp`, counting down; `c` is negative.
        LoopStepDown { Read Read Read Site, Send(One Nil), Nothing, Onward, [Sends] } => control::loop_step_down;

        /// A `Send` whose inline cache holds a method that takes a frame. Only the machine's own code has it, as those below.
        SendFrame { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_frame;
        /// A `Send` whose inline cache holds another quick method.
        SendQuick { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_quick;
        /// A `Send` whose inline cache holds a method that answers a literal.
        SendValue { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_value;
        /// A `Send` whose inline cache holds a method that answers an instance variable.
        SendLoad { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_load;
        /// A `Send` whose inline cache holds a method with a primitive.
        SendPrimitive { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_primitive;
        /// A `Send` whose inline cache holds the evaluation of a block.
        SendBlock { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_block;
        /// A `Send` to a number whose inline cache holds what its method does, which follows from the order of receiver and argument.
        SendNumber { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_number;
        /// A `Send` to true or false whose inline cache holds what their methods do, which follows from receiver and argument.
        SendBoolean { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_boolean;
        /// A `Send` that met receivers of two classes; its inline cache leads to what both have.
        SendPair { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_pair;
        /// A `SendPair` whose two methods answer literals.
        SendPairValue { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_pair_value;
        /// A `Send` that met receivers of more than two classes. It looks in the global cache.
        SendGlobal { Read Read Count Site, Form(C Inner), Send, Onward, [Sends] } => sends::send_global;
        }
    };
}
pub(crate) use with_instructions;
