// One method: its counts, who calls it, what it calls, its source, what it allocates.

function methodView(argument) {
  const method = methods[Number(argument)];
  if (!method) {
    return { title: "No such method", element: h("div", null, h("h1", { tabindex: "-1" }, "No such method"), h("p", { class: "empty" }, h("a", { href: address("methods") }, "All methods"))) };
  }
  const sandwich = sandwichCard(method);
  const element = h("div", null, methodHead(method), methodTiles(method), sandwich?.element,
    h("div", { class: "pair" },
      edges("Callers", "Who activates it or its blocks, and what that costs.", "caller", callersOf(method.number), method),
      edges("Callees", "What it and its blocks activate.", "callee", calleesOf(method.number), method)),
    sourceCard(method), allocationCard(method));
  return { element, title: method.name, mounted: sandwich?.mounted, leave: sandwich?.leave };
}

function methodHead(method) {
  const facts = [method.package, method.category && `“${method.category}”`, whereOf(method), `digest ${method.digest}`].filter(Boolean);
  return [
    h("div", { class: "title" }, h("h1", { class: "name", tabindex: "-1" }, method.name),
      h("span", { class: method.isLibrary ? "badge" : "badge program" }, method.isLibrary ? "library" : "program")),
    h("p", { class: "under" }, facts.join(" · ")),
    hasTree && h("p", { class: "under" }, h("a", { href: address("flame", undefined, { q: `"${method.name}"` }) }, "Show in the flame graph")),
  ];
}

function methodTiles(method) {
  const isRecursive = amount(method.cumulative) > amount(method.total);
  const objects = amount(method.objects) > 0;
  return h("dl", { class: "tiles" },
    tile("total sends", method.total, share(method.total, cost.sends)),
    tile("own sends", method.own, share(method.own, cost.sends)),
    tile("calls", method.calls),
    tile("block calls", method.blockCalls),
    isRecursive && tile("cumulative: every recursive activation added up", method.cumulative),
    objects && tile("objects", method.objects),
    objects && tile("bytes in objects", method.bytes));
}

// The callers above and the callees below, as two flame graphs of the method that lies between them.
function sandwichCard(method) {
  if (!hasTree || amount(method.total) === 0) return null;
  const height = () => Math.max(170, Math.round(window.innerHeight * 0.3));
  const graphs = [callersTree(method), calleesTree(method)].map((shown) => {
    const link = (node, look) => h("button", { type: "button", class: look, onclick: () => graph.show({ zoom: node }) }, contextName(node, shown));
    const graph = flameGraph(profileModel(shown, (zoom) => graph.show({ zoom }), link), "sends", height);
    return graph;
  });
  const [callers, callees] = graphs;
  const element = h("section", { class: "card sandwich" }, h("h2", null, "Sandwich"),
    hint("Who calls it stands on it, what it calls hangs below it; the width of a frame is the number of its sends that go that way. Click to zoom, M opens the method."),
    h("div", null, callers.path, callers.well, h("p", { class: "middle" }), callees.well, callees.path),
    h("p", { class: "more" }, callers.reset, " ", callees.reset), flameLegend(frameKinds(), [["M", " method"]]), callers.tip, callees.tip);
  const mounted = () => graphs.forEach((graph, place) => graph.show({ zoom: 0, by: "sends", isIcicle: place === 1 }));
  return { element, mounted, leave: () => graphs.forEach((graph) => graph.leave()) };
}

function edges(title, explanation, end, list, method) {
  const other = (call) => call[end];
  const columns = [
    { key: "name", title: end, wide: true, value: (call) => methodName(other(call)), cell: (call) => methodLabel(other(call)) },
    shares("total", "total", (call) => call.total, method.total, (call) => kindOf(other(call))),
    numbers("calls", "calls", (call) => call.calls),
    numbers("blockCalls", "blocks", (call) => call.blockCalls),
  ];
  const empty = data.calls.caller.length === 0 ? "This profile does not say who calls whom." : end === "caller" ? "No method." : "Nothing that is counted apart: primitives and quick methods only.";
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
