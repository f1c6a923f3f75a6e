// All methods, classes or packages: sorted, filtered, in a table.

const NAMELESS = isTally ? { class: "(statements at top level)", package: "(no package)" } : { class: "(no module)", package: "(unknown)" };

// Classes or packages of methods, with their sums. Totals come with the file, since they are no sums.
function groupRows(by, list) {
  const totals = new Map(data[by === "class" ? "classes" : "packages"].name.map((name, n) => [name, data[by === "class" ? "classes" : "packages"].total[n]]));
  const groups = new Map();
  for (const method of list) {
    let group = groups.get(method[by]);
    if (!group) {
      group = { name: method[by], label: method[by] || NAMELESS[by], total: totals.get(method[by]), methods: 0, own: 0, ownWork: 0, calls: 0, blockCalls: 0, objects: 0, libraryOwn: 0, inLibrary: 0 };
      groups.set(method[by], group);
    }
    group.methods += 1;
    group.inLibrary += method.isLibrary ? 1 : 0;
    for (const count of ["own", "ownWork", "calls", "blockCalls", "objects"]) group[count] += amount(method[count]);
  }
  for (const group of groups.values()) group.kind = group.inLibrary * 2 > group.methods ? "library" : PROGRAM;
  return [...groups.values()];
}

function countColumns(kind, isGroup) {
  const objects = methods.some((method) => amount(method.objects) > 0);
  const hasTotals = !isGroup || hasTree;
  return [
    hasTotals && shares("total", "total", (row) => row.total ?? 0, cost.sends, kind),
    shares("own", "own", (row) => row.own, cost.sends, kind),
    hasWork && shares("work", "work", (row) => row.ownWork, cost.work, kind),
    hasWork && !isGroup && numbers("totalWork", "total work", (row) => row.totalWork),
    knowsCalls && numbers("calls", "calls", (row) => row.calls),
    isTally && numbers("blockCalls", "block calls", (row) => row.blockCalls),
    objects && numbers("objects", "objects", (row) => row.objects),
  ].filter(Boolean);
}

const METHOD_COLUMNS = [
  { key: "name", title: words.method, wide: true, value: (method) => method.name, cell: (method) => methodLabel(method.number) },
  ...countColumns((method) => kindOf(method.number), false),
];

function groupColumns(by, open) {
  const cell = (row) => h("span", { class: "label" }, dot(row.kind),
    h("a", { class: "name", href: open(row), title: row.label }, row.label),
    h("span", { class: "where" }, plural(row.methods, words.method)));
  return [{ key: "name", title: words[by], wide: true, value: (row) => row.label, cell }, ...countColumns((row) => row.kind, true)];
}

const RANKED = [
  ["method", capitalized(words.method) + "s"], ["class", capitalized(words.classes)], hasPackages && ["package", capitalized(words.packages)],
].filter(Boolean);

const HOW_A_RANKING_IS_READ = isTally
  ? "calls: activations of the method; block calls: of the blocks in it; own: sends in the method and its blocks; total: with all that they cause, recursion counted once."
    + (hasWork ? " work: in the method, its blocks and the primitives that they call; total work: with all that they cause." : "")
  : `own: ${words.counts} in the function itself; total: with all that it calls, recursion counted once.`;

function rankingView(_, options) {
  let current = {};
  let shown;
  const frame = h("section", { class: "card" });
  const counted = h("p", { class: "under", role: "status" });
  const chips = h("span");
  const field = searchField("Filter by name", options.q ?? "", (q) => change({ q }));
  const by = choice("Rank", RANKED, "", (value) => change({ by: value }));
  const scope = choice("Whose", [["all", "All"], ["program", "Program"], ["library", "Library"]], "", (value) => change({ scope: value }));
  const element = h("div", null,
    h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Ranking")), counted,
    h("div", { class: "tools" }, by, isTally && scope, field, chips), frame,
    h("p", { class: "explained" }, HOW_A_RANKING_IS_READ));

  function change(changes) {
    const next = { ...current, ...changes };
    if (next.by === "method") next.by = undefined;
    if (next.scope === "all") next.scope = undefined;
    if (next.q === "") next.q = undefined;
    if (changes.by) next.class = next.package = undefined;
    go(address("methods", undefined, next), true);
  }

  const isWanted = (row, label) => !current.q || label.toLowerCase().includes(current.q.toLowerCase());

  function chosenMethods() {
    return methods.filter((method) =>
      (!current.scope || method.isLibrary === (current.scope === "library"))
      && (current.class === undefined || method.class === current.class)
      && (current.package === undefined || method.package === current.package));
  }

  function chip(kind) {
    if (current[kind] === undefined) return null;
    const text = `${words[kind]} ${current[kind] || NAMELESS[kind]}`;
    return h("button", { type: "button", class: "chip", "aria-label": `Remove the filter: ${text}`, onclick: () => change({ [kind]: undefined }) }, text, " ✕");
  }

  function update(_, given) {
    current = { ...given };
    const grouping = ["class", "package"].includes(current.by) ? current.by : "method";
    press(by, grouping);
    press(scope, current.scope ?? "all");
    if (document.activeElement !== field) field.value = current.q ?? "";
    chips.replaceChildren(...[chip("class"), chip("package")].filter(Boolean));
    const chosen = chosenMethods();
    const rows = grouping === "method"
      ? chosen.filter((method) => isWanted(method, method.name))
      : groupRows(grouping, chosen).filter((row) => isWanted(row, row.label));
    const named = { method: [words.method], class: [words.class, words.classes], package: [words.package, words.packages] }[grouping];
    counted.textContent = plural(rows.length, ...named) + (leftOut.methods ? `; ${grouped(leftOut.methods)} of the cheapest ${words.method}s are not in this file` : "");
    showRows(grouping, rows);
  }

  function showRows(grouping, rows) {
    const open = (row) => address("methods", undefined, { [grouping]: row.name, sort: current.sort, scope: current.scope });
    const columns = grouping === "method" ? METHOD_COLUMNS : groupColumns(grouping, open);
    const wanted = current.sort && columns.some((column) => column.key === current.sort);
    const order = { key: wanted ? current.sort : columns[1].key, isUp: current.up === "1" };
    if (rows.length === 0) {
      shown = undefined;
      frame.replaceChildren(h("p", { class: "empty" }, "Nothing has such a name."));
      return;
    }
    if (shown?.grouping === grouping) return shown.update({ rows, order });
    const onOrder = ({ key, isUp }) => change({ sort: key, up: isUp ? "1" : undefined });
    shown = { grouping, ...table({ label: "Ranking", columns, rows, order, onOrder }) };
    frame.replaceChildren(shown.element);
  }

  update(undefined, options);
  return { element, update, title: "Ranking" };
}
