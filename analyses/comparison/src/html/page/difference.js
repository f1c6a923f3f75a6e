// The page of a comparison: what differs in all, its causes, where it happens, and tables.

const HOW = {
  itself: "in itself", calls: "by how often it calls others", found: "by being found in place of another, or another in its place",
  values: "by what it answers or leaves behind",
};

function summary() {
  const [name, before, after] = data.costs[0];
  const difference = minus([before, after]);
  const badge = data.incomparable.length > 0 ? h("span", { class: "badge bad" }, "not comparable")
    : h("span", { class: "badge " + (difference > 0n ? "bad" : difference < 0n ? "good" : "") }, difference === 0n ? `the same number of ${name}` : `${signed(difference)} ${name}, ${percent([before, after])}`);
  return [
    h("div", { class: "title" }, h("h1", { tabindex: "-1" }, h("span", { class: "mono" }, oldSide), " → ", h("span", { class: "mono" }, newSide)), badge, workBadge(difference)),
    h("p", { class: "under" }, runsText()),
    tiles(), notes(),
  ];
}

// Where work moves and sends do not, or the other way.
function workBadge(sends) {
  const work = data.costs.find(([name]) => name === "work")?.slice(1);
  const difference = work ? minus(work) : 0n;
  if (difference === 0n || direction(difference) === direction(sends)) return null;
  return h("span", { class: "badge " + (difference > 0n ? "bad" : "good") }, `work ${percent(work)}`);
}

function runsText() {
  const changed = data.runs.filter(isChanged).length;
  const parts = [`${plural(data.runs.length + data.leftOut.runs, "run")} on both sides, ${grouped(changed)} of them differ`];
  if (data.added.length > 0) parts.push(`${grouped(data.added.length)} new`);
  if (data.removed.length > 0) parts.push(`${grouped(data.removed.length)} gone`);
  return parts.join(", ");
}

function tiles() {
  return h("dl", { class: "tiles" }, data.costs.filter(([, before, after]) => amount(before) + amount(after) > 0).map(([name, before, after]) => {
    const difference = minus([before, after]);
    return h("div", null, h("dt", null, name),
      difference === 0n ? h("dd", null, grouped(after))
        : h("dd", { class: "several" }, h("span", null, grouped(before), " →"), h("span", null, grouped(after)), h("span", { class: "delta " + direction(difference) }, signed(difference))));
  }));
}

function notes() {
  const list = [
    ...data.incomparable.map((text) => h("li", { class: "bad" }, "The counts do not mean the same: " + text)),
    ...[...data.opposed, ...data.notes].map((text) => h("li", null, text)),
  ];
  return list.length > 0 && h("ul", { class: "notes" }, list);
}

function causesCard() {
  const rows = data.causes;
  if (rows.length === 0) return null;
  const missing = data.leftOut.causes > 0 ? ` ${grouped(data.leftOut.causes)} more with smaller parts are not in this file.` : "";
  return h("section", { class: "card", id: "causes" }, h("h2", null, "Causes of the difference"),
    hint("Parts are exact and add up to the difference." + missing),
    h("ol", { class: "causes" }, rows.map(causeRow)));
}

function causeRow({ causes, part, ways }) {
  const mood = part === "=" ? "even" : part.replace("≈", "").startsWith("+") ? "more" : "fewer";
  const names = causes.length === 0 ? [h("span", { class: "badge bad" }, "nothing that was loaded or read has changed")]
    : causes.map((cause) => h("span", { class: "cause" }, dot(cause.isLibrary ? "library" : "program"),
      sources.has(cause.name) ? h("button", { type: "button", class: "name", title: "Its source", onclick: () => sources.find(cause.name) }, cause.name)
        : h("span", { class: "name" }, cause.name), fateBadge(cause.fate), h("span", { class: "where" }, cause.place)));
  return h("li", null,
    h("span", { class: "delta " + mood }, part.replace("-", "−")),
    h("div", null, names, causes.length > 1 && h("p", { class: "way" }, "Together: only measuring versions between these two can separate them."),
      ways.filter((way) => way.part !== "=").map((way) => h("p", { class: "way" },
        ways.length > 1 && h("b", null, way.part.replace("-", "−"), " "), HOW[way.how],
        way.trail.length > 1 && [": ", h("span", { class: "mono trail" }, way.trail.join(" › "))]))));
}

function start() {
  startTheme();
  const tables = tablesCard();
  const flame = flameCard((name) => {
    tables.find(name);
    tables.element.scrollIntoView();
  });
  const causes = causesCard();
  const links = [[causes, "causes", "Causes"], [sources.element, "sources", "Sources"], [true, "flame", "Flame graph"], [true, "tables", "Tables"]];
  document.getElementById("views").append(...links.filter(([is]) => is).map(([, id, text]) => h("a", { href: "#" + id }, text)));
  document.querySelector(".brand").setAttribute("href", "#main");
  document.getElementById("main").append(...[...summary(), causes, workCard(), sources.element, flame.element, tables.element,
    loneRuns(`Only in ${newSide}`, data.added), loneRuns(`Only in ${oldSide}`, data.removed)].filter(Boolean));
  flame.mounted();
  document.documentElement.dataset.ready = "true";
}

start();
