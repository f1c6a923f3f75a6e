// The profile as the page's views ask for it. Columns come from the file; trees and lists by method are made here.

const data = JSON.parse(document.getElementById("profile").textContent);
const { about, strings, leftOut } = data;
const cost = { ...about.cost, sends: about.cost.sends ?? about.cost.count };

// What is counted, and how it is called. A profile of another tool has a unit of its own; what it does not know is not in the file.
const isTally = data.unit === undefined;
const knowsCalls = isTally || data.unit.hasCalls;
const words = isTally
  ? { count: "send", counts: "sends", method: "method", class: "class", classes: "classes", package: "package", packages: "packages" }
  : {
    count: data.unit.name, counts: data.unit.name, method: "function", class: "module", classes: "modules",
    package: "program or library", packages: "programs and libraries",
  };
const capitalized = (text) => text[0].toUpperCase() + text.slice(1);
const countOf = (count) => plural(count, words.count, words.counts);

// Codes of contexts and callers that are no method.
const RUN = -1, OTHER = -2, SMALLER = -3, LEFT_OUT = -4, PRIMITIVES = -5;

// A column; one that holds zeros only comes empty, and one that the profile does not know not at all.
const filled = (column, length) => (column?.length ? column : new Array(length).fill(0));

const methods = makeMethods(data.methods);
const calls = rows(data.edges, ["caller", "callee", "calls", "blockCalls", "total", "totalWork"], data.edges.caller.length);
const sites = rows(data.sites, ["method", "line", "column", "selector", "sends", "calls", "total", "work"], data.sites?.method.length ?? 0);
const allocations = rows(data.allocations, ["method", "class", "line", "objects", "bytes"], data.allocations?.method.length ?? 0);
sites.forEach((site, number) => { site.isSuper = data.sites.isSuper[number] === "1"; });
const tree = makeTree(data.contexts);

const hasTree = tree.length > 0;
const hasPackages = isTally || methods.some((method) => method.package);
const hasSites = sites.length > 0;
const hasAllocations = allocations.length > 0;
// Work is counted where sites are.
const hasWork = cost.work !== undefined;
// Runs that only count what each method costs leave the rest of the vector at zero.
const hasWholeVector = amount(cost.instructions) > 0 || amount(cost.sends) === 0;

const callersOf = byKey(calls, (call) => call.callee);
const calleesOf = byKey(calls, (call) => call.caller);
const sitesOf = byKey(sites, (site) => site.method);
const allocationsOf = byKey(allocations, (allocation) => allocation.method);

function rows(columns, names, length) {
  const whole = names.map((name) => filled(columns?.[name], length));
  const row = (_, index) => Object.fromEntries(names.map((name, n) => [name, whole[n][index]]));
  return Array.from({ length }, row);
}

function byKey(list, key) {
  const groups = new Map();
  for (const item of list) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return (wanted) => groups.get(wanted) ?? [];
}

function makeMethods(columns) {
  const counts = ["calls", "blockCalls", "own", "total", "cumulative", "objects", "bytes", "ownWork", "totalWork"];
  const texts = ["class", "package", "category", "file"];
  const list = rows(columns, ["name", "line", "digest", ...texts, ...counts], columns.name.length);
  const names = new Map();
  list.forEach((method, number) => {
    method.number = number;
    method.isLibrary = columns.isLibrary?.[number] === "1";
    for (const text of texts) method[text] = columns[text] ? strings[method[text]] : "";
    method.lower = method.name.toLowerCase();
    names.set(method.name, (names.get(method.name) ?? 0) + 1);
  });
  // Methods of one name differ by their location.
  for (const method of list) method.isAmbiguous = names.get(method.name) > 1;
  return list;
}

// The tree in preorder: parents, ends of subtrees, and sums of sends, objects and work.
function makeTree(columns) {
  const length = columns.up.length;
  const column = (values) => Float64Array.from(filled(values, length), amount);
  const own = column(columns.own), ownObjects = column(columns.objects), ownBytes = column(columns.bytes), ownWork = column(columns.work);
  const made = {
    length, own, ownObjects, ownBytes, ownWork, whole: "the run",
    method: Int32Array.from(columns.method),
    block: column(columns.number),
    calls: column(columns.calls),
    depth: new Int32Array(length), parent: new Int32Array(length), end: new Int32Array(length),
    sends: own.slice(), objects: ownObjects.slice(), bytes: ownBytes.slice(), work: ownWork.slice(),
  };
  let last = -1;
  for (let node = 0; node < length; node++) {
    let parent = last;
    for (let up = columns.up[node]; up > 0; up--) parent = made.parent[parent];
    made.parent[node] = parent;
    made.depth[node] = parent < 0 ? 0 : made.depth[parent] + 1;
    last = node;
  }
  made.end.forEach((_, node) => { made.end[node] = node + 1; });
  for (let node = length - 1; node > 0; node--) {
    const parent = made.parent[node];
    made.end[parent] = Math.max(made.end[parent], made.end[node]);
    for (const sum of [made.sends, made.objects, made.bytes]) sum[parent] += sum[node];
    // Work inside primitives is a part of the own work of the context that calls them.
    if (made.method[node] !== PRIMITIVES) made.work[parent] += made.work[node];
  }
  return made;
}

function methodName(number) {
  if (number >= 0) return methods[number].name;
  if (number === PRIMITIVES) return "(primitives)";
  return number === RUN ? "run" : number === OTHER ? "(no room in the tree)" : `(a ${words.method} not in this file)`;
}

const isBlock = (node, { method, block } = tree) => method[node] !== SMALLER && block[node] > 0;

function contextName(node, of = tree) {
  if (of.method[node] === SMALLER) return `… (${grouped(of.block[node])} smaller)`;
  return (isBlock(node, of) ? "[] in " : "") + methodName(of.method[node]);
}

// Which methods are the library's is known of our own profiles only.
const PROGRAM = isTally ? "program" : words.method;

function kindOf(number) {
  return number < 0 ? "rest" : methods[number].isLibrary ? "library" : PROGRAM;
}

const whereOf = (method) => (method.file && method.line ? `${method.file}:${method.line}` : method.file);

// A method by name, as a link to its page.
function methodLabel(number, prefix = "") {
  const kind = kindOf(number);
  const name = prefix + methodName(number);
  if (number < 0) return h("span", { class: "label" }, dot(kind), h("span", { class: "name" }, name));
  const method = methods[number];
  return h("span", { class: "label" }, dot(kind),
    h("a", { class: "name", href: address("method", number), title: name }, name),
    method.isAmbiguous && h("span", { class: "where" }, whereOf(method)));
}
