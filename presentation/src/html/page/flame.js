// A flame graph of any tree: which frames are seen and where they stand, drawing, zoom, the pointer and the keyboard, and the zoomed
// context in words. What it is of is a model:
//
//   tree                     columns of a tree in preorder: length, depth, parent, end
//   sums(by)                 what frames are as wide as
//   palette()                colours: `ink` for labels, `mark` for what is selected
//   fill(context, frame, view)  draws a frame without its label
//   name(node), label(node)  what a node is called, and what is written on its frame
//   kind(node)               the class of its dot
//   isRest(node)             whether it stands for several that are not in the file
//   isShown(node, by)        whether it is listed in words; if absent, all are
//   title(view)              what the picture shows
//   facts(node, by), sentence(node, by), about(zoom, by)  what is said of a node, and of the zoomed one
//   columns(zoom, by)        numbers of the zoomed context's children, the first of which sorts them
//   link(node, look), zoomTo(node)  a way to zoom
//   more(zoom), badge(node), onKey(key, node)  if there is more

const ROW = 21;

function pathTo(tree, node) {
  const path = [];
  for (let above = node; above >= 0; above = tree.parent[above]) path.push(above);
  return path.reverse();
}

function childrenOf(tree, node) {
  const children = [];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) children.push(child);
  return children;
}

// The frames of a picture of this width whose full width is `zoom`: rows of { node, left, width }, the root's first.
// Contexts above the zoomed one are as wide as the picture. Of frames narrower than a point those are drawn that cover the
// middle of one: a row of many has no holes, and no more frames than points.
function flameLayout(tree, sums, zoom, width) {
  const whole = sums[zoom];
  const rows = pathTo(tree, zoom).map((node) => [{ node, left: 0, width }]);
  if (whole <= 0) return rows;
  const next = [];
  next[tree.depth[zoom] + 1] = 0;
  let node = zoom + 1;
  while (node < tree.end[zoom]) {
    const row = tree.depth[node];
    const left = next[row], wide = sums[node] / whole * width;
    next[row] = left + wide;
    const point = Math.round(left), isNarrow = wide < 1;
    if (isNarrow && point === Math.round(left + wide)) {
      node = tree.end[node];
      continue;
    }
    next[row + 1] = left;
    (rows[row] ??= []).push({ node, left: isNarrow ? point : left, width: isNarrow ? 1 : wide });
    node += 1;
  }
  return rows;
}

// The frame of a row at a place, or undefined.
function frameAt(row, x) {
  let low = 0, high = (row?.length ?? 0) - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { left, width } = row[middle];
    if (x < left) high = middle - 1;
    else if (x >= left + width) low = middle + 1;
    else return row[middle];
  }
  return undefined;
}

function flamePainter(canvas, model) {
  const context = canvas.getContext("2d");
  const widths = new Map();

  function widthOf(text) {
    if (!widths.has(text)) widths.set(text, context.measureText(text).width);
    return widths.get(text);
  }

  function shortened(text, room) {
    const whole = widthOf(text);
    if (whole <= room) return text;
    let length = Math.floor(text.length * room / whole);
    while (length > 1 && context.measureText(text.slice(0, length) + "…").width > room) length -= 1;
    return length > 1 ? text.slice(0, length) + "…" : "";
  }

  function drawFrame({ node, left, width }, top, view) {
    const { zoom, isFound, selected, hovered } = view;
    const { tree } = model, { ink, mark } = model.palette();
    const isAbove = node !== zoom && zoom < tree.end[node] && zoom > node;
    const isPale = isFound && !isFound(node);
    context.globalAlpha = isAbove ? 0.45 : isPale ? 0.4 : 1;
    model.fill(context, { node, left, top, width: width > 3 ? width - 1 : width, height: ROW - 1 }, view);
    if (node === hovered || node === selected) {
      context.globalAlpha = 1;
      context.strokeStyle = mark;
      context.lineWidth = node === selected ? 2 : 1;
      context.strokeRect(left + 1, top + 1, Math.max(1, width - 3), ROW - 3);
    }
    if (width < 30) return;
    context.globalAlpha = isAbove ? 0.75 : isPale ? 0.65 : 1;
    context.fillStyle = ink;
    context.fillText(shortened(model.label(node), width - 11), left + 5, top + ROW / 2);
  }

  // Draws the rows from `top` on, as far as they are seen.
  return function paint(view, top) {
    const { rows, width, height, isIcicle } = view;
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
    context.textBaseline = "middle";
    const first = Math.floor(top / ROW), last = Math.ceil((top + height) / ROW);
    for (let place = Math.max(0, first); place < Math.min(last, rows.length); place++) {
      const row = rows[isIcicle ? place : rows.length - 1 - place];
      for (const frame of row) drawFrame(frame, place * ROW - top, view);
    }
    context.globalAlpha = 1;
  };
}

// Answers the parts of the graph, `height` points high at most, for the caller to put together, and `show`, which changes the view.
function flameGraph(model, by, height = () => Math.max(300, Math.round(window.innerHeight * 0.62))) {
  const { tree } = model;
  const canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-describedby": "flame-keys" });
  const room = h("div", null, canvas);
  const well = h("div", { class: "well" }, room);
  const tip = h("div", { class: "tip", hidden: true });
  const path = h("ol", { class: "crumbs", "aria-label": "Path to the zoomed context" });
  const words = h("div");
  const reset = h("button", { type: "button", class: "button", onclick: () => model.zoomTo(0) }, "Zoom out");
  const paint = flamePainter(canvas, model);
  const view = { zoom: 0, by, isIcicle: false, rows: [], width: 0, height: 0, isFound: undefined, selected: undefined, hovered: undefined };
  let isDrawing = false;

  function draw() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      paint(view, well.scrollTop);
    });
  }

  function arrange(goesToRoot) {
    // Where a flame graph grows at its top, what is seen stays.
    const fromBottom = well.scrollHeight - well.scrollTop - well.clientHeight;
    for (let turn = 0; turn < 2; turn++) {
      view.width = Math.max(1, well.clientWidth);
      view.rows = flameLayout(tree, model.sums(view.by), view.zoom, view.width);
      const whole = view.rows.length * ROW;
      room.style.height = whole + "px";
      view.height = Math.min(whole, height());
      well.style.height = view.height + "px";
      // A scroll bar takes its width from the frames.
      if (well.clientWidth === view.width || well.clientWidth === 0) break;
    }
    if (goesToRoot) {
      const above = Math.max(0, tree.depth[view.zoom] - 2) * ROW;
      well.scrollTop = view.isIcicle ? above : room.offsetHeight - view.height - above;
    } else if (!view.isIcicle) {
      well.scrollTop = well.scrollHeight - well.clientHeight - fromBottom;
    }
    draw();
  }

  function show(changes) {
    Object.assign(view, changes, { selected: undefined, hovered: undefined });
    tip.hidden = true;
    reset.disabled = view.zoom === 0;
    path.replaceChildren(...crumbs());
    words.replaceChildren(inWords());
    canvas.setAttribute("aria-label", model.title(view));
    arrange(true);
  }

  function find(isFound) {
    view.isFound = isFound;
    draw();
  }

  function zoomTo(node) {
    if (node !== view.zoom && !model.isRest(node)) model.zoomTo(node);
  }

  // The way down to the zoomed context; of a long one the beginning and the end.
  function crumbs() {
    const nodes = pathTo(tree, view.zoom);
    const shown = nodes.length <= 7 ? nodes : [...nodes.slice(0, 2), undefined, ...nodes.slice(-4)];
    return shown.map((node) => {
      if (node === undefined) return h("li", null, h("span", { class: "soft" }, `… ${grouped(nodes.length - 6)} …`));
      const name = model.name(node);
      return h("li", null, node === view.zoom ? h("span", { class: "mono", "aria-current": "true", title: name }, name) : model.link(node, "mono"));
    });
  }

  // The zoomed context and what it calls, as text and table.
  function inWords() {
    const { zoom, by } = view;
    const cell = (node) => h("span", { class: "label" }, dot(model.kind(node)),
      model.isRest(node) ? h("span", { class: "name" }, model.name(node)) : model.link(node, "name"), model.badge?.(node));
    const numbers = model.columns(zoom, by);
    const columns = [{ key: "name", title: "context", wide: true, value: model.name, cell }, ...numbers];
    const rows = childrenOf(tree, zoom).filter((node) => model.isShown?.(node, by) ?? true);
    return h("section", { class: "card" },
      h("h2", null, "In this context: ", h("span", { class: "name" }, model.name(zoom))),
      hint(model.about(zoom, by)), model.more?.(zoom),
      rows.length === 0 ? h("p", { class: "empty" }, "It calls nothing that is counted apart.")
        : table({ label: "Callees in this context", columns, rows, order: { key: numbers[0].key, isUp: false }, page: 12 }).element);
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
    tip.replaceChildren(...model.facts(node, view.by));
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
    showTip(node, box.left + Math.max(0, frame?.left ?? 0), box.top + top - well.scrollTop + ROW);
    announce(`${model.name(node)}: ${model.sentence(node, view.by)}`);
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
    const node = view.selected ?? view.zoom;
    if (key.startsWith("Arrow")) move(key);
    else if (key === "Enter" || key === " ") zoomTo(node);
    else if (key === "Escape" && view.selected !== undefined) clearSelection();
    else if (key === "Escape" || key === "Backspace") zoomTo(Math.max(0, tree.parent[view.zoom]));
    else if (key === "Home" || key === "0") zoomTo(0);
    else if (!model.onKey?.(key, node)) return;
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
    canvas.style.cursor = node === undefined || model.isRest(node) ? "default" : "pointer";
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

  function leave() {
    observer.disconnect();
    document.removeEventListener("themechange", draw);
  }

  return { well, tip, path, words, reset, show, find, leave };
}

// What stands below a flame graph: its kinds of frames and its keys.
function flameLegend(kinds, more = []) {
  const keys = [["←↑↓→", " select"], ["Enter", " zoom"], ["Esc", " back"], ...more];
  return h("div", { class: "legend" }, h("div", null, kinds),
    h("div", { class: "keys", id: "flame-keys" }, h("span", null, keys.map(([key, does]) => h("span", null, h("kbd", null, key), does)))));
}
