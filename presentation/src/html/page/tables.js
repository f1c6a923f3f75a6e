// Paragraphs and tables, as the data has them.

const data = JSON.parse(document.getElementById("profile").textContent);

// Rows without a search field.
const FEW = 20;

function column({ title, kind }, index) {
  const key = "c" + index;
  const value = (row) => row[index];
  if (kind === "text") return { key, title, wide: true, value, cell: value };
  if (kind === "count") return numbers(key, title, value);
  const cell = (row) => (amount(row[index]) > 0 ? "+" : "") + grouped(row[index]);
  return { key, title, value, cell };
}

function section({ title, columns, rows, leftOut, isSorted }) {
  const first = columns.findIndex((column) => column.kind !== "text");
  const shown = table({
    label: title, columns: columns.map(column), rows, fixed: !isSorted,
    order: { key: "c" + Math.max(0, first), isUp: false },
  });
  const find = (text) => shown.update({ rows: rows.filter((row) => row[0].toLowerCase().includes(text.toLowerCase())) });
  return card(title, rows.length > FEW && isSorted && searchField("Search " + title, "", find), shown.element,
    leftOut > 0 && hint(`${grouped(leftOut)} more rows are left out to keep this file small.`));
}

startTheme();
document.getElementById("main").append(
  h("div", { class: "title" }, h("h1", { tabindex: "-1" }, data.title)),
  ...data.paragraphs.map((text) => h("p", { class: "under" }, text)),
  ...data.tables.map(section));
