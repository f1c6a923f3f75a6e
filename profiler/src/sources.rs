//! The inputs of a run beside the machine: the files that it read, the definitions in its sources, and the commit of
//! these.

use serde::{Deserialize, Serialize};

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InputKind {
    /// The contents of a file.
    File,
    /// The names in a folder.
    Folder,
    /// Whether something is there, what it is and how large.
    Facts,
    /// Whether a file can be written at a path.
    Room,
    /// A variable of the environment.
    Variable,
    /// The names of the variables of the environment that it may read.
    VariableNames,
    /// The standard input.
    StandardInput,
    /// The path of the working directory.
    WorkingDirectory,
}

/// Something that a program read from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Input {
    /// Its kind.
    pub kind: InputKind,
    /// A path as the program named it, from the working directory on if the path leads below it; a variable's name; or the
    /// number of bytes read, if not all of the standard input was read. Empty for inputs that exist once only.
    pub name: String,
    /// Digest of the data, in hexadecimal digits; absent if there was no data. A failure to read has a digest too.
    pub digest: Option<String>,
}

/// The kind of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DefinitionKind {
    /// A class's own properties, without its methods: superclass, variables, kind, traits.
    Class,
    /// A method.
    Method,
    /// The statements of a file at top level.
    Script,
}

/// A definition in the program's sources. Several definitions of one name are one entry, with the digests of all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// `Class>>selector`, `Class class>>selector`, `Class`, the name of a file, or of a file and what is the number of an
    /// evaluation in it: `file#1`.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Digest of its text.
    #[serde(with = "hexadecimal")]
    pub digest: u64,
    /// Digest of the compiled code, without its selector: comments, layout and names of temporary variables make no
    /// difference.
    #[serde(with = "hexadecimal")]
    pub code: u64,
    /// Whether it may be executed without a context of its own in any tree: a quick method, or one with a primitive.
    pub is_silent: bool,
    /// The messages that stand in it, sorted.
    pub sends: Vec<String>,
}

/// The commit that a program's sources are of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// Its hash, in hexadecimal digits.
    pub commit: String,
    /// Whether the sources were not as committed.
    pub is_dirty: bool,
}

/// Digests as JSON has them: numbers would lose their last digits in some readers.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(super) fn serialize<S: Serializer>(digest: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{digest:016x}"))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        let digits = (text.len() == 16).then_some(text.as_str());
        let digest = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        digest.ok_or_else(|| D::Error::custom(format!("'{text}' is not a digest")))
    }
}
