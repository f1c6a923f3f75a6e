//! Patterns that select methods of a profile: whole names, a class, a package, a selector, or any of these with `*`.

use crate::profile::{MethodProfile, Profile};

/// The methods that a text names, by their indices. A whole name means that method alone. Otherwise a
/// class or a selector means all its methods. Otherwise the text is a pattern, in which `*` stands for any text. The pattern
/// is matched with the whole name, the class, the package, the selector and, without a class, the name.
pub fn methods_named(profile: &Profile, text: &str) -> Vec<usize> {
    let readings: [fn(&MethodProfile, &str) -> bool; 3] = [is_name, is_part, is_like];
    let found = readings.into_iter().map(|reading| {
        let methods = profile.methods.iter().enumerate();
        let named = methods.filter(|(_, method)| reading(method, text));
        named.map(|(index, _)| index).collect::<Vec<usize>>()
    });
    found
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

fn is_name(method: &MethodProfile, text: &str) -> bool {
    method.name == text
}

fn is_part(method: &MethodProfile, text: &str) -> bool {
    !text.is_empty() && (method.class == text || method.selector == text)
}

fn is_like(method: &MethodProfile, text: &str) -> bool {
    let parts = [
        &method.name,
        &method.class,
        &method.package,
        &method.selector,
    ];
    parts
        .into_iter()
        .any(|part| !part.is_empty() && is_match(text, part))
}

/// Whether a name matches a pattern, in which `*` stands for any characters, none included.
pub fn is_match(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut of_name) = (0, 0);
    // Where the last star stands, and up to where it has swallowed the name.
    let mut star: Option<(usize, usize)> = None;
    while of_name < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, of_name));
            at += 1;
        } else if pattern.get(at) == Some(&name[of_name]) {
            at += 1;
            of_name += 1;
        } else if let Some((place, swallowed)) = star {
            star = Some((place, swallowed + 1));
            at = place + 1;
            of_name = swallowed + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::words;

    fn names(text: &str) -> Vec<String> {
        let profile = words();
        let found = methods_named(&profile, text);
        found
            .into_iter()
            .map(|index| profile.methods[index].name.clone())
            .collect()
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a"),
            ("a*c", "abbc"),
            ("*b*", "abc"),
            ("a**", "a"),
            ("abc", "abc"),
            ("*ab", "aab"),
        ] {
            assert!(is_match(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("a", ""),
            ("a*c", "ab"),
            ("*b", "abc"),
            ("ab", "abc"),
        ] {
            assert!(!is_match(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn methods_are_named_in_several_ways() {
        assert_eq!(names("Integer>>fib"), ["Integer>>fib"]);
        assert_eq!(names("fib"), ["Integer>>fib"]);
        assert_eq!(
            names("WordCounter"),
            ["WordCounter>>occurrencesOf:", "WordCounter>>add:"]
        );
        assert_eq!(
            names("add:"),
            ["WordCounter>>add:", "OrderedCollection>>add:"]
        );
        assert_eq!(names("Ordered*do:"), ["OrderedCollection>>do:"]);
        assert_eq!(names("report.st"), ["report.st"]);
        assert_eq!(names("Ker*").len(), 5);
        assert_eq!(names("missing"), [""; 0]);
        assert_eq!(names(""), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn a_name_with_parts_replaced_by_stars_still_matches(name in "[a-c]{0,12}", from in 0usize..12, to in 0usize..12) {
            let (from, to) = (from.min(name.len()), to.min(name.len()));
            let (from, to) = (from.min(to), from.max(to));
            let pattern = format!("{}*{}", &name[..from], &name[to..]);
            proptest::prop_assert!(is_match(&pattern, &name), "{} {}", pattern, name);
        }
    }
}
