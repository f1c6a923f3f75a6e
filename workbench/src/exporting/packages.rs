//! Sorts definitions into packages and files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tally_compiler::description::{ClassDescription, Description, MethodDescription};

use super::tonel;

/// The packages by name.
#[derive(Debug, Default)]
pub(super) struct Packages {
    found: BTreeMap<String, Package>,
}

/// Its classes, and the methods of all classes by the name of the class.
#[derive(Debug, Default)]
struct Package {
    classes: BTreeMap<String, ClassDescription>,
    methods: BTreeMap<String, Vec<MethodDescription>>,
}

impl Packages {
    /// Adds the definitions of a source, which may be part of a package.
    pub(super) fn add(&mut self, source: &str, package: Option<&str>, description: Description) {
        let Description {
            package: defined,
            classes,
            methods,
            ..
        } = description;
        let outer = package.map(str::to_owned);
        let outer = outer.or_else(|| classes.iter().find_map(own_package));
        let outer = outer.or_else(|| methods.iter().find_map(extending_package));
        let outer = folder_name(&outer.or(defined.clone()).unwrap_or_else(|| stem(source)));
        if defined.is_some() || !classes.is_empty() || !methods.is_empty() {
            self.found.entry(outer.clone()).or_default();
        }
        let package = self.found.entry(outer.clone()).or_default();
        for class in classes {
            package
                .classes
                .insert(class.name.clone(), in_package(class, &outer));
        }
        for method in methods {
            let known = package.methods.entry(method.class.clone()).or_default();
            let is_same = |one: &MethodDescription| {
                one.selector == method.selector && one.class_side == method.class_side
            };
            known.retain(|one| !is_same(one));
            known.push(method);
        }
        if package.classes.is_empty() && package.methods.is_empty() && defined.is_none() {
            self.found.remove(&outer);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    fn is_trait(&self, name: &str) -> bool {
        let mut packages = self.found.values();
        packages.any(|package| package.classes.get(name).is_some_and(|one| one.is_trait))
    }

    /// The files with their texts, in the order of their paths.
    pub(super) fn texts(&self) -> BTreeMap<PathBuf, String> {
        let mut texts = BTreeMap::new();
        texts.insert(PathBuf::from(".properties"), tonel::PROPERTIES.to_owned());
        for (name, package) in &self.found {
            let folder = Path::new(name);
            texts.insert(folder.join("package.st"), tonel::package(name));
            for class in package.classes.values() {
                let methods = package.methods.get(&class.name);
                let kind = if class.is_trait { "trait" } else { "class" };
                let file = format!("{}.{kind}.st", class.name);
                let methods = methods.map_or(&[][..], Vec::as_slice);
                texts.insert(folder.join(file), tonel::class(class, methods));
            }
            let is_foreign = |(class, _): &(&String, _)| !package.classes.contains_key(*class);
            for (class, methods) in package.methods.iter().filter(is_foreign) {
                let file = format!("{class}.extension.st");
                let text = tonel::extension(class, self.is_trait(class), name, methods);
                texts.insert(folder.join(file), text);
            }
        }
        texts
    }
}

/// The package that a class names.
fn own_package(class: &ClassDescription) -> Option<String> {
    let named = class.package.clone().or_else(|| class.category.clone());
    named.filter(|name| !name.trim().is_empty())
}

/// The package of a method for a class of another package.
fn extending_package(method: &MethodDescription) -> Option<String> {
    let named = method.category.strip_prefix('*')?;
    (!named.is_empty()).then(|| named.to_owned())
}

/// The class with package and tag. Older forms state only a category, which is the package, or the package and a tag.
fn in_package(mut class: ClassDescription, package: &str) -> ClassDescription {
    if class.package.is_some() && class.category.is_some() {
        return class;
    }
    let category = class.category.take().unwrap_or_else(|| match &class.tag {
        Some(tag) => format!("{package}-{tag}"),
        None => package.to_owned(),
    });
    let tag = category
        .strip_prefix(package)
        .and_then(|rest| rest.strip_prefix('-'));
    class.tag = tag.map(str::to_owned).or(class.tag);
    class.package = Some(package.to_owned());
    class.category = Some(category);
    class
}

/// The name of the file without its end.
fn stem(source: &str) -> String {
    let name = Path::new(source).file_stem();
    name.map_or_else(
        || "Exported".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A name that leads to no other folder and is no hidden file.
fn folder_name(name: &str) -> String {
    let is_kept = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let kept: String = name
        .chars()
        .map(|c| if is_kept(c) { c } else { '-' })
        .collect();
    match kept.trim_start_matches('.').trim() {
        "" => "Exported".to_owned(),
        name => name.to_owned(),
    }
}
