//! Programs of SOM on the command line: `-cp`, and `.som` files, behind which everything is the program's.
//! How they are loaded is the workbench's business.

use std::ffi::OsString;

use tally_workbench::loading::som::is_program;

/// The command line as the grammar of options knows it: `-cp`, which every machine of SOM takes, is
/// `--class-path`; what follows a `.som` file is for the program, with or without `--`.
pub(crate) fn command_line(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut known: Vec<OsString> = Vec::new();
    let mut rest = arguments;
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--" {
            known.push(argument);
            break;
        }
        if text == "-cp" {
            known.push("--class-path".into());
            known.extend(rest.next());
            continue;
        }
        let is_last = is_program(&text) && known.len() > 1 && !text.starts_with('-');
        known.push(argument);
        if is_last {
            let mut program_arguments = rest.by_ref().peekable();
            if program_arguments.peek().is_some_and(|next| next != "--") {
                known.push("--".into());
            }
            known.extend(program_arguments);
            break;
        }
    }
    known.extend(rest);
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> String {
        let known = command_line(words.split(' ').map(OsString::from));
        let words: Vec<_> = known.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn what_follows_a_program_is_its_own() {
        for (given, known) in [
            ("tally run a.st -- -cp", "tally run a.st -- -cp"),
            ("tally run a.st b.st", "tally run a.st b.st"),
            (
                "tally run -cp x:y H.som B -gc 1",
                "tally run --class-path x:y H.som -- B -gc 1",
            ),
            ("tally run H.som -- B", "tally run H.som -- B"),
            ("tally profile H.som", "tally profile H.som"),
        ] {
            assert_eq!(line(given), known);
        }
    }
}
