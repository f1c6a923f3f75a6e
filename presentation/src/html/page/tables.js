// Paragraphs and tables, as the data has them.

const data = JSON.parse(document.getElementById("profile").textContent);

// Rows without a search field.
const FEW = 20;

// Names of other languages may be long and have no spaces.
function wrapped(element) {
  element.style.overflowWrap = "anywhere";
  return element;
}

function column({ title, kind }, index, details) {
  const key = "c" + index;
  const value = (row) => row[index];
  if (kind === "name") {
    const below = (row) => details.map((at) => row[at] && h("div", { class: "soft" }, row[at]));
    return { key, title, wide: true, value, cell: (row) => wrapped(h("div", null, row[index], below(row))) };
  }
  if (kind === "count") return numbers(key, title, value);
  if (kind === "text") return { key, title, value, cell: value };
  const cell = (row) => (amount(row[index]) > 0 ? "+" : "") + grouped(row[index]);
  return { key, title, value, cell };
}

function section({ title, columns, rows, leftOut, isSorted }) {
  const places = columns.map((column, index) => [column, index]);
  const details = places.filter(([column]) => column.kind === "detail").map(([, index]) => index);
  const drawn = places.filter(([column]) => column.kind !== "detail").map(([head, index]) => column(head, index, details));
  const shown = table({
    label: title, columns: drawn, rows, fixed: !isSorted,
    order: { key: drawn[Math.min(1, drawn.length - 1)].key, isUp: false },
  });
  const find = (text) => shown.update({ rows: rows.filter((row) => row[0].toLowerCase().includes(text.toLowerCase())) });
  return card(title, rows.length > FEW && isSorted && h("div", { class: "tools" }, searchField("Search " + title, "", find)), shown.element,
    leftOut > 0 && hint(`${grouped(leftOut)} more rows are left out to keep this file small.`));
}

startTheme();
document.getElementById("main").append(
  h("div", { class: "title" }, h("h1", { tabindex: "-1" }, data.title)),
  ...data.paragraphs.map((text) => h("p", { class: "under" }, text)),
  ...data.tables.map(section));
