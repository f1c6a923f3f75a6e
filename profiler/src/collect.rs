//! Makes a profile from a machine's recording: numbers of methods, contexts and sites become names and locations. The
//! order of the profile depends on counts and names only.

use std::collections::{BTreeMap, HashMap};

use tally_vm::bytecode::CodeKind;
use tally_vm::{Cost, MethodId, Recorded, SendSite, Tally, Vm};

use crate::places::Places;
use crate::profile::{
    Allocated, Allocation, Call, Context, ContextKind, CostVector, Description, MethodProfile,
    Profile, Site,
};

impl Profile {
    /// Makes the profile of a machine's recording.
    pub fn collect(vm: &Vm, recorded: &Recorded, cost: &Cost, about: Description) -> Profile {
        let mut collector = Collector::new(vm, recorded, &about);
        let contexts = collector.contexts();
        let calls = collector.calls();
        let (sites, site_numbers) = collector.sites();
        let allocations = collector.allocations(&site_numbers);
        let mut profile = Profile {
            schema: crate::PROFILE_SCHEMA.to_string(),
            model: tally_vm::MODEL_VERSION,
            library: hexadecimal(vm.library_digest()),
            program: hexadecimal(about.program),
            unit: crate::Unit::default(),
            files: about.files,
            arguments: about.arguments,
            seed: about.seed,
            limits: about.limits,
            ending: about.ending,
            reproducible: about.reproducible,
            cost: CostVector::from(cost),
            inlined: crate::inlined(vm),
            definitions: about.definitions,
            inputs: about.inputs,
            revision: about.revision,
            methods: collector.methods,
            contexts,
            is_tree_complete: recorded.is_complete,
            calls,
            sites,
            allocations,
        };
        profile.add_up_allocations();
        profile
    }

    /// Adds allocations from the rows up to the contexts and methods.
    fn add_up_allocations(&mut self) {
        for row in &self.allocations {
            let context = &mut self.contexts[row.context as usize];
            context.allocations.add(row.objects, row.bytes);
            if let Some(method) = context.method {
                let method = &mut self.methods[method as usize];
                method.allocations.add(row.objects, row.bytes);
            }
        }
    }
}

/// The tables for the conversion of numbers to names.
struct Collector<'a> {
    vm: &'a Vm,
    recorded: &'a Recorded,
    places: Places<'a>,
    /// The profile's methods, in their order.
    methods: Vec<MethodProfile>,
    /// The place of each method in it.
    numbers: HashMap<MethodId, u32>,
    /// The place of each recorded context in the profile.
    contexts: Vec<u32>,
}

impl<'a> Collector<'a> {
    fn new(vm: &'a Vm, recorded: &'a Recorded, about: &Description) -> Collector<'a> {
        let mut places = Places::new(vm);
        let tallies = recorded.tallies();
        let profile = |(id, tally)| (id, method_profile(vm, &mut places, id, tally, about));
        let mut methods: Vec<(MethodId, MethodProfile)> =
            tallies.into_iter().map(profile).collect();
        methods.sort_by(|(_, a), (_, b)| crate::rank::compare(crate::Order::Total, a, b));
        let numbers = methods
            .iter()
            .zip(0..)
            .map(|((id, _), n)| (*id, n))
            .collect();
        Collector {
            vm,
            recorded,
            places,
            methods: methods.into_iter().map(|(_, method)| method).collect(),
            numbers,
            contexts: vec![0; recorded.contexts.len()],
        }
    }

    /// Kind, method and block of a recorded context.
    fn describe(&self, context: u32) -> (ContextKind, Option<u32>, u32) {
        let number = |method: MethodId| self.numbers.get(&method).copied();
        match self.recorded.contexts[context as usize].kind {
            tally_vm::ContextKind::Run => (ContextKind::Run, None, 0),
            tally_vm::ContextKind::Other => (ContextKind::Other, None, 0),
            tally_vm::ContextKind::Method(method) => (ContextKind::Method, number(method), 0),
            tally_vm::ContextKind::Block(method, block) => {
                (ContextKind::Block, number(method), block)
            }
        }
    }

    /// The tree in preorder, the most expensive child first.
    fn contexts(&mut self) -> Vec<Context> {
        let recorded = self.recorded;
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); recorded.contexts.len()];
        for (number, context) in (0u32..).zip(&recorded.contexts).skip(1) {
            children[context.parent as usize].push(number);
        }
        // The last of the list is taken next.
        for list in &mut children {
            list.sort_by_cached_key(|&child| {
                let total = recorded.contexts[child as usize].total;
                (total, std::cmp::Reverse(self.describe(child)))
            });
        }
        let mut contexts = Vec::new();
        let mut waiting = Vec::from_iter((!recorded.contexts.is_empty()).then_some((0, None)));
        while let Some((number, parent)) = waiting.pop() {
            let place = contexts.len() as u32;
            self.contexts[number as usize] = place;
            let (kind, method, block) = self.describe(number);
            let context = &recorded.contexts[number as usize];
            contexts.push(Context {
                parent,
                kind,
                method,
                block,
                calls: context.calls,
                own: context.own,
                total: context.total,
                allocations: Allocated::default(),
                work: context.work,
                total_work: context.total_work,
                primitive_work: context.charged,
            });
            let below = children[number as usize].iter();
            waiting.extend(below.map(|&child| (child, Some(place))));
        }
        contexts
    }

    /// The calls between methods. Counts are those of the edges. Costs are those of the contexts where an edge occurs for
    /// the first time on its path.
    fn calls(&self) -> Vec<Call> {
        let recorded = self.recorded;
        let method = |context: u32| self.describe(context).1;
        let mut sums: BTreeMap<(Option<u32>, u32), [u64; 4]> = BTreeMap::new();
        for edge in &recorded.edges {
            let (kind, Some(callee), _) = self.describe(edge.to) else {
                continue;
            };
            let sum = sums.entry((method(edge.from), callee)).or_default();
            let place = usize::from(kind == ContextKind::Block);
            sum[place] = sum[place].wrapping_add(edge.calls);
        }
        for (number, context) in (0..).zip(&recorded.contexts) {
            if let (Some(callee), true) = (method(number), context.is_outermost_call) {
                let sum = sums.entry((method(context.parent), callee)).or_default();
                sum[2] = sum[2].wrapping_add(context.total);
                sum[3] = sum[3].saturating_add(context.total_work);
            }
        }
        let call =
            |((caller, callee), [calls, block_calls, total, total_work]): (_, [u64; 4])| Call {
                caller,
                callee,
                calls,
                block_calls,
                total,
                total_work,
            };
        let all = sums.into_iter().map(call);
        all.filter(|call| call.calls > 0 || call.block_calls > 0 || call.total > 0)
            .collect()
    }

    /// The sites in the order of methods and places, and the number of each.
    fn sites(&mut self) -> (Vec<Site>, HashMap<SendSite, u32>) {
        let mut led_to: HashMap<SendSite, [u64; 3]> = HashMap::new();
        for edge in &self.recorded.edges {
            if let Some(site) = edge.site {
                let sum = led_to.entry(site).or_default();
                sum[0] = sum[0].wrapping_add(edge.calls);
                if self.recorded.contexts[edge.from as usize].is_outermost_code {
                    sum[1] = sum[1].wrapping_add(edge.cumulative);
                    sum[2] = sum[2].wrapping_add(edge.cumulative_work);
                }
            }
        }
        let mut sites = Vec::new();
        for &(site, sends) in &self.recorded.sites {
            let Some(&method) = self.numbers.get(&site.method) else {
                continue;
            };
            let [calls, total, total_work] = led_to.get(&site).copied().unwrap_or_default();
            let code = self.vm.method(site.method).code.get();
            let Some(source) = code.sites.get(site.index as usize) else {
                continue;
            };
            let (line, column) = self.places.of(site.method, source.selector_span.start);
            let row = Site {
                method,
                line,
                column,
                selector: source.selector.clone(),
                is_super: site.is_super,
                sends,
                calls,
                total,
                work: self.recorded.work_of_site(site, sends),
                total_work,
            };
            sites.push((row, site));
        }
        sites.sort_by_key(|(row, site)| (row.method, row.line, row.column, site.index));
        let numbers = sites
            .iter()
            .zip(0..)
            .map(|((_, site), n)| (*site, n))
            .collect();
        (sites.into_iter().map(|(row, _)| row).collect(), numbers)
    }

    fn allocations(&self, sites: &HashMap<SendSite, u32>) -> Vec<Allocation> {
        let mut sums: BTreeMap<(u32, String, Option<u32>), Allocated> = BTreeMap::new();
        for made in &self.recorded.made {
            let context = self.contexts[made.context as usize];
            let class = self.vm.class(made.class).display_name();
            let site = made.site.and_then(|site| sites.get(&site).copied());
            let sum = sums.entry((context, class, site)).or_default();
            sum.add(made.allocations.objects, made.allocations.bytes);
        }
        let row = |((context, class, site), sum): (_, Allocated)| Allocation {
            context,
            class,
            site,
            objects: sum.objects,
            bytes: sum.bytes,
        };
        sums.into_iter().map(row).collect()
    }
}

/// A method's name and location.
#[derive(Clone, Debug)]
pub struct Identity {
    /// `Class>>selector`, or a file's name for statements at top level.
    pub name: String,
    /// The holding class; empty for statements at top level.
    pub class: String,
    /// The selector; empty for statements at top level.
    pub selector: String,
    /// The class's category.
    pub package: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Whether it belongs to the library.
    pub is_library: bool,
}

/// A method's name and location in profiles and measurements.
pub fn identity(vm: &Vm, places: &mut Places<'_>, id: MethodId, about: &Description) -> Identity {
    let method = vm.method(id);
    let code = method.code.get();
    let (line, _) = places.of(id, code.span.start);
    let file = places.file(id).to_string();
    let in_class = code.kind == CodeKind::Method;
    let holder = vm.class(method.holder);
    let of_class = |text: &str| match in_class {
        true => text.to_string(),
        false => String::new(),
    };
    let mut scripts = about.files.iter().zip(&about.scripts);
    let is_script = scripts.any(|(f, span)| *f == file && *span == code.span);
    Identity {
        // Every Eval of a file has the file's name; the line separates them.
        name: match in_class || is_script {
            true => vm.method_name(id),
            false => format!("{file}:{line}"),
        },
        class: of_class(&holder.display_name()),
        selector: of_class(vm.symbol_text(method.selector)),
        package: of_class(&holder.category),
        is_library: file.starts_with("<library>/"),
        file,
        line,
    }
}

fn method_profile(
    vm: &Vm,
    places: &mut Places<'_>,
    id: MethodId,
    tally: Tally,
    about: &Description,
) -> MethodProfile {
    let method = vm.method(id);
    let code = method.code.get();
    let identity = identity(vm, places, id, about);
    MethodProfile {
        name: identity.name,
        class: identity.class,
        selector: identity.selector,
        package: identity.package,
        category: method.category.to_string(),
        is_library: identity.is_library,
        file: identity.file,
        line: identity.line,
        digest: hexadecimal(code.digest),
        code: Some(hexadecimal(crate::code_digest(code))),
        calls: tally.calls,
        block_calls: tally.block_calls,
        own: tally.own,
        total: tally.total,
        cumulative: tally.cumulative,
        allocations: Allocated::default(),
        own_work: tally.own_work,
        total_work: tally.total_work,
        source: places.text(id, code.span).to_string(),
    }
}

/// A digest as profiles write it. JSON numbers would lose its last digits in some readers.
pub fn hexadecimal(digest: u64) -> String {
    format!("{digest:016x}")
}
