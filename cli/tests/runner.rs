//! How `tally test` runs tests: each by itself, in any order and several at once, with the same report; and what it
//! reports to other programs.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

/// Tests that would disturb each other if they shared anything.
const SELFISH: &str = "Object subclass: Shared [\n\
    | unused | Count := 0. Seen := Set new.\n\
    Shared class >> next [ Count := Count + 1. ^Count ]\n\
    Shared class >> seen [ ^Seen ] ]\n\
    TestCase subclass: SelfishTest [\n\
    testNext [ self assert: Shared next equals: 1 ]\n\
    testNextToo [ self assert: Shared next equals: 1 ]\n\
    testGlobal [ self assert: (Smalltalk includesKey: #Left) not. Smalltalk at: #Left put: 3 ]\n\
    testGlobalToo [ self assert: (Smalltalk includesKey: #Left) not. Smalltalk at: #Left put: 3 ]\n\
    testRandom [ self assert: (Random new between: 1 and: 1000000) equals: 557068 ]\n\
    testRandomToo [ self assert: (Random new between: 1 and: 1000000) equals: 557068 ]\n\
    testHash [ | set | set := Set new. 1 to: 50 do: [:i | set add: Object new]. self assert: set size equals: 50.\n\
        set do: [:each | Transcript show: (each identityHash \\\\ 7) printString]. Transcript cr ]\n\
    testHashToo [ | set | set := Set new. 1 to: 50 do: [:i | set add: Object new]. self assert: set size equals: 50.\n\
        set do: [:each | Transcript show: (each identityHash \\\\ 7) printString]. Transcript cr ]\n\
    testClass [ self deny: (SelfishTest includesSelector: #made). SelfishTest compile: 'made ^3'. self assert: self made equals: 3 ]\n\
    testClassToo [ self deny: (SelfishTest includesSelector: #made). SelfishTest compile: 'made ^3'. self assert: self made equals: 3 ]\n\
    testSymbol [ Shared seen add: #foo -> 3. self assert: Shared seen size equals: 1 ]\n\
    testSymbolToo [ Shared seen add: #foo -> 4. self assert: Shared seen size equals: 1 ]\n\
    ]\n";

fn report(sandbox: &Sandbox, options: &[&str]) -> String {
    let ran = sandbox.tally(&[&["test", "s.st", "--format", "json"], options].concat());
    ran.exits(0).output().to_string()
}

#[test]
fn tests_do_not_see_each_other_and_reports_do_not_depend_on_order() {
    let sandbox = Sandbox::new("selfish");
    sandbox.write("s.st", SELFISH);
    let plain = report(&sandbox, &["--jobs", "1"]);
    assert!(plain.contains("\"passed\":12,"), "{plain}");
    for options in [
        &["--jobs", "4"][..],
        &["--jobs", "1", "--shuffle"],
        &["--jobs", "3", "--shuffle=77"],
        &["--gc-stress", "--shuffle=5"],
        &["--reference"],
    ] {
        let other = report(&sandbox, options);
        assert_eq!(other, plain, "{options:?}");
    }
}

#[test]
fn shards_are_all_tests_together() {
    let sandbox = Sandbox::new("shards");
    sandbox.write("s.st", SELFISH);
    let listed = |options: &[&str]| -> Vec<String> {
        let ran = sandbox.tally(&[&["test", "s.st", "--list"], options].concat());
        let output = ran.exits(0).output().to_string();
        output.lines().map(str::to_string).collect()
    };
    let mut parts: Vec<String> = ["1/3", "2/3", "3/3"]
        .iter()
        .flat_map(|shard| listed(&["--shard", shard]))
        .collect();
    let mut all = listed(&[]);
    assert_eq!(all.len(), 12);
    parts.sort();
    all.sort();
    assert_eq!(parts, all);
    sandbox
        .tally(&["test", "s.st", "--shard", "13/13"])
        .exits(4);
    for shard in ["0/3", "4/3", "x", "1/"] {
        let ran = sandbox.tally(&["test", "s.st", "--shard", shard]);
        ran.exits(2).says("a part of all tests is expected");
    }
}

const MIXED: &str = "TestCase subclass: MixedTest [\n\
    testPass [ Transcript show: 'x < y'; cr. self assert: true ]\n\
    testFail [ self assert: 3 equals: 4 ]\n\
    testError [ nil foo ]\n\
    testCounted [ self assert: [3 + 4] sendsAtMost: 0 ]\n\
    testSkip [ self skip: 'later' ]\n\
    testVacuous [ 3 + 4 ]\n]\n";

#[test]
fn other_programs_get_reports_of_their_own() {
    let sandbox = Sandbox::new("reports");
    sandbox.write("m.st", MIXED);
    sandbox
        .tally(&[
            "test",
            "m.st",
            "--report",
            "junit=out.xml",
            "--report",
            "md=out.md",
            "--report",
            "json=out.json",
            "--report",
            "github",
        ])
        .exits(1)
        .mentions("::error file=m.st,line=3,col=17,title=MixedTest>>testFail FAILED::Got 3 instead of 4.\n")
        .mentions("::error file=m.st,line=4,col=17,title=MixedTest>>testError ERROR::MessageNotUnderstood");
    let junit = sandbox.read("out.xml");
    for part in [
        "<testsuites tests=\"6\" failures=\"2\" errors=\"1\">",
        "<testsuite name=\"MixedTest\" tests=\"6\" failures=\"2\" errors=\"1\" skipped=\"2\">",
        "<property name=\"testPass sends\" value=\"",
        "<testcase name=\"testFail\" classname=\"MixedTest\">",
        "<failure message=\"Got 3 instead of 4.\" type=\"failure\">",
        "type=\"counted\"",
        "<skipped message=\"later\"/>",
        "<property name=\"sends\" value=\"",
        "<skipped message=\"it asserts nothing\"/>",
        "<system-out>x &lt; y\n</system-out>",
    ] {
        assert!(junit.contains(part), "{part} in\n{junit}");
    }
    assert!(
        !junit.contains("time="),
        "no time unless it is requested:\n{junit}"
    );
    let md = sandbox.read("out.md");
    assert!(
        md.contains("| MixedTest&gt;&gt;testFail | FAILED | Got 3 instead of 4. |"),
        "{md}"
    );
    let json = sandbox.read("out.json");
    assert_eq!(json.lines().count(), 8);
    let again = sandbox.tally(&["test", "m.st", "--report", "junit=out2.xml"]);
    again.exits(1);
    assert_eq!(sandbox.read("out2.xml"), junit);
    sandbox
        .tally(&["test", "m.st", "--report", "xml=a"])
        .exits(2);
    sandbox
        .tally(&["test", "m.st", "--report", "junit=no/such/folder.xml"])
        .exits(74)
        .says("no/such/folder.xml");
}

#[test]
fn tests_that_failed_can_be_run_alone() {
    let sandbox = Sandbox::new("failed");
    sandbox.write("m.st", MIXED);
    sandbox
        .tally(&["test", "m.st", "--failed"])
        .exits(4)
        .says("no run of these tests");
    sandbox.tally(&["test", "m.st"]).exits(1);
    sandbox
        .tally(&["test", "m.st", "--failed", "--list"])
        .exits(0)
        .prints("MixedTest>>testFail\nMixedTest>>testError\nMixedTest>>testCounted\n");
    let mended = MIXED.replace("assert: 3 equals: 4", "assert: 4 equals: 4");
    sandbox.write("m.st", &mended);
    sandbox
        .tally(&["test", "m.st", "--failed"])
        .exits(1)
        .mentions("3 tests: 1 passed");
    sandbox
        .tally(&["test", "m.st", "--failed"])
        .exits(1)
        .mentions("2 tests: 0 passed");
    assert_eq!(sandbox.read(".tally/.gitignore"), "*\n");
}

#[test]
fn what_tests_print_is_shown_of_those_that_fail_or_of_all_on_request() {
    let sandbox = Sandbox::new("output");
    sandbox.write(
        "o.st",
        "TestCase subclass: LoudTest [\n\
         testA [ Transcript show: 'a'. self assert: true ]\n\
         testB [ 1 to: 3 do: [:i | Transcript showCr: 'b' , i printString]. self assert: true ]\n\
         testIn [ self assert: Stdin nextLine isNil ]\n]\n",
    );
    let ran = sandbox.tally(&["test", "o.st", "--jobs", "2", "--shuffle=9"]);
    let lines = "LoudTest>>testA   ok\nLoudTest>>testB   ok\nLoudTest>>testIn  ok\n\n";
    ran.exits(0).mentions(lines).is_silent();
    assert!(ran.output().starts_with(lines), "{ran}");
    let ran = sandbox.tally(&["test", "o.st", "--jobs", "2", "-v"]);
    ran.exits(0)
        .mentions("a\nLoudTest>>testA   ok  ")
        .mentions("sends\nb1\nb2\nb3\nLoudTest>>testB   ok  ");
    let many = "1 to: 150 do: [:i | Transcript showCr: i printString]";
    sandbox.write(
        "f.st",
        format!(
            "TestCase subclass: SadTest [\n\
             testFew [ Transcript showCr: 'one'; show: 'two'. self assert: false ]\n\
             testMany [ {many}. nil foo ]\n\
             testSilent [ self assert: false ]\n]\n"
        ),
    );
    let ran = sandbox.tally(&["test", "f.st", "o.st"]);
    ran.exits(1)
        .mentions("    output:\n    | one\n    | two\n\nSadTest>>testMany ERROR\n")
        .mentions("    output:\n    | … 50 lines, which --verbose shows\n    | 51\n");
    assert_eq!(ran.output().matches("    output:\n").count(), 2, "{ran}");
    assert!(!ran.output().contains("b1"), "{ran}");
    let quiet = sandbox.tally(&["test", "f.st", "o.st", "-q"]);
    quiet
        .exits(1)
        .mentions("SadTest>>testFew")
        .mentions("| two");
    assert!(!quiet.output().contains("LoudTest"), "{quiet}");
    sandbox
        .tally(&["test", "o.st", "-q"])
        .exits(0)
        .prints("\n3 tests: 3 passed, 0 failed, 0 failed by counts, 0 in error, 0 skipped\n");
}

#[test]
fn the_summary_names_the_tests_with_the_most_sends_and_the_time_on_request() {
    let sandbox = Sandbox::new("most");
    let tests = (1..6).map(|n| {
        let sends = " 3 yourself.".repeat(n * 10);
        format!("test{n} [{sends} self assert: true ]\n")
    });
    let class = format!(
        "TestCase subclass: ATest [\n{}]\n",
        tests.collect::<String>()
    );
    sandbox.write("a.st", class);
    let ran = sandbox.tally(&["test", "a.st"]);
    ran.exits(0)
        .mentions("0 skipped\nmost sends: ATest>>test5 58, ATest>>test4 48, ATest>>test3 38\n");
    assert!(!ran.output().contains("time"), "{ran}");
    let ran = sandbox.tally(&["test", "a.st", "--timing", "--report", "junit=t.xml"]);
    ran.exits(0).mentions("total time: ").mentions(" ms\n");
    let junit = sandbox.read("t.xml");
    assert_eq!(junit.matches(" time=\"").count(), 2 + 5, "{junit}");
    assert!(
        junit.contains("<property name=\"allocations\" value=\"0\"/>"),
        "{junit}"
    );
    let ran = sandbox.tally(&["test", "a.st", "--timing", "--format", "json"]);
    ran.exits(0).mentions(",\"seconds\":");
}

#[test]
fn a_test_without_end_is_stopped_by_the_limit_of_the_settings() {
    let sandbox = Sandbox::new("endless");
    sandbox.write("tally.toml", "[test]\nmax-sends = 5_000\n");
    sandbox.write(
        "e.st",
        "TestCase subclass: ETest [ testE [ [true] whileTrue: [3 negated] ] ]\n",
    );
    sandbox.tally(&["test", "e.st"]).exits(6).mentions(
        "the limit of 5,000 sends and loop repetitions was reached (max-sends in tally.toml, or --max-sends)",
    );
    sandbox
        .tally(&["test", "--help"])
        .exits(0)
        .mentions("1,000,000,000");
}

#[test]
fn tests_of_one_name_get_numbers() {
    let sandbox = Sandbox::new("twins");
    sandbox.write(
        "t.st",
        "TestCase subclass: TwinTest [\n\
         TwinTest class >> buildSuite [ | suite | suite := TestSuite named: 'twins'.\n\
         suite addTest: (self selector: #testOne); addTest: (self selector: #testOne). ^suite ]\n\
         testOne [ self assert: true ]\n]\n",
    );
    let ran = sandbox.tally(&["test", "t.st"]);
    ran.exits(0)
        .mentions("TwinTest>>testOne #2")
        .mentions("2 tests: 2 passed");
}

#[test]
fn a_test_without_end_is_ended_and_others_are_not_waited_for() {
    let sandbox = Sandbox::new("endless");
    sandbox.write(
        "e.st",
        "TestCase subclass: EndlessTest [\n\
         testFail [ self assert: false ]\n\
         testLoop [ [true] whileTrue: [3 yourself] ]\n\
         testWait [ [true] whileTrue: [Processor yield] ]\n]\n",
    );
    sandbox
        .tally(&["test", "e.st", "--max-sends", "100000"])
        .exits(6)
        .mentions("EndlessTest>>testLoop  ERROR (limit)")
        .mentions("the limit of 100,000 sends and loop repetitions was reached")
        .mentions("EndlessTest>>testWait  ERROR (limit)");
    // Without a limit of one's own the others run on for a minute, unless they are ended.
    sandbox
        .tally(&["test", "e.st", "--fail-fast", "--jobs", "3"])
        .exits(1)
        .mentions(
            "1 test: 0 passed, 1 failed, 0 failed by counts, 0 in error, 0 skipped, 2 not run",
        );
}

const TWO: &str = "Object subclass: Left [ one [ ^1 ] asked [ ^[ self missing ] on: MessageNotUnderstood do: [:e | e return: 0] ] ]\n\
    Object subclass: Right [ one [ ^1 ] ]\n\
    TestCase subclass: TwoTest [\n\
    testLeft [ self assert: Left new one equals: 1 ]\n\
    testRight [ self assert: Right new one equals: 1 ]\n\
    testAsked [ self assert: Left new asked < 10 ]\n\
    testPerform [ self assert: (Right new perform: 'one' asSymbol) equals: 1 ]\n\
    testNothing [ self assert: 3 + 4 equals: 7 ]\n]\n";

#[test]
fn only_the_tests_run_that_a_change_concerns() {
    let sandbox = Sandbox::new("changed");
    sandbox.write("t.st", TWO);
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "t.st"]);
    sandbox.git(&["commit", "-qm", "one"]);
    let changed = |text: &str| -> Vec<String> {
        sandbox.write("t.st", text);
        let ran = sandbox.tally(&["test", "t.st", "--changed", "HEAD", "--format", "json"]);
        let lines = ran.exits(0).output().lines();
        let names = lines.filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = line["selector"].as_str()?;
            Some(name.to_string())
        });
        names.collect()
    };
    let all = [
        "testLeft",
        "testRight",
        "testAsked",
        "testPerform",
        "testNothing",
    ];
    assert_eq!(changed(TWO), all, "nothing is known yet");
    assert_eq!(changed(TWO), [""; 0], "nothing changed");
    assert_eq!(
        changed(&TWO.replace("one [ ^1 ] asked", "one [ ^2 - 1 ] asked")),
        ["testLeft"]
    );
    sandbox.write("t.st", TWO);
    sandbox.tally(&["test", "t.st"]).exits(0);
    let slower = TWO.replace("Right [ one [ ^1 ]", "Right [ one [ ^2 - 1 ]");
    assert_eq!(changed(&slower), ["testRight", "testPerform"]);
    sandbox.write("t.st", TWO);
    sandbox.tally(&["test", "t.st"]).exits(0);
    let found = TWO.replace("asked [ ^[", "missing [ ^3 ] asked [ ^[");
    assert_eq!(
        changed(&found),
        ["testAsked"],
        "a lookup that failed counts too"
    );
    assert_eq!(
        changed(&format!("{TWO}\n3 printString.\n")),
        all,
        "a script can do anything"
    );
    sandbox
        .tally(&["test", "t.st", "--changed", "nowhere"])
        .exits(2)
        .says("nowhere");
}

#[test]
fn test_cases_override_the_tests_of_their_traits() {
    let sandbox = Sandbox::new("override");
    sandbox.write(
        "override.st",
        "Trait named: TRed [ testRed [ self assert: false ] testBoth [ self assert: false ] ]\n\
         Trait named: TOther [ testBoth [ self assert: 3 = 4 ] testGreen [ self assert: true ] ]\n\
         TestCase subclass: #GreenTest uses: TRed + TOther\n\
             instanceVariableNames: '' classVariableNames: '' package: 'Green'.\n\
         GreenTest extend [ testRed [ self assert: true ] testBoth [ self assert: true ] ]\n",
    );
    let ran = sandbox.tally(&["test", "override.st"]);
    ran.exits(0).mentions("3 tests: 3 passed");
}

#[test]
fn nothing_is_green_because_tests_were_lost() {
    let sandbox = Sandbox::new("lost");
    let red = "TestCase subclass: RedTest [ testRed [ self assert: false ] ]\n";
    sandbox.write("red.st", red);
    sandbox.write(
        "exit.st",
        "TestCase subclass: GreenTest [ testGreen [ self assert: true ] ]\nSmalltalk exit: 0.\n",
    );
    let ran = sandbox.tally(&["test", "exit.st", "red.st"]);
    ran.exits(1)
        .says("the files end the program, with exit code 0, before their tests can be run");
    sandbox.write(
        "again.st",
        "RedTest extend [ testRed [ self assert: true ] ]\n",
    );
    let ran = sandbox.tally(&["test", "red.st", "again.st"]);
    ran.exits(1)
        .mentions("its method is defined more than once");
    sandbox.write(
        "trait.st",
        "Trait named: TWice [ testTwice [ self assert: false ] testOnce [ self assert: true ] ]\n\
         TestCase subclass: TraitTest [ <uses: TWice> ]\n\
         TWice extend [ testTwice [ self assert: true ] ]\n",
    );
    let ran = sandbox.tally(&["test", "trait.st"]);
    ran.exits(1)
        .mentions("its method is defined more than once")
        .mentions("2 tests: 1 passed");
    sandbox.write(
        "quits.st",
        "TestCase subclass: QuitTest [ QuitTest class >> testSelectors [ Smalltalk exit: 0 ] ]\n",
    );
    let ran = sandbox.tally(&["test", "quits.st", "red.st"]);
    ran.exits(1).says("while its tests were looked for");
    sandbox.write(
        "runs.st",
        "TestCase subclass: RunTest [ RunTest class >> isAbstract [ [true] whileTrue ] ]\n",
    );
    sandbox
        .tally(&["test", "runs.st", "--max-sends", "100000"])
        .exits(6);
    sandbox.write("takes.st", "Object subclass: TestRunner [ ]\n");
    let ran = sandbox.tally(&["test", "takes.st", "red.st"]);
    ran.exits(1).says("the tests could not be looked for");
}

#[test]
fn the_calls_of_methods_are_reported_one_by_one() {
    let sandbox = Sandbox::new("calls");
    sandbox.write(
        "c.st",
        "Object subclass: Counter [\n\
         count: n [ 1 to: n do: [:i | self yourself]. ^n ]\n\
         twice: n [ ^(self count: n) + (self count: n) ]\n\
         Counter class >> make [ ^self new ] ]\n\
         TestCase subclass: CounterTest [\n\
         testA [ self assert: (Counter make count: 2) equals: 2 ]\n\
         testB [ self assert: (Counter make twice: 5) equals: 10 ]\n\
         testFails [ Counter make count: 1000. self assert: false ]\n]\n",
    );
    let ran = sandbox.tally(&["test", "c.st", "--methods"]);
    ran.exits(1).mentions(
        "method               calls  min  mean  max\n\
         Counter>>twice:          1   13  13.0   13\n\
         Counter>>count:          3    2   4.0    5\n\
         Counter class>>make      2    3   3.0    3\n",
    );
    let csv = "method,calls,min,mean,max\r\nCounter>>twice:,1,13,13,13\r\nCounter>>count:,3,2,4,5\r\n\
               Counter class>>make,2,3,3,3\r\n";
    sandbox.tally(&["test", "c.st", "--methods=m.csv"]).exits(1);
    assert_eq!(sandbox.read("m.csv"), csv);
    sandbox.tally(&["test", "c.st", "--methods=m.json", "--jobs", "1"]);
    assert!(
        sandbox
            .read("m.json")
            .contains("\"schema\": \"tally.methods/1\"")
    );
    sandbox.tally(&["test", "c.st", "--methods=m.md"]);
    assert!(
        sandbox
            .read("m.md")
            .contains("| Counter&gt;&gt;count: | 3 | 2 | 4.0 | 5 |")
    );
    sandbox
        .tally(&["test", "c.st", "--methods=m.xyz"])
        .exits(2)
        .says("names end in .json, .md, .csv, .txt");
}
