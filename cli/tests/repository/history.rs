//! The history itself: 500 commits, and a ledger that says of each what was planted there.

use std::collections::BTreeMap;

use super::project::{
    DATA, Extra, Files, READER, README, STATISTICS, SUITE, TESTS, VALUES, WRITER, first, replaced,
};

/// How many commits there are, those of the branch that is merged included.
pub(crate) const COMMITS: usize = 500;

/// What a commit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The project as it begins.
    First,
    /// Texts that are not loaded.
    Docs,
    /// Sources change and counts do not: comments, layout, names of variables, equal refactorings.
    Neutral,
    Slower,
    Faster,
    /// A method has another selector, and so have all who send it.
    Renamed,
    /// A method stands in another class.
    MovedMethod,
    MovedFile,
    /// The program's own version of a method of the library.
    Library,
    /// A file that a test reads.
    Input,
    /// The sources do not compile.
    Broken,
    /// One test does not pass.
    FailingTest,
    Merge,
}

/// A commit in the ledger.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) subject: String,
    pub(crate) kind: Kind,
    /// The methods that were edited, as they are called afterwards.
    pub(crate) edited: Vec<&'static str>,
    /// How many sends more each test costs than at the first commit; nothing of tests that cannot be measured.
    pub(crate) sends: BTreeMap<&'static str, i64>,
    /// Whether it is on the main line, reached by first parents.
    pub(crate) is_on_main: bool,
    /// Indices of the commits that it comes from.
    pub(crate) parents: Vec<usize>,
    pub(crate) files: Files,
}

impl Entry {
    /// Whether its counts are to be others than those of the commit before.
    pub(crate) fn is_planted(&self) -> bool {
        matches!(
            self.kind,
            Kind::Slower | Kind::Faster | Kind::Library | Kind::Input
        )
    }
}

/// All commits, in the order in which they were made.
pub(crate) fn ledger() -> Vec<Entry> {
    let mut writer = Writer {
        files: first(),
        extra: Extra::default(),
        is_loadable: true,
        failing: None,
        entries: Vec::new(),
        tip: None,
        fillers: 0,
    };
    writer.commit(Kind::First, "A reader and a writer of JSON", &[]);
    writer.write();
    writer.entries
}

struct Writer {
    files: Files,
    extra: Extra,
    is_loadable: bool,
    failing: Option<&'static str>,
    entries: Vec<Entry>,
    /// The last commit of the line that is being written.
    tip: Option<usize>,
    fillers: usize,
}

impl Writer {
    /// The story.
    fn write(&mut self) {
        self.fill_to(40);
        self.slow_down_advance("Positions are looked at");
        self.fill_to(75);
        self.extra.is_quadratic = true;
        self.edit(
            VALUES,
            "        elements add: aValue.\n",
            "        1 to: count do: [:index | aValue yourself].\n        elements add: aValue.\n",
        );
        self.commit(
            Kind::Slower,
            "Arrays look at all elements when one is added",
            &["JsonArray>>add:"],
        );
        self.fill_to(110);
        self.rename();
        self.fill_to(135);
        self.extra.character += 2;
        self.edit(
            WRITER,
            "        code := aCharacter asInteger.\n",
            "        code := aCharacter asInteger.\n        aCharacter yourself; yourself.\n",
        );
        self.commit(
            Kind::Slower,
            "Characters are looked at twice",
            &["JsonWriter>>character:"],
        );
        self.fill_to(160);
        self.break_sources("A bracket is lost");
        self.mend_sources("The bracket is found");
        self.fill_to(185);
        self.move_method();
        self.fill_to(205);
        self.speed_up_advance("Positions are looked at no longer");
        self.fill_to(230);
        self.merge();
        self.fill_to(255);
        self.move_file();
        self.fill_to(280);
        self.redefine_do();
        self.fill_to(300);
        self.extra.walk += 1;
        self.edit(
            "src/Extensions.st",
            "do: aBlock [\n",
            "do: aBlock [\n        firstIndex yourself.\n",
        );
        self.commit(
            Kind::Library,
            "Collections look where they begin",
            &["OrderedCollection>>do:"],
        );
        self.fill_to(330);
        self.extra.spaces += 3;
        self.edit(DATA, "{\"title\"", "   {\"title\"");
        self.commit(Kind::Input, "The catalogue is indented", &[]);
        self.fill_to(355);
        self.slow_down_while_broken();
        self.fill_to(390);
        self.extra.is_quadratic = false;
        self.edit(
            VALUES,
            "        1 to: count do: [:index | aValue yourself].\n",
            "",
        );
        self.commit(
            Kind::Faster,
            "Arrays look at no elements",
            &["JsonArray>>add:"],
        );
        self.fill_to(420);
        self.fail_a_test();
        self.fill_to(450);
        self.slow_down_advance("Positions are looked at again");
        self.fill_to(COMMITS);
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) {
        let text = replaced(&self.files[path], old, new);
        self.files.insert(path.to_string(), text.into());
    }

    fn commit(&mut self, kind: Kind, subject: &str, edited: &[&'static str]) {
        self.commit_from(kind, subject, edited, None);
    }

    fn commit_from(
        &mut self,
        kind: Kind,
        subject: &str,
        edited: &[&'static str],
        merged: Option<usize>,
    ) {
        let measurable = SUITE
            .iter()
            .filter(|test| self.is_loadable && self.failing != Some(test.name));
        let sends = measurable.map(|test| (test.name, self.extra.sends(test)));
        self.entries.push(Entry {
            subject: subject.to_string(),
            kind,
            edited: edited.to_vec(),
            sends: sends.collect(),
            is_on_main: true,
            parents: self.tip.into_iter().chain(merged).collect(),
            files: self.files.clone(),
        });
        self.tip = Some(self.entries.len() - 1);
    }

    /// Adds commits that change nothing, until there are `commits` in all.
    fn fill_to(&mut self, commits: usize) {
        while self.entries.len() < commits {
            self.fill();
        }
    }

    /// Two of three change no source.
    fn fill(&mut self) {
        self.fillers += 1;
        let number = self.fillers;
        if !number.is_multiple_of(3) {
            let readme = format!("{}\nNote {number}.\n", self.files[README]);
            self.files.insert(README.to_string(), readme.into());
            return self.commit(Kind::Docs, &format!("Note {number}"), &[]);
        }
        let (path, text, subject) = match number / 3 % 4 {
            0 => (
                READER,
                self.commented(READER, number),
                "A comment in the reader",
            ),
            1 => (WRITER, self.laid_out(number), "The writer is laid out"),
            2 => (READER, self.variable_renamed(), "A variable is renamed"),
            _ => (VALUES, self.turned_around(), "A condition is turned around"),
        };
        self.files.insert(path.to_string(), text.into());
        self.commit(Kind::Neutral, &format!("{subject} ({number})"), &[]);
    }

    fn commented(&self, path: &str, number: usize) -> String {
        let text = &self.files[path];
        let start = text
            .find("\"Step to the next character.")
            .expect("the comment");
        let end = start + 1 + text[start + 1..].find('"').expect("its end");
        format!(
            "{}\"Step to the next character. {number}{}",
            &text[..start],
            &text[end..]
        )
    }

    fn laid_out(&self, number: usize) -> String {
        let text = self.files[WRITER].trim_end().to_string();
        text + &"\n".repeat(1 + number % 5)
    }

    /// The local variable of `hexDigit` is called otherwise every other time.
    fn variable_renamed(&self) -> String {
        let text = &self.files[READER];
        let (old, new) = match text.contains("| digit |") {
            true => ("digit", "found"),
            false => ("found", "digit"),
        };
        let start = text.find("    hexDigit [\n").expect("the method");
        let body = text[start..].find('|').expect("its variables") + start;
        let end = text[start..].find("\n    ]\n").expect("its end") + start;
        format!(
            "{}{}{}",
            &text[..body],
            text[body..end].replace(old, new),
            &text[end..]
        )
    }

    /// The branches of a condition change places.
    fn turned_around(&self) -> String {
        let text = &self.files[VALUES];
        let (one, other) = (
            "(values includesKey: aKey) ifFalse: [keys add: aKey].",
            "(values includesKey: aKey) ifTrue: [] ifFalse: [keys add: aKey].",
        );
        match text.contains(one) {
            true => replaced(text, one, other),
            false => replaced(text, other, one),
        }
    }

    fn slow_down_advance(&mut self, subject: &str) {
        self.extra.advance += 1;
        let (old, new) = (
            "position := position + 1.\n",
            "position := position yourself + 1.\n",
        );
        self.edit(READER, old, new);
        self.commit(Kind::Slower, subject, &["JsonReader>>advance"]);
    }

    fn speed_up_advance(&mut self, subject: &str) {
        self.extra.advance -= 1;
        let (old, new) = (
            "position := position yourself + 1.\n",
            "position := position + 1.\n",
        );
        self.edit(READER, old, new);
        self.commit(Kind::Faster, subject, &["JsonReader>>advance"]);
    }

    fn rename(&mut self) {
        let text = self.files[READER].replace("skipSpaces", "skipBlanks");
        self.files.insert(READER.to_string(), text.into());
        self.commit(
            Kind::Renamed,
            "Spaces are called blanks",
            &["JsonReader>>skipBlanks"],
        );
    }

    fn move_method(&mut self) {
        let reader = self.files[READER].to_string();
        let start = reader
            .find("\n    scale: anInteger by: places [")
            .expect("the method");
        let method = reader[start..]
            .trim_end()
            .strip_suffix(']')
            .expect("the class's end");
        let moved = method.replace(
            "    scale: anInteger by:",
            "    JsonNumber class >> scale: anInteger by:",
        );
        let reader = reader[..start].trim_end().to_string() + "\n]\n";
        let reader = replaced(
            &reader,
            "(self scale: mantissa by: scale)",
            "(JsonNumber scale: mantissa by: scale)",
        );
        self.files.insert(READER.to_string(), reader.into());
        let here = "    setValue: aNumber text: aString [\n";
        let new = format!("{}\n\n{here}", moved.trim());
        self.edit(VALUES, here, &format!("    {new}"));
        self.commit(
            Kind::MovedMethod,
            "Numbers scale themselves",
            &["JsonNumber class>>scale:by:"],
        );
    }

    fn move_file(&mut self) {
        let text = self.files.remove(STATISTICS).expect("the file");
        self.files.insert("src/JsonCensus.st".to_string(), text);
        self.commit(Kind::MovedFile, "Statistics have another file", &[]);
    }

    /// The program brings a version of its own of a library's method, which does the same.
    fn redefine_do(&mut self) {
        let text = "OrderedCollection extend [\n    do: aBlock [\n        firstIndex to: lastIndex do: [:index | aBlock value: (array at: index)]\n    ]\n]\n";
        self.files
            .insert("src/Extensions.st".to_string(), text.into());
        self.commit(
            Kind::Neutral,
            "Collections are walked by the project",
            &["OrderedCollection>>do:"],
        );
    }

    fn break_sources(&mut self, subject: &str) {
        let old = "    setSource: aString [\n";
        self.edit(READER, old, "    setSource: aString [ ( \n");
        self.is_loadable = false;
        self.commit(Kind::Broken, subject, &[]);
    }

    fn mend_sources(&mut self, subject: &str) {
        self.edit(
            READER,
            "    setSource: aString [ ( \n",
            "    setSource: aString [\n",
        );
        self.is_loadable = true;
        self.commit(Kind::Neutral, subject, &[]);
    }

    /// The sources do not load when the method changes, and not for some commits before and behind.
    fn slow_down_while_broken(&mut self) {
        self.break_sources("Half of a change");
        self.commit_broken("More of it");
        self.extra.enter += 1;
        self.edit(
            "src/JsonCensus.st",
            "        depth := depth + 1.\n",
            "        depth := depth + 1.\n        depth yourself.\n",
        );
        self.commit(
            Kind::Broken,
            "Depth is looked at",
            &["JsonStatistics>>enter"],
        );
        self.commit_broken("Nearly there");
        self.edit(
            READER,
            "    setSource: aString [ ( \n",
            "    setSource: aString [\n",
        );
        self.is_loadable = true;
        self.commit(
            Kind::Slower,
            "The change is whole",
            &["JsonStatistics>>enter"],
        );
    }

    fn commit_broken(&mut self, subject: &str) {
        let readme = format!("{}\n{subject}.\n", self.files[README]);
        self.files.insert(README.to_string(), readme.into());
        self.commit(Kind::Broken, subject, &[]);
    }

    fn fail_a_test(&mut self) {
        self.failing = Some(SUITE[0].name);
        self.edit(TESTS, "600]') size equals: 4", "600]') size equals: 5");
        self.commit(
            Kind::FailingTest,
            "A wrong expectation",
            &["JsonTest>>testNumbers"],
        );
        self.fill();
        self.failing = None;
        self.edit(TESTS, "600]') size equals: 5", "600]') size equals: 4");
        self.commit(
            Kind::Neutral,
            "The right expectation",
            &["JsonTest>>testNumbers"],
        );
    }

    /// A branch of three commits, in the middle of which something gets slower, is merged.
    fn merge(&mut self) {
        let fork = self.tip;
        let (files, extra) = (self.files.clone(), self.extra);
        let start = self.entries.len();
        self.fill();
        self.extra.character += 1;
        self.edit(
            WRITER,
            "aCharacter yourself; yourself.",
            "aCharacter yourself; yourself; yourself.",
        );
        self.commit(
            Kind::Slower,
            "Characters are looked at three times",
            &["JsonWriter>>character:"],
        );
        self.fill();
        for entry in &mut self.entries[start..] {
            entry.is_on_main = false;
        }
        let branch = self.tip;
        let merged = (self.files.clone(), self.extra);
        (self.files, self.extra) = (files, extra);
        self.tip = fork;
        self.fill();
        let readme = self.files[README].clone();
        (self.files, self.extra) = merged;
        self.files.insert(README.to_string(), readme);
        self.commit_from(
            Kind::Merge,
            "The branch is merged",
            &["JsonWriter>>character:"],
            branch,
        );
    }
}
