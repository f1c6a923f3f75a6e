// What the run was, what its processors did, and where to look first.

const ENDINGS = {
  finished: ["finished", "good"], exited: ["exited", "good"], failed: ["failed", "bad"], limit: ["stopped by a limit", "bad"], deadlock: ["deadlock", "bad"],
  "not compiled": ["a file did not compile", "bad"], "internal error": ["internal error", "bad"], cut: ["the end of the trace is missing", "bad"],
};

const runName = () => {
  const named = about.files.slice(0, 2).join(", ");
  return (named || "A timeline") + (about.files.length > 2 ? ` and ${grouped(about.files.length - 2)} more` : "");
};

function summaryView() {
  const [ending, mood] = ENDINGS[about.ending] ?? [about.ending, "bad"];
  const part = about.isSegment || FROM > 0 ? `ticks ${grouped(about.from)} to ${grouped(about.to)} of the run` : "the whole run";
  const element = h("div", null,
    h("div", { class: "title" }, h("h1", { tabindex: "-1" }, runName()), h("span", { class: "badge " + mood }, ending)),
    h("p", { class: "under" }, `${part}, ${about.cpus === null ? "as many CPUs as processors" : plural(about.cpus, "CPU")}`),
    h("dl", { class: "tiles" }, tile("makespan, ticks", about.makespan), tile("ticks of all processors", about.ticks), tile("processors", about.processors),
      tile("requests", about.requests), tile("ticks that processors waited", waitedTicks())),
    runNotes(), pathCard(), curveCard(), timeCard(),
    h("div", { class: "pair" }, worstCard(), h("div", null, waitsCard(), runCard())));
  return { element, title: "Summary" };
}

const MOST_NOTES = 20;

function runNotes() {
  const notes = data.stuck.map((row) => `${laneTitle(row.processor)} waits at the end: ${data.causes[row.cause]}${row.subject === null ? "" : " " + texts[row.subject]}${row.place === null ? "" : ", at " + texts[row.place]}`);
  if (amount(about.unfinished) > 0) notes.push(`${plural(about.unfinished, "request")} did not end.`);
  if (leftOut.texts > 0) notes.push(`${plural(leftOut.texts, "name")} had no room in this page.`);
  const others = notes.length - MOST_NOTES + leftOut.stuck;
  if (others > 0) notes.splice(MOST_NOTES, notes.length, `${grouped(others)} more of these`);
  const atEnd = h("li", { class: "bad" }, h("a", { href: address("processors", undefined, { at: END }) }, "Who waits for whom at the end"));
  return notes.length > 0 && h("ul", { class: "notes" }, notes.map((note) => h("li", { class: "bad" }, note)), atEnd);
}

// The makespans of runs on several numbers of CPUs, as bars. This page shows the last of them.
function curveCard() {
  if (data.curve.length === 0) return false;
  const longest = Math.max(...data.curve.map((row) => amount(row.makespan))), times = (value) => (value === null ? "–" : value.toFixed(2));
  const name = (row) => (row.cpus === null ? "max" : grouped(row.cpus));
  const notes = (row) => [row.slowerThan !== null && `slower than with ${grouped(row.slowerThan)}`, row.ending !== "finished" && row.ending, !row.sameOutput && "prints or ends otherwise"].filter(Boolean).join(", ");
  const columns = [
    { key: "cpus", title: "CPUs", wide: true, value: (row) => (row.cpus === null ? Infinity : amount(row.cpus)), cell: (row) => [h("span", { class: "name" }, name(row)), notes(row) && h("div", { class: "soft" }, notes(row))] },
    { key: "makespan", title: "makespan", value: (row) => row.makespan, cell: (row) => [grouped(row.makespan), bar(row.makespan, longest, "program")] },
    { key: "speedUp", title: "speed-up", value: (row) => row.speedUp, cell: (row) => times(row.speedUp) },
    { key: "utilisation", title: "utilisation", value: (row) => row.utilisation, cell: (row) => (row.utilisation === null ? "–" : share(row.utilisation, 1)) },
    { key: "parallelism", title: "parallelism", value: (row) => row.parallelism, cell: (row) => times(row.parallelism) },
  ];
  return card("Makespans by CPUs", hint("Speed-up: against one CPU. Utilisation: the part of all CPUs' time in which ticks were executed. All else in this page is about the last run."),
    table({ label: "Makespans by CPUs", columns, rows: data.curve, order: { key: "cpus", isUp: true }, fixed: true }).element, moreRows(leftOut.curve));
}

const MOST_ON_PATH = 3;

// The greatest shares of the critical path.
function pathCard() {
  const rows = (data.path?.shares ?? []).filter((row) => amount(row.share) > 0).slice(0, MOST_ON_PATH);
  if (rows.length === 0) return false;
  const columns = [
    { key: "name", title: "feature", wide: true, value: pathFeature, cell: (row) => [row.feature === null ? pathFeature(row) : featureLink(row.feature), row.how !== "running" && h("div", { class: "soft" }, PASS_TEXTS[row.how])] },
    shares("share", "ticks", (row) => row.share, about.makespan),
  ];
  return card("What made the run this long", hint("The greatest shares of the critical path, in ticks and as parts of the makespan. The path leads from the begin of the run to its last event."),
    table({ label: "What made the run this long", columns, rows, order: { key: "share", isUp: false }, fixed: true }).element,
    h("p", { class: "more" }, h("a", { href: address("path") }, "The whole path")));
}

const sumOf = (counts) => counts.reduce((sum, count) => sum + count, 0);
const stateSums = () => STATES.map((_, state) => sumOf(tracks.states[state] ?? []));

// Ticks of all processors in the states in which they wait for others.
function waitedTicks() {
  const sums = stateSums();
  return sumOf([ANSWER, LOCK, CONDITION, STATES.indexOf("blocked")].map((state) => sums[state]));
}

// The processor that runs longest, if all are in this page.
function busiest() {
  if (lanes.count === 0 || leftOut.processors > 0) return false;
  let lane = 0;
  for (let other = 1; other < lanes.count; other++) if (ticksRun(other) > ticksRun(lane)) lane = other;
  return h("p", { class: "more" }, `Busiest: ${laneTitle(lane)}, ${grouped(ticksRun(lane))} of ${ticks(END - FROM)} (${share(ticksRun(lane), END - FROM)})`);
}

// How the time of all processors is divided.
function timeCard() {
  const sums = stateSums(), all = sumOf(sums);
  const shown = STACK.filter((state) => state !== ABSENT && sums[state] > 0);
  const split = h("div", { class: "split" }, shown.map((state) => {
    const part = h("i", { title: `${STATES[state]} ${grouped(sums[state])}` });
    part.style.flexGrow = String(sums[state] / all);
    part.dataset.state = state;
    return part;
  }));
  const rows = h("div", { class: "legend" }, shown.map((state) => {
    const dot = h("i", { class: "dot" });
    dot.dataset.state = state;
    return h("span", null, dot, `${STATE_TEXTS[STATES[state]]} ${grouped(sums[state])} (${share(sums[state], all)})`);
  }));
  const tint = () => { for (const one of [...split.children, ...rows.querySelectorAll(".dot")]) one.style.background = stateColour(Number(one.dataset.state)); };
  document.addEventListener("themechange", tint);
  tint();
  return card("What processors did", hint("Ticks of all processors, from their creation to the end."), split, rows, busiest(),
    h("p", { class: "more" }, h("a", { href: address("processors") }, "Show them over time")));
}

function worstCard() {
  const waited = (row) => amount(row.queue[SUM]) + amount(row.synchronization[SUM]) + amount(row.waiting[SUM]);
  const rows = data.features.filter((row) => waited(row) > 0).slice(0, 12);
  const columns = [
    { key: "name", title: "feature", wide: true, value: (row) => texts[row.name], cell: (row) => featureLink(row.name) },
    numbers("queue", "queue", (row) => row.queue[SUM]), numbers("sync", "sync", (row) => row.synchronization[SUM]), numbers("waiting", "waiting", (row) => row.waiting[SUM]),
    { key: "all", title: "together", value: waited, cell: (row) => grouped(waited(row)) },
  ];
  return card("Features that waited most", rows.length === 0 ? h("p", { class: "empty" }, "No request waited and went on.") : table({ label: "Features that waited most", columns, rows, order: { key: "all", isUp: false } }).element,
    h("p", { class: "more" }, h("a", { href: address("features") }, "All features")));
}

function waitsCard() {
  const sums = data.causes.map((cause, number) => ({ cause, ticks: data.waits.filter((row) => row.cause === number).reduce((sum, row) => sum + amount(row.ticks), 0) })).filter((row) => row.ticks > 0);
  const all = sums.reduce((sum, row) => sum + row.ticks, 0);
  const columns = [
    { key: "cause", title: "cause", wide: true, value: (row) => row.cause, cell: (row) => h("a", { href: address("waits", undefined, { cause: row.cause }) }, row.cause) },
    shares("ticks", "ticks", (row) => row.ticks, all),
  ];
  return card("Waits by cause", sums.length === 0 ? h("p", { class: "empty" }, "Nothing waited.") : table({ label: "Waits by cause", columns, rows: sums, order: { key: "ticks", isUp: false } }).element);
}

function runCard() {
  const pairs = (list) => list.map(([name, value]) => `${name} ${value}`).join(", ");
  const facts = [
    ["files", about.files.join(", ") || "–"], ["program", about.program], ["CPUs", about.cpus === null ? "max" : grouped(about.cpus)],
    ["costs", pairs(about.costs) || "none"], about.settings.length > 0 && ["settings", pairs(about.settings)], ["counting model", String(about.model)],
  ].filter(Boolean);
  return card("The run", h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])));
}
