//! The world outside the compiled files, as far as the compiler may know it: globals, the shapes of classes, and the
//! implemented selectors. This module reads no source text and changes nothing in the world.

use hashbrown::{HashMap, HashSet};
use tally_vm::bytecode::{ClassDefinition, Definition, MethodDefinition, TraitUse, Unit};

/// A class's own declarations. Inherited ones are found through its superclass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassShape {
    /// The superclass's name; `None` for a root.
    pub superclass: Option<String>,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// Its own instance variables.
    pub instance_variables: Vec<String>,
    /// The instance variables of the class itself.
    pub class_instance_variables: Vec<String>,
    /// Its own class variables.
    pub class_variables: Vec<String>,
    /// The traits whose variables it has in addition to its own. The flag selects the trait's class side.
    pub traits: Vec<(String, bool)>,
    /// The same of its class side.
    pub class_traits: Vec<(String, bool)>,
    /// The classes whose class variables its methods see as well.
    pub pools: Vec<String>,
}

/// The names of the traits that a class and its class side use.
pub(crate) type Uses = (Vec<(String, bool)>, Vec<(String, bool)>);

/// The traits of a definition. A class side without a composition uses the class sides of the traits.
pub(crate) fn uses(traits: &[TraitUse], class_traits: Option<&[TraitUse]>) -> Uses {
    let named = |uses: &[TraitUse]| {
        let pairs = uses.iter().map(|one| (one.name.clone(), one.class_side));
        pairs.collect::<Vec<_>>()
    };
    let class_side = match class_traits {
        Some(uses) => named(uses),
        None => traits.iter().map(|one| (one.name.clone(), true)).collect(),
    };
    (named(traits), class_side)
}

/// The library and the files that are already loaded, as the resolver sees them.
pub trait Environment {
    /// Whether there is a global variable or a class of this name.
    fn is_global(&self, name: &str) -> bool;

    /// The shape of the class of this name, if the global is one.
    fn class(&self, name: &str) -> Option<ClassShape>;

    /// Whether some class implements the selector.
    fn understands(&self, selector: &str) -> bool;

    /// All selectors that some class implements; only called when a hint is needed.
    fn selectors(&self) -> Vec<String>;

    /// The names of all globals; only called when a hint is needed.
    fn globals(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether an instruction may replace this selector's send in SOM. The method behind it must be a primitive of the
    /// machine. Otherwise the sends in the method's own text would be left out.
    fn short_cut(&self, _selector: &str) -> bool {
        true
    }

    /// Whether evaluations of inlined control messages are to be counted.
    fn counts_inlined(&self) -> bool {
        false
    }

    /// Whether the machine relies on its own class of this name, so that no other can be defined.
    fn relies_on(&self, _name: &str) -> bool {
        false
    }

    /// Whether the text is the library's. Library text may bind every primitive and mark frames. The caller of the
    /// compiler decides; neither the text nor its name does.
    fn is_library(&self) -> bool {
        false
    }
}

/// A world without anything in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyEnvironment;

impl Environment for EmptyEnvironment {
    fn is_global(&self, _name: &str) -> bool {
        false
    }

    fn class(&self, _name: &str) -> Option<ClassShape> {
        None
    }

    fn understands(&self, _selector: &str) -> bool {
        false
    }

    fn selectors(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A world made of compiled units, such as the library's.
#[derive(Clone, Debug, Default)]
pub struct UnitEnvironment {
    globals: HashSet<String>,
    classes: HashMap<String, ClassShape>,
    selectors: HashSet<String>,
    is_library: bool,
}

impl UnitEnvironment {
    /// An empty world, to be filled.
    pub fn new() -> UnitEnvironment {
        UnitEnvironment::default()
    }

    /// A world with the definitions of the units.
    pub fn from_units<'u>(units: impl IntoIterator<Item = &'u Unit>) -> UnitEnvironment {
        let mut environment = UnitEnvironment::new();
        for unit in units {
            environment.add_unit(unit);
        }
        environment
    }

    /// Adds the classes and the selectors that the unit defines. Globals and classes that a script makes
    /// by messages do not show in a unit; see [`UnitEnvironment::add_global`].
    pub fn add_unit(&mut self, unit: &Unit) {
        for definition in &unit.definitions {
            match definition {
                Definition::Class(class) => self.add_class_definition(class),
                Definition::Extension {
                    class,
                    instance_variables,
                    class_instance_variables,
                    class_variables,
                    methods,
                    ..
                } => {
                    let shape = self.classes.entry(class.clone()).or_default();
                    extend(&mut shape.instance_variables, instance_variables);
                    extend(
                        &mut shape.class_instance_variables,
                        class_instance_variables,
                    );
                    extend(&mut shape.class_variables, class_variables);
                    self.add_methods(methods);
                }
                Definition::Evaluation { .. } => {}
            }
        }
    }

    /// The same for texts of the library.
    pub fn for_library(mut self) -> UnitEnvironment {
        self.is_library = true;
        self
    }

    /// Adds a global variable that holds no class.
    pub fn add_global(&mut self, name: impl Into<String>) {
        self.globals.insert(name.into());
    }

    /// Adds a class, or replaces its shape.
    pub fn add_class(&mut self, name: impl Into<String>, shape: ClassShape) {
        self.classes.insert(name.into(), shape);
    }

    /// Adds a selector that some class implements.
    pub fn add_selector(&mut self, selector: impl Into<String>) {
        self.selectors.insert(selector.into());
    }

    fn add_class_definition(&mut self, class: &ClassDefinition) {
        let (traits, class_traits) = uses(&class.traits, class.class_traits.as_deref());
        let shape = ClassShape {
            is_trait: class.is_trait,
            traits,
            class_traits,
            pools: class.pools.clone(),
            superclass: class.superclass.clone(),
            instance_variables: class.instance_variables.clone(),
            class_instance_variables: class.class_instance_variables.clone(),
            class_variables: class.class_variables.clone(),
        };
        self.classes.insert(class.name.clone(), shape);
        self.add_methods(&class.methods);
    }

    fn add_methods(&mut self, methods: &[MethodDefinition]) {
        for method in methods {
            if !self.selectors.contains(&method.code.selector) {
                self.selectors.insert(method.code.selector.clone());
            }
        }
    }
}

impl Environment for UnitEnvironment {
    fn is_global(&self, name: &str) -> bool {
        self.globals.contains(name) || self.classes.contains_key(name)
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        self.classes.get(name).cloned()
    }

    fn understands(&self, selector: &str) -> bool {
        self.selectors.contains(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.selectors.iter().cloned().collect()
    }

    fn globals(&self) -> Vec<String> {
        self.globals
            .iter()
            .chain(self.classes.keys())
            .cloned()
            .collect()
    }

    fn is_library(&self) -> bool {
        self.is_library
    }
}

/// Appends the names that are not there yet.
pub(crate) fn extend(names: &mut Vec<String>, more: &[String]) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}

/// The world of a machine: its library and everything that was loaded into it.
pub struct MachineEnvironment<'a>(pub &'a tally_vm::Vm);

impl Environment for MachineEnvironment<'_> {
    fn counts_inlined(&self) -> bool {
        self.0.counts_inlined()
    }

    fn relies_on(&self, name: &str) -> bool {
        self.0.relies_on_class(name)
    }

    fn is_global(&self, name: &str) -> bool {
        self.0.global_value(name).is_some()
    }

    fn class(&self, name: &str) -> Option<ClassShape> {
        let class = self.0.class(self.0.find_class(name)?);
        let named = |ivars: &[String]| ivars.to_vec();
        Some(ClassShape {
            superclass: class.superclass.map(|id| self.0.class(id).name.clone()),
            is_trait: class.is_trait,
            instance_variables: named(&class.own_ivars),
            class_instance_variables: named(&self.0.class(class.other_side).own_ivars),
            class_variables: class.class_variables.clone(),
            // The machine's lists have the variables of traits in them.
            traits: Vec::new(),
            class_traits: Vec::new(),
            pools: class.pools.clone(),
        })
    }

    fn understands(&self, selector: &str) -> bool {
        self.0.implements(selector)
    }

    fn selectors(&self) -> Vec<String> {
        self.0.implemented_selectors()
    }

    fn globals(&self) -> Vec<String> {
        self.0.global_names()
    }

    fn short_cut(&self, selector: &str) -> bool {
        self.0.short_cut_stands(selector)
    }
}
