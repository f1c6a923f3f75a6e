//! The programs that come with the command: sixteen applications with their tests, programs that are held out, variants of one
//! application, and programs that are built so that their counts mislead. Each is a file below `examples`.

use std::io;
use std::path::Path;

use tally_study::data::Role;

use super::subject::Subject;

/// A program that comes with the command.
struct Own {
    role: Role,
    /// Its name, which is its file's.
    name: &'static str,
    text: &'static str,
    /// Of a variant: what it is a variant of, and what does not remember there.
    variant: Option<(&'static str, &'static str)>,
}

macro_rules! programs {
    ($($role:ident $folder:literal: $($name:literal)+;)+) => {
        &[$($(Own {
            role: Role::$role,
            name: $name,
            text: include_str!(concat!("../../../examples/", $folder, $name, ".st")),
            variant: None,
        },)+)+]
    };
}

const PROGRAMS: &[Own] = programs! {
    Basket "basket/":
        "bigints" "clones" "collections" "combinators" "exceptions" "layout" "metamodel" "numeric" "queries" "reflection"
        "simulation" "sorting" "streams" "syntax" "text" "xml";
    HeldOut "": "bank" "constraints" "json" "queens" "scheduler" "textindex";
    Blind "blind/": "automata" "huffman" "image" "lisp" "raycast" "routes" "sheet" "spelling";
    Counterexample "counterexamples/": "copying" "factorials" "garbage" "printing" "searching" "tight";
};

const VARIANTS: &[Own] = &[
    Own {
        role: Role::Variant,
        name: "layout-bounds",
        text: include_str!("../../../examples/basket/variants/layout-bounds.st"),
        variant: Some(("layout", "bounds")),
    },
    Own {
        role: Role::Variant,
        name: "layout-absolute-bounds",
        text: include_str!("../../../examples/basket/variants/layout-absolute-bounds.st"),
        variant: Some(("layout", "absoluteBounds")),
    },
];

/// Writes the programs into a folder and answers what is to be studied there.
pub(super) fn unpack(folder: &Path) -> io::Result<Vec<Subject>> {
    let file = |own: &Own| format!("{}.st", own.name);
    let mut subjects = Vec::new();
    for own in PROGRAMS.iter().chain(VARIANTS) {
        std::fs::write(folder.join(file(own)), own.text)?;
        let mut files = vec![file(own)];
        if let Some((base, _)) = own.variant {
            files.insert(0, format!("{base}.st"));
        }
        subjects.push(Subject {
            name: own.name.to_string(),
            role: own.role,
            variant_of: own.variant.map(|(base, _)| base.to_string()),
            about: match own.variant {
                Some((_, method)) => format!("{method} is worked out each time"),
                None => first_sentence(own.text).to_string(),
            },
            files,
        });
    }
    Ok(subjects)
}

/// What a program's first comment says that it is: `name.st: this.`
fn first_sentence(text: &str) -> &str {
    let comment = text.strip_prefix('"').unwrap_or("");
    let comment = comment.split_once(": ").map_or("", |(_, rest)| rest);
    let end = comment.find(['.', '\n']).unwrap_or(comment.len());
    comment[..end].trim()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tally_study::data::HELD_OUT;

    use super::*;

    /// Names of the files in a folder of the examples.
    fn files_in(folder: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../examples")
            .join(folder);
        let entries = std::fs::read_dir(folder).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".st")).collect()
    }

    #[test]
    fn all_files_of_the_basket_come_with_the_command() {
        let own = |role: Role| -> BTreeSet<String> {
            let all = PROGRAMS.iter().chain(VARIANTS);
            let own = all.filter(|own| own.role == role);
            own.map(|own| format!("{}.st", own.name)).collect()
        };
        assert_eq!(own(Role::Basket), files_in("basket"));
        assert_eq!(own(Role::Basket).len(), 16);
        assert_eq!(own(Role::Variant), files_in("basket/variants"));
        assert_eq!(own(Role::Counterexample), files_in("counterexamples"));
        assert_eq!(own(Role::Blind), files_in("blind"));
        let held_out = HELD_OUT.iter().map(|name| format!("{name}.st"));
        assert_eq!(own(Role::HeldOut), held_out.collect());
    }

    #[test]
    fn each_says_what_it_is() {
        for own in PROGRAMS {
            let sentence = first_sentence(own.text);
            assert!(sentence.len() > 10, "{}: '{sentence}'", own.name);
        }
    }
}
