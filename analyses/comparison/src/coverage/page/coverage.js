// The page of a coverage: shares of the whole, of files and of classes, and the sources of files.

const data = JSON.parse(document.getElementById("profile").textContent);
const PARTS = ["methods", "blocks", "lines", "send sites"];
const LOOKS = { ran: ["", "ran"], "in-part": ["◐", "ran in part"], "never-ran": ["✗", "never ran"] };

const part = ([covered, all]) => (all === 0 ? 2 : covered / all);

function shareCell([covered, all]) {
  if (all === 0) return h("span", { class: "zero" }, "–");
  return [`${grouped(covered)}/${grouped(all)}`, h("span", { class: "share" }, share(covered, all)), bar(covered, all, "covered")];
}

function tiles() {
  return h("dl", { class: "tiles" }, PARTS.map((name, n) => {
    const [covered, all] = data.all.shares[n];
    return h("div", null, h("dt", null, all === 0 ? name : `${name} · ${grouped(covered)} of ${grouped(all)}`), h("dd", null, all === 0 ? "none" : share(covered, all)));
  }));
}

// Sorted as shown: by the share, least first; rows without anything to cover come last.
const shareColumns = PARTS.map((title, n) => ({ key: title, title, value: (row) => part(row.shares[n]), cell: (row) => shareCell(row.shares[n]) }));

function tableCard() {
  const files = data.files, classes = files.flatMap((file) => file.classes.map((row) => ({ ...row, file })));
  const state = { by: "files", q: "" };
  const place = h("div"), counted = h("p", { class: "hint", role: "status" });
  const kinds = choice("Rows", [["files", "Files"], ["classes", "Classes"]], state.by, (by) => change({ by }));
  const field = searchField("Filter by name", "", (q) => change({ q }));
  const name = (row) => h("span", { class: "label" }, h("button", { type: "button", class: "name", title: row.name, onclick: () => open(row.file ?? row) }, row.name),
    row.file && h("span", { class: "where" }, row.file.name));

  function change(changes) {
    Object.assign(state, changes);
    press(kinds, state.by);
    const rows = (state.by === "files" ? files : classes).filter((row) => row.name.toLowerCase().includes(state.q.toLowerCase()));
    const missing = data.leftOut.files > 0 ? ` ${plural(data.leftOut.files, "file")} are not in this page.` : "";
    counted.textContent = `${state.by === "files" ? plural(rows.length, "file") : plural(rows.length, "class", "classes")}, the least covered lines first. A click leads to the source.${missing}`;
    place.replaceChildren(rows.length === 0 ? h("p", { class: "empty" }, "Nothing has such a name.")
      : table({ label: "Coverage", columns: [{ key: "name", title: "name", wide: true, value: (row) => row.name, cell: name }, ...shareColumns], rows, order: { key: "lines", isUp: true }, page: 50 }).element);
  }

  change({});
  return h("section", { class: "card", id: "shares" }, h("h2", null, "What ran"), h("div", { class: "tools" }, kinds, field), counted, place);
}

const lookOf = ([, count, hasGap]) => (amount(count) === 0 ? "never-ran" : hasGap ? "in-part" : "ran");

function sourceOf(file) {
  if (file.text === null) return [h("p", { class: "never" }, "There is no room for its source in this page.")];
  const lines = linesOf(file.text);
  const known = new Map(file.lines.map((line) => [line[0] - 1, line]));
  const row = (text, index) => {
    const line = known.get(index), look = line ? lookOf(line) : "";
    return h("tr", { class: look, "data-line": index + 1 }, h("td", { class: "at" }, String(index + 1)),
      h("td", { class: "count" + (line && amount(line[1]) ? " hot" : "") }, line ? grouped(line[1]) : ""),
      h("td", { class: "sign", title: look && LOOKS[look][1] }, look ? LOOKS[look][0] : ""), h("td", { class: "text" }, text || " "));
  };
  const drawn = ([from, to]) => lines.slice(from, to).map((text, n) => row(text, from + n));
  const body = h("tbody");
  for (const { lines: range, isFolded } of partsOf(lines.length, (index) => known.has(index))) {
    body.append(...(isFolded ? [foldedLines(range, "lines without anything that is counted", drawn)] : drawn(range)));
  }
  const head = (text, look) => h("th", { scope: "col", class: look }, text);
  return [h("div", { class: "source", tabindex: "0", role: "region", "aria-label": `Source of ${file.name}` }, h("table", null,
    h("thead", null, h("tr", null, head("line"), head("count"), head("", "sign"), head("source", "text"))), body))];
}

function fileDetails(file) {
  const [covered, all] = file.shares[2];
  const details = h("details", { "data-file": file.name }, h("summary", null, h("span", { class: "name" }, file.name),
    h("span", { class: covered === all ? "badge good" : "badge" }, `${share(covered, all)} of ${plural(all, "line")}`)));
  const never = file.never.length > 0 && h("p", { class: "never" }, `${plural(file.never.length, "method")} never ran: `, h("span", { class: "mono" }, file.never.map(([name, line]) => `${name} (${line})`).join(", ")));
  details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(...[never, ...sourceOf(file)].filter(Boolean)); });
  return details;
}

const details = new Map(data.files.map((file) => [file, fileDetails(file)]));

function open(file) {
  const place = details.get(file);
  place.open = true;
  place.scrollIntoView();
}

function start() {
  startTheme();
  const key = Object.entries(LOOKS).map(([look, [mark, text]]) => h("span", null, h("i", { class: "swatch " + look }), `${mark} ${text}`));
  const list = h("section", { class: "card files openable", id: "sources" }, h("h2", null, "Sources"),
    hint("The count of a line is the greatest count of a method or block that begins on it, or of a message that is sent from it. A line without one holds nothing that is counted."),
    h("div", { class: "legend" }, h("div", null, key)), h("div", null, [...details.values()]));
  document.getElementById("views").append(...[["shares", "What ran"], ["sources", "Sources"]].map(([id, text]) => h("a", { href: "#" + id }, text)));
  document.querySelector(".brand").setAttribute("href", "#main");
  document.getElementById("main").append(h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Coverage")),
    h("p", { class: "under" }, `${plural(data.recordings, "test")} that ran, added up; the library is not in it`), tiles(), tableCard(), list);
  if (data.files.length === 1) details.get(data.files[0]).open = true;
  document.documentElement.dataset.ready = "true";
}

start();
