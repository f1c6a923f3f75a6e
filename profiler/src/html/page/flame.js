// The flame graph and the icicle of a profile: their model, and the view with its tools.

const PALETTES = {
  light: { program: [30, 84, 72], library: [212, 42, 78], rest: [40, 12, 80], ink: "#1f1c18", found: "#e58ad6", mark: "#1f1c18" },
  dark: { program: [24, 62, 28], library: [213, 33, 33], rest: [220, 4, 30], ink: "#f3f0ea", found: "#9c2f8a", mark: "#ffffff" },
};

// What frames of a tree are as wide as.
const measuresOf = (tree) => ({
  sends: { sums: tree.sends, own: tree.own, one: words.count, many: words.counts },
  objects: { sums: tree.objects, own: tree.ownObjects, one: "object", many: "objects" },
  work: { sums: tree.work, own: tree.ownWork, one: "work", many: "work" },
});

const hasObjects = hasTree && tree.objects[0] > 0;

// What frames can be as wide as. A run that did not count work, or made no objects, has no frames of it.
const WIDTHS = [["sends", "Sends"], ["objects", "Objects", !hasObjects], ["work", "Work", !hasWork]];
const isWidth = (by) => WIDTHS.some(([name, , isMissing]) => name === by && !isMissing);

// A number in 0 ..< 1 that a text always has.
function fraction(text) {
  let hash = 2166136261;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 16777619);
  return (hash >>> 8) / 2 ** 24;
}

// A class has a shade of its own, so that neighbours differ.
function shade(palette, number, isOfBlock) {
  const [hue, saturation, lightness] = palette[kindOf(number)] ?? palette.program;
  if (number < 0) return `hsl(${hue} ${saturation}% ${lightness}%)`;
  const turn = fraction(methods[number].class) - 0.5, step = fraction(methods[number].name) - 0.5;
  return `hsl(${hue + turn * 22} ${saturation}% ${lightness + step * 7 + (isOfBlock ? 4 : 0)}%)`;
}

// The shades of methods and blocks, each worked out once.
function shades(tree) {
  let colours = new Map(), coloursOf;
  return (node) => {
    const now = theme();
    if (coloursOf !== now) [colours, coloursOf] = [new Map(), now];
    const number = tree.method[node], key = number * 2 + (isBlock(node, tree) ? 1 : 0);
    if (!colours.has(key)) colours.set(key, shade(PALETTES[now], number, isBlock(node, tree)));
    return colours.get(key);
  };
}

// Which contexts have a text in their name; a text in quotes must be the whole name. Answers undefined for no text.
function findContexts(tree, text) {
  if (!text) return undefined;
  const isWhole = text.length > 2 && text.startsWith('"') && text.endsWith('"');
  const wanted = (isWhole ? text.slice(1, -1) : text).toLowerCase();
  const fits = (name) => (isWhole ? name === wanted : name.includes(wanted));
  const ofMethod = methods.map((method) => fits(method.lower));
  const ofBlock = methods.map((method, number) => (isWhole ? ofMethod[number] : fits("[] in " + method.lower)));
  return (node) => {
    const method = tree.method[node];
    if (method >= 0) return isBlock(node, tree) ? ofBlock[method] : ofMethod[method];
    return method !== SMALLER && fits(methodName(method));
  };
}

// How many contexts are found, and the sum below the outermost of them.
function matched(tree, isFound, by) {
  const { sums } = measuresOf(tree)[by];
  let count = 0, sum = 0, covered = 0;
  for (let node = 0; node < tree.length; node++) {
    if (!isFound(node)) continue;
    count += 1;
    if (node < covered) continue;
    sum += sums[node];
    covered = tree.end[node];
  }
  return { count, sum };
}

function foundText(tree, isFound, by) {
  if (!isFound) return "";
  const { count, sum } = matched(tree, isFound, by);
  const { sums, many } = measuresOf(tree)[by];
  return count === 0 ? "Nothing found" : `${plural(count, "context")} found: ${share(sum, sums[0])} of all ${many} (${grouped(sum)})`;
}

// What is said of a frame: sends in it and its own, or, in a tree from the bottom up, sends of the method below it in chains of
// callers with this one.
function contextFacts(tree, node, by) {
  const { sums, own, one, many } = measuresOf(tree)[by];
  const parent = tree.parent[node];
  const isReal = tree.method[node] >= 0;
  const whole = `${plural(sums[node], one, many)} · ${share(sums[node], sums[0])} of ${tree.whole}`;
  return [
    h("b", null, contextName(node, tree)),
    h("span", null, whole, parent > 0 && `, ${share(sums[node], sums[parent])} of ${tree.isInverted ? "what it calls here" : "its caller"}`),
    isReal && !tree.isInverted && h("span", null, ownAndCalls(tree, node, own).join(" · ")),
    by === "sends" && tree.objects[node] > 0 && h("span", { class: "dim" }, plural(tree.objects[node], "object")),
    isReal && h("span", { class: "dim" }, methods[tree.method[node]].package),
  ].filter(Boolean);
}

// What a frame costs itself is not known of calls without a tree.
const ownAndCalls = (tree, node, own) => [
  !tree.isOfEdges && `${grouped(own[node])} its own`, knowsCalls && plural(tree.calls[node], "call"),
].filter(Boolean);

function contextSentence(tree, node, by) {
  const { sums, own, one, many } = measuresOf(tree)[by];
  const more = tree.isInverted ? [] : ownAndCalls(tree, node, own);
  return [`${plural(sums[node], one, many)}, ${share(sums[node], sums[0])} of ${tree.whole}`, ...more].join("; ");
}

// What a flame graph is of. `zoomTo` zooms; `link` makes a way to a context.
function profileModel(tree, zoomTo, link) {
  const colour = shades(tree);
  const kind = (node) => kindOf(tree.method[node]);
  return {
    tree,
    sums: (by) => measuresOf(tree)[by].sums,
    palette: () => PALETTES[theme()],
    fill(context, { node, left, top, width, height }, { isFound }) {
      context.fillStyle = isFound?.(node) ? PALETTES[theme()].found : colour(node);
      context.fillRect(left, top, width, height);
    },
    name: (node) => contextName(node, tree),
    label: (node) => contextName(node, tree),
    kind,
    isRest: (node) => tree.method[node] === SMALLER,
    isShown: (node, by) => tree.method[node] !== PRIMITIVES || by === "work",
    title: ({ zoom, by, isIcicle }) => `${tree.isInverted ? "Callers, as a flame graph," : isIcicle ? "Icicle" : "Flame graph"} of ${contextName(zoom, tree)} by ${measuresOf(tree)[by].many}`,
    facts: (node, by) => contextFacts(tree, node, by),
    sentence: (node, by) => contextSentence(tree, node, by),
    about: (zoom, by) => contextSentence(tree, zoom, by) + ".",
    columns(zoom, by) {
      const { sums, own } = measuresOf(tree)[by];
      const total = shares("total", "total", (node) => sums[node], sums[zoom], kind);
      const others = [numbers("own", "own", (node) => own[node]), knowsCalls && numbers("calls", "calls", (node) => tree.calls[node])];
      return tree.isInverted ? [total] : [total, ...others.filter(Boolean)];
    },
    link,
    zoomTo,
    more(zoom) {
      const method = tree.method[zoom];
      return method >= 0 && h("p", { class: "more" }, h("a", { href: address("method", method) }, isTally ? "Callers, callees and source of the method" : "Callers and callees of the function"));
    },
    onKey(key, node) {
      const method = tree.method[node];
      if (key !== "m" || method < 0) return false;
      go(address("method", method));
      return true;
    },
  };
}

// Only our own profiles say what belongs to the library.
const KINDS = isTally ? ["program", "library"] : [PROGRAM];

const kindsLegend = () => KINDS.map((kind) => h("span", null, dot(kind), kind));

const frameKinds = () => [kindsLegend(), h("span", null, dot("rest"), hasWork ? "run, primitives, or what was cut off" : "run, or what was cut off")];

const SHAPES = [["flame", "Flame"], ["icicle", "Icicle"], ["bottom-up", "Bottom-up"]];

const HOW_SHAPES_ARE_READ = {
  "bottom-up": `Each ${words.method} stands on the run with its own ${words.counts}, and its callers stand on it. Click to zoom.`,
  "": "As wide as a frame is, so much is in it and what it calls. Click to zoom.",
};

function flameView(_, options) {
  if (!hasTree) {
    return {
      title: "Flame graph",
      element: h("div", null, h("h1", { tabindex: "-1" }, "Flame graph"),
        h("p", { class: "empty" }, `This profile holds no calling-context tree, so there is nothing to draw. The ranking has all ${words.method}s.`)),
    };
  }
  let current = {}, graph, graphOf;
  const place = h("div"), under = h("p", { class: "under" });
  const found = h("p", { class: "found", role: "status" });
  const shapes = choice("Shape", SHAPES, "", (shape) => change({ shape, zoom: undefined }));
  const measures = choice("Width", WIDTHS, "", (by) => change({ by }));
  const field = searchField(`Find ${words.method}s`, "", (q) => change({ q }));
  const tests = testField((test) => change({ test, zoom: undefined }));
  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Flame graph")), under, place);

  function change(changes, replaces = true) {
    const next = { ...current, ...changes };
    if (!next.q) next.q = undefined;
    if (next.by === "sends") next.by = undefined;
    if (next.shape === "flame") next.shape = undefined;
    if (Number(next.zoom) === 0) next.zoom = undefined;
    go(address("flame", undefined, next), replaces);
  }

  function link(shown, node, look) {
    const name = contextName(node, shown);
    return h("a", { class: look, href: address("flame", undefined, { ...current, zoom: node || undefined }), title: name }, name);
  }

  // A graph of the tree that is wanted, in place of that of another.
  function graphFor(shown, by) {
    if (graphOf === shown) return graph;
    graph?.leave();
    graphOf = shown;
    graph = flameGraph(profileModel(shown, (node) => change({ zoom: node }, false), (node, look) => link(shown, node, look)), by);
    place.replaceChildren(h("div", { class: "tools" }, shapes, isTally && measures, ...(tests ? [tests] : []), field, found, graph.reset),
      h("div", { class: "stage" }, graph.path, graph.well, flameLegend(frameKinds(), [["M", " " + words.method]])), graph.words, graph.tip);
    return graph;
  }

  function update(_, given) {
    current = { ...given };
    const shape = SHAPES.some(([name]) => name === given.shape) ? given.shape : "flame";
    const part = treeOfTest(given.test);
    const shown = shape === "bottom-up" ? bottomUpTree(part) : part;
    const wanted = Math.trunc(Number(given.zoom ?? 0));
    const zoom = wanted > 0 && wanted < shown.length ? wanted : 0;
    const by = isWidth(given.by) ? given.by : "sends";
    const isFound = findContexts(shown, given.q);
    press(shapes, shape);
    press(measures, by);
    under.textContent = HOW_SHAPES_ARE_READ[shape] ?? HOW_SHAPES_ARE_READ[""];
    if (document.activeElement !== field) field.value = given.q ?? "";
    if (tests) tests.value = given.test ?? "";
    found.textContent = foundText(shown, isFound, by);
    graphFor(shown, by).show({ zoom, by, isIcicle: shape === "icicle", isFound });
  }

  return { element, update, mounted: () => update(undefined, options), leave: () => graph?.leave(), title: "Flame graph" };
}
