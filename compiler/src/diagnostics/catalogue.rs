//! The meaning of each diagnostic code. One row holds a code, a text that yields it and a text that does not. The tests
//! compile both texts and compare the list with the codes that the stages report.

/// A text that an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// A script.
    Script(&'static str),
    /// A class of SOM.
    Som(&'static str),
    /// A script: a beginning, a piece repeated a number of times, and an end.
    Repeated(&'static str, &'static str, usize, &'static str),
    /// None that could be shown; why.
    Nothing(&'static str),
}

impl Sample {
    /// The text in full, if there is one.
    pub fn text(self) -> Option<String> {
        match self {
            Sample::Script(text) | Sample::Som(text) => Some(text.to_string()),
            Sample::Repeated(start, piece, times, end) => {
                Some(format!("{start}{}{end}", piece.repeat(times)))
            }
            Sample::Nothing(_) => None,
        }
    }
}

/// The documentation of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `E0101`
    pub code: &'static str,
    /// The mistake in a few words.
    pub title: &'static str,
    /// The cause and the remedy.
    pub text: &'static str,
    /// A text with the mistake.
    pub wrong: Sample,
    /// The same without.
    pub right: Sample,
}

/// The entry for a code, written in any case.
pub fn entry(code: &str) -> Option<&'static Entry> {
    ENTRIES
        .iter()
        .find(|entry| entry.code.eq_ignore_ascii_case(code))
}

macro_rules! entries {
    ($( $code:literal $title:literal $text:literal $wrong:expr => $right:expr; )+) => {
        &[ $( Entry { code: $code, title: $title, text: $text, wrong: $wrong, right: $right }, )+ ]
    };
}

use Sample::{Nothing, Repeated, Script, Som};

/// All codes, in their order: `E00` inside tokens, `E01` syntax, `E02` names and definitions, `W03` warnings.
pub const ENTRIES: &[Entry] = entries! {
    "E0001" "a string is never closed"
        "A string ends with a single quote. A quote inside the string is written twice. A single quote closes the string too early, and the next quote opens another string."
        Script("x := 'it's'.\n") => Script("x := 'it''s'.\n");
    "E0002" "a comment is never closed"
        "A comment ends with a double quote. Without it the rest of the text belongs to the comment. Quotes inside are written twice."
        Script("x := 3. \"three\n") => Script("x := 3. \"three\"\n");
    "E0003" "a digit does not fit the radix"
        "The digits of that base follow `16r`. Digits above 9 are letters."
        Script("x := 16r1G.\n") => Script("x := 16r1F.\n");
    "E0004" "digits are missing behind the radix"
        "An integer in another base is written base, `r`, digits."
        Script("x := 16r.\n") => Script("x := 16rFF.\n");
    "E0005" "there is no such radix"
        "A radix is from 2 to 36: there are ten digits and 26 letters."
        Script("x := 40r12.\n") => Script("x := 36r12.\n");
    "E0006" "a character means nothing here"
        "Outside strings, comments and character literals only letters, digits and operators have a meaning. Word processors write other quotes and dashes."
        Script("x := “text”.\n") => Script("x := 'text'.\n");
    "E0007" "a character literal without a character"
        "`$` stands before the character that it makes a literal. Here the text ends after `$`."
        Script("x := $") => Script("x := $a");
    "E0008" "`#` without a literal"
        "`#` begins a symbol, a literal array, a byte array or a binding; no blank may follow it."
        Script("x := # foo.\n") => Script("x := #foo.\n");
    "E0009" "a number is too large"
        "Exponents and scales have a limit, and no Float is greater than about 1.8e308."
        Script("x := 1.0e400.\n") => Script("x := 1.0e300.\n");
    "E0010" "a comment of another language"
        "A comment stands in double quotes. `//`, `/*` and `#` begin no comments."
        Script("// three\nx := 3.\n") => Script("\"three\"\nx := 3.\n");
    "E0011" "a symbol is never closed"
        "A symbol in quotes ends with a single quote, as a string does."
        Script("x := #'a b.\n") => Script("x := #'a b'.\n");
    "E0012" "a ScaledDecimal has no radix"
        "A number in another base is an integer or a Float. A scale counts digits in base 10."
        Script("x := 16r1.8s2.\n") => Script("x := 16r1.8.\n");
    "E0013" "an unknown escape in a string of SOM"
        "Strings of SOM allow a few characters after a backslash. A backslash itself is written twice."
        Som("Foo = ( text = ( ^'a\\xb' ) )\n") => Som("Foo = ( text = ( ^'a\\\\b' ) )\n");
    "E0014" "SOM has no such syntax"
        "The text uses syntax of other Smalltalks: cascades, character literals, brace or byte arrays."
        Som("Foo = ( run = ( ^{ 1. 2 } ) )\n") => Som("Foo = ( run = ( ^#( 1 2 ) ) )\n");
    "E0101" "a bracket is never closed"
        "Every bracket needs its partner. The message shows where the bracket was opened, and where it should have been closed at the latest."
        Script("x := (3 + 4.\ny := 5.\n") => Script("x := (3 + 4).\ny := 5.\n");
    "E0102" "a bracket closes nothing"
        "No bracket is open here."
        Script("x := 3 + 4).\n") => Script("x := (3 + 4).\n");
    "E0103" "brackets do not match"
        "The last bracket that was opened is closed first, by a bracket of its kind."
        Script("x := (3 + 4].\n") => Script("x := (3 + 4).\n");
    "E0104" "nothing stands between parentheses"
        "Parentheses enclose an expression. Messages without arguments have none; an empty array is `#()`."
        Script("x := ().\n") => Script("x := #().\n");
    "E0105" "a keyword without an argument"
        "Each keyword of a message is followed by its argument."
        Script("#(1) at: put: 3.\n") => Script("#(1) copy at: 1 put: 3.\n");
    "E0106" "an operator without an argument"
        "A binary message has one argument, which follows the operator."
        Script("x := 3 + .\n") => Script("x := 3 + 4.\n");
    "E0107" "`^` without a value"
        "`^` answers the value of the expression that follows it. To answer the receiver write `^self`, or omit the `^`."
        Script("Object subclass: Foo [ bar [ ^ ] ]\n") => Script("Object subclass: Foo [ bar [ ^self ] ]\n");
    "E0108" "a cascade without a first message"
        "A cascade sends several messages to the receiver of the message before its first `;`, so there has to be one."
        Script("Transcript; cr.\n") => Script("Transcript cr; cr.\n");
    "E0109" "a cascade without a further message"
        "The next message follows `;`, without a receiver."
        Script("Transcript cr; .\n") => Script("Transcript cr; tab.\n");
    "E0110" "a pseudo variable cannot be assigned"
        "`self`, `super`, `nil`, `true`, `false` and `thisContext` have a fixed meaning."
        Script("nil := 4.\n") => Script("x := 4.\n");
    "E0111" "the target of `:=` is no variable"
        "An assignment sets one variable. Elements of collections are set by messages such as `at:put:`."
        Script("x := 3. x foo := 4.\n") => Script("x := 3. x := 4.\n");
    "E0112" "an assignment without a value"
        "The expression whose value is assigned follows `:=`."
        Script("x := .\n") => Script("x := 3.\n");
    "E0113" "two expressions without anything between them"
        "Statements are separated by periods, and a receiver from its argument by a selector."
        Script("x := 3\ny := 4.\n") => Script("x := 3.\ny := 4.\n");
    "E0114" "a statement cannot end in parentheses"
        "Parentheses hold one expression. Several statements need a block."
        Script("x := (3 + 4. 5 + 6).\n") => Script("x := [3 + 4. 5 + 6] value.\n");
    "E0115" "no literal in a literal array"
        "`#( … )` holds literals, separated by blanks. Computed elements are written `{ a. b }`."
        Script("x := #(1 . 2).\n") => Script("x := #(1 2).\n");
    "E0116" "no byte in a byte array"
        "The elements of `#[ … ]` are integers from 0 to 255."
        Script("x := #[1 300 2].\n") => Script("x := #[1 30 2].\n");
    "E0117" "a block argument without a name"
        "The name of an argument follows each colon at the beginning of a block."
        Script("x := [: 3 | 4].\n") => Script("x := [:each | each].\n");
    "E0118" "`|` is missing behind the block's arguments"
        "The arguments of a block end with a bar, unless nothing follows them."
        Script("x := [:a a + 1].\n") => Script("x := [:a | a + 1].\n");
    "E0119" "a declaration of variables is malformed"
        "A declaration has only names between two bars. Values are assigned afterwards."
        Script("| a := 3 |\na printNl.\n") => Script("| a |\na := 3.\na printNl.\n");
    "E0120" "this is not a message pattern"
        "A method begins with `name`, `+ argument` or `at: argument put: argument`."
        Script("Object subclass: Foo [ bar: 3 [ ^1 ] ]\n") => Script("Object subclass: Foo [ bar: x [ ^x ] ]\n");
    "E0121" "this is no part of a class"
        "A class body holds methods, `| variables |`, `<pragma: …>` and `Name := value.`; statements stand in methods."
        Script("Object subclass: Foo [ bar [ ^1 ] . baz [ ^2 ] ]\n") => Script("Object subclass: Foo [ bar [ ^1 ] baz [ ^2 ] ]\n");
    "E0122" "a pragma is malformed"
        "A pragma is written `<name>` or `<name: literal name: literal>`."
        Script("Object subclass: Foo [ <comment: 3 + 4> ]\n") => Script("Object subclass: Foo [ <comment: 'seven'> ]\n");
    "E0123" "a pragma outside a method"
        "Pragmas stand at the beginning of a method or in a class body; a block or a script has none."
        Script("[ <foo: 3> ] value.\n") => Script("Object subclass: Foo [ bar [ <foo: 3> ^4 ] ]\n");
    "E0124" "a method without a body"
        "A body in brackets follows the pattern of a method."
        Script("Object subclass: Foo [ bar ]\n") => Script("Object subclass: Foo [ bar [ ] ]\n");
    "E0126" "a period is missing behind a class variable"
        "A class variable and its first value are a statement: `Name := value.`"
        Script("Object subclass: Foo [ Count := 3\n bar [ ^Count ] ]\n") => Script("Object subclass: Foo [ Count := 3.\n bar [ ^Count ] ]\n");
    "E0127" "a binding names one variable"
        "`#{Foo}` stands for the association of a global with its value."
        Script("x := #{3}.\n") => Script("x := #{Object}.\n");
    "E0128" "an operator without a receiver"
        "The receiver stands before a binary operator. A negative number is written without a blank. `negated` negates other values."
        Script("x := 3. + x.\n") => Script("x := 3. x + x.\n");
    "E0129" "a keyword without a receiver"
        "The receiver stands before a message. It may be `self`."
        Script("at: 3.\n") => Script("#(1 2 3) at: 3.\n");
    "E0130" "a colon stands where it means nothing"
        "A keyword is written without a blank before its colon; assignment is `:=`; block arguments come first in the block."
        Script("#(1 2) at : 1.\n") => Script("#(1 2) at: 1.\n");
    "E0132" "this cannot stand on the class side"
        "`Foo class [ … ]` in a class body holds variables and methods of the class side. A method has a body in brackets."
        Script("Object subclass: Foo [ Foo class [ |a| bar ] ]\n") => Script("Object subclass: Foo [ Foo class [ |a| bar [ ^1 ] ] ]\n");
    "E0133" "this is not the head of a definition"
        "A bracket at the top level begins the body of a definition, such as `Super subclass: Name [ … ]` or `Name extend [ … ]`. If the bracket begins a block, an expression is missing before it."
        Script("Object extends [ bar [ ^1 ] ]\n") => Script("Object extend [ bar [ ^1 ] ]\n");
    "E0134" "a pseudo variable cannot be declared"
        "`self`, `super`, `nil`, `true`, `false` and `thisContext` cannot be names of variables."
        Script("| self |\n") => Script("| me |\nme := 3. me printNl.\n");
    "E0135" "syntax of another language"
        "The statement begins with a word that has a meaning in other languages. Here it is a name like any other. The help says how the statement is written."
        Script("let x = 3.\n") => Script("x := 3.\n");
    "E0136" "a call, or an index, as in other languages"
        "Messages are sent without parentheses around their arguments: `receiver name`, `receiver name: argument`. Elements are read by `at:`."
        Script("x := Set new. x.add(3).\n") => Script("x := Set new. x add: 3.\n");
    "E0137" "a block's argument without a colon"
        "The arguments of a block have colons before their names: `[ :each | … ]`. Without a colon the name is a variable, and `|` is a message to its value."
        Script("#(1 2) do: [ each | each printNl ].\n") => Script("#(1 2) do: [ :each | each printNl ].\n");
    "E0140" "this is not the head of a class of SOM"
        "A class is written `Name = Superclass ( … )`, or `Name = ( … )` below Object."
        Som("Foo := ( )\n") => Som("Foo = ( )\n");
    "E0142" "`----` stands where it cannot"
        "A class of SOM has two sides, divided by one line of dashes between methods."
        Som("Foo = ( ---- a = ( ) ---- b = ( ) )\n") => Som("Foo = ( a = ( ) ---- b = ( ) )\n");
    "E0143" "the text goes on behind the class"
        "A file of SOM holds one class. Often an extra bracket has closed it."
        Som("Foo = ( a = ( ^1 ) )\n b = ( ^2 ) )\n") => Som("Foo = ( a = ( ^1 )\n b = ( ^2 ) )\n");
    "E0144" "nothing can follow `^`"
        "In SOM the statement with the `^` is the last."
        Som("Foo = ( a = ( ^1. 2 ) )\n") => Som("Foo = ( a = ( 2. ^1 ) )\n");
    "E0145" "a period without a statement before it"
        "In SOM a period stands between statements, or behind one."
        Som("Foo = ( a = ( self a.. ^1 ) )\n") => Som("Foo = ( a = ( self a. ^1 ) )\n");
    "E0151" "the metadata of a file of a package have no key here"
        "Metadata are written `{ #key : value, #key : value }`; each key is a symbol."
        Script("Class { name : #Foo, #superclass : #Object }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0152" "`:` is missing behind a key"
        "In the metadata of a file of a package a colon stands between a key and its value."
        Script("Class { #name #Foo, #superclass : #Object }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0153" "the metadata are never closed"
        "Every `{` and `[` in the metadata of a file of a package needs its partner."
        Script("Class { #name : #Foo, #superclass : #Object\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0154" "a key stands twice"
        "Each key of the metadata of a file of a package has one value."
        Script("Class { #name : #Foo, #name : #Bar, #superclass : #Object }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0155" "`,` is missing between two parts of the metadata"
        "The parts of `{ … }` and `[ … ]` in the metadata of a file of a package are separated by commas."
        Script("Class { #name : #Foo #superclass : #Object }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0156" "a value is missing in the metadata"
        "A symbol, a string, a list, or nil follows the colon."
        Script("Class { #name : , #superclass : #Object }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0157" "a string in the metadata is never closed"
        "A string ends with a single quote; a quote inside of it is written with a backslash before it."
        Script("Class { #name : 'Foo, #superclass : #Object }\n") => Script("Class { #name : 'Foo', #superclass : #Object }\n");
    "E0158" "an unknown escape in the metadata"
        "Strings in the metadata of a file of a package allow a few characters after a backslash. A backslash itself is written twice."
        Script("Class { #name : 'F\\qoo', #superclass : #Object }\n") => Script("Class { #name : 'Foo', #superclass : #Object }\n");
    "E0160" "a method of another class in the file of a class"
        "A file of a package defines one class, or extends one; methods of another class belong into a file of their own."
        Script("Class { #name : #Foo, #superclass : #Object }\n\nObject >> foo [ ^1 ]\n") => Script("Class { #name : #Foo, #superclass : #Object }\n\nFoo >> foo [ ^1 ]\n");
    "E0161" "this cannot stand in a file of a package"
        "Only methods follow the definition, each with its metadata: `{ #category : … }` and `Foo >> bar [ … ]`. Statements belong into methods or into a script."
        Script("Class { #name : #Foo, #superclass : #Object }\n\nFoo new foo.\n") => Script("Class { #name : #Foo, #superclass : #Object }\n\nFoo >> foo [ ^1 ]\n");
    "E0162" "metadata without a method"
        "`{ #category : … }` stands before the method that it is about."
        Script("Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n\n{ #category : #a }\nFoo >> foo [ ^1 ]\n");
    "E0163" "the metadata lack a key"
        "A class has `#name` and `#superclass`; an extension, a trait and a package have `#name`."
        Script("Class { #name : #Foo }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0164" "a value of the wrong kind in the metadata"
        "Names are symbols or strings that could be names in a program; variables are lists of such."
        Script("Class { #name : #'a b', #superclass : #Object }\n") => Script("Class { #name : #Ab, #superclass : #Object }\n");
    "E0165" "a class cannot have this layout"
        "The instances of a class are `#normal`, `#variable` or `#bytes`."
        Script("Class { #name : #Foo, #superclass : #Object, #type : #liquid }\n") => Script("Class { #name : #Foo, #superclass : #Object, #type : #variable }\n");
    "E0166" "a composition of traits is malformed"
        "It is written `TFoo + (TBar - {#without}) @ {#alias -> #selector}`."
        Script("Class { #name : #Foo, #superclass : #Object, #traits : 'TFoo +' }\n") => Script("Class { #name : #Foo, #superclass : #Object }\n");
    "E0190" "brackets are nested too deeply"
        "At most 500 brackets may be open at a time."
        Repeated("x := ", "(", 600, "3.") => Script("x := (((3))).\n");
    "E0191" "an expression is too deep"
        "The nesting of messages in an expression has a limit. Use a temporary or a loop."
        Repeated("x := 3", " + 4", 100_000, ".") => Script("x := 3 + 4 + 4.\n");
    "E0192" "the text is too long"
        "A source text has at most 64 MiB, unless `--max-source` says otherwise."
        Nothing("it would have 64 MiB") => Script("x := 3.\n");
    "E0193" "too many errors"
        "The rest of the text is not read. Its errors are probably consequences of the errors above."
        Repeated("", "x foo: ). ", 1000, "") => Script("x := 3.\n");
    "E0199" "the text cannot be read here"
        "The text cannot be read at this location, and no other code describes the error."
        Nothing("a text that comes to this deserves a code of its own") => Script("x := 3.\n");
    "E0201" "nothing has this name"
        "Declare a name before its use: as a temporary, an argument, a variable of the class or a global. In a script an assignment at the top level declares a variable."
        Script("x := 3. y + x.\n") => Script("x := 3. x + x.\n");
    "E0202" "an argument cannot be assigned"
        "Arguments of methods and blocks keep their value. Use a temporary."
        Script("x := [:a | a := a + 1].\n") => Script("x := [:a | | b | b := a + 1. b].\n");
    "E0203" "this cannot be assigned"
        "Classes and reserved words keep their meaning."
        Script("Object := 3.\n") => Script("object := 3.\n");
    "E0204" "a name is declared twice"
        "In one scope a name means one variable."
        Script("x := [ | a a | a := 3. a ].\n") => Script("x := [ | a | a := 3. a ].\n");
    "E0205" "a class body defines a method twice"
        "The second would replace the first at once. To replace a method, define it in `Foo extend [ … ]`."
        Script("Object subclass: Foo [ bar [ ^1 ] bar [ ^2 ] ]\n") => Script("Object subclass: Foo [ bar [ ^1 ] baz [ ^2 ] ]\n");
    "E0206" "`super` cannot be used here"
        "`super` is the receiver, with lookup above the class of the method; it can only receive a message, and only in a method."
        Script("Object subclass: Foo [ bar [ ^super ] ]\n") => Script("Object subclass: Foo [ bar [ ^super yourself ] ]\n");
    "E0208" "there is no such class"
        "A superclass, and a class that is extended, has to be defined: in the library, above, or in another file of the same command."
        Script("Objekt subclass: Foo [ ]\n") => Script("Object subclass: Foo [ ]\n");
    "E0209" "too much for one method or block"
        "Methods and blocks have limits on arguments, variables and intermediate values. Split it."
        Repeated("3 ", "k: 1 ", 300, ".") => Script("#(1) copy at: 1 put: 1.\n");
    "E0210" "a class has a variable of this name already"
        "Instance variables of a class and of its superclasses have different names."
        Script("Object subclass: Foo [ | a a | ]\n") => Script("Object subclass: Foo [ | a b | ]\n");
    "E0211" "a pragma's argument means nothing"
        "The argument of `<primitive: …>` is a name. `<frame: …>` and `<shape: …>` have a fixed set of arguments."
        Script("Object subclass: Foo [ <shape: #square> ]\n") => Script("Object subclass: Foo [ <shape: #pointer> ]\n");
    "E0212" "a class inherits from itself"
        "A chain of superclasses must end in a class without a superclass. Here it is a cycle."
        Script("Class { #name : 'A', #superclass : 'A' }\n") => Script("Class { #name : 'A', #superclass : 'Object' }\n");
    "E0213" "two classes of a load have one name"
        "The packages of a load define each class once."
        Script("Class { #name : 'A', #superclass : 'Object' }\n\nClass { #name : 'A', #superclass : 'Object' }\n") => Script("Class { #name : 'A', #superclass : 'Object' }\n\nClass { #name : 'B', #superclass : 'A' }\n");
    "E0214" "a trait uses itself"
        "The compositions of traits form a cycle."
        Script("Trait { #name : 'TA', #traits : 'TA' }\n") => Script("Trait { #name : 'TA' }\n\nTrait { #name : 'TB', #traits : 'TA' }\n");
    "E0215" "a trait stands for a class, or a class for a trait"
        "Classes inherit from classes and use traits; traits use traits and have no superclass."
        Script("Trait { #name : 'TA', #traits : 'Object' }\n") => Script("Trait { #name : 'TA' }\n\nClass { #name : 'A', #superclass : 'Object', #traits : 'TA' }\n");
    "E0216" "this is for the library only"
        "Some primitives, and the pragma `<frame: …>`, read or change the state of the machine: frames, processes, counters, code. Counts depend on their use in the library, so programs cannot use them. docs/PRIMITIVES.md lists the primitives that are open. Send the library's messages instead: `on:do:`, `ensure:`, `fork`, `compile:`."
        Script("Object subclass: Foo [ bar [ <primitive: frameToken> ^nil ] ]\n") => Script("Object subclass: Foo [ bar: x [ <primitive: objectSame> ^false ] ]\n");
    "E0217" "the machine relies on a class as it is"
        "The machine knows some classes of the library, such as String. A program can extend them. It cannot define other classes of their names."
        Nothing("it takes a machine") => Script("String extend [ shout [ ^self asUppercase ] ]\n");
    "E0218" "a message to an actor is answered by its sender"
        "A message behind `tell` goes to the actor. Some messages are answered where they are sent, for every receiver: control messages such as `ifTrue:`, and `==`, `~~`, `class`, `isNil` and `notNil`. `tell:` takes the selector and sends it."
        Script("Object subclass: Foo [ go: anAddress [ anAddress tell class ] ]\n") => Script("Object subclass: Foo [ go: anAddress [ anAddress tell: #class ] ]\n");
    "W0301" "a temporary is not used"
        "It is declared and never read. Values assigned to it are lost."
        Script("x := [ | a | 3 ].\n") => Script("x := [ | a | a := 3. a ].\n");
    "W0302" "a name hides another"
        "An outer variable has the same name. The outer variable cannot be used here."
        Script("| a | a := 3. x := [:a | a] value: a.\n") => Script("| a | a := 3. x := [:b | b] value: a.\n");
    "W0303" "no class implements the selector"
        "Neither the library nor the program defines such a method, so the receiver gets doesNotUnderstand:. Programs that make methods while they run can ignore this."
        Script("#(1 2 3) colect: [:each | each].\n") => Script("#(1 2 3) collect: [:each | each].\n");
    "W0304" "a global is used before it is defined"
        "The text runs from top to bottom. Here the global is still nil."
        Script("Foo new printNl.\nObject subclass: Foo [ ]\n") => Script("Object subclass: Foo [ ]\nFoo new printNl.\n");
    "W0305" "a statement is never reached"
        "A `^` before it ends the method or script."
        Script("Object subclass: Foo [ bar [ ^1. self halt ] ]\n") => Script("Object subclass: Foo [ bar [ self halt. ^1 ] ]\n");
    "W0306" "a script's variable is declared again"
        "It is the same variable and keeps its value."
        Script("| a | a := 3. | a | a printNl.\n") => Script("| a | a := 3. a printNl.\n");
    "W0307" "there is no such primitive"
        "The machine has no primitive of this name, and none by number. The statements of the method run whenever it is sent, as if the primitive failed."
        Script("Object subclass: Foo [ bar [ <primitive: 60> ^nil ] ]\n") => Script("Object subclass: Foo [ bar [ <primitive: objectClass> ^nil ] ]\n");
    "W0310" "a key of the metadata means nothing"
        "It is ignored. Perhaps it is misspelt."
        Script("Class { #name : #Foo, #superclass : #Object, #color : #red }\n") => Script("Class { #name : #Foo, #superclass : #Object, #category : #red }\n");
    "W0311" "a slot or a layout is taken for an ordinary one"
        "Kinds of slots and layouts that exist elsewhere are read as ordinary variables and indexed instances. Their special behaviour is lost."
        Script("Class { #name : #Foo, #superclass : #Object, #type : #weak }\n") => Script("Class { #name : #Foo, #superclass : #Object, #type : #variable }\n");
    "W0312" "a package extends a class that is not there"
        "The methods are left out, and their messages lead to doesNotUnderstand:. Load the package that defines the class, before this one or with it."
        Script("Extension { #name : #Absent }\n\nAbsent >> foo [ ^1 ]\n") => Script("Extension { #name : #Object }\n\nObject >> foo [ ^1 ]\n");
    "W0313" "a package names something that is not there"
        "No loaded package defines this name. It is nil when the method runs. In a script it would be an error."
        Script("Extension { #name : #Object }\n\nObject >> foo [ ^Nothing ]\n") => Script("Extension { #name : #Object }\n\nObject >> foo [ ^Object ]\n");
    "W0315" "a class is defined in two packages or two files"
        "The definition that is loaded last is used. Outside of packages it replaces the variables, and the methods of both remain. Packages are loaded in the order of the command line. Packages of one folder are loaded after the packages that they need, then by name."
        Nothing("it takes two packages") => Script("Class { #name : 'A', #superclass : 'Object' }\n");
    "W0316" "a condition that is neither true nor false"
        "The receiver of a conditional message is true or false. A block is neither, and no number is."
        Script("[ 3 > 2 ] ifTrue: [ 4 ].\n") => Script("3 > 2 ifTrue: [ 4 ].\n");
    "W0317" "a loop whose condition is no block"
        "The condition of a loop is evaluated before each repetition, so it is a block. In parentheses it is evaluated once."
        Script("| i | i := 0. (i < 3) whileTrue: [ i := i + 1 ].\n") => Script("| i | i := 0. [ i < 3 ] whileTrue: [ i := i + 1 ].\n");
    "W0318" "a block takes another number of arguments"
        "The message gives its block a fixed number of arguments. A block that takes another number signals ArgumentsCountMismatch."
        Script("#(1 2) do: [ :a :b | a printNl ].\n") => Script("#(1 2) do: [ :a | a printNl ].\n");
    "W0319" "a method drops the value that it computes"
        "A method without `^` answers its receiver. The value of its last statement is dropped."
        Script("Object subclass: Foo [ double: n [ n * 2 ] ]\n") => Script("Object subclass: Foo [ double: n [ ^n * 2 ] ]\n");
    "W0320" "the identity of a literal"
        "`==` answers whether both sides are the same object. Two strings with the same characters may be two objects. `=` compares contents."
        Script("| a | a := 'b'. (a == 'b') printNl.\n") => Script("| a | a := 'b'. (a = 'b') printNl.\n");
    "W0321" "a comma in a literal array"
        "The elements of `#( … )` are separated by blanks. A comma is an element: the symbol `#,`."
        Script("x := #(1, 2).\n") => Script("x := #(1 2).\n");
    "W0322" "a pragma that is probably misspelt"
        "A method may have pragmas of any name. This name is nearly that of a pragma with a meaning."
        Script("Object subclass: Foo [ bar [ <categroy: 'x'> ^1 ] ]\n") => Script("Object subclass: Foo [ bar [ <category: 'x'> ^1 ] ]\n");
    "W0323" "a variable gets the answer of a cascade"
        "The value of a cascade is the answer of its last message. `add:` and `at:put:` answer their argument, not the collection. `yourself` answers the receiver."
        Script("x := Set new add: 1; add: 2.\n") => Script("x := Set new add: 1; add: 2; yourself.\n");
    "W0324" "a line that is read as a message"
        "A new line ends no statement. A variable's name at the start of a line is read as a message to the expression before it."
        Script("| x | x := 3\nx printNl.\n") => Script("| x | x := 3.\nx printNl.\n");
    "W0325" "a branch that is no block"
        "Arguments are evaluated before the message is sent. A branch that shall depend on the condition is a block."
        Script("3 > 4 ifTrue: (3 printNl).\n") => Script("3 > 4 ifTrue: [ 3 printNl ].\n");
    "W0326" "a period between two names"
        "A period ends a statement. It does not select a part of an object: that is a message, with a blank before it."
        Script("Object subclass: Foo [ | bar | bar [ ^bar ] go [ self.bar ] ]\n") => Script("Object subclass: Foo [ bar [ ^1 ] go [ self bar ] ]\n");
    "W0330" "a preamble of a file-out means nothing"
        "A preamble stands between two bangs. Methods follow `!Foo methodsFor: 'x'!`, a comment follows `!Foo commentStamp: 'x'!`. Other preambles are ignored."
        Script("!Object methodsFor: 'x'!\nfoo\n\t^1! !\n\n!Object tidyUp!\n") => Script("!Object methodsFor: 'x'!\nfoo\n\t^1! !\n");
    "W0331" "a file-out defines a method again"
        "The later definition is used, as in a system that reads one definition after the other."
        Script("!Object methodsFor: 'x'!\nfoo\n\t^1!\n\nfoo\n\t^2! !\n") => Script("!Object methodsFor: 'x'!\nfoo\n\t^1!\n\nbar\n\t^2! !\n");
    "W0390" "a name is read as a message"
        "Selectors begin with a lower-case letter; probably a period is missing before the name."
        Script("x := 3 Foo.\n") => Script("x := 3 foo: 4.\n");
    "W0391" "a comparison without use"
        "`=` compares, and the result is not used here. To assign write `:=`."
        Script("| a | a := 1. a = 3. a printNl.\n") => Script("| a | a := 1. a := 3. a printNl.\n");
};
