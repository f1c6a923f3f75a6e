// The critical path: a lane on top of all others, lines below the strips of the lanes on it, and the view with its shares and parts.

const PATH_COLOURS = {
  light: { running: "#3b4656", travel: "#3f7d62", approval: "#b0508c", unknown: "#b9b2a5" },
  dark: { running: "#c3cad4", travel: "#7db596", approval: "#d78abb", unknown: "#6c6f76" },
};
const PASS_TEXTS = {
  running: "a processor executes", overhead: "a processor is charged", asleep: "a processor sleeps", travel: "a message travels",
  approval: "the scheduler approves", unknown: "not known",
};
const PATH_HEIGHT = 16;

const passOf = (place) => data.path.passes[path.kinds[place] - 1];
const passColour = (pass) => PATH_COLOURS[theme()][pass] ?? STATE_COLOURS[theme()][pass];
const presentPasses = () => (data.path?.passes ?? []).filter((pass) => data.path.shares.some((row) => row.how === pass && amount(row.share) > 0));

// Dark or white, whatever is read better on a colour.
function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#141518" : "#ffffff";
}

// The part of the path at a moment.
function partAt(moment) {
  const place = intervalAt(path, 0, moment);
  return place < path.count && path.begins[place] <= moment ? place : undefined;
}

// Several parts in a point take as much of its height as of its ticks.
function paintPath(context, view) {
  if (AXIS === RULER) return;
  const step = (view.to - view.from) / (view.width - view.gutter), walk = new Walk(path, 0, view.from), sums = new Float64Array(KINDS);
  for (let x = 0, until; x < view.width - view.gutter; x = until) {
    until = x + 1;
    const kind = walk.state(view.from + until * step);
    if (kind > 0) {
      const end = path.ends[walk.place];
      until = Math.max(until, Math.floor((Math.min(end, view.to) - view.from) / step));
      walk.moment = view.from + until * step;
      context.fillStyle = passColour(data.path.passes[kind - 1]);
      context.fillRect(view.gutter + x, RULER, until - x, PATH_HEIGHT);
      continue;
    }
    sums.fill(0);
    walk.next(sums, view.from + until * step);
    let top = RULER;
    data.path.passes.forEach((pass, how) => {
      const high = sums[how + 1] / step * PATH_HEIGHT;
      context.fillStyle = passColour(pass);
      if (high > 0) context.fillRect(view.gutter + x, top, 1, high);
      top += high;
    });
  }
  paintPartNames(context, view, step);
  context.fillStyle = inks().ink;
  context.fillText(shortText(context, "critical path", view.gutter - 8), 4, RULER + PATH_HEIGHT / 2);
}

function paintPartNames(context, view, step) {
  context.font = "11px " + FONT;
  for (let place = intervalAt(path, 0, view.from); place < path.count && path.begins[place] < view.to; place++) {
    if (path.ends[place] - path.begins[place] < step * 3) {
      place = Math.max(place, intervalAt(path, 0, path.begins[place] + step * 2, place) - 1);
      continue;
    }
    const left = Math.max(view.gutter, xOf(view, path.begins[place])), right = Math.min(view.width, xOf(view, path.ends[place]));
    context.fillStyle = inks().paper;
    if (path.ends[place] < view.to) context.fillRect(right - 0.5, RULER, 1, PATH_HEIGHT);
    if (right - left < 30) continue;
    context.fillStyle = inkOn(passColour(passOf(place)));
    context.fillText(shortText(context, partLabel(place), right - left - 7), left + 4, RULER + PATH_HEIGHT / 2);
  }
  context.font = "12px " + FONT;
}

const partName = (place) => textOf(path.feature[place]) ?? passOf(place);

// The selector first, since the end of a label is often left out.
function partLabel(place) {
  const selector = partName(place).split(">>").at(-1), lane = laneName(path.processor[place]), pass = passOf(place);
  const what = pass === "running" || selector === pass ? selector : `${pass}: ${selector}`;
  return what === lane ? what : `${what} ${lane}`;
}

// A line below the strip of a lane while the path is on it.
function paintOnPath(context, view, row) {
  const parts = path.onLanes.get(row.lane);
  if (!parts) return;
  const { strip, bar } = view.plan.size, top = AXIS + row.top - view.top + strip - (bar ? 1 : 2);
  context.fillStyle = inks().mark;
  eachSeen(view, parts, path.begins, path.ends, (place) => {
    const left = Math.max(view.gutter, xOf(view, path.begins[place]));
    context.fillRect(left, top, Math.max(1, Math.min(view.width, xOf(view, path.ends[place])) - left), 2);
  });
}

function partFacts(place) {
  const lane = path.processor[place], its = textOf(path.feature[place]);
  return [h("b", null, "Critical path"), line(`${PASS_TEXTS[passOf(place)]}: ${laneTitle(lane)}`), its && line(its),
    line(`${grouped(path.begins[place])} to ${grouped(path.ends[place])}: ${ticks(path.ends[place] - path.begins[place])}`)].filter(Boolean);
}

// Where a part is seen with some time around it.
function aroundPart(place) {
  const margin = Math.max(1, (path.ends[place] - path.begins[place]) * 0.3);
  return { from: Math.floor(Math.max(FROM, path.begins[place] - margin)), to: Math.ceil(Math.min(TO, path.ends[place] + margin)) };
}

// The request that a processor has under way when a part begins: of nested ones the last.
function requestOfPart(place) {
  const lane = path.processor[place], moment = path.begins[place];
  if (!path.onLanes.get(lane)?.includes(place)) return undefined;
  let found;
  for (let one = 0; one < requests.count; one++) {
    if (requests.supplier[one] !== lane || requests.feature[one] !== path.feature[place]) continue;
    if (requests.synchronizes[one] > moment || endOf(one) <= moment) continue;
    if (found === undefined || requests.synchronizes[one] > requests.synchronizes[found]) found = one;
  }
  return found;
}

const orDash = (value) => (value === null ? "–" : grouped(value));

// The feature of a row of shares.
const pathFeature = (row) => (row.feature === null ? "–" : texts[row.feature]);

function pathView(_, options) {
  const title = h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Critical path"));
  if (!data.path) return { element: h("div", null, title, h("p", { class: "empty" }, "The critical path was not looked for.")), title: "Path" };
  const rows = data.path.shares, all = rows.reduce((sum, row) => sum + amount(row.share), 0);
  const optional = (key, heading) => ({ key, title: heading, value: (row) => amount(row[key]), cell: (row) => orDash(row[key]) });
  const columns = [
    { key: "name", title: "feature", wide: true, value: pathFeature, cell: (row) => (row.feature === null ? pathFeature(row) : featureLink(row.feature)) },
    { key: "how", title: "how", value: (row) => data.path.passes.indexOf(row.how), cell: (row) => row.how },
    shares("share", "share", (row) => row.share, all),
    optional("gained", "gained"), optional("slack", "slack"), numbers("blame", "blame", (row) => row.blame),
  ];
  const show = (changes) => go(address("path", undefined, { ...parsedAddress().options, ...changes }), true);
  const shown = table({ label: "Shares of the path", columns, rows, order: { key: "share", isUp: false }, onOrder: ({ key, isUp }) => show({ sort: key, up: isUp ? "1" : undefined }) });
  const parts = partsTable(), search = searchField("Find a feature", "", (q) => show({ q: q || undefined }));

  function update(__, given) {
    const wanted = (given.q ?? "").toLowerCase();
    shown.update({ rows: rows.filter((row) => `${pathFeature(row)} ${row.how}`.toLowerCase().includes(wanted)), order: { key: given.sort ?? "share", isUp: given.up === "1" } });
    parts.update(wanted);
    if (search.value.trim() !== (given.q ?? "")) search.value = given.q ?? "";
  }

  const notes = [amount(data.path.neverEnded) > 0 && `${ticks(data.path.neverEnded)} of waits that did not end blame no feature.`,
    amount(data.path.unexplained) > 0 && `Of ${plural(data.path.unexplained, "event")} it is not known why they did not happen earlier.`].filter(Boolean);
  const element = h("div", null, title,
    h("p", { class: "explained" }, "The path leads from the begin of the run to its last event. Share: ticks of the path. The ticks of synchronization belong to the share, too. Gained: by how much the run is shorter if the feature takes no ticks and all else keeps its order. Slack: how many ticks of the share can go before another path is as long; – if no other path comes up. Blame: ticks that others waited for it, directly or through others."),
    notes.length > 0 && h("ul", { class: "notes" }, notes.map((note) => h("li", null, note))),
    h("div", { class: "tools" }, search), card("Shares", shown.element, moreRows(leftOut.shares)), parts.element);
  update(undefined, options);
  return { element, update, title: "Path" };
}

// The parts, the longest first. Each leads to its moment.
function partsTable() {
  const places = [...path.begins.keys()];
  const columns = [
    { key: "part", title: "part", wide: true, value: partName, cell: (place) => h("div", null,
      h("a", { class: "name", href: address("processors", undefined, { ...aroundPart(place), request: requests.number[requestOfPart(place)] }) }, partName(place)),
      h("div", { class: "soft" }, laneTitle(path.processor[place]) + (passOf(place) === "running" ? "" : `: ${PASS_TEXTS[passOf(place)]}`))) },
    numbers("from", "from", (place) => path.begins[place]), numbers("to", "to", (place) => path.ends[place]),
    numbers("ticks", "ticks", (place) => path.ends[place] - path.begins[place]),
  ];
  const shown = table({ label: "Parts of the path", columns, rows: places, order: { key: "ticks", isUp: false }, page: 50 });
  const element = card("Its parts", hint("The longest first. A click shows the part among the processors."), shown.element,
    amount(leftOut.parts) > 0 && h("p", { class: "more soft" }, `${plural(leftOut.parts, "later part")} had no room in this page. The shares count them.`));
  const update = (wanted) => shown.update({ rows: places.filter((place) => `${laneTitle(path.processor[place])} ${partName(place)} ${passOf(place)}`.toLowerCase().includes(wanted)) });
  return { element, update };
}

function pathLegend() {
  if (AXIS === RULER) return false;
  const swatch = (colour) => { const one = h("i", { class: "dot" }); one.style.background = colour; return one; };
  const under = h("i", { class: "dot under-line" });
  under.style.background = inks().mark;
  return h("div", { class: "of-path" }, presentPasses().map((pass) => h("span", null, swatch(passColour(pass)), `path: ${PASS_TEXTS[pass]}`)), h("span", null, under, "the path is here"));
}
