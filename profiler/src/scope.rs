//! Scopes (counting model, 3): a profile restricted to some methods, whose counts stay as they are. The sends of all
//! other methods stand in a row of their own. In the tree they stand below the nearest context in scope, so that all sums
//! stay as before.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::identities::totals_of_calls;
use crate::pattern::is_match;
use crate::profile::{
    Allocated, Allocation, Call, Context, ContextKind, MethodProfile, Profile, Site,
};
use crate::rank::{Order, compare};

/// The name of the row for all methods out of scope.
pub const OUT_OF_SCOPE: &str = "(out of scope)";

/// The methods in scope: those that match one of the patterns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    patterns: Vec<Pattern>,
}

/// The methods that one pattern selects. `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    /// `Class>>selector`
    Method { class: String, selector: String },
    /// The name of a class, both sides, of a package, or of statements at top level.
    Name(String),
}

/// Why a text is no pattern, or a scope leaves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeError {
    /// It names neither a class nor a package nor a method.
    Pattern(String),
    /// No method of the profile is meant.
    Empty,
}

impl fmt::Display for ScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScopeError::Pattern(text) => write!(
                f,
                "'{text}' names no scope; expected 'Class', 'Class>>selector' or 'Package-*'"
            ),
            ScopeError::Empty => f.write_str("no method that was executed is in scope"),
        }
    }
}

impl std::error::Error for ScopeError {}

impl Scope {
    /// Reads patterns; none at all mean every method.
    ///
    /// # Errors
    /// One of them is no pattern.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<Scope, ScopeError> {
        let patterns = patterns.iter().map(|text| pattern(text.as_ref()));
        Ok(Scope {
            patterns: patterns.collect::<Result<_, _>>()?,
        })
    }

    /// Whether every method is meant.
    pub fn is_everything(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a method is meant.
    pub fn includes(&self, method: &MethodProfile) -> bool {
        self.is_everything() || self.patterns.iter().any(|pattern| pattern.means(method))
    }

    /// The profile of the methods in scope.
    ///
    /// # Errors
    /// There are none.
    pub fn restrict(&self, profile: &Profile) -> Result<Profile, ScopeError> {
        if self.is_everything() {
            return Ok(profile.clone());
        }
        if !profile.methods.iter().any(|method| self.includes(method)) {
            return Err(ScopeError::Empty);
        }
        Ok(Restriction::new(self, profile).profile())
    }
}

fn pattern(text: &str) -> Result<Pattern, ScopeError> {
    let text = text.trim();
    match text.split_once(">>") {
        Some((class, selector)) if !class.is_empty() && !selector.is_empty() => {
            Ok(Pattern::Method {
                class: class.trim().to_string(),
                selector: selector.trim().trim_start_matches('#').to_string(),
            })
        }
        None if !text.is_empty() => Ok(Pattern::Name(text.to_string())),
        _ => Err(ScopeError::Pattern(text.to_string())),
    }
}

impl Pattern {
    fn means(&self, method: &MethodProfile) -> bool {
        match self {
            Pattern::Method { class, selector } => {
                // An operator is what it looks like before it is a pattern.
                is_match(class, &method.class)
                    && !method.selector.is_empty()
                    && (selector == &method.selector || is_match(selector, &method.selector))
            }
            Pattern::Name(name) => {
                let class = &method.class;
                let instances = class.strip_suffix(" class").unwrap_or(class);
                let of_class = !class.is_empty() && (is_match(name, instances) || name == class);
                let of_package = !method.package.is_empty() && is_match(name, &method.package);
                of_class || of_package || (class.is_empty() && is_match(name, &method.name))
            }
        }
    }
}

/// A profile that is being cut down to a scope.
struct Restriction<'p> {
    profile: &'p Profile,
    /// By method: its index among those that are left, `None` if it is out of scope.
    places: Vec<Option<u32>>,
    /// The row for the others, if there are any, and its index.
    row_of_others: Option<MethodProfile>,
    others: u32,
    /// By context: the one that it becomes part of.
    merged: Vec<u32>,
    contexts: Vec<Context>,
}

/// The key by which contexts are merged: the parent and the subject.
type Key = (u32, ContextKind, Option<u32>, u32);

impl<'p> Restriction<'p> {
    fn new(scope: &Scope, profile: &'p Profile) -> Restriction<'p> {
        let (left, others): (Vec<_>, Vec<_>) =
            profile.methods.iter().partition(|m| scope.includes(m));
        let row = (!others.is_empty()).then(|| row_of_others(&others));
        // Methods stay in their order; the row has its place among them.
        let is_before = |m: &&&MethodProfile| {
            row.as_ref()
                .is_none_or(|row| compare(Order::Total, m, row).is_lt())
        };
        let place_of_row = left.iter().take_while(is_before).count() as u32;
        let mut next = 0;
        let place = |method: &MethodProfile| {
            scope.includes(method).then(|| {
                let is_behind = row.is_some() && next >= place_of_row;
                next += 1;
                next - 1 + u32::from(is_behind)
            })
        };
        let places = profile.methods.iter().map(place).collect();
        let mut restriction = Restriction {
            profile,
            places,
            row_of_others: row,
            others: place_of_row,
            merged: Vec::new(),
            contexts: Vec::new(),
        };
        restriction.merge_contexts();
        restriction
    }

    /// The index of a method, or of the row that stands for it.
    fn method(&self, index: u32) -> u32 {
        let place = self.places.get(index as usize).copied().flatten();
        place.unwrap_or(self.others)
    }

    fn is_out(&self, context: &Context) -> bool {
        let is_code = matches!(context.kind, ContextKind::Method | ContextKind::Block);
        is_code
            && context
                .method
                .is_some_and(|m| self.method(m) == self.others)
    }

    /// Merges each context out of scope into a leaf below the nearest one in scope. Contexts come after those above them.
    fn merge_contexts(&mut self) {
        let mut known: HashMap<Key, u32> = HashMap::new();
        // By context: the nearest one in scope, itself included, among the new ones.
        let mut nearest: Vec<u32> = Vec::new();
        for context in &self.profile.contexts {
            let above = context
                .parent
                .and_then(|p| nearest.get(p as usize))
                .copied();
            let is_out = self.is_out(context);
            let method = context.method.map(|m| self.method(m));
            let block = match (is_out, context.kind) {
                (true, ContextKind::Block) => 1,
                _ => context.block,
            };
            let key = (above.unwrap_or(u32::MAX), context.kind, method, block);
            let new = *known.entry(key).or_insert_with(|| {
                self.contexts.push(Context {
                    parent: above,
                    kind: context.kind,
                    method,
                    block,
                    calls: 0,
                    own: 0,
                    total: 0,
                    allocations: Allocated::default(),
                    ..Context::default()
                });
                self.contexts.len() as u32 - 1
            });
            let row = &mut self.contexts[new as usize];
            row.calls = row.calls.saturating_add(context.calls);
            row.own = row.own.saturating_add(context.own);
            row.work = row.work.saturating_add(context.work);
            row.primitive_work = row.primitive_work.saturating_add(context.primitive_work);
            add(&mut row.allocations, context.allocations);
            self.merged.push(new);
            nearest.push(if is_out { above.unwrap_or(0) } else { new });
        }
        self.add_totals();
        self.sort_contexts();
    }

    fn add_totals(&mut self) {
        for index in (0..self.contexts.len()).rev() {
            let context = &mut self.contexts[index];
            context.total = context.total.saturating_add(context.own);
            context.total_work = context.total_work.saturating_add(context.work);
            let (total, work) = (context.total, context.total_work);
            let parent = context.parent;
            if let Some(above) = parent.and_then(|p| self.contexts.get_mut(p as usize)) {
                above.total = above.total.saturating_add(total);
                above.total_work = above.total_work.saturating_add(work);
            }
        }
    }

    /// Brings the contexts into the order of a profile: each before those below it, which follow by their totals.
    fn sort_contexts(&mut self) {
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); self.contexts.len()];
        let mut waiting: Vec<u32> = Vec::new();
        for (index, context) in (0u32..).zip(&self.contexts) {
            match context.parent {
                Some(parent) => below[parent as usize].push(index),
                None => waiting.push(index),
            }
        }
        for children in &mut below {
            // Those that are taken last come first.
            children.reverse();
            children.sort_by_key(|&child| self.contexts[child as usize].total);
        }
        waiting.reverse();
        let mut order: Vec<u32> = Vec::new();
        while let Some(next) = waiting.pop() {
            order.push(next);
            waiting.append(&mut below[next as usize]);
        }
        let mut places = vec![0u32; order.len()];
        for (place, &old) in (0u32..).zip(&order) {
            places[old as usize] = place;
        }
        let moved = |old: &u32| {
            let context = &self.contexts[*old as usize];
            Context {
                parent: context.parent.map(|parent| places[parent as usize]),
                ..context.clone()
            }
        };
        let contexts = order.iter().map(moved).collect();
        self.contexts = contexts;
        for context in &mut self.merged {
            *context = places[*context as usize];
        }
    }

    fn profile(self) -> Profile {
        let (sites, site_places) = self.sites();
        let mut restricted = Profile {
            methods: self.methods(),
            calls: self.calls(),
            allocations: self.allocations(&site_places),
            sites,
            ..self.profile.clone()
        };
        restricted.contexts = self.contexts;
        let totals = totals_of_calls(&restricted);
        for call in &mut restricted.calls {
            let totals = totals.get(&(call.caller, call.callee));
            let [total, work] = totals.copied().unwrap_or_default();
            call.total = u64::try_from(total).unwrap_or(u64::MAX);
            call.total_work = u64::try_from(work).unwrap_or(u64::MAX);
        }
        restricted
    }

    fn methods(&self) -> Vec<MethodProfile> {
        let all = self.profile.methods.iter().zip(&self.places);
        let left = all.filter(|(_, place)| place.is_some());
        let mut methods: Vec<MethodProfile> = left.map(|(m, _)| m.clone()).collect();
        if let Some(row) = &self.row_of_others {
            methods.insert(self.others as usize, row.clone());
        }
        methods
    }

    /// The calls in the merged tree: a call by way of methods out of scope becomes a direct call. Totals are added later.
    fn calls(&self) -> Vec<Call> {
        let mut calls: BTreeMap<(Option<u32>, u32), Call> = BTreeMap::new();
        for context in &self.contexts {
            let Some(callee) = context.method else {
                continue;
            };
            let above = context.parent.and_then(|p| self.contexts.get(p as usize));
            let caller = above.and_then(|above| above.method);
            let row = calls.entry((caller, callee)).or_insert(Call {
                caller,
                callee,
                calls: 0,
                block_calls: 0,
                total: 0,
                ..Call::default()
            });
            let count = match context.kind {
                ContextKind::Block => &mut row.block_calls,
                _ => &mut row.calls,
            };
            *count = count.saturating_add(context.calls);
        }
        calls.into_values().collect()
    }

    /// The sites that are left, one for all the others', and where each of the profile's has gone.
    fn sites(&self) -> (Vec<Site>, Vec<u32>) {
        let mut sites: Vec<Site> = Vec::new();
        let mut places: Vec<Option<u32>> = Vec::new();
        let mut others: Option<Site> = None;
        for site in &self.profile.sites {
            let method = self.method(site.method);
            if method != self.others {
                places.push(Some(sites.len() as u32));
                sites.push(Site {
                    method,
                    ..site.clone()
                });
                continue;
            }
            places.push(None);
            let row = others.get_or_insert_with(|| Site {
                method,
                line: 1,
                column: 1,
                selector: OUT_OF_SCOPE.to_string(),
                is_super: false,
                sends: 0,
                calls: 0,
                total: 0,
                ..Site::default()
            });
            row.sends = row.sends.saturating_add(site.sends);
            row.calls = row.calls.saturating_add(site.calls);
            row.work = row.work.saturating_add(site.work);
        }
        let last = sites.len() as u32;
        sites.extend(others);
        let places = places.into_iter().map(|place| place.unwrap_or(last));
        (sites, places.collect())
    }

    fn allocations(&self, site_places: &[u32]) -> Vec<Allocation> {
        let mut rows: Vec<Allocation> = Vec::new();
        let mut known: HashMap<(u32, &str, Option<u32>), usize> = HashMap::new();
        for row in &self.profile.allocations {
            let Some(&context) = self.merged.get(row.context as usize) else {
                continue;
            };
            let site = row
                .site
                .and_then(|site| site_places.get(site as usize).copied());
            let place = *known
                .entry((context, &row.class, site))
                .or_insert(rows.len());
            if place == rows.len() {
                rows.push(Allocation {
                    context,
                    site,
                    objects: 0,
                    bytes: 0,
                    class: row.class.clone(),
                });
            }
            rows[place].objects = rows[place].objects.saturating_add(row.objects);
            rows[place].bytes = rows[place].bytes.saturating_add(row.bytes);
        }
        rows.sort_by(|a, b| (a.context, &a.class, a.site).cmp(&(b.context, &b.class, b.site)));
        rows
    }
}

/// The row of all methods out of scope. Its total is their own sends only, because methods in scope below them have rows
/// of their own.
fn row_of_others(others: &[&MethodProfile]) -> MethodProfile {
    let mut row = MethodProfile {
        name: OUT_OF_SCOPE.to_string(),
        line: 1,
        digest: crate::hexadecimal(0),
        ..MethodProfile::default()
    };
    for method in others {
        row.calls = row.calls.saturating_add(method.calls);
        row.block_calls = row.block_calls.saturating_add(method.block_calls);
        row.own = row.own.saturating_add(method.own);
        row.own_work = row.own_work.saturating_add(method.own_work);
        add(&mut row.allocations, method.allocations);
    }
    row.total = row.own;
    row.total_work = row.own_work;
    row.cumulative = row.own;
    row
}

fn add(sum: &mut Allocated, more: Allocated) {
    sum.objects = sum.objects.saturating_add(more.objects);
    sum.bytes = sum.bytes.saturating_add(more.bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identities::check_identities;
    use crate::json::tests;

    fn example() -> Profile {
        let mut profile = tests::example();
        let method = &mut profile.methods[1];
        (method.class, method.selector) = ("A".to_string(), "b".to_string());
        profile
    }

    fn restricted(patterns: &[&str]) -> Result<Profile, ScopeError> {
        Scope::new(patterns)?.restrict(&example())
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, fits) in [
            ("Foo", "Foo", true),
            ("Foo", "Foos", false),
            ("Pkg-*", "Pkg-Core", true),
            ("Pkg-*", "Pkg", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("*ab", "aab", true),
            ("é*", "éa", true),
        ] {
            assert_eq!(is_match(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_name_classes_packages_methods_and_scripts() {
        let mut method = example().methods[1].clone();
        (method.class, method.selector) = ("Foo class".into(), "*".into());
        (method.package, method.name) = ("Pkg-Core".into(), "Foo class>>*".into());
        for (text, is_meant) in [
            ("Foo", true),
            ("Foo class", true),
            ("Fo*", true),
            ("Pkg-*", true),
            ("Pkg-Core", true),
            ("Pkg", false),
            ("Foo class>>*", true),
            ("Foo>>*", false),
            ("Foo class>>#*", true),
            ("Foo class>>+", false),
            ("Bar", false),
        ] {
            let scope = Scope::new(&[text]);
            assert_eq!(scope.map(|s| s.includes(&method)), Ok(is_meant), "{text}");
        }
        for text in ["", "Foo>>", ">>x"] {
            assert!(Scope::new(&[text]).is_err(), "{text}");
        }
    }

    #[test]
    fn a_method_in_scope_keeps_its_counts_and_the_others_share_a_row() {
        let whole = example();
        let Ok(only) = restricted(&["A>>b"]) else {
            panic!("the method is there");
        };
        assert_eq!(only.methods.len(), 2);
        assert_eq!(only.methods[0], whole.methods[1]);
        assert_eq!(only.methods[1].name, OUT_OF_SCOPE);
        assert_eq!(only.methods[1].own, whole.methods[0].own);
        assert_eq!(check_identities(&only), []);
        let names: Vec<_> = only.contexts.iter().map(|c| (c.kind, c.method)).collect();
        let expected = [
            (ContextKind::Run, None),
            (ContextKind::Method, Some(0)),
            (ContextKind::Block, Some(0)),
            (ContextKind::Method, Some(1)),
        ];
        assert_eq!(names, expected);
        assert_eq!(only.contexts[0].total, whole.cost.sends);
        assert_eq!(only.contexts[3].total, only.methods[1].own);
    }

    #[test]
    fn everything_in_scope_is_the_profile_itself() {
        assert_eq!(restricted(&[]), Ok(example()));
        // Statements at top level have a name and no class.
        assert_eq!(restricted(&["*"]), Ok(example()));
    }

    #[test]
    fn nothing_in_scope_is_an_error() {
        assert_eq!(restricted(&["Zork"]), Err(ScopeError::Empty));
    }
}
