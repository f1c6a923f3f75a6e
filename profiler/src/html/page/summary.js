// What the run cost as a whole, and where to look first.

const ENDINGS = {
  finished: ["finished", "good"],
  failed: ["failed: the counts end there", "bad"],
  counted: ["failed by counts: the counts are complete", "bad"],
  limit: ["stopped by a limit: the counts end there", "bad"],
};

function summaryView() {
  const [ending, mood] = ENDINGS[about.ending] ?? [];
  const element = h("div", null,
    h("div", { class: "title" }, h("h1", { tabindex: "-1" }, runName()), ending && h("span", { class: "badge " + mood }, ending)),
    h("p", { class: "under" }, `${countOf(cost.sends)} by ${plural(methods.length + leftOut.methods, words.method)}`),
    costTiles(),
    notes(),
    isTally
      ? h("div", { class: "pair" }, topMethods(), h("div", null, whose(), topPackages()))
      : h("div", { class: "pair" }, topMethods(), h("div", null, hasPackages && topPackages(), aboutFile())),
    heaviestPath(),
    isTally && h("div", { class: "pair" }, h("div", null, primitives(), inlined()), aboutRun()));
  return { element, title: "Summary" };
}

// The run's files; those without room are a number.
function filesText(most) {
  const named = about.files.slice(0, most);
  const others = about.files.length - named.length + about.moreFiles;
  return named.join(", ") + (others > 0 ? ` and ${grouped(others)} more` : "");
}

const runName = () => filesText(2) || "A run";

function costTiles() {
  if (!isTally) return h("dl", { class: "tiles" }, tile(words.counts, cost.sends), knowsCalls && tile("calls", cost.calls));
  const whole = (value) => (hasWholeVector ? value : undefined);
  const primitiveCount = cost.primitives.reduce((sum, [, count]) => sum + amount(count), 0);
  return h("dl", { class: "tiles" },
    tile("sends", cost.sends),
    tile("activations of methods", cost.activations),
    tile("activations of blocks", cost.blocks),
    tile("loop repetitions", cost.loops),
    tile("primitives", whole(primitiveCount)),
    tile("objects", whole(cost.objects)),
    tile("bytes in objects", whole(cost.bytes)),
    hasWork && tile("work", cost.work),
    tile("instructions", whole(cost.instructions)));
}

function notes() {
  const list = [];
  if (about.reproducible === false) list.push("The run depends on a clock or on memory: another run may count otherwise.");
  if (!hasTree) list.push(`This profile holds no calling-context tree: there is no flame graph, and no totals of ${isTally ? "classes and packages" : "modules, programs and libraries"}.`);
  if (!about.isTreeComplete) list.push("The calling-context tree ran out of room: totals may be too low by what stands below “(no room in the tree)”.");
  const cut = [
    [leftOut.methods, words.method, "the cheapest"], [leftOut.edges, "pair of caller and callee", "the cheapest", "pairs of callers and callees"],
    [leftOut.sources, "source text", "of the methods with the fewest own sends"],
    [leftOut.sitesOfMethods, "method’s send sites", "of those with the fewest own sends", "methods’ send sites"],
    [leftOut.allocations, "row of allocations", "the smallest", "rows of allocations"],
  ].filter(([count]) => count > 0);
  if (cut.length > 0) {
    const parts = cut.map(([count, one, which, many]) => `${plural(count, one, many)} (${which})`);
    list.push(`To keep this file small it leaves out ${parts.join(", ")}. All sums include them.`);
  }
  return list.length > 0 && h("ul", { class: "notes" }, list.map((note) => h("li", null, note)));
}

// A short ranking by own sends.
function shortList(label, rows, nameCell, own, kind) {
  return table({
    label, rows, fixed: true, order: {},
    columns: [{ key: "name", title: label, wide: true, cell: nameCell }, shares("own", "own", own, cost.sends, kind)],
  }).element;
}

function topMethods() {
  const top = [...methods].sort((a, b) => amount(b.own) - amount(a.own)).slice(0, 10);
  return card(`${capitalized(words.method)}s by own ${words.counts}`,
    shortList(words.method, top, (method) => methodLabel(method.number), (method) => method.own, (method) => kindOf(method.number)),
    h("p", { class: "more" }, h("a", { href: address("methods", undefined, { sort: "own" }) }, `All ${words.method}s`)));
}

function whose() {
  const sum = (isLibrary) => methods.filter((method) => method.isLibrary === isLibrary).reduce((total, method) => total + amount(method.own), 0);
  const parts = [["program", sum(false)], ["library", sum(true)]];
  const segments = parts.filter(([, own]) => own > 0).map(([kind, own]) => {
    const segment = h("i", { class: kind });
    segment.style.flexGrow = String(own / Math.max(1, amount(cost.sends)));
    return segment;
  });
  return card("Who sends", h("div", { class: "split", "aria-hidden": "true" }, segments),
    h("div", { class: "legend" }, parts.map(([kind, own]) => h("span", null, dot(kind), `${kind} ${share(own, cost.sends)}`))));
}

function topPackages() {
  const all = groupRows("package", methods).sort((a, b) => b.own - a.own);
  const cell = (row) => h("span", { class: "label" }, dot(row.kind),
    h("a", { class: "name", href: address("methods", undefined, { package: row.name, sort: "own" }), title: row.label }, row.label));
  return card(`${capitalized(words.packages)} by own ${words.counts}`,
    shortList(words.package, all.slice(0, 6), cell, (row) => row.own, (row) => row.kind),
    all.length > 6 && h("p", { class: "more" }, h("a", { href: address("methods", undefined, { by: "package", sort: "own" }) }, `All ${grouped(all.length)} ${words.packages}`)));
}

// From the run down into the most expensive callee, until a context sends more itself than any of its callees.
function heaviestContexts() {
  const path = [];
  let node = 0;
  while (node !== undefined && path.length < 200) {
    path.push(node);
    const children = childrenOf(tree, node).filter((child) => tree.method[child] !== SMALLER);
    const heaviest = children.reduce((best, child) => (best === undefined || tree.sends[child] > tree.sends[best] ? child : best), undefined);
    node = heaviest !== undefined && tree.sends[heaviest] > tree.own[node] ? heaviest : undefined;
  }
  return path.slice(1);
}

function heaviestPath() {
  const path = hasTree ? heaviestContexts() : [];
  if (path.length === 0) return null;
  const most = 14;
  const shown = path.length <= most ? path : [...path.slice(0, 4), undefined, ...path.slice(5 - most)];
  const step = (node) => node === undefined
    ? h("li", { class: "soft" }, `… ${plural(path.length - most + 1, "step")} more …`)
    : h("li", null,
      h("span", { class: "label" }, dot(kindOf(tree.method[node])),
        h("a", { class: "name", href: address("flame", undefined, { zoom: node }), title: contextName(node) }, contextName(node))),
      h("span", { class: "right" }, shared(tree.sends[node], tree.sends[0], kindOf(tree.method[node]))));
  return card("The heaviest path",
    hint(isTally ? "From the run down, each time into the callee with the most sends below it, until a method sends more itself."
      : `From the run down, each time into the callee with the most ${words.counts} below it, until a function has more itself.`),
    h("ol", { class: "path" }, shown.map(step)),
    h("p", { class: "more" }, h("a", { href: address("flame") }, "Flame graph")));
}

function countTable(title, word, list, explanation) {
  const whole = list.reduce((sum, [, count]) => sum + amount(count), 0);
  return card(title, explanation && hint(explanation), table({
    label: title, rows: list, fixed: true, order: {}, page: 10,
    columns: [
      { key: "name", title: word, wide: true, cell: ([name]) => h("span", { class: "label" }, h("span", { class: "name", title: name }, name)) },
      shares("count", "count", ([, count]) => count, whole, () => "rest"),
    ],
  }).element);
}

function primitives() {
  if (cost.primitives.length === 0) return null;
  return countTable("Primitives", "primitive", cost.primitives, "Primitives that succeeded. What they do inside is not in the sends.");
}

function inlined() {
  if (!cost.inlined) return null;
  return countTable("Inlined control messages", "message", cost.inlined, "Evaluated in place by the compiled code; no sends.");
}

const factList = (facts) => h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));

function aboutFile() {
  return card("About this file", factList([
    ["File", runName()], ["Format", data.unit.format], ["Unit", data.unit.name], ["Digest", h("code", null, about.program)],
  ]));
}

function aboutRun() {
  const { limits } = about;
  const facts = [
    [about.files.length === 1 ? "File" : "Files", filesText(10) || "none"],
    ["Arguments", about.arguments.join(" ") + (about.moreArguments ? ` and ${grouped(about.moreArguments)} more` : "") || "none"],
    ["Ending", ENDINGS[about.ending][0]],
    ["Another run", about.reproducible ? "counts the same" : "may count otherwise"],
    ["Seed", about.seed],
    ["Limits", [
      limits.sends !== null && `${grouped(limits.sends)} ticks`, limits.memory !== null && `${grouped(limits.memory)} bytes`,
      `${plural(limits.depth, "activation")} deep`,
    ].filter(Boolean).join(", ")],
    ["Counting model", String(about.model)],
    ["Library", h("code", null, about.library)],
    ["Program", h("code", null, about.program)],
  ];
  return card("About this run", factList(facts));
}
