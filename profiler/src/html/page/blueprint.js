// The blueprint of classes, in the manner of Spy: a box per class with a box per method in it, higher with more own sends, wider with
// more calls, and lines for the calls between them. Classes that call stand above those that they call.

// Methods and lines that are drawn at most: the most expensive ones.
// Of the lines some are seen at once, and the others when one of their methods is pointed at.
const MOST_BOXES = 400, MOST_EDGES = 3000, SEEN_EDGES = 150;
const GAP = 4, PADDING = 8, CLASS_GAP = 26, CLASS_HEAD = 20, WIDEST_CLASS = 330;

// Sides of a box grow with the logarithm, so that the cheapest method is still seen.
const side = (count) => 7 + 9 * Math.log2(1 + amount(count)) / 2;

// The classes of these methods, each with its boxes in rows.
function classBoxes(list) {
  const groups = new Map();
  for (const method of list) {
    const group = groups.get(method.class) ?? { name: method.class || NAMELESS.class, methods: [], isLibrary: true };
    groups.set(method.class, group);
    group.methods.push(method);
    group.isLibrary &&= method.isLibrary;
  }
  for (const group of groups.values()) {
    let x = PADDING, y = CLASS_HEAD + PADDING, high = 0;
    group.width = Math.min(WIDEST_CLASS, 20 + group.name.length * 7);
    group.boxes = group.methods.map((method) => {
      const width = side(amount(method.calls) + amount(method.blockCalls)), height = side(method.own);
      if (x > PADDING && x + width + PADDING > WIDEST_CLASS) [x, y, high] = [PADDING, y + high + GAP, 0];
      const box = { method, x, y, width, height };
      x += width + GAP;
      high = Math.max(high, height);
      group.width = Math.max(group.width, x + PADDING - GAP);
      return box;
    });
    group.height = y + high + PADDING;
  }
  return [...groups.values()];
}

// How many calls a class is away from the run, over the methods that are shown.
function layersOf(groups, edges) {
  const ofMethod = new Map(groups.flatMap((group) => group.methods.map((method) => [method.number, group])));
  const called = byKey(edges.filter((edge) => edge.caller >= 0), (edge) => ofMethod.get(edge.caller));
  const roots = edges.filter((edge) => edge.caller < 0).map((edge) => ofMethod.get(edge.callee));
  let layer = [...new Set(roots)];
  const seen = new Set();
  const layers = [];
  while (seen.size < groups.length) {
    // Classes whose callers are not shown begin a layer of their own.
    if (layer.length === 0) {
      const rest = groups.filter((group) => !seen.has(group));
      const isCalled = new Set(rest.flatMap((group) => called(group).map((edge) => ofMethod.get(edge.callee)).filter((other) => other !== group)));
      const first = rest.filter((group) => !isCalled.has(group));
      layer = first.length > 0 ? first : rest.slice(0, 1);
    }
    layer.forEach((group) => seen.add(group));
    layers.push(layer);
    const next = layer.flatMap((group) => called(group).map((edge) => ofMethod.get(edge.callee)));
    layer = [...new Set(next)].filter((group) => !seen.has(group));
  }
  return layers;
}

// Gives each class its place; rows are as long as the picture is wide. Answers the height.
function placeClasses(layers, width) {
  let y = CLASS_GAP / 2;
  for (const layer of layers) {
    let x = CLASS_GAP / 2, high = 0;
    for (const group of layer) {
      if (x > CLASS_GAP && x + group.width + CLASS_GAP / 2 > width) [x, y, high] = [CLASS_GAP / 2, y + high + CLASS_GAP, 0];
      [group.x, group.y] = [x, y];
      x += group.width + CLASS_GAP;
      high = Math.max(high, group.height);
    }
    y += high + CLASS_GAP;
  }
  return y;
}

function boxTitle(method) {
  const facts = [
    plural(method.own, "own " + words.count, "own " + words.counts), knowsCalls && plural(method.calls, "call"),
    isTally && plural(method.blockCalls, "block call"), `total ${grouped(method.total)}`,
  ];
  return `${method.name}: ${facts.filter(Boolean).join(", ")}`;
}

const BLUEPRINT = capitalized(words.classes);

const HOW_A_BLUEPRINT_IS_READ = [
  `A box is a ${words.method} in the box of its ${words.class}: higher with more own ${words.counts}`,
  knowsCalls && `, wider with more calls of it${isTally ? " and its blocks, both" : ", both"}`, " by ", knowsCalls ? "their logarithms" : "their logarithm",
  `. A line leads from a ${words.method} to one that it calls; point at a ${words.method} to see its own lines.`,
].filter(Boolean).join("");

function drawBlueprint(list, width, q) {
  const groups = classBoxes(list);
  const shown = new Set(list.map((method) => method.number));
  const between = calls.filter((call) => shown.has(call.callee) && call.caller !== call.callee && (call.caller === RUN || shown.has(call.caller)));
  const widest = Math.max(width, ...groups.map((group) => group.width + CLASS_GAP));
  const height = placeClasses(layersOf(groups, between), widest);
  const places = new Map();
  const svg = s("svg", { width: widest, height, viewBox: `0 0 ${widest} ${height}`, role: "group", "aria-label": `${BLUEPRINT} and the calls between their ${words.method}s` });
  const lines = s("g");
  const wanted = q.toLowerCase();
  for (const group of groups) {
    const corner = s("g", { transform: `translate(${group.x} ${group.y})`, class: group.isLibrary ? "library" : "program" });
    const room = Math.max(3, Math.floor((group.width - 14) / 6.6));
    corner.append(s("rect", { class: "class", width: group.width, height: group.height, rx: 5 }), s("title", null, group.name),
      s("text", { x: PADDING, y: 15 }, group.name.length > room ? group.name.slice(0, room - 1) + "…" : group.name));
    for (const { method, x, y, width: wide, height: high } of group.boxes) {
      const fits = !q || method.lower.includes(wanted);
      const box = s("a", { href: address("method", method.number), "data-method": method.number, class: fits ? "" : "pale" },
        s("rect", { class: "method", x, y, width: wide, height: high, rx: 1 }), s("title", null, boxTitle(method)));
      corner.append(box);
      places.set(method.number, { box, x: group.x + x + wide / 2, top: group.y + y, bottom: group.y + y + high });
    }
    svg.append(corner);
  }
  const all = between.filter((call) => call.caller !== RUN);
  const drawn = all.slice(0, MOST_EDGES);
  const look = (place) => (place < SEEN_EDGES ? "edge" : "edge unseen-yet");
  const ends = drawn.map((call, place) => {
    const [from, to] = [places.get(call.caller), places.get(call.callee)];
    const bend = Math.max(14, Math.abs(to.top - from.bottom) / 2);
    const line = s("path", { class: look(place), d: `M${from.x} ${from.bottom}C${from.x} ${from.bottom + bend} ${to.x} ${to.top - bend} ${to.x} ${to.top}` });
    lines.append(line);
    return { call, line, from, to };
  });
  svg.append(lines);
  // The calls of the method that is pointed at stand out.
  const mark = (event) => {
    const number = Number(event.target.closest?.("a")?.dataset.method ?? NaN);
    for (const { call, line, from, to } of ends) {
      if (call.caller === number) line.setAttribute("class", "edge out");
      else if (call.callee === number) line.setAttribute("class", "edge in");
      if (call.caller === number) to.box.classList.add("near");
      else if (call.callee === number) from.box.classList.add("near");
    }
  };
  const clear = () => {
    ends.forEach(({ line }, place) => line.setAttribute("class", look(place)));
    svg.querySelectorAll(".near").forEach((box) => box.classList.remove("near"));
  };
  const point = (event) => { clear(); mark(event); };
  svg.addEventListener("pointerover", point);
  svg.addEventListener("focusin", point);
  svg.addEventListener("pointerleave", clear);
  return { svg, lines: Math.min(all.length, SEEN_EDGES), all: all.length };
}

function blueprintView(_, options) {
  let current = {}, width = 0;
  const scope = choice("Whose", [["all", "All"], ["program", "Program"], ["library", "Library"]], "", (value) => change({ scope: value === "all" ? undefined : value }));
  const field = searchField(`Find ${words.method}s`, options.q ?? "", (q) => change({ q: q || undefined }));
  const said = h("p", { class: "under", role: "status" });
  const place = h("div", { class: "blueprint", tabindex: "0", role: "region", "aria-label": "Blueprint" });
  const kinds = h("div", { class: "legend" }, h("div", null, kindsLegend()));
  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, BLUEPRINT)), said,
    h("div", { class: "tools" }, isTally && scope, field), place, kinds,
    h("p", { class: "explained" }, HOW_A_BLUEPRINT_IS_READ));

  const change = (changes) => go(address("classes", undefined, { ...current, ...changes }), true);

  function draw() {
    width = place.clientWidth;
    const wanted = methods.filter((method) => !current.scope || method.isLibrary === (current.scope === "library"));
    const list = [...wanted].sort((a, b) => amount(b.own) - amount(a.own) || amount(b.total) - amount(a.total)).slice(0, MOST_BOXES);
    if (list.length === 0) return place.replaceChildren(h("p", { class: "empty" }, `No ${words.method}.`));
    const { svg, lines, all } = drawBlueprint(list, Math.max(240, width), current.q ?? "");
    const parts = [list.length < wanted.length ? `${grouped(list.length)} of ${plural(wanted.length, words.method)}, those with the most own ${words.counts}` : plural(list.length, words.method)];
    if (calls.length === 0) parts.push("this profile does not say who calls whom");
    else if (lines < all) parts.push(`the ${grouped(lines)} most expensive of ${plural(all, "line")}, the others where you point`);
    said.textContent = parts.join("; ");
    return place.replaceChildren(svg);
  }

  function update(_, given) {
    current = { ...given };
    press(scope, current.scope ?? "all");
    if (document.activeElement !== field) field.value = current.q ?? "";
    draw();
  }

  const observer = new ResizeObserver(() => { if (place.clientWidth !== width) draw(); });
  const mounted = () => {
    update(undefined, options);
    observer.observe(place);
  };
  return { element, update, mounted, leave: () => observer.disconnect(), title: BLUEPRINT };
}
