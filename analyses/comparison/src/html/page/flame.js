// The flame graph of both sides: its model, and the card with its tools. Red is more, blue is fewer: pale for what a context causes
// in all, strong at its right end for its own sends. What is gone has a dashed edge and "−" before its name, what is new "+"; hatched is
// what sends as much as before, by parts that changed against each other.

const PALETTES = {
  light: { more: [6, 74, 58], fewer: [212, 66, 55], plain: "#e4dfd6", ink: "#1f1c18", edge: "#7d766b", mark: "#1f1c18", hatch: "#b0a799", pale: [92, 70] },
  dark: { more: [8, 62, 46], fewer: [212, 56, 45], plain: "#383b41", ink: "#f3f0ea", edge: "#a9a399", mark: "#fff", hatch: "#62666f", pale: [25, 36] },
};

const sides = (columns, node) => [columns[0][node], columns[1][node]];

// How much of a whole differs, from 0 to 1, so that little is seen too.
function strength(difference, whole) {
  return difference === 0 || whole <= 0 ? 0 : 0.25 + 0.75 * Math.sqrt(Math.min(1, Math.abs(difference) / whole));
}

function paleColour(palette, node) {
  const difference = tree.total[1][node] - tree.total[0][node];
  if (difference === 0) return palette.plain;
  const [hue, saturation] = difference > 0 ? palette.more : palette.fewer;
  const part = strength(difference, tree.either[node]);
  const [from, to] = palette.pale;
  return `hsl(${hue} ${saturation * (0.35 + 0.65 * part)}% ${from + (to - from) * part}%)`;
}

function selfColour(palette, node) {
  const difference = tree.own[1][node] - tree.own[0][node];
  if (difference === 0) return undefined;
  const [hue, saturation, lightness] = difference > 0 ? palette.more : palette.fewer;
  return `hsl(${hue} ${saturation}% ${lightness}%)`;
}

// How much of a frame, at its right end, are the context's own sends. Frames above the zoomed one are not to scale.
function selfWidth(node, { zoom, by, width }) {
  const whole = WIDTHS[by][zoom];
  if (node < zoom || whole <= 0) return 0;
  const [before, after] = sides(tree.own, node);
  const own = by === "both" ? Math.max(before, after) : by === "before" ? before : after;
  return own / whole * width;
}

function hatch(context, { left, top, width, height }, colour) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - ROW; x < left + width; x += 7) {
    context.moveTo(x, top + ROW);
    context.lineTo(x + ROW, top);
  }
  context.stroke();
  context.restore();
}

function fillOfBoth(context, frame, view) {
  const { node, left, top, width, height } = frame;
  const palette = PALETTES[theme()];
  context.fillStyle = paleColour(palette, node);
  context.fillRect(left, top, width, height);
  if (tree.total[0][node] === tree.total[1][node] && tree.changed[node] > 0) hatch(context, frame, palette.hatch);
  const own = selfColour(palette, node);
  if (own) {
    const part = Math.min(width, Math.max(selfWidth(node, view), Math.min(3, width)));
    context.fillStyle = own;
    context.fillRect(left + width - part, top, part, height);
  }
  if (sideOf(node) === "gone" && width > 3) {
    context.setLineDash([3, 2]);
    context.strokeStyle = palette.edge;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    context.setLineDash([]);
  }
}

function changeText(pair) {
  const difference = minus(pair);
  return difference === 0n ? grouped(pair[1]) : `${grouped(pair[0])} → ${grouped(pair[1])} (${[signed(difference), percent(pair)].filter(Boolean).join(", ")})`;
}

function contextSentence(node) {
  return `total ${changeText(sides(tree.total, node))}; own ${changeText(sides(tree.own, node))}; calls ${changeText(sides(tree.calls, node))}.`;
}

function contextFacts(node) {
  const method = nameOf(node);
  const fates = [method?.fate, { new: "not called here before", gone: "not called here any more" }[sideOf(node)]].filter(Boolean);
  return [
    h("b", null, contextName(node)),
    method?.oldName && h("span", { class: "dim" }, "was " + method.oldName),
    fates.length > 0 && h("span", { class: "dim" }, fates.join(" · ")),
    h("span", null, "total " + changeText(sides(tree.total, node))),
    h("span", null, "own " + changeText(sides(tree.own, node))),
    h("span", null, "calls " + changeText(sides(tree.calls, node))),
  ].filter(Boolean);
}

function findContexts(text) {
  const wanted = text.toLowerCase();
  const fits = data.names.map(({ name, oldName }) => [name, oldName ?? ""].some((one) => one.toLowerCase().includes(wanted)));
  return text ? (node) => fits[tree.name[node]] ?? false : undefined;
}

// What the flame graph is of. `zoomTo` zooms, `openMethod` shows a method elsewhere.
function differenceModel(zoomTo, openMethod) {
  return {
    tree,
    sums: (by) => WIDTHS[by],
    palette: () => PALETTES[theme()],
    fill: fillOfBoth,
    name: contextName,
    label: (node) => ({ gone: "− ", new: "+ " }[sideOf(node)] ?? "") + contextName(node),
    kind: (node) => (nameOf(node) ? (nameOf(node).isLibrary ? "library" : "program") : "rest"),
    isRest: (node) => tree.name[node] === SMALLER,
    title: ({ zoom, by }) => `Flame graph of ${contextName(zoom)}, width: ${by}`,
    facts: contextFacts,
    sentence: contextSentence,
    about: contextSentence,
    columns: () => [
      changes("total", "total", (node) => sides(tree.total, node)),
      changes("own", "own sends", (node) => sides(tree.own, node)),
      changes("calls", "calls", (node) => sides(tree.calls, node)),
    ],
    link: (node) => h("button", { type: "button", class: "name", title: contextName(node), onclick: () => zoomTo(node) }, contextName(node)),
    zoomTo,
    more(zoom) {
      const method = nameOf(zoom)?.name;
      return method && h("p", { class: "more" }, h("button", { type: "button", class: "button", onclick: () => openMethod(method) }, "Find the method in the tables"));
    },
    badge: (node) => fateBadge(nameOf(node)?.fate),
  };
}

function flameCard(openMethod) {
  const graph = flameGraph(differenceModel((zoom) => graph.show({ zoom }), openMethod), "both");
  const found = h("p", { class: "found", role: "status" });
  const widths = choice("Width", [["both", "Both"], ["before", "Before"], ["after", "After"]], "both", (by) => {
    press(widths, by);
    graph.show({ by });
  });
  const field = searchField("Find methods", "", (text) => {
    const isFound = findContexts(text);
    let count = 0;
    for (let node = 0; isFound && node < tree.length; node++) count += isFound(node) ? 1 : 0;
    found.textContent = !text ? "" : count === 0 ? "Nothing found" : `${plural(count, "context")} found`;
    graph.find(isFound);
  });
  const key = (kind, text) => h("span", null, h("i", { class: "swatch " + kind }), text);
  const kinds = [key("more", "sends more"), key("fewer", "sends fewer"), key("own", "strong: itself, at the right end"), key("gone", "− gone"),
    key("hatched", "as much as before, by changes that cancel out")];
  const element = h("section", { id: "flame" },
    h("section", { class: "card" }, h("h2", null, "Where it happens"),
      hint("As wide as a frame is, so much is sent in it and what it calls, now or before: what is gone keeps its place. Click to zoom."),
      h("div", { class: "tools" }, widths, field, found, graph.reset),
      h("div", null, graph.path, graph.well, flameLegend(kinds))),
    graph.words, graph.tip);
  return { element, mounted: () => graph.show({}) };
}
