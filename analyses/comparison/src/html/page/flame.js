// The flame graph of both sides: zoom, the pointer and the keyboard, and the zoomed context in words.

function flameCard(openMethod) {
  const canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "flame graph", "aria-describedby": "flame-keys" });
  const room = h("div", null, canvas);
  const well = h("div", { class: "well" }, room);
  const tip = h("div", { class: "tip", hidden: true });
  const path = h("ol", { class: "crumbs", "aria-label": "Path to the zoomed context" });
  const words = h("div");
  const found = h("p", { class: "found", role: "status" });
  const paint = makePainter(canvas);
  const view = { zoom: 0, by: "both", rows: [], width: 0, height: 0, selected: undefined, hovered: undefined, isFound: undefined };
  const widths = choice("Width", [["both", "Both"], ["before", "Before"], ["after", "After"]], view.by, (by) => change({ by }));
  const field = searchField("Find methods", "", find);
  const reset = h("button", { type: "button", class: "button", onclick: () => change({ zoom: 0 }) }, "Zoom out");
  let isDrawing = false;

  function draw() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      paint({ ...view, top: well.scrollTop });
    });
  }

  function arrange() {
    for (let turn = 0; turn < 2; turn++) {
      view.width = Math.max(1, well.clientWidth);
      view.rows = layout(view.zoom, view.by, view.width);
      const whole = view.rows.length * ROW;
      room.style.height = whole + "px";
      view.height = Math.min(whole, Math.max(300, Math.round(window.innerHeight * 0.62)));
      well.style.height = view.height + "px";
      // A scroll bar takes its width from the frames.
      if (well.clientWidth === view.width) break;
    }
    const above = Math.max(0, tree.depth[view.zoom] - 2) * ROW;
    well.scrollTop = room.offsetHeight - view.height - above;
    draw();
  }

  function change(changes) {
    Object.assign(view, changes, { selected: undefined, hovered: undefined });
    tip.hidden = true;
    press(widths, view.by);
    reset.disabled = view.zoom === 0;
    path.replaceChildren(...crumbs());
    words.replaceChildren(contextInWords());
    canvas.setAttribute("aria-label", `Flame graph of ${contextName(view.zoom)}, width: ${view.by}`);
    arrange();
  }

  function zoomTo(node) {
    if (node !== view.zoom && tree.name[node] !== SMALLER) change({ zoom: node });
  }

  function find(text) {
    const wanted = text.toLowerCase();
    const fits = data.names.map(({ name, oldName }) => [name, oldName ?? ""].some((one) => one.toLowerCase().includes(wanted)));
    view.isFound = text ? (node) => fits[tree.name[node]] ?? false : undefined;
    let count = 0;
    for (let node = 0; view.isFound && node < tree.length; node++) count += view.isFound(node) ? 1 : 0;
    found.textContent = !text ? "" : count === 0 ? "Nothing found" : `${plural(count, "context")} found`;
    draw();
  }

  function crumbs() {
    const nodes = pathTo(view.zoom);
    const shown = nodes.length <= 7 ? nodes : [...nodes.slice(0, 2), undefined, ...nodes.slice(-4)];
    return shown.map((node) => {
      if (node === undefined) return h("li", null, h("span", { class: "soft" }, `… ${grouped(nodes.length - 6)} …`));
      const name = contextName(node);
      if (node === view.zoom) return h("li", null, h("span", { class: "mono", "aria-current": "true", title: name }, name));
      return h("li", null, h("button", { type: "button", class: "name", title: name, onclick: () => zoomTo(node) }, name));
    });
  }

  function contextInWords() {
    const name = (node) => h("span", { class: "label" }, dot(nameOf(node) ? (nameOf(node).isLibrary ? "library" : "program") : "rest"),
      tree.name[node] === SMALLER ? h("span", { class: "name" }, contextName(node))
        : h("button", { type: "button", class: "name", title: contextName(node), onclick: () => zoomTo(node) }, contextName(node)),
      fateBadge(nameOf(node)?.fate));
    const columns = [
      { key: "name", title: "context", wide: true, value: contextName, cell: name },
      changes("total", "total", (node) => sides(tree.total, node)),
      changes("own", "own sends", (node) => sides(tree.own, node)),
      changes("calls", "calls", (node) => sides(tree.calls, node)),
    ];
    const children = childrenOf(view.zoom);
    const method = nameOf(view.zoom)?.name;
    return h("section", { class: "card" },
      h("h2", null, "In this context: ", h("span", { class: "name" }, contextName(view.zoom))),
      hint(contextSentence(view.zoom)),
      method && h("p", { class: "more" }, h("button", { type: "button", class: "button", onclick: () => openMethod(method) }, "Find the method in the tables")),
      children.length === 0 ? h("p", { class: "empty" }, "It calls nothing that is counted apart.")
        : table({ label: "Callees in this context", columns, rows: children, order: { key: "total", isUp: false }, page: 12 }).element);
  }

  function frameUnder(event) {
    const box = canvas.getBoundingClientRect();
    const place = Math.floor((event.clientY - box.top + well.scrollTop) / ROW);
    return frameAt(view.rows[view.rows.length - 1 - place], event.clientX - box.left)?.node;
  }

  function showTip(node, x, y) {
    tip.hidden = node === undefined;
    if (tip.hidden) return;
    tip.replaceChildren(...contextFacts(node));
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = Math.max(8, Math.min(x + 14, window.innerWidth - width - 12)) + "px";
    tip.style.top = (y + 18 + height > window.innerHeight ? Math.max(8, y - height - 12) : y + 18) + "px";
  }

  function select(node) {
    view.selected = node;
    const top = (view.rows.length - 1 - tree.depth[node]) * ROW;
    if (top < well.scrollTop) well.scrollTop = top;
    if (top + ROW > well.scrollTop + view.height) well.scrollTop = top + ROW - view.height;
    draw();
    const frame = view.rows[tree.depth[node]].find((candidate) => candidate.node === node);
    const box = canvas.getBoundingClientRect();
    showTip(node, box.left + Math.max(0, frame?.left ?? 0), box.top + top - well.scrollTop + ROW);
    announce(`${contextName(node)}: ${contextSentence(node)}`);
  }

  function move(key) {
    const node = view.selected;
    if (node === undefined) return select(view.zoom);
    const row = tree.depth[node];
    if (key === "ArrowDown") return tree.parent[node] >= 0 && select(tree.parent[node]);
    if (key === "ArrowUp") {
      const child = view.rows[row + 1]?.find((frame) => frame.node > node && frame.node < tree.end[node]);
      return child && select(child.node);
    }
    const place = view.rows[row].findIndex((frame) => frame.node === node);
    const next = view.rows[row][place + (key === "ArrowLeft" ? -1 : 1)];
    return next && select(next.node);
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
    showTip(node, event.clientX, event.clientY);
  });
  canvas.addEventListener("pointerleave", () => {
    view.hovered = undefined;
    clearSelection();
  });
  canvas.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.startsWith("Arrow")) move(key);
    else if (key === "Enter" || key === " ") zoomTo(view.selected ?? view.zoom);
    else if (key === "Escape" && view.selected !== undefined) clearSelection();
    else if (key === "Escape" || key === "Backspace") zoomTo(Math.max(0, tree.parent[view.zoom]));
    else if (key === "Home" || key === "0") zoomTo(0);
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("blur", clearSelection);
  well.addEventListener("scroll", draw);
  document.addEventListener("themechange", draw);
  new ResizeObserver(() => {
    if (well.clientWidth !== view.width) arrange();
  }).observe(well);

  const element = h("section", { id: "flame" },
    h("section", { class: "card" }, h("h2", null, "Where it happens"),
      hint("As wide as a frame is, so much is sent in it and what it calls, now or before: what is gone keeps its place. Click to zoom."),
      h("div", { class: "tools" }, widths, field, found, reset),
      h("div", null, path, well, legend())),
    words, tip);
  return { element, mounted: () => change({}) };
}

const sides = (columns, node) => [columns[0][node], columns[1][node]];

function legend() {
  const key = (kind, text) => h("span", null, h("i", { class: "swatch " + kind }), text);
  const press = (name, does) => h("span", null, h("kbd", null, name), does);
  return h("div", { class: "legend" },
    h("div", null, key("more", "sends more"), key("fewer", "sends fewer"), key("own", "strong: itself, at the right end"), key("gone", "− gone"),
      key("hatched", "as much as before, by changes that cancel out")),
    h("div", { class: "keys", id: "flame-keys" }, press("←↑↓→", " select "), press("Enter", " zoom "), press("Esc", " back")));
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
