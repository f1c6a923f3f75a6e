// A table that can be sorted by the buttons in its head and shows a page of rows at a time.
//
// A column is { key, title, wide, value(row), cell(row) }: wide ones hold names, all others numbers; `order` is
// { key, isUp }.

const PAGE = 100;

function table({ label, columns, rows, order, onOrder, page = PAGE, fixed = false }) {
  const state = { rows, order, shown: page };
  const head = h("tr", { role: "row" });
  const body = h("tbody", { role: "rowgroup" });
  const pager = h("div", { class: "pager" });
  const element = h("div", null,
    h("div", { class: "sheet" }, h("table", { class: fixed ? "table plain" : "table", role: "table", "aria-label": label },
      h("thead", { role: "rowgroup" }, head), body)), pager);

  function sortBy(key) {
    const column = columns.find((candidate) => candidate.key === key);
    const isUp = state.order.key === key ? !state.order.isUp : Boolean(column.wide);
    if (onOrder) onOrder({ key, isUp });
    else update({ order: { key, isUp } });
    head.querySelector(`[data-key="${key}"]`)?.focus();
    announce(`${label}: sorted by ${column.title}, ${isUp ? "ascending" : "descending"}`);
  }

  function drawHead() {
    head.replaceChildren(...columns.map((column) => {
      const isKey = !fixed && state.order.key === column.key;
      const place = column.wide ? "wide" : "right";
      const attributes = {
        class: place, role: "columnheader", scope: "col",
        "aria-sort": isKey ? (state.order.isUp ? "ascending" : "descending") : null,
      };
      if (fixed) return h("th", attributes, column.title);
      const arrow = h("span", { class: "arrow", "aria-hidden": "true" }, isKey ? (state.order.isUp ? "▲" : "▼") : "");
      const content = column.wide ? [column.title, arrow] : [arrow, column.title];
      return h("th", attributes, h("button", { type: "button", "data-key": column.key, onclick: () => sortBy(column.key) }, content));
    }));
  }

  // The count that rows show where there is room for one.
  const shownCount = () => columns.find((column) => column.key === state.order.key && !column.wide)?.key ?? columns[1].key;

  function drawRow(row) {
    return h("tr", { role: "row" }, columns.map((column) => h("td", {
      class: (column.wide ? "wide" : "right") + (column.key === shownCount() ? " key" : ""),
      role: "cell", "data-label": column.title,
    }, column.cell(row))));
  }

  function drawBody() {
    body.replaceChildren(...state.rows.slice(0, state.shown).map(drawRow));
    drawPager();
  }

  function showMore(count) {
    const from = state.shown;
    state.shown += count;
    body.append(...state.rows.slice(from, state.shown).map(drawRow));
    drawPager();
    body.rows[from]?.querySelector("a, button")?.focus({ preventScroll: true });
  }

  function drawPager() {
    const hidden = state.rows.length - state.shown;
    if (hidden <= 0) return pager.replaceChildren();
    const step = Math.min(hidden, 5 * PAGE);
    pager.replaceChildren(
      h("button", { type: "button", class: "button", onclick: () => showMore(step) }, `Show ${grouped(step)} more`),
      h("span", null, `${grouped(state.shown)} of ${grouped(state.rows.length)}`));
  }

  function sort() {
    if (fixed) return;
    const { key, isUp } = state.order;
    const column = columns.find((candidate) => candidate.key === key) ?? columns[0];
    const compare = column.wide
      ? (a, b) => compareTexts(column.value(a), column.value(b))
      : (a, b) => amount(column.value(a)) - amount(column.value(b));
    const direction = isUp ? 1 : -1;
    state.rows = [...state.rows].sort((a, b) => direction * compare(a, b));
  }

  function update(changes) {
    Object.assign(state, changes, { shown: page });
    sort();
    drawHead();
    drawBody();
  }

  update({});
  return { element, update };
}

// A column of numbers; zeros stand back.
function numbers(key, title, value) {
  const cell = (row) => (amount(value(row)) === 0 ? h("span", { class: "zero" }, "0") : grouped(value(row)));
  return { key, title, value, cell };
}

// A column of numbers with their share of a whole.
function shares(key, title, value, whole, kind = () => "program") {
  return { key, title, value, cell: (row) => shared(value(row), whole, kind(row)) };
}
