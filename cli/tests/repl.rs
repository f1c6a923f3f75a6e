//! `tally repl` on a pipe, and the commands that use the same tables: `tally doc`, completions, manual pages. Line
//! editing and Ctrl-C need a terminal and are not tested here.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::{Ran, Sandbox};

fn session(input: &str) -> Ran {
    session_with(&[], input)
}

fn session_with(options: &[&str], input: &str) -> Ran {
    let arguments: Vec<&str> = ["repl"].iter().chain(options).copied().collect();
    Sandbox::new("repl").tally_reading(input, &arguments)
}

#[test]
fn a_command_without_an_expression_ends_with_its_line() {
    let sandbox = Sandbox::new("command-line");
    let ran = sandbox.tally_reading(":doc Object>>\n3 + 4\n", &["repl"]);
    ran.prints("7\n").says("Object does not understand");
}

#[test]
fn each_expression_prints_its_value() {
    session("3 + 4\n'it''s'. #(1 $a)\nnil\n")
        .exits(0)
        .prints("7\n'it''s'\n#(1 $a)\nnil\n")
        .is_silent();
    session("").exits(0).prints("");
    session("\n\n  \n\"only a comment\"\n")
        .exits(0)
        .prints("")
        .is_silent();
}

#[test]
fn a_value_begins_a_line_of_its_own() {
    session("(Transcript show: 'a') class name\n")
        .exits(0)
        .prints("a\n#TranscriptStream\n");
}

#[test]
fn variables_outlive_the_input() {
    session("x := 3\n| y z |\ny := x + 1. x := x * 10\nx + y\nz\n")
        .exits(0)
        .prints("3\n4\n30\n34\nnil\n")
        .is_silent();
    session("3 + 4\nit * 2\nit\n")
        .exits(0)
        .prints("7\n14\n14\n");
    session("n := 0\nup := [ n := n + 1 ]\nup value. up value. n\n")
        .exits(0)
        .mentions("1\n2\n2\n");
    session("x := 3\n[ :x | x ] value: 5\nx\n")
        .exits(0)
        .prints("3\n5\n3\n");
}

#[test]
fn variables_are_no_globals_and_classes_do_not_see_them() {
    session("x := 3\nSmalltalk includesKey: #x\n")
        .exits(0)
        .prints("3\nfalse\n");
    session("x := 3\nObject subclass: Foo [ x [ ^x ] ]\n")
        .exits(8)
        .says("nothing here is called `x`");
    session("Smalltalk at: #Answer put: 42\nAnswer := Answer + 1\nSmalltalk at: #Answer\n")
        .exits(0)
        .prints("42\n43\n43\n");
}

#[test]
fn definitions_stay_and_can_be_changed() {
    let all = "Object subclass: Foo [\n    | a |\n\n    a [ ^a ifNil: [ 1 ] ]\n]\n\
               f := Foo new. f a\n\
               Foo extend [ a [ ^2 ] ]\nf a\n\
               Foo >> a [ ^3 ]\nf a\n\
               Foo class >> b [ ^4 ]\nFoo b\n\
               Foo subclass: Bar [ a [ ^super a + 2 ] ]\nBar new a\n\
               Object subclass: #Baz instanceVariableNames: 'x' classVariableNames: '' package: 'P'\n\
               Baz extend [ x [ ^x ] ]\nBaz new x\n\
               Eval [ f a displayNl ]\n";
    session(all)
        .exits(0)
        .prints("a Foo\n1\n2\n3\n4\n5\nBaz\nnil\n3\n")
        .is_silent();
}

#[test]
fn an_input_goes_on_until_it_is_complete() {
    session("#(1\n2\n\n3)\n'a\n\nb' size\n(3 +\n4)\n3 +\n4\n\"a\ncomment\" 5\n")
        .exits(0)
        .prints("#(1 2 3)\n4\n7\n7\n5\n");
    // An empty line ends what could go on.
    session("3 +\n\n4\n").exits(8).prints("4\n").says("E0106");
    // So does the end of the text.
    session("1\n'abc\n2\n").exits(8).prints("1\n").says("E0001");
    session("1\nObject subclass: A [\n")
        .exits(8)
        .prints("1\n")
        .says("E0101");
}

#[test]
fn a_failure_does_not_end_the_session_and_gives_the_exit_code() {
    session("1\n1 / 0. 2\nnil foo\nzork\n3\n")
        .exits(1)
        .prints("1\n3\n")
        .says("ZeroDivide")
        .says("<line 2>:1:3")
        .says("nothing here is called `zork`");
    session("zork\n1 / 0\n").exits(8);
    // Nothing of an input runs if any of it is wrong.
    session("1 displayNl. zork\n").exits(8).prints("");
    session("(Semaphore new) wait\n2\n")
        .exits(1)
        .prints("2\n")
        .says("deadlock");
}

#[test]
fn a_limit_ends_an_input_and_not_the_session() {
    session_with(
        &["--max-sends", "5000"],
        "[ true ] whileTrue: [ ]\n3\n[ 1 foo ] repeat\n3\n",
    )
    .exits(6)
    .mentions("3\n")
    .says("--max-sends");
    session_with(
        &["--max-sends", "5000"],
        "1 to: 3000 do: [ :i | ]\n1 to: 3000 do: [ :i | ]\n7\n",
    )
    .exits(0)
    .mentions("7\n");
    session_with(
        &["--max-memory", "100M"],
        "all := OrderedCollection new\n[ all add: (Array new: 100000) ] repeat\nall := nil\n3\n",
    )
    .exits(6)
    .mentions("nil\n3\n")
    .says("--max-memory");
    let deep = "Object subclass: Deep [ down [ ^self down + 1 ] printOn: aStream [ aStream print: self ] ]\n\
                Deep new down\n3\nDeep new\n4\n";
    session_with(&["--max-depth", "1000"], deep)
        .exits(6)
        .prints("3\n4\n")
        .says("--max-depth");
}

#[test]
fn what_a_stopped_input_left_does_no_harm_later() {
    for mode in [&[][..], &["--gc-stress"], &["--reference"]] {
        let limited = [mode, &["--max-sends", "20000"]].concat();
        // A process that waits in vain is gone, and no signal wakes it.
        session_with(
            mode,
            "s := Semaphore new\ns wait\ns signal. Processor yield. 3\n",
        )
        .exits(1)
        .mentions("3\n");
        // Other processes stay, and go on when they get a turn.
        let all = "s := Semaphore new\n[ s wait. 'woken' displayNl ] fork. Processor yield. 0\n1\n\
                   s signal. Processor yield. 2\n";
        session_with(mode, all)
            .exits(0)
            .mentions("0\n1\na Semaphore\nwoken\n");
        // One that runs for ever is stopped with the input that let it run.
        let all =
            "[ [ true ] whileTrue: [ ] ] fork. 1\nProcessor yield. 2\n3\nProcessor yield. 4\n";
        session_with(&limited, all)
            .exits(6)
            .mentions("3\na ProcessorScheduler\n4\n");
        // Measurements that were cut off leave nothing behind.
        let all =
            "Compteur costOf: [ [ true ] whileTrue: [ ] ]\nCompteur numberOfCallsIn: [ 3 + 4 ]\n";
        session_with(&limited, all).exits(6).prints("1\n");
        // Nothing that waits for its end runs after a limit.
        let all = "[ [ true ] whileTrue: [ ] ] ensure: [ 'never' displayNl ]\n3\n";
        session_with(&limited, all).exits(6).prints("3\n");
    }
}

#[test]
fn cost_tells_sends_from_inlined_messages() {
    session(":cost (3 > 2) ifTrue: [ 4 + 5 ] ifFalse: [ 6 ]\n")
        .exits(0)
        .mentions("9\nsends                  2\n")
        .mentions("\n>                sent\nifTrue:ifFalse:  inlined: jumps, no send\n+                sent\n");
    session("x := [ :a | a ]\n:cost 3 ifNil: x\n:cost 1 + 2 + 3\n")
        .exits(0)
        .mentions("\nifNil:  sent\n")
        .mentions("\n+  sent, in 2 places\n");
    // The counts are those of a run of its own.
    session("1000 timesRepeat: [ 3 foo: 4 ]\n:cost 3 + 4\n:cost 3 + 4\n")
        .mentions("sends                  1\n");
    session(":cost 1 / 0\n2\n")
        .exits(1)
        .mentions("sends ")
        .mentions("\n2\n");
    session(":cost zork\n").exits(8).prints("");
}

#[test]
fn profile_ranks_the_methods_of_an_expression() {
    let ran = session(
        "Object subclass: A [ twice: n [ ^n + n ] ]\n:profile (1 to: 3) collect: [ :i | A new twice: i ]\n",
    );
    ran.exits(0)
        .mentions("<line 2>: ")
        .mentions("A>>twice:")
        .mentions("Sends are exact")
        .is_silent();
}

#[test]
fn files_run_before_the_session_or_in_it() {
    let sandbox = Sandbox::new("repl-files");
    sandbox.write(
        "a.st",
        "Object subclass: A [ one [ ^1 ] ]\nx := 5.\nx displayNl.\n",
    );
    sandbox
        .tally_reading("A new one\n", &["repl", "a.st"])
        .exits(0)
        .prints("5\n1\n");
    sandbox
        .tally_reading(":load a.st\nA new one\n:load nosuch.st\n2\n", &["repl"])
        .exits(74)
        .prints("5\n1\n2\n")
        .says("nosuch.st");
    sandbox.write("wrong.st", "1 foo: .\n");
    sandbox
        .tally_reading(":load wrong.st\n2\n", &["repl"])
        .exits(8)
        .prints("2\n")
        .says("wrong.st");
    sandbox.tally_reading("", &["repl", "-"]).exits(2);
    sandbox.tally_reading("", &["repl", "a.som"]).exits(2);
}

#[test]
fn the_program_can_end_the_session_and_read_its_input() {
    session("1\nSmalltalk exit: 7\n2\n").exits(7).prints("1\n");
    session("1 / 0\nSmalltalk exit: 0\n").exits(0);
    session("1\n:quit\n2\n").exits(0).prints("1\n");
    session("stdin nextLine\nhello\n6 * 7\n")
        .exits(0)
        .prints("'hello'\n42\n");
}

#[test]
fn commands_can_be_shortened_and_misspelled_ones_are_hinted_at() {
    session(":q\n1\n").exits(0).prints("");
    session(":halp\n").exits(2).says("did you mean :help?");
    session(":frobnicate\n")
        .exits(2)
        .says(":help shows the commands");
    session(":cost\n").exits(2).says("usage: :cost EXPR");
    session(":quit now\n").exits(2).says("usage: :quit");
    session(":help\n").exits(0).mentions(":cost EXPR");
    session("b := 1. a := 2\n:vars\n")
        .exits(0)
        .mentions("\na b it\n");
    session("exit\n").exits(0).says(":quit");
    session("exit := 3\nexit\n").exits(0).prints("3\n3\n");
}

#[test]
fn documentation_is_shown() {
    let sandbox = Sandbox::new("doc");
    sandbox.write(
        "a.st",
        "Object subclass: A [\n    <comment: 'I am an example.'>\n    | x |\n    at: i put: v [\n        \"Do it.\n        Twice.\"\n        ^v\n    ]\n]\n",
    );
    sandbox
        .tally(&["doc", "A", "a.st"])
        .exits(0)
        .prints("A < Object\n\nI am an example.\n\nInstance variables: x\n\nA\n    at: i put: v                    Do it.\n");
    sandbox
        .tally(&["doc", "A>>at:put:", "a.st"])
        .exits(0)
        .prints("A>>at: i put: v\n    Do it.\n    Twice.\n");
    // Inherited methods are found where they are.
    sandbox
        .tally(&["doc", "A>>printString", "a.st"])
        .exits(0)
        .mentions("Object>>printString\n");
    sandbox
        .tally(&["doc", "inject:into:"])
        .exits(0)
        .mentions("Collection>>inject: ");
    sandbox
        .tally(&["doc", "Colection"])
        .exits(4)
        .says("did you mean Collection?");
    sandbox
        .tally(&["doc", "A>>foo", "a.st"])
        .exits(4)
        .says("does not understand foo");
    sandbox
        .tally_reading(":doc Association>>key\n", &["repl"])
        .exits(0)
        .mentions("Answer my key.");
}

#[test]
fn input_that_is_no_text_is_refused() {
    let sandbox = Sandbox::new("repl-binary");
    sandbox
        .tally_reading_bytes(b"3 + 4\n\xFF\xFE\n5\n", &["repl"])
        .exits(8)
        .prints("7\n")
        .says("not UTF-8: invalid byte in line 2");
    sandbox
        .tally_reading_bytes(b"\x7fELF\x02\x01\x01\0\0\0\n5\n", &["repl"])
        .exits(8)
        .says("E0006");
}

#[test]
fn completions_and_manual_pages_derive_from_the_options() {
    let sandbox = Sandbox::new("derived");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        sandbox
            .tally(&["completions", shell])
            .exits(0)
            .mentions("repl")
            .mentions("max-sends")
            .is_silent();
    }
    sandbox.tally(&["completions", "tcsh"]).exits(2);
    sandbox
        .tally(&["man"])
        .exits(0)
        .mentions(".TH tally 1")
        .is_silent();
    sandbox.tally(&["man", "pages"]).exits(0).prints("");
    assert!(sandbox.read("pages/tally.1").contains("tally\\-run(1)"));
    assert!(sandbox.read("pages/tally-run.1").contains("max\\-sends"));
    sandbox.write("file", "");
    sandbox.tally(&["man", "file/pages"]).exits(74);
}

const SHELF: &str = "Object subclass: Shelf [\n\
    | books |\n\
    <comment: 'I hold ''books''.'>\n\
    Shelf class >> empty [ ^self new setUp ]\n\
    setUp [ books := OrderedCollection new ]\n\
    add: aBook [\n\
        \"Add a book.\"\n\
        ^books add: aBook ]\n\
    fill [ self add: 'Emma'; add: 'Villette' ]\n]\n";

#[test]
fn code_is_browsed_and_navigated() {
    let sandbox = Sandbox::new("browse");
    sandbox.write("shelf.st", SHELF);
    let session = |input: &str| sandbox.tally_reading(input, &["repl", "shelf.st"]);
    session(":browse Shelf>>add:\n")
        .exits(0)
        .prints("add: aBook [\n\"Add a book.\"\n^books add: aBook ]\n");
    session(":browse Shelf\n").exits(0).prints(
        "Object subclass: Shelf [\n    | books |\n    <comment: 'I hold ''books''.'>\n\n    \
         Shelf class >> empty [ ^self new setUp ]\n\n    \
         setUp [ books := OrderedCollection new ]\n\n    \
         add: aBook [\n\"Add a book.\"\n^books add: aBook ]\n\n    \
         fill [ self add: 'Emma'; add: 'Villette' ]\n]\n",
    );
    session(":implementors setUp\n")
        .exits(0)
        .mentions("Shelf>>setUp ")
        .mentions("  shelf.st:5\n")
        .mentions("TestCase>>setUp\n");
    session(":senders add:\n")
        .exits(0)
        .mentions("Shelf>>add: ")
        .mentions(" others of the library\n");
    session(":senders #setUp\n")
        .exits(0)
        .mentions("Shelf class>>empty ")
        .mentions("  shelf.st:4\n");
    session("Shelf extend [ other [ ^self zork: 3 ] ]\n:senders zork:\n")
        .exits(0)
        .mentions("Shelf>>other  <line 1>:1\n");
    for (input, why) in [
        (
            ":senders nothingSendsThis\n",
            "no method sends nothingSendsThis",
        ),
        (
            ":implementors setUpp\n",
            "no method implements setUpp; did you mean setUp?",
        ),
        (
            ":browse Shelv\n",
            "there is no class Shelv; did you mean Shelf?",
        ),
        (
            ":browse Shelf>>ad:\n",
            "Shelf has no method ad:; did you mean add:?",
        ),
        (":browse\n", "usage: :browse NAME"),
    ] {
        let ran = session(input);
        assert!(ran.says(why).output().is_empty(), "{ran}");
    }
    // Every class of the library can be shown.
    session(":browse Interval\n:browse Object class\n:browse True\n")
        .exits(0)
        .mentions("Collection subclass: Interval [");
}

#[test]
fn a_session_is_saved_and_loaded_again() {
    let sandbox = Sandbox::new("save");
    let input = "x := 3\nObject subclass: Foo [\n\n    foo [ ^'a''b' ]\n]\n1 / 0\ny := Foo new foo.\n\
                 [ :each |\n    each ] value: x\n:save session.st\n";
    let ran = sandbox.tally_reading(input, &["repl"]);
    ran.exits(1).prints("3\n'a''b'\n3\n").says("ZeroDivide");
    let saved = sandbox.read("session.st");
    assert!(saved.starts_with("\"Inputs of a session."), "{saved}");
    assert!(!saved.contains("1 / 0"), "{saved}");
    for (input, arguments) in [
        (":load session.st\nx + y size\n", &["repl"][..]),
        (&format!("{saved}\nx + y size\n"), &["repl"][..]),
    ] {
        sandbox
            .tally_reading(input, arguments)
            .exits(0)
            .prints("3\n'a''b'\n3\n6\n");
    }
    // Nothing is overwritten, and there is something to save.
    let ran = sandbox.tally_reading("3\n:save session.st\n", &["repl"]);
    ran.exits(74).says("session.st is there already");
    assert_eq!(sandbox.read("session.st"), saved);
    let ran = sandbox.tally_reading(":save other.st\n", &["repl"]);
    ran.exits(4).says("no input was evaluated yet");
    // Other files are run as ever.
    sandbox.write("script.st", "'script' displayNl.\n");
    sandbox
        .tally_reading(":load script.st\n", &["repl"])
        .exits(0)
        .prints("script\n");
}

#[test]
fn the_time_of_an_input_is_shown_with_its_sends() {
    let ran = session(":time 3 yourself;\n    yourself\n");
    ran.exits(0).mentions("3\n2 sends in 0.").mentions(" ms\n");
    session(":time 1 / 0\n").exits(1).mentions(" sends in ");
    session(":time foo bar baz: [\n]\n").exits(8).prints("");
}
