//! The structure of a crate: the uses between its files, from `use` items and paths, and the circles among its files and
//! folders.
//!
//! A re-export of single names is no use: an arrow leads to the file that defines a name, not to the one that passes it
//! on. Test code is excluded. Calls of methods are not seen, because their target depends on types.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, Macro, UseTree, Visibility};

use crate::files_below;

/// The names of a module and of the modules around it, from the crate's root on.
type Module = Vec<String>;

/// More re-exports in a row than any name passes through.
const MOST_REEXPORTS: usize = 8;

/// The files of a crate and the arrows between them.
pub struct Structure {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// From user to used, by numbers of files.
    arrows: BTreeSet<(usize, usize)>,
}

impl Structure {
    /// Reads the crate whose sources stand in this folder.
    ///
    /// # Errors
    /// A file that cannot be read or is not Rust.
    pub fn read(sources: &Path) -> io::Result<Structure> {
        let mut files = Vec::new();
        let mut modules = Vec::new();
        let mut seen = Vec::new();
        for path in files_below(sources, "rs")? {
            let wrong =
                |error: syn::Error| io::Error::other(format!("{}: {error}", path.display()));
            let parsed = syn::parse_file(&fs::read_to_string(&path)?).map_err(wrong)?;
            let relative = path.strip_prefix(sources).unwrap_or(&path).to_path_buf();
            let module = module_of(&relative);
            let mut reader = Reader::of(module.clone());
            reader.visit_file(&parsed);
            seen.push(reader.seen);
            files.push(relative);
            modules.push(module);
        }
        let names = Names::of(&modules, &seen);
        let mut arrows = BTreeSet::new();
        for (user, seen) in seen.iter().enumerate() {
            for path in &seen.uses {
                if let Some(used) = names.definer(path).filter(|used| *used != user) {
                    arrows.insert((user, used));
                }
            }
        }
        Ok(Structure {
            files,
            modules,
            arrows,
        })
    }

    /// The circles of files, largest first: in each, every file reaches every other by arrows.
    pub fn circles(&self) -> Vec<Vec<&Path>> {
        let arrows = self.arrows.iter().copied();
        let named = |circle: Vec<usize>| {
            let mut files: Vec<&Path> = circle.iter().map(|&n| self.files[n].as_path()).collect();
            files.sort_unstable();
            files
        };
        let mut circles: Vec<Vec<&Path>> = circles_of(arrows).into_iter().map(named).collect();
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// The circles with two folders or more, among what stands in one folder, each folder taken as a whole.
    pub fn circles_of_folders(&self) -> Vec<Vec<String>> {
        let mut levels: BTreeMap<&[String], BTreeSet<(&str, &str)>> = BTreeMap::new();
        for &(user, used) in &self.arrows {
            let (user, used) = (&self.modules[user], &self.modules[used]);
            let pairs = user.iter().zip(used);
            let shared = pairs.take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (user.get(shared), used.get(shared)) {
                levels
                    .entry(&user[..shared])
                    .or_default()
                    .insert((from, to));
            }
        }
        let mut circles = Vec::new();
        for (level, arrows) in levels {
            for circle in circles_of(arrows.into_iter()) {
                let named = circle
                    .iter()
                    .map(|name| [level, &[name.to_string()]].concat());
                let named: Vec<Module> = named.collect();
                if named.iter().filter(|module| self.is_folder(module)).count() > 1 {
                    circles.push(named.iter().map(|module| module.join("/")).collect());
                }
            }
        }
        circles
    }

    fn is_folder(&self, module: &[String]) -> bool {
        let inside = |other: &Module| other.len() > module.len() && other.starts_with(module);
        self.modules.iter().any(inside)
    }

    /// For each two folders of a circle, the first arrow that leads from one to the other, as text.
    pub fn arrows_between(&self, folders: &[String]) -> Vec<String> {
        let holder = |file: usize| {
            let module = self.modules[file].join("/");
            let holds = |folder: &&String| {
                let rest = module.strip_prefix(folder.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            folders.iter().find(holds)
        };
        let mut first: BTreeMap<(&String, &String), String> = BTreeMap::new();
        for &(user, used) in &self.arrows {
            if let (Some(from), Some(to)) = (holder(user), holder(used))
                && from != to
            {
                let shown = || self.shown(user, used);
                first.entry((from, to)).or_insert_with(shown);
            }
        }
        first.into_values().collect()
    }

    fn shown(&self, user: usize, used: usize) -> String {
        let (user, used) = (self.files[user].display(), self.files[used].display());
        format!("{user} → {used}")
    }

    /// The arrows that lead from one file of a set to another of it, as text.
    pub fn arrows_among(&self, set: &[&Path]) -> Vec<String> {
        let is_in = |&number: &usize| set.contains(&self.files[number].as_path());
        let inside = self.arrows.iter().filter(|(a, b)| is_in(a) && is_in(b));
        inside.map(|&(a, b)| self.shown(a, b)).collect()
    }
}

/// Sets of more than one that reach each other.
fn circles_of<N: Copy + Ord>(arrows: impl Iterator<Item = (N, N)>) -> Vec<Vec<N>> {
    let mut graph: DiGraph<N, ()> = DiGraph::new();
    let mut nodes: BTreeMap<N, NodeIndex> = BTreeMap::new();
    for (from, to) in arrows {
        let [from, to] =
            [from, to].map(|one| *nodes.entry(one).or_insert_with(|| graph.add_node(one)));
        graph.add_edge(from, to, ());
    }
    let circles = tarjan_scc(&graph).into_iter();
    let circles = circles.filter(|circle| circle.len() > 1);
    let named = circles.map(|circle| circle.into_iter().map(|node| graph[node]).collect());
    named.collect()
}

fn module_of(file: &Path) -> Module {
    let without_end = file.with_extension("");
    let names = without_end.iter().map(|name| name.to_string_lossy());
    let mut module: Module = names.map(std::borrow::Cow::into_owned).collect();
    if let Some(last) = module.last()
        && ["mod", "lib", "main"].contains(&last.as_str())
    {
        module.pop();
    }
    module
}

/// The paths in a file, made absolute as far as the file's own module allows.
#[derive(Default)]
struct Seen {
    uses: Vec<Written>,
    /// Names that it re-exports, with their targets.
    passed_on: Vec<(Module, String, Written)>,
}

/// A path and the module in which it stands.
struct Written {
    within: Module,
    path: Vec<String>,
}

struct Reader {
    module: Module,
    seen: Seen,
}

impl Reader {
    fn of(module: Module) -> Reader {
        Reader {
            module,
            seen: Seen::default(),
        }
    }

    fn uses(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            let within = self.module.clone();
            self.seen.uses.push(Written { within, path });
        }
    }

    fn tree(&mut self, tree: &UseTree, before: &[String], passes_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(path) => return self.tree(&path.tree, &with(&path.ident), passes_on),
            UseTree::Group(group) => {
                return group
                    .items
                    .iter()
                    .for_each(|item| self.tree(item, before, passes_on));
            }
            UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned().unwrap_or_default())
            }
            UseTree::Name(name) => (with(&name.ident), name.ident.to_string()),
            UseTree::Rename(rename) => (with(&rename.ident), rename.rename.to_string()),
            UseTree::Glob(_) => (before.to_vec(), "*".to_string()),
        };
        if !passes_on {
            return self.uses(path);
        }
        let within = self.module.clone();
        let meant = Written {
            within: within.clone(),
            path,
        };
        self.seen.passed_on.push((within, name, meant));
    }

    /// The paths in the tokens of a macro, as far as they begin at a module by its name.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.uses(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.uses(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.uses(path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.uses(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.tokens(called.tokens.clone());
    }

    /// `pub(in path)` uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn attributes(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let says_so = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(says_so)
}

/// Where names lead.
struct Names<'n> {
    files: BTreeMap<&'n [String], usize>,
    passed_on: BTreeMap<(&'n [String], &'n str), &'n Written>,
}

impl<'n> Names<'n> {
    fn of(modules: &'n [Module], seen: &'n [Seen]) -> Names<'n> {
        let files = modules.iter().enumerate();
        let all = seen.iter().flat_map(|seen| &seen.passed_on);
        let passed_on =
            all.map(|(module, name, meant)| ((module.as_slice(), name.as_str()), meant));
        Names {
            files: files
                .map(|(number, module)| (module.as_slice(), number))
                .collect(),
            passed_on: passed_on.collect(),
        }
    }

    /// The file that defines what a path means, if it is one of the crate.
    fn definer(&self, written: &Written) -> Option<usize> {
        self.follow(&self.absolute(written)?, MOST_REEXPORTS)
    }

    fn follow(&self, path: &[String], steps: usize) -> Option<usize> {
        let (module, file) = (0..=path.len())
            .rev()
            .find_map(|end| Some((&path[..end], *self.files.get(&path[..end])?)))?;
        let Some(name) = path.get(module.len()) else {
            return Some(file);
        };
        let meant = self.passed_on.get(&(module, name.as_str()));
        let target = meant.and_then(|meant| self.absolute(meant));
        match target {
            Some(target) if steps > 0 => {
                let rest = &path[module.len() + 1..];
                self.follow(&[&target, rest].concat(), steps - 1)
            }
            _ => Some(file),
        }
    }

    /// A path from the root of the crate on; nothing if it leads out of the crate or into the file's own names.
    fn absolute(&self, written: &Written) -> Option<Vec<String>> {
        let (first, rest) = written.path.split_first()?;
        let around = |levels: usize| {
            let kept = written.within.len().checked_sub(levels)?;
            Some(written.within[..kept].to_vec())
        };
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([around(0)?.as_slice(), rest].concat()),
            "super" => {
                let levels = written
                    .path
                    .iter()
                    .take_while(|name| *name == "super")
                    .count();
                Some([around(levels)?.as_slice(), &written.path[levels..]].concat())
            }
            _ => {
                let path = [written.within.as_slice(), &written.path].concat();
                let child = &path[..written.within.len() + 1];
                self.files.contains_key(child).then_some(path)
            }
        }
    }
}
