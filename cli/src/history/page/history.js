// The page of a history: a plot of the sum or of single tests over commits, tables of tests and of commits.

const data = JSON.parse(document.getElementById("profile").textContent);
const { commits, tests } = data;

// The lines that can be distinguished, and the shape of the plot.
const SERIES = ["first", "second", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "third"];
const HEIGHT = 340, TOP = 14, BOTTOM = 296, RIGHT = 18, LABEL = 84;

const minus = (before, after) => BigInt(after) - BigInt(before);
const signed = (difference) => (difference === 0n ? "=" : (difference > 0n ? "+" : "−") + grouped(difference < 0n ? -difference : difference));
const isKnown = (count) => count !== null && count !== undefined;

const whole = { name: data.all, counts: commits.map((commit) => commit.count), isSum: true };

// What a line did from its first count to its last, and in how many commits it changed.
function journey({ counts }) {
  const known = counts.filter(isKnown);
  let steps = 0;
  for (let n = 1; n < known.length; n++) steps += known[n] === known[n - 1] ? 0 : 1;
  return { first: known[0], last: known.at(-1), known: known.length, steps };
}

for (const test of tests) test.journey = journey(test);

// The next larger of 1, 2, 5, 10, 20, …
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
}

// The axis of some values: from 0 where that leaves room for what happens.
function axisOf(values) {
  const least = Math.min(...values), greatest = Math.max(...values);
  const from = (greatest - least) * 2 >= greatest ? 0 : least;
  const step = roundStep(Math.max(1, (greatest - from) / 5));
  const low = Math.floor(from / step) * step;
  return { low, step, high: (Math.floor(greatest / step) + 1) * step };
}

// Whether a count is of other tests than the one before: only sums know that.
const isOther = (line, index) => Boolean(line.isSum && commits[index].note);

// A line as paths: whole where counts can be compared, dashed where they cannot.
function pathsOf(line, x, y) {
  let path = "", last;
  const across = [];
  line.counts.forEach((count, index) => {
    if (!isKnown(count)) return;
    const place = `${x(index).toFixed(1)} ${y(count).toFixed(1)}`;
    if (last === undefined) path += "M" + place;
    else if (last.index + 1 < index || isOther(line, index)) {
      across.push(`M${last.place}L${place}`);
      path += "M" + place;
    } else path += `L${x(index).toFixed(1)} ${y(last.count).toFixed(1)}L${place}`;
    last = { index, count, place };
  });
  return { path, across };
}

function stepDot(line, index, x, y, look) {
  const { counts } = line;
  const before = counts.slice(0, index).findLast(isKnown);
  const isStep = isKnown(before) && before !== counts[index] && !isOther(line, index);
  if (!isStep && commits.length > 160) return null;
  return s("circle", { class: look + " mark", cx: x(index).toFixed(1), cy: y(counts[index]).toFixed(1), r: isStep ? 4 : 2.4 });
}

function valueText(line, index) {
  const count = line.counts[index];
  if (!isKnown(count)) return "not measured";
  const before = line.counts.slice(0, index).findLast(isKnown);
  const difference = line.isSum ? commits[index].difference : isKnown(before) ? String(minus(before, count)) : undefined;
  const change = difference === undefined || difference === null || difference === "0" ? "" : ` (${signed(BigInt(difference))})`;
  return `${grouped(count)}${change}`;
}

const dash = (look) => s("svg", { class: "plot", width: 28, height: 8, "aria-hidden": "true" }, s("path", { class: look, d: "M0 4L28 4" }));

function plotCard() {
  const tip = h("div", { class: "tip", hidden: true });
  const place = h("div", { class: "drawing", tabindex: "0", role: "application", "aria-roledescription": "plot", "aria-label": `${data.title}, over ${plural(commits.length, "commit")}; arrows move from commit to commit` });
  const key = h("div", { class: "lines" });
  const dashes = h("p", { class: "dashes" });
  const element = h("section", { class: "card" }, h("h2", null, "Over the commits"), place, key, dashes, tip);
  let lines = [], at, scale, width = 0, strong;

  function draw() {
    width = Math.max(240, place.clientWidth);
    const values = lines.flatMap((line) => line.counts.filter(isKnown).map(amount));
    const axis = axisOf(values.length > 0 ? values : [0]);
    const left = 20 + grouped(axis.high).length * 7.2;
    const x = (index) => left + (commits.length < 2 ? (width - left - RIGHT) / 2 : (width - left - RIGHT) * index / (commits.length - 1));
    const y = (count) => BOTTOM - (BOTTOM - TOP) * (amount(count) - axis.low) / (axis.high - axis.low);
    scale = { x, left };
    const svg = s("svg", { class: "plot", height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "presentation" });
    for (let count = axis.low; count <= axis.high; count += axis.step) {
      svg.append(s("line", { class: "grid", x1: left, x2: width - RIGHT, y1: y(count), y2: y(count) }),
        s("text", { class: "axis", x: left - 8, y: y(count) + 4, "text-anchor": "end" }, grouped(count)));
    }
    const half = commits.length < 2 ? 8 : Math.max(1, Math.min(9, (x(1) - x(0)) / 2));
    commits.forEach((commit, index) => {
      if (!isKnown(commit.count)) svg.append(s("rect", { class: "gap", x: x(index) - half, y: TOP, width: 2 * half, height: BOTTOM - TOP }));
      if (commit.note && lines.some((line) => line.isSum)) svg.append(s("path", { class: "other", d: `M${x(index)} ${TOP}L${x(index)} ${BOTTOM}` }));
    });
    let hasDashes = false;
    lines.forEach((line, number) => {
      const look = SERIES[number], { path, across } = pathsOf(line, x, y);
      hasDashes ||= across.length > 0;
      const group = s("g", strong === undefined || strong === line ? {} : { class: "faint" });
      group.append(...across.map((d) => s("path", { class: look + " across", d })), s("path", { class: look + " line", d: path || "M0 0" }),
        ...commits.map((_, index) => isKnown(line.counts[index]) && stepDot(line, index, x, y, look)).filter(Boolean));
      svg.append(group);
    });
    const every = Math.max(1, Math.ceil((commits.length - 1) / Math.max(1, Math.floor((width - left) / LABEL))));
    commits.forEach((commit, index) => {
      if (index % every === 0) svg.append(s("text", { class: "commit", x: x(index), y: BOTTOM + 20, "text-anchor": index === 0 ? "start" : index > commits.length - 1 - every / 2 ? "end" : "middle" }, commit.short));
    });
    if (at !== undefined) svg.append(s("line", { class: "cursor", x1: x(at), x2: x(at), y1: TOP, y2: BOTTOM }));
    place.replaceChildren(svg);
    dashes.replaceChildren(...(hasDashes ? [dash("first across"), h("span", null, data.dashed)] : []));
  }

  function show(chosen) {
    [lines, strong] = [chosen.slice(0, SERIES.length), undefined];
    const button = (line, number) => {
      const light = (which) => () => { strong = which; draw(); };
      return h("span", { class: "chip", onpointerenter: light(line), onpointerleave: light(undefined) }, dash(SERIES[number] + " line"), h("span", null, line.name));
    };
    key.replaceChildren(...lines.map(button));
    draw();
  }

  function point(index, clientX, clientY) {
    at = index;
    tip.hidden = index === undefined;
    draw();
    if (tip.hidden) return;
    const commit = commits[index];
    const rows = lines.map((line) => h("span", null, lines.length > 1 ? `${line.name}: ` : "", valueText(line, index), lines.length > 1 ? "" : ` ${data.unit}`));
    tip.replaceChildren(h("b", null, commit.short), h("span", null, commit.subject), ...rows,
      ...[commit.why, commit.note].filter(Boolean).map((text) => h("span", { class: "dim" }, text)));
    tip.style.left = Math.max(8, Math.min(clientX + 14, window.innerWidth - tip.offsetWidth - 12)) + "px";
    tip.style.top = Math.max(8, Math.min(clientY + 14, window.innerHeight - tip.offsetHeight - 8)) + "px";
  }

  place.addEventListener("pointermove", (event) => {
    const part = (event.clientX - place.getBoundingClientRect().left - scale.left) / Math.max(1, width - scale.left - RIGHT);
    const index = Math.max(0, Math.min(commits.length - 1, Math.round(part * (commits.length - 1))));
    point(commits.length > 0 ? index : undefined, event.clientX, event.clientY);
  });
  place.addEventListener("pointerleave", () => point(undefined));
  place.addEventListener("blur", () => point(undefined));
  place.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") point(undefined);
    if (!move || commits.length === 0) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(commits.length - 1, at === undefined ? (move > 0 ? 0 : commits.length - 1) : at + move));
    const box = place.getBoundingClientRect();
    point(index, box.left + scale.x(index), box.top + 20);
    announce(`${commits[index].short} ${commits[index].subject}: ${lines.map((line) => `${line.name} ${valueText(line, index)}`).join("; ")}`);
  });
  new ResizeObserver(() => { if (Math.max(240, place.clientWidth) !== width) draw(); }).observe(place);
  return { element, show };
}

function testsCard(show) {
  if (tests.length < 2) return null;
  const chosen = new Set();
  const state = { q: "" };
  const place = h("div"), counted = h("p", { class: "hint", role: "status" });
  const field = searchField("Filter tests by name", "", (q) => { state.q = q; draw(); });
  const clear = h("button", { type: "button", class: "button", onclick: () => { chosen.clear(); changed(); } }, "Show the sum");

  function changed() {
    show(chosen.size > 0 ? [...chosen] : [whole]);
    draw();
  }

  function choose(test) {
    if (!chosen.delete(test)) chosen.add(test);
    // More lines than can be distinguished: the first one goes.
    if (chosen.size > SERIES.length) chosen.delete([...chosen][0]);
    changed();
  }

  const change = ({ journey: { first, last } }) => (isKnown(first) ? minus(first, last) : 0n);
  const columns = [
    {
      key: "name", title: "test", wide: true, value: (test) => test.name,
      cell: (test) => h("span", { class: "label" }, h("button", { type: "button", class: "name", title: test.name, "aria-pressed": String(chosen.has(test)), onclick: () => choose(test) }, test.name)),
    },
    {
      key: "change", title: "change", value: (test) => Math.abs(Number(change(test))),
      cell: (test) => [isKnown(test.journey.first) ? `${grouped(test.journey.first)} → ${grouped(test.journey.last)}` : "–",
        h("span", { class: "delta " + (change(test) > 0n ? "more" : change(test) < 0n ? "fewer" : "") }, signed(change(test)))],
    },
    numbers("steps", "steps", (test) => test.journey.steps),
    numbers("known", "commits with a count", (test) => test.journey.known),
  ];

  function draw() {
    clear.disabled = chosen.size === 0;
    const rows = tests.filter((test) => test.name.toLowerCase().includes(state.q.toLowerCase()));
    const missing = data.leftOut > 0 ? ` ${grouped(data.leftOut)} that changed least are not in this file.` : "";
    counted.textContent = `${grouped(rows.length)} of ${plural(tests.length, "test")}. A click on a name draws its line; at most ${SERIES.length} lines are drawn at once.${missing}`;
    place.replaceChildren(rows.length === 0 ? h("p", { class: "empty" }, "No test is called so.")
      : table({ label: "Tests", columns, rows, order: { key: "change", isUp: false }, page: 50 }).element);
  }

  draw();
  return h("section", { class: "card", id: "tests" }, h("h2", null, "A line per test"), h("div", { class: "tools" }, field, clear), counted, place);
}

function commitsCard() {
  const order = new Map(commits.map((commit, index) => [commit, index]));
  const step = (commit) => (commit.difference ? BigInt(commit.difference) : 0n);
  const columns = [
    {
      // Names are sorted as texts: by the place among the commits, the newest first.
      key: "commit", title: "commit", wide: true, value: (commit) => String(2e9 - order.get(commit)),
      cell: (commit) => h("span", { class: "label" }, h("code", null, commit.short), h("span", { class: "name", title: commit.subject }, commit.subject),
        h("span", { class: "where", title: commit.why ?? commit.note ?? null }, commit.why ?? commit.note ?? "")),
    },
    { key: "count", title: data.unit, value: (commit) => commit.count ?? 0, cell: (commit) => (isKnown(commit.count) ? grouped(commit.count) : "–") },
    {
      key: "step", title: "difference", value: (commit) => Math.abs(Number(step(commit))),
      cell: (commit) => (step(commit) === 0n ? h("span", { class: "zero" }, commit.difference === null ? "–" : "=")
        : h("span", { class: "delta " + (step(commit) > 0n ? "more" : "fewer") }, signed(step(commit)))),
    },
  ];
  return h("section", { class: "card", id: "commits" }, h("h2", null, "Commits"),
    table({ label: "Commits", columns, rows: commits, order: { key: "commit", isUp: true }, page: 50 }).element);
}

function start() {
  startTheme();
  const plot = plotCard();
  const list = testsCard((lines) => plot.show(lines));
  const links = [[list, "tests", "Tests"], [true, "commits", "Commits"]];
  document.getElementById("views").append(...links.filter(([is]) => is).map(([, id, text]) => h("a", { href: "#" + id }, text)));
  document.querySelector(".brand").setAttribute("href", "#main");
  document.getElementById("main").append(...[h("div", { class: "title" }, h("h1", { tabindex: "-1" }, data.title)), h("p", { class: "under" }, data.summary),
    plot.element, list, commitsCard()].filter(Boolean));
  plot.show([whole]);
  document.documentElement.dataset.ready = "true";
}

start();
