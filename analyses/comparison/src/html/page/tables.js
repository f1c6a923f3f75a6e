// Tables of what costs more or less: tests, methods, classes.

// Before, after and the difference of a count, which is what such a column is sorted by.
function changes(key, title, value) {
  const difference = (row) => minus(value(row));
  const cell = (row) => {
    const [before, after] = value(row);
    const delta = difference(row);
    const counts = h("span", { class: "sides" }, grouped(before), " → ", grouped(after));
    return delta === 0n
      ? [h("span", { class: "zero" }, grouped(after)), h("span", { class: "delta even" }, "=")]
      : [counts, h("span", { class: "delta " + direction(delta) }, signed(delta), h("span", { class: "share" }, percent(value(row))))];
  };
  // By size, whichever way it goes.
  return { key, title, value: (row) => Math.abs(Number(difference(row))), cell };
}

function rowLabel(row) {
  const title = row.oldName ? `${row.name}, before: ${row.oldName}` : row.name;
  return h("span", { class: "label" }, dot(row.isLibrary ? "library" : "program"),
    sources.has(row.name) ? h("button", { type: "button", class: "name", title: `${title}: its source`, onclick: () => sources.find(row.name) }, row.name)
      : h("span", { class: "name", title }, row.name), fateBadge(row.fate),
    row.oldName && h("span", { class: "where" }, "was " + row.oldName));
}

const nameColumn = (title) => ({ key: "name", title, wide: true, value: (row) => row.name, cell: rowLabel });

// Where work is known.
const workColumn = (title, rows) => (rows.some((row) => row.work) ? [changes("work", title, (row) => row.work ?? [0, 0])] : []);

const KINDS = {
  methods: {
    title: "Methods", rows: data.methods, order: "own", leftOut: data.leftOut.methods,
    columns: [nameColumn("method"), changes("own", "own sends", (row) => row.own), changes("total", "total", (row) => row.total),
      changes("calls", "calls", (row) => row.calls), changes("objects", "objects", (row) => row.objects), ...workColumn("own work", data.methods)],
    hint: "own: sends in the method and its blocks; total: with all that they cause. Added up over the runs that both sides have.",
  },
  classes: {
    title: "Classes", rows: data.classes, order: "own", leftOut: data.leftOut.classes,
    columns: [nameColumn("class"), changes("own", "own sends", (row) => row.own),
      changes("calls", "calls", (row) => row.calls), changes("objects", "objects", (row) => row.objects)],
    hint: "The counts of a class's methods, added up.",
  },
  runs: {
    title: "Runs", rows: data.runs, order: "total", leftOut: data.leftOut.runs,
    columns: [nameColumn("run"), changes("total", "sends", (row) => row.total), changes("objects", "objects", (row) => row.objects),
      changes("own", "steps", (row) => row.own), ...workColumn("work", data.runs)],
    hint: "The tests that both sides have, or the script.",
  },
};

const isChanged = (row) => ["calls", "own", "total", "objects", "work"].some((key) => row[key] && minus(row[key]) !== 0n);

const SHOWN = {
  changed: isChanged,
  more: (row) => [row.total, row.own, row.work].some((sides) => sides && minus(sides) > 0n),
  fewer: (row) => [row.total, row.own, row.work].some((sides) => sides && minus(sides) < 0n),
  all: () => true,
};

function tablesCard() {
  const state = { kind: data.runs.length > 1 ? "runs" : "methods", shown: "changed", q: "" };
  const place = h("div");
  const counted = h("p", { class: "hint counted", role: "status" });
  const kinds = choice("What", Object.entries(KINDS).map(([key, kind]) => [key, kind.title]), state.kind, (kind) => change({ kind }));
  const shown = choice("Which", [["changed", "Changed"], ["more", "More"], ["fewer", "Fewer"], ["all", "All"]], state.shown, (which) => change({ shown: which }));
  const field = searchField("Filter by name", "", (q) => change({ q }));

  function change(changes) {
    Object.assign(state, changes);
    press(kinds, state.kind);
    press(shown, state.shown);
    const kind = KINDS[state.kind], wanted = state.q.toLowerCase();
    const fits = (row) => row.name.toLowerCase().includes(wanted) || row.oldName?.toLowerCase().includes(wanted);
    const rows = kind.rows.filter((row) => SHOWN[state.shown](row) && fits(row));
    const missing = kind.leftOut > 0 ? ` ${grouped(kind.leftOut)} with the smallest differences are not in this file.` : "";
    counted.textContent = `${grouped(rows.length)} of ${grouped(kind.rows.length)}. ${kind.hint}${missing}`;
    place.replaceChildren(rows.length === 0 ? h("p", { class: "empty" }, "Nothing of that kind.")
      : table({ label: kind.title, columns: kind.columns, rows, order: { key: kind.order, isUp: false }, page: 50 }).element);
  }

  change({});
  const element = h("section", { class: "card", id: "tables" }, h("h2", null, "What costs more or less"), h("div", { class: "tools" }, kinds, shown, field), counted, place);
  return { element, find: (q) => { field.value = q; change({ kind: "methods", shown: "all", q }); } };
}

// The parts of the difference of work.
function workCard() {
  if (data.work.length === 0) return null;
  const part = (row) => BigInt(row[3]);
  const columns = [
    { key: "name", title: "count", wide: true, value: ([name]) => name, cell: ([name]) => h("span", { class: "label" }, h("span", { class: "name" }, name)) },
    { key: "part", title: "work", value: (row) => Math.abs(Number(part(row))), cell: (row) => h("span", { class: "delta " + direction(part(row)) }, signed(part(row))) },
    changes("count", "before and after", ([, before, after]) => [before, after]),
  ];
  return h("section", { class: "card", id: "work" }, h("h2", null, "Work by counts"), hint("The difference of each count, times its weight. The parts add up to the difference of work."),
    table({ label: "Work by counts", columns, rows: data.work, order: { key: "part", isUp: false }, page: 30 }).element);
}

function loneRuns(title, runs) {
  if (runs.length === 0) return null;
  const columns = [
    { key: "name", title: "run", wide: true, value: ([name]) => name, cell: ([name]) => h("span", { class: "label" }, h("span", { class: "name", title: name }, name)) },
    numbers("sends", "sends", ([, sends]) => sends),
  ];
  return h("section", { class: "card" }, h("h2", null, title), hint("These are part of no sum."),
    table({ label: title, columns, rows: runs, order: { key: "sends", isUp: false }, page: 20 }).element);
}
