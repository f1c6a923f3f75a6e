//! Writes Tonel in its third version, byte for byte as Pharo 12 does.

use tally_compiler::description::{ClassDescription, MethodDescription};

/// The file beside the packages that names their format.
pub(super) const PROPERTIES: &str = "{\n\t#format : #tonel\n}";

/// The category of a method that has none.
const UNCLASSIFIED: &str = "as yet unclassified";

/// The file of a package.
pub(super) fn package(name: &str) -> String {
    format!("Package {{ #name : {} }}\n", string(name))
}

/// The file of a class or a trait.
pub(super) fn class(class: &ClassDescription, methods: &[MethodDescription]) -> String {
    let mut text = String::new();
    if !class.comment.is_empty() {
        text.push_str(&format!("\"\n{}\n\"\n", class.comment.replace('"', "\"\"")));
    }
    let mut keys = Keys::default();
    keys.text("name", Some(&class.name));
    if !class.is_trait {
        keys.text("superclass", class.superclass.as_deref().or(Some("nil")));
    }
    keys.text("type", class.layout.as_deref());
    // A trait has its variables in front of its composition, a class behind it.
    if class.is_trait {
        variables(&mut keys, class);
    }
    keys.text("traits", class.traits.as_deref());
    keys.text("classTraits", class.class_traits.as_deref());
    if !class.is_trait {
        variables(&mut keys, class);
    }
    keys.text("category", class.category.as_deref());
    keys.text("package", class.package.as_deref());
    keys.text("tag", class.tag.as_deref());
    let keyword = if class.is_trait { "Trait" } else { "Class" };
    text.push_str(&format!("{keyword} {{\n{}\n}}\n", keys.0.join(",\n")));
    let mut sorted: Vec<&MethodDescription> = methods.iter().collect();
    sorted.sort_by_key(|method| (!method.class_side, &method.selector));
    add_methods(&mut text, &sorted, class.is_trait, UNCLASSIFIED);
    text
}

fn variables(keys: &mut Keys, class: &ClassDescription) {
    keys.list("instVars", &class.instance_variables);
    keys.list("classVars", &class.class_variables);
    keys.list("pools", &class.pools);
    keys.list("classInstVars", &class.class_instance_variables);
}

/// The file of methods for a class or a trait of another package. Selectors decide their order, and no side comes first.
pub(super) fn extension(
    class: &str,
    is_trait: bool,
    package: &str,
    methods: &[MethodDescription],
) -> String {
    let mut text = format!("Extension {{ #name : {} }}\n", string(class));
    // A category with an asterisk says to which package a method belongs.
    let mut sorted: Vec<&MethodDescription> = methods.iter().collect();
    sorted.sort_by_key(|method| &method.selector);
    add_methods(&mut text, &sorted, is_trait, &format!("*{package}"));
    text
}

fn add_methods(
    text: &mut String,
    methods: &[&MethodDescription],
    of_trait: bool,
    unclassified: &str,
) {
    for method in methods {
        let category = match method.category.as_str() {
            "" => unclassified,
            category => category,
        };
        let side = match method.class_side {
            true if of_trait => " classSide",
            true => " class",
            false => "",
        };
        text.push_str(&format!(
            "\n{{ #category : {} }}\n{}{side} >> {}\n",
            string(category),
            method.class,
            method.text
        ));
    }
}

/// The lines of metadata.
#[derive(Default)]
struct Keys(Vec<String>);

impl Keys {
    fn raw(&mut self, key: &str, value: &str) {
        self.0.push(format!("\t#{key} : {value}"));
    }

    fn text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.raw(key, &string(value));
        }
    }

    fn list(&mut self, key: &str, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let lines: Vec<String> = values
            .iter()
            .map(|value| format!("\t\t{}", string(value)))
            .collect();
        self.raw(key, &format!("[\n{}\n\t]", lines.join(",\n")));
    }
}

/// A string of the metadata.
fn string(text: &str) -> String {
    let mut quoted = String::from("'");
    for character in text.chars() {
        match character {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\u{c}' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('\'');
    quoted
}
