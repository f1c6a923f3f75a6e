// What was allocated: by class, and for a class by whom.

function allocationsView(_, options) {
  const chosen = options.class;
  const head = (title, ...under) => [h("div", { class: "title" }, h("h1", { tabindex: "-1" }, title)), under];
  if (!hasAllocations) {
    return { title: "Allocations", element: h("div", null, head("Allocations", h("p", { class: "empty" }, "This profile does not say what was allocated where."))) };
  }
  const bytes = h("p", { class: "under" }, `${plural(cost.objects, "object")}, ${plural(cost.bytes, "byte")} by the counting model`);
  const element = chosen === undefined
    ? h("div", null, head("Allocations", bytes), card("By class", classTable()), card("By method", makerTable(allocations)))
    : h("div", null, head(`Allocations of ${chosen}`, h("p", { class: "under" }, h("a", { href: address("allocations") }, "All classes"))),
      card("By method", makerTable(allocations.filter((row) => strings[row.class] === chosen))));
  return { element, title: "Allocations" };
}

// Sums of rows that have a key in common.
function summed(list, key) {
  const sums = new Map();
  for (const row of list) {
    const sum = sums.get(key(row)) ?? { key: key(row), objects: 0, bytes: 0 };
    sum.objects += amount(row.objects);
    sum.bytes += amount(row.bytes);
    sums.set(sum.key, sum);
  }
  return [...sums.values()];
}

function classTable() {
  const columns = [
    {
      key: "class", title: "class", wide: true, value: (row) => strings[row.key],
      cell: (row) => h("span", { class: "label" }, h("a", { class: "name", href: address("allocations", undefined, { class: strings[row.key] }), title: strings[row.key] }, strings[row.key])),
    },
    shares("bytes", "bytes", (row) => row.bytes, cost.bytes, () => "rest"),
    shares("objects", "objects", (row) => row.objects, cost.objects, () => "rest"),
  ];
  return table({ label: "Allocations by class", columns, rows: summed(allocations, (row) => row.class), order: { key: "bytes", isUp: false }, page: 50 }).element;
}

function makerTable(list) {
  const kind = (row) => kindOf(row.key);
  const columns = [
    { key: "method", title: "method", wide: true, value: (row) => methodName(row.key), cell: (row) => methodLabel(row.key) },
    shares("bytes", "bytes", (row) => row.bytes, cost.bytes, kind),
    shares("objects", "objects", (row) => row.objects, cost.objects, kind),
  ];
  return table({ label: "Allocations by method", columns, rows: summed(list, (row) => row.method), order: { key: "bytes", isUp: false }, page: 50 }).element;
}
