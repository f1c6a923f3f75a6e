// One method: its counts, who calls it, what it calls, its source, what it allocates. A function of another tool has counts, callers and
// callees only.

function methodView(argument) {
  const method = methods[Number(argument)];
  if (!method) {
    const none = `No such ${words.method}`;
    return { title: none, element: h("div", null, h("h1", { tabindex: "-1" }, none), h("p", { class: "empty" }, h("a", { href: address("methods") }, `All ${words.method}s`))) };
  }
  const sandwich = sandwichCard(method);
  const element = h("div", null, methodHead(method), methodTiles(method), sandwich?.element,
    h("div", { class: "pair" },
      edges("Callers", isTally ? "Who activates it or its blocks, and what that costs." : "Who calls it, and what that costs.", "caller", callersOf(method.number), method),
      edges("Callees", isTally ? "What it and its blocks activate." : "What it calls.", "callee", calleesOf(method.number), method)),
    isTally && [sourceCard(method), allocationCard(method)]);
  return { element, title: method.name, mounted: sandwich?.mounted, leave: sandwich?.leave };
}

function methodHead(method) {
  const facts = [method.package, method.category && `“${method.category}”`, whereOf(method), isTally && `digest ${method.digest}`].filter(Boolean);
  return [
    h("div", { class: "title" }, h("h1", { class: "name", tabindex: "-1" }, method.name),
      isTally && h("span", { class: method.isLibrary ? "badge" : "badge program" }, method.isLibrary ? "library" : "program")),
    h("p", { class: "under" }, facts.join(" · ")),
    hasTree && h("p", { class: "under" }, h("a", { href: address("flame", undefined, { q: `"${method.name}"` }) }, "Show in the flame graph")),
  ];
}

function methodTiles(method) {
  const isRecursive = amount(method.cumulative) > amount(method.total);
  const objects = amount(method.objects) > 0;
  return h("dl", { class: "tiles" },
    tile(`total ${words.counts}`, method.total, share(method.total, cost.sends)),
    tile(`own ${words.counts}`, method.own, share(method.own, cost.sends)),
    hasWork && tile("total work", method.totalWork, share(method.totalWork, cost.work)),
    hasWork && tile("own work", method.ownWork, share(method.ownWork, cost.work)),
    knowsCalls && tile("calls", method.calls),
    isTally && tile("block calls", method.blockCalls),
    isRecursive && tile("cumulative: every recursive activation added up", method.cumulative),
    objects && tile("objects", method.objects),
    objects && tile("bytes in objects", method.bytes));
}

const HOW_A_SANDWICH_IS_READ = hasTree
  ? `Who calls it stands on it, what it calls hangs below it; the width of a frame is the number of its ${words.counts} that go that way. Click to zoom, M opens the ${words.method}.`
  : `Who calls it stands on it, what it calls hangs below it, as wide as the ${words.counts} of these calls. The profile holds no stacks, so these are direct calls only. A click opens the ${words.method}.`;

// The callers above and the callees below, as two flame graphs of the method that lies between them. Without a tree these are the direct
// ones, and a click leads to their pages.
function sandwichCard(method) {
  const isKnown = hasTree || calls.length > 0;
  if (!isKnown || amount(method.total) === 0) return null;
  const height = () => Math.max(hasTree ? 170 : 0, Math.round(window.innerHeight * 0.3));
  const trees = hasTree ? [callersTree(method), calleesTree(method)] : [edgesTree(method, "caller"), edgesTree(method, "callee")];
  const graphs = trees.map((shown) => {
    const link = (node, look) => h("button", { type: "button", class: look, onclick: () => to(node) }, contextName(node, shown));
    const to = hasTree ? (zoom) => graph.show({ zoom }) : (node) => shown.method[node] >= 0 && go(address("method", shown.method[node]));
    const graph = flameGraph(profileModel(shown, to, link), "sends", height);
    return graph;
  });
  const [callers, callees] = graphs;
  const element = h("section", { class: "card sandwich" }, h("h2", null, "Sandwich"),
    hint(HOW_A_SANDWICH_IS_READ),
    h("div", null, callers.path, callers.well, h("p", { class: "middle" }), callees.well, callees.path),
    h("p", { class: "more" }, callers.reset, " ", callees.reset), flameLegend(frameKinds(), [["M", " " + words.method]]), callers.tip, callees.tip);
  const mounted = () => graphs.forEach((graph, place) => graph.show({ zoom: 0, by: "sends", isIcicle: place === 1 }));
  return { element, mounted, leave: () => graphs.forEach((graph) => graph.leave()) };
}

function edges(title, explanation, end, list, method) {
  const other = (call) => call[end];
  const columns = [
    { key: "name", title: end, wide: true, value: (call) => methodName(other(call)), cell: (call) => methodLabel(other(call)) },
    shares("total", "total", (call) => call.total, method.total, (call) => kindOf(other(call))),
    hasWork && numbers("totalWork", "work", (call) => call.totalWork),
    knowsCalls && numbers("calls", "calls", (call) => call.calls),
    isTally && numbers("blockCalls", "blocks", (call) => call.blockCalls),
  ].filter(Boolean);
  const none = isTally ? "Nothing that is counted apart: primitives and quick methods only." : "No function.";
  const empty = data.edges.caller.length === 0 ? "This profile does not say who calls whom." : end === "caller" ? `No ${words.method}.` : none;
  return card(title, hint(explanation), list.length === 0 ? h("p", { class: "soft" }, empty)
    : table({ label: title, columns, rows: list, order: { key: "total", isUp: false }, page: 12 }).element);
}

function allocationCard(method) {
  const list = allocationsOf(method.number);
  if (list.length === 0) return null;
  const label = (row) => h("span", { class: "label" },
    h("a", { class: "name", href: address("allocations", undefined, { class: strings[row.class] }), title: strings[row.class] }, strings[row.class]),
    row.line > 0 && h("span", { class: "where" }, `line ${row.line}`));
  const columns = [
    { key: "class", title: "class", wide: true, value: (row) => strings[row.class], cell: label },
    shares("bytes", "bytes", (row) => row.bytes, method.bytes, () => kindOf(method.number)),
    numbers("objects", "objects", (row) => row.objects),
  ];
  return card("Allocations", hint("Objects that it and its blocks made, by class and line."),
    table({ label: "Allocations", columns, rows: list, order: { key: "bytes", isUp: false }, page: 12 }).element);
}
