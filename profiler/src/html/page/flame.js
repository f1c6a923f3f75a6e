// The flame graph and the icicle: zoom, search, the pointer and the keyboard, and the zoomed context in words.

function flameView(_, options) {
  if (!hasTree) {
    return {
      title: "Flame graph",
      element: h("div", null, h("h1", { tabindex: "-1" }, "Flame graph"),
        h("p", { class: "empty" }, "This profile holds no calling-context tree, so there is nothing to draw. The ranking has all methods.")),
    };
  }
  const parts = flameParts(change);
  const { canvas, well, tip } = parts;
  const paint = makePainter(canvas);
  const view = { zoom: 0, by: "sends", isIcicle: false, rows: [], width: 0, height: 0, isFound: undefined, selected: undefined, hovered: undefined };
  let current = {}, isDrawing = false;

  function change(changes, replaces = true) {
    const next = { ...current, ...changes };
    if (!next.q) next.q = undefined;
    if (next.by === "sends") next.by = undefined;
    if (next.shape === "flame") next.shape = undefined;
    if (Number(next.zoom) === 0) next.zoom = undefined;
    go(address("flame", undefined, next), replaces);
  }

  const zoomTo = (node) => {
    if (node !== view.zoom && tree.method[node] !== SMALLER) change({ zoom: node }, false);
  };

  function draw() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      paint({ ...view, top: well.scrollTop });
    });
  }

  function arrange(goesToRoot) {
    // Where a flame graph grows at its top, what is seen stays.
    const fromBottom = well.scrollHeight - well.scrollTop - well.clientHeight;
    view.width = Math.max(1, well.clientWidth);
    view.rows = layout(view.zoom, view.by, view.width);
    const whole = view.rows.length * ROW;
    parts.room.style.height = whole + "px";
    view.height = Math.min(whole, Math.max(300, Math.round(window.innerHeight * 0.62)));
    well.style.height = view.height + "px";
    // A scroll bar takes its width from the frames.
    if (well.clientWidth !== view.width && well.clientWidth > 0) {
      view.width = well.clientWidth;
      view.rows = layout(view.zoom, view.by, view.width);
      parts.room.style.height = view.rows.length * ROW + "px";
    }
    if (goesToRoot) {
      const above = Math.max(0, tree.depth[view.zoom] - 2) * ROW;
      well.scrollTop = view.isIcicle ? above : parts.room.offsetHeight - view.height - above;
    } else if (!view.isIcicle) {
      well.scrollTop = well.scrollHeight - well.clientHeight - fromBottom;
    }
    draw();
  }

  function update(_, given) {
    current = { ...given };
    const wanted = Math.trunc(Number(given.zoom ?? 0));
    view.zoom = wanted > 0 && wanted < tree.length ? wanted : 0;
    view.by = given.by === "objects" && hasObjects ? "objects" : "sends";
    view.isIcicle = given.shape === "icicle";
    view.isFound = findContexts(given.q);
    view.selected = undefined;
    view.hovered = undefined;
    tip.hidden = true;
    press(parts.shapes, view.isIcicle ? "icicle" : "flame");
    press(parts.measures, view.by);
    if (document.activeElement !== parts.field) parts.field.value = given.q ?? "";
    parts.reset.disabled = view.zoom === 0;
    parts.found.textContent = foundText();
    parts.crumbs.replaceChildren(...crumbs(view.zoom, current));
    parts.words.replaceChildren(contextInWords(view.zoom, view.by, current));
    canvas.setAttribute("aria-label", `${view.isIcicle ? "Icicle" : "Flame graph"} of ${contextName(view.zoom)} by ${view.by}`);
    arrange(true);
  }

  function foundText() {
    if (!view.isFound) return "";
    const { count, sum } = matched(view.isFound, view.by);
    const { sums, one } = MEASURES[view.by];
    return count === 0 ? "Nothing found" : `${plural(count, "context")} found: ${share(sum, sums[0])} of all ${one}s (${grouped(sum)})`;
  }

  function frameUnder(event) {
    const box = canvas.getBoundingClientRect();
    const place = Math.floor((event.clientY - box.top + well.scrollTop) / ROW);
    const row = view.isIcicle ? place : view.rows.length - 1 - place;
    return frameAt(view.rows[row], event.clientX - box.left)?.node;
  }

  function showTip(node, x, y) {
    tip.hidden = node === undefined;
    if (tip.hidden) return;
    tip.replaceChildren(...contextFacts(node, view.by));
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = Math.max(8, Math.min(x + 14, window.innerWidth - width - 12)) + "px";
    tip.style.top = (y + 18 + height > window.innerHeight ? Math.max(8, y - height - 12) : y + 18) + "px";
  }

  function select(node) {
    view.selected = node;
    const row = tree.depth[node];
    const top = (view.isIcicle ? row : view.rows.length - 1 - row) * ROW;
    if (top < well.scrollTop) well.scrollTop = top;
    if (top + ROW > well.scrollTop + view.height) well.scrollTop = top + ROW - view.height;
    draw();
    const frame = view.rows[row].find((candidate) => candidate.node === node);
    const box = canvas.getBoundingClientRect();
    showTip(node, box.left + Math.max(0, frame.left), box.top + top - well.scrollTop + ROW);
    announce(contextSentence(node, view.by));
  }

  // Up and down are where they look to be; left and right go along the row.
  function move(key) {
    const node = view.selected ?? view.zoom;
    if (view.selected === undefined) return select(node);
    const row = tree.depth[node];
    const goesDeeper = (key === "ArrowUp") !== view.isIcicle;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const place = view.rows[row].findIndex((frame) => frame.node === node);
      const next = view.rows[row][place + (key === "ArrowLeft" ? -1 : 1)];
      if (next) select(next.node);
    } else if (goesDeeper) {
      const child = view.rows[row + 1]?.find((frame) => frame.node > node && frame.node < tree.end[node]);
      if (child) select(child.node);
    } else if (tree.parent[node] >= 0) {
      select(tree.parent[node]);
    }
  }

  function onKey(event) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const method = tree.method[view.selected ?? view.zoom];
    if (key.startsWith("Arrow")) move(key);
    else if (key === "Enter" || key === " ") zoomTo(view.selected ?? view.zoom);
    else if (key === "Escape" && view.selected !== undefined) clearSelection();
    else if (key === "Escape" || key === "Backspace") zoomTo(Math.max(0, tree.parent[view.zoom]));
    else if (key === "Home" || key === "0") zoomTo(0);
    else if (key === "m" && method >= 0) go(address("method", method));
    else return;
    event.preventDefault();
  }

  function clearSelection() {
    view.selected = undefined;
    tip.hidden = true;
    draw();
  }

  canvas.addEventListener("click", (event) => {
    const node = frameUnder(event);
    if (node !== undefined) zoomTo(node);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const node = frameUnder(event);
    if (node !== view.hovered) draw();
    view.hovered = node;
    canvas.style.cursor = node === undefined || tree.method[node] === SMALLER ? "default" : "pointer";
    showTip(node, event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => {
    view.hovered = undefined;
    tip.hidden = true;
    draw();
  });
  canvas.addEventListener("keydown", onKey);
  canvas.addEventListener("blur", clearSelection);
  well.addEventListener("scroll", draw);
  document.addEventListener("themechange", draw);
  const observer = new ResizeObserver(() => {
    if (well.clientWidth !== view.width) arrange(false);
  });
  observer.observe(well);

  function mounted() {
    update(undefined, options);
  }

  function leave() {
    observer.disconnect();
    document.removeEventListener("themechange", draw);
  }

  return { element: parts.element, update, mounted, leave, title: "Flame graph" };
}

const hasObjects = hasTree && tree.objects[0] > 0;

function flameParts(change) {
  const canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-describedby": "flame-keys" });
  const room = h("div", null, canvas);
  const well = h("div", { class: "well" }, room);
  const tip = h("div", { class: "tip", hidden: true });
  const crumbsList = h("ol", { class: "crumbs", "aria-label": "Path to the zoomed context" });
  const found = h("p", { class: "found", role: "status" });
  const words = h("div");
  const shapes = choice("Shape", [["flame", "Flame"], ["icicle", "Icicle"]], "", (shape) => change({ shape }));
  const measures = choice("Width", [["sends", "Sends"], ["objects", "Objects", !hasObjects]], "", (by) => change({ by }));
  const field = searchField("Find methods", "", (q) => change({ q }));
  const reset = h("button", { type: "button", class: "button", onclick: () => change({ zoom: 0 }, false) }, "Zoom out");
  const keys = h("div", { class: "keys", id: "flame-keys" },
    h("span", null, h("span", null, h("kbd", null, "←↑↓→"), " select"), h("span", null, h("kbd", null, "Enter"), " zoom"),
      h("span", null, h("kbd", null, "Esc"), " back"), h("span", null, h("kbd", null, "M"), " method")));
  const legend = h("div", { class: "legend" },
    h("div", null, ["program", "library"].map((kind) => h("span", null, dot(kind), kind)), h("span", null, dot("rest"), "run, or what was cut off")), keys);
  const element = h("div", null,
    h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Flame graph")),
    h("p", { class: "under" }, "As wide as a frame is, so much is in it and what it calls. Click to zoom."),
    h("div", { class: "tools" }, shapes, measures, field, found, reset),
    h("div", { class: "stage" }, crumbsList, well, legend), words, tip);
  return { canvas, room, well, tip, crumbs: crumbsList, found, words, shapes, measures, field, reset, element };
}

// The way down to the zoomed context; of a long one the beginning and the end.
function crumbs(zoom, options) {
  const path = pathTo(zoom);
  const shown = path.length <= 7 ? path : [...path.slice(0, 2), undefined, ...path.slice(-4)];
  return shown.map((node) => {
    if (node === undefined) return h("li", null, h("span", { class: "soft" }, `… ${grouped(path.length - 6)} …`));
    const name = contextName(node);
    if (node === zoom) return h("li", null, h("span", { class: "mono", "aria-current": "true", title: name }, name));
    return h("li", null, h("a", { class: "mono", href: address("flame", undefined, { ...options, zoom: node || undefined }), title: name }, name));
  });
}

function contextFacts(node, by) {
  const { sums, own, one } = MEASURES[by];
  const parent = tree.parent[node];
  const isReal = tree.method[node] >= 0;
  return [
    h("b", null, contextName(node)),
    h("span", null, `${plural(sums[node], one)} · ${share(sums[node], sums[0])} of the run`, parent > 0 && `, ${share(sums[node], sums[parent])} of its caller`),
    isReal && h("span", null, `${grouped(own[node])} its own · ${plural(tree.calls[node], "call")}`),
    by === "sends" && tree.objects[node] > 0 && h("span", { class: "dim" }, plural(tree.objects[node], "object")),
    isReal && h("span", { class: "dim" }, methods[tree.method[node]].package),
  ].filter(Boolean);
}

function contextSentence(node, by) {
  const { sums, own, one } = MEASURES[by];
  return `${contextName(node)}: ${plural(sums[node], one)}, ${share(sums[node], sums[0])}, ${grouped(own[node])} its own`;
}

// The zoomed context and what it calls, as text and table.
function contextInWords(zoom, by, options) {
  const { sums, own, one } = MEASURES[by];
  const method = tree.method[zoom];
  const children = childrenOf(zoom).sort((a, b) => sums[b] - sums[a]);
  const name = (node) => h("span", { class: "label" }, dot(kindOf(tree.method[node])),
    tree.method[node] === SMALLER ? h("span", { class: "name" }, contextName(node))
      : h("a", { class: "name", href: address("flame", undefined, { ...options, zoom: node }), title: contextName(node) }, contextName(node)));
  const columns = [
    { key: "name", title: "context", wide: true, value: contextName, cell: name },
    shares("total", "total", (node) => sums[node], sums[zoom], (node) => kindOf(tree.method[node])),
    numbers("own", "own", (node) => own[node]),
    numbers("calls", "calls", (node) => tree.calls[node]),
  ];
  return h("section", { class: "card" },
    h("h2", null, "In this context: ", h("span", { class: "name" }, contextName(zoom))),
    hint(`${plural(sums[zoom], one)}, ${share(sums[zoom], sums[0])} of the run; ${grouped(own[zoom])} its own; ${plural(tree.calls[zoom], "call")}.`),
    method >= 0 && h("p", { class: "more" }, h("a", { href: address("method", method) }, "Callers, callees and source of the method")),
    children.length === 0 ? h("p", { class: "empty" }, "It calls nothing that is counted apart.")
      : table({ label: "Callees in this context", columns, rows: children, order: { key: "total", isUp: false }, page: 12 }).element);
}
