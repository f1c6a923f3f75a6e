// Trees that are made of the calling-context tree: a method's callers, its callees, all methods from the bottom up, and the
// part of a test.

// Groups of contexts that are smaller than this part of the whole are one frame; deeper ones are not drawn.
const LEAST_PART = 1 / 4000, DEEPEST = 300, MOST_FRAMES = 40000;

// A tree of groups. An item is { at, sends, objects, work }: a context, and what it is worth. `next` answers the items above an
// item in the picture; items of one method or block are one group.
function groupedTree(root, items, next, { whole, isInverted }) {
  const made = { length: 0, method: [], block: [], depth: [], parent: [], end: [], calls: [], sends: [], objects: [], work: [], own: [], ownObjects: [], ownWork: [], whole, isInverted };
  const sum = (list, key) => list.reduce((all, item) => all + item[key], 0);
  const total = { sends: sum(items, "sends"), objects: sum(items, "objects"), work: sum(items, "work") };
  const isSmall = (group) => group.sends < total.sends * LEAST_PART && group.objects <= total.objects * LEAST_PART && group.work <= total.work * LEAST_PART;

  function add(group, parent) {
    const node = made.length++;
    const depth = parent < 0 ? 0 : made.depth[parent] + 1;
    const counts = { calls: group.calls, sends: group.sends, objects: group.objects, work: group.work, own: 0, ownObjects: 0, ownWork: 0 };
    const row = { method: group.method, block: group.block, depth, parent, end: node + 1, ...counts };
    for (const [key, value] of Object.entries(row)) made[key][node] = value;
    return node;
  }

  function groupsOf(list) {
    const groups = new Map();
    for (const item of list) {
      const method = tree.method[item.at], block = tree.block[item.at];
      // What the file leaves out is one group, however many contexts it stands for.
      const key = method === SMALLER ? "smaller" : `${method}:${block}`;
      let group = groups.get(key);
      if (!group) groups.set(key, group = { method, block: method === SMALLER ? 0 : block, calls: 0, sends: 0, objects: 0, work: 0, items: [] });
      if (method === SMALLER) group.block += block;
      group.items.push(item);
      group.calls += tree.calls[item.at];
      group.sends += item.sends;
      group.objects += item.objects;
      group.work += item.work;
    }
    return [...groups.values()].sort((a, b) => b.sends - a.sends || compareTexts(methodName(a.method), methodName(b.method)));
  }

  const waiting = [{ group: { ...root, ...total, calls: root.calls, items }, parent: -1 }];
  while (waiting.length > 0) {
    const { group, parent } = waiting.pop();
    const node = add(group, parent);
    const groups = group.method === SMALLER || made.depth[node] >= DEEPEST || made.length > MOST_FRAMES ? []
      : groupsOf(parent < 0 && root.isOver ? group.items : group.items.flatMap(next));
    const small = groups.filter(isSmall);
    const large = small.length > 1 ? groups.filter((one) => !isSmall(one)) : groups;
    if (small.length > 1) {
      large.push({ method: SMALLER, block: small.length, calls: 0, sends: sum(small, "sends"), objects: sum(small, "objects"), work: sum(small, "work"), items: [] });
    }
    made.own[node] = Math.max(0, group.sends - sum(large, "sends"));
    made.ownObjects[node] = Math.max(0, group.objects - sum(large, "objects"));
    made.ownWork[node] = Math.max(0, group.work - sum(large.filter((one) => one.method !== PRIMITIVES), "work"));
    waiting.push(...large.reverse().map((one) => ({ group: one, parent: node })));
  }
  for (let node = made.length - 1; node > 0; node--) {
    const above = made.parent[node];
    made.end[above] = Math.max(made.end[above], made.end[node]);
  }
  return made;
}

const within = (at) => ({ at, sends: tree.sends[at], objects: tree.objects[at], work: tree.work[at] });
// The run is no caller, so chains of callers end below it.
const aboveIn = (item) => (tree.parent[item.at] <= 0 ? [] : [{ ...item, at: tree.parent[item.at] }]);
const belowIn = (item) => childrenOf(tree, item.at).map(within);

// The contexts of a method and its blocks that stand below no other of it.
function outermost(method) {
  const found = [];
  for (let node = 0, covered = 0; node < tree.length; node++) {
    if (node < covered || tree.method[node] !== method) continue;
    found.push(node);
    covered = tree.end[node];
  }
  return found;
}

const rootOf = (method) => ({ method: method.number, block: 0, calls: amount(method.calls) });

// Who calls a method, and who calls these; widths are what the method costs by that way.
const callersTree = (method) => groupedTree(rootOf(method), outermost(method.number).map(within), aboveIn, { whole: "the method", isInverted: true });

// What a method calls, wherever it is called from.
const calleesTree = (method) => groupedTree(rootOf(method), outermost(method.number).map(within), belowIn, { whole: "the method" });

// A method and its direct callers or callees, of calls without a tree. Calls within a cycle contain each other, so together they may be
// worth more than the method. What it does with itself is neither.
function edgesTree(method, end) {
  const list = (end === "caller" ? callersOf(method.number) : calleesOf(method.number)).filter((call) => call.caller !== call.callee && amount(call.total) > 0);
  const sorted = list.sort((a, b) => amount(b.total) - amount(a.total) || compareTexts(methodName(a[end]), methodName(b[end])));
  const sum = sorted.reduce((all, call) => all + amount(call.total), 0);
  const length = sorted.length + 1;
  const column = (root, of) => [root, ...sorted.map(of)];
  return {
    length, whole: `the ${words.method}`, isInverted: end === "caller", isOfEdges: true,
    method: column(method.number, (call) => call[end]), block: new Array(length).fill(0),
    depth: column(0, () => 1), parent: column(-1, () => 0), end: column(length, (_, n) => n + 2),
    calls: column(amount(method.calls), (call) => amount(call.calls)),
    sends: column(Math.max(amount(method.total), sum), (call) => amount(call.total)), own: column(amount(method.own), () => 0),
    objects: new Array(length).fill(0), ownObjects: new Array(length).fill(0), work: new Array(length).fill(0), ownWork: new Array(length).fill(0),
  };
}

// Each method with its own sends, and its callers above it. Made once for a tree.
const bottomUps = new Map();

function bottomUpTree(part) {
  if (!bottomUps.has(part)) {
    const items = [];
    for (const top of part.tops ?? [0]) {
      for (let at = top; at < tree.end[top]; at++) {
        if (tree.method[at] === PRIMITIVES) continue;
        if (tree.own[at] > 0 || tree.ownObjects[at] > 0 || tree.ownWork[at] > 0) items.push({ at, sends: tree.own[at], objects: tree.ownObjects[at], work: tree.ownWork[at] });
      }
    }
    const root = { method: RUN, block: 0, calls: 0, isOver: true };
    bottomUps.set(part, groupedTree(root, items, aboveIn, { whole: part.whole, isInverted: true }));
  }
  return bottomUps.get(part);
}

// The tests of a run are what the runner's method for one test calls. A profile of tests holds their bodies alone: there they
// stand on the run itself.
const RUNS_A_TEST = ">>performTest", IS_A_TEST = /.>>test/;

function isTest(node) {
  const method = tree.method[node], caller = tree.parent[node];
  if (method < 0 || isBlock(node)) return false;
  return caller === 0 ? IS_A_TEST.test(methods[method].name) : tree.method[caller] >= 0 && methods[tree.method[caller]].name.endsWith(RUNS_A_TEST);
}

const testsOf = (() => {
  let found;
  return () => {
    if (found) return found;
    const tops = new Map();
    for (let node = 1; node < tree.length; node++) {
      if (isTest(node)) tops.set(tree.method[node], [...tops.get(tree.method[node]) ?? [], node]);
    }
    found = new Map([...tops].sort(([a], [b]) => compareTexts(methods[a].name, methods[b].name)));
    return found;
  };
})();

const testTrees = new Map();

// The part of a test, by its method's number; the whole tree for no test.
function treeOfTest(number) {
  const tops = testsOf().get(Number(number));
  if (number === undefined || !tops) return tree;
  if (!testTrees.has(number)) {
    const part = groupedTree(rootOf(methods[number]), tops.map(within), belowIn, { whole: "the test" });
    testTrees.set(number, Object.assign(part, { tops }));
  }
  return testTrees.get(number);
}

// A choice of a test, where a run has several.
function testField(choose) {
  const tests = [...testsOf().keys()];
  if (tests.length < 2) return undefined;
  const option = (value, text) => h("option", { value }, text);
  return h("select", { class: "button tests", "aria-label": "Test", onchange: (event) => choose(event.target.value || undefined) },
    option("", `All ${grouped(tests.length)} tests`), tests.map((number) => option(String(number), methods[number].name)));
}
