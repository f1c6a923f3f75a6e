// The processors over time: lanes on a canvas, with zoom, selection and search, and the tracks below.

const MOST_LANES_WITH_BARS = 60, MOST_LANES_WITH_NAMES = 400;

// The options of the address that this view shows; links to a request keep them.
const shownOptions = () => {
  const { name, options } = parsedAddress();
  return name === "processors" ? options : {};
};

let order, groups, arranged;

function arrangeAll() {
  order ??= byCreation();
  groups ??= groupsOf(order);
  arranged ??= arrangeRequests();
}

// A part of the timeline from an address, within the timeline and at least a hundredth of a tick long.
function partOf({ from, to }) {
  const number = (text, otherwise) => (text === undefined || text === "" || Number.isNaN(Number(text)) ? otherwise : Number(text));
  const begin = Math.min(Math.max(FROM, number(from, FROM)), TO - 0.01), end = Math.max(begin + 0.01, Math.min(TO, number(to, TO)));
  return { from: begin, to: end };
}

// As short as it can be in an address without showing something else.
const inAddress = (moment, span) => (Number.isInteger(moment) ? moment : Number(moment.toFixed(Math.max(0, Math.ceil(4 - Math.log10(span))))));

function usualBars() {
  return lanes.count <= MOST_LANES_WITH_BARS ? "requests" : lanes.count <= MOST_LANES_WITH_NAMES ? "states" : "thin";
}

function processorsView(argument, options) {
  arrangeAll();
  const canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "timeline of processors", "aria-describedby": "lane-keys" });
  const room = h("div", null, canvas), well = h("div", { class: "well lanes" }, room);
  const below = h("canvas", { class: "tracks", role: "img", "aria-label": "How many processors run, are ready and wait, and how many requests are queued, over time" });
  const tip = h("div", { class: "tip", hidden: true }), card = h("div"), moment = h("div"), found = h("div", { class: "found", role: "status" });
  const view = {
    from: FROM, to: TO, width: 0, height: 0, gutter: 0, top: 0, plan: undefined, arranged, bars: "requests", isGrouped: false,
    open: new Set(), at: undefined, hasCpus: false, selected: undefined, hovered: undefined, related: new Set(), queue: undefined, isFound: undefined, feature: undefined,
  };
  let isDrawing = false, pendingAddress, shape = "", drawnTracks = "";

  function draw() {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      view.top = well.scrollTop;
      paintLanes(canvas, view);
      // The tracks do not scroll.
      const now = [view.from, view.to, view.width, view.selected, theme()].join();
      if (now !== drawnTracks) paintTracks(below, view);
      drawnTracks = now;
    });
  }

  function arrange() {
    view.plan = layout({ order, groups, isGrouped: view.isGrouped, open: view.open, bars: view.bars, arranged, hasCpus: view.hasCpus });
    view.plan.lanes = new Map(view.plan.rows.filter((row) => row.lane !== undefined).map((row) => [row.lane, row]));
    for (let turn = 0; turn < 2; turn++) {
      view.width = Math.max(1, well.clientWidth);
      view.gutter = Math.min(190, Math.max(80, Math.round(view.width * 0.18)));
      const whole = AXIS + view.plan.height;
      room.style.height = whole + "px";
      view.height = Math.min(whole, Math.max(260, Math.round(window.innerHeight * 0.6)));
      well.style.height = view.height + "px";
      // A scroll bar takes its width from the lanes.
      if (well.clientWidth === view.width || well.clientWidth === 0) break;
    }
    draw();
  }

  // What the address shows. Moving about replaces it; a selection is a place to come back from.
  function optionsNow(changes) {
    const { from, to } = view, span = to - from, isWhole = from <= FROM && to >= TO;
    return {
      from: isWhole ? undefined : inAddress(from, span), to: isWhole ? undefined : inAddress(to, span),
      bars: view.bars === usualBars() ? undefined : view.bars,
      group: view.isGrouped ? "class" : undefined,
      open: view.isGrouped && view.open.size ? JSON.stringify([...view.open]) : undefined,
      cpus: view.hasCpus === usualCpus() ? undefined : view.hasCpus ? "shown" : "hidden",
      at: view.at,
      request: view.selected === undefined ? undefined : requests.number[view.selected],
      feature: view.feature || undefined,
      ...changes,
    };
  }

  function tell(changes, replaces = true) {
    clearTimeout(pendingAddress);
    go(address("processors", undefined, optionsNow(changes)), replaces);
  }

  // While the view moves, the address follows when it rests. It keeps what is typed meanwhile.
  function move(from, to) {
    const span = Math.min(TO - FROM, Math.max(0.01, to - from));
    view.from = Math.min(Math.max(FROM, from), TO - span);
    view.to = view.from + span;
    tip.hidden = true;
    buttons();
    draw();
    clearTimeout(pendingAddress);
    pendingAddress = setTimeout(() => tell({ feature: search.value.trim() || undefined }), 250);
  }

  function zoom(times, x = (view.gutter + view.width) / 2) {
    const at = momentAt(view, x), span = Math.max(0.01, (view.to - view.from) * times);
    const part = (at - view.from) / (view.to - view.from);
    move(at - span * part, at + span * (1 - part));
  }

  const pan = (part) => move(view.from + (view.to - view.from) * part, view.to + (view.to - view.from) * part);

  function zoomTo(place) {
    const begin = has(requests.called[place]) ? requests.called[place] : requests.synchronizes[place];
    const end = Math.max(waitsTo(place), begin + 1), margin = (end - begin) * 0.1;
    move(begin - margin, end + margin);
    reveal(place);
  }

  // Scrolls to the lane of a request.
  function reveal(place) {
    const row = view.plan.lanes.get(requests.supplier[place]);
    if (!row) return;
    if (row.top < well.scrollTop || row.top + row.height > well.scrollTop + view.height - AXIS) well.scrollTop = Math.max(0, row.top - view.height / 3);
  }

  // The request, lane or group at a place of the window.
  function under(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top - AXIS + well.scrollTop;
    if (event.clientY - box.top < RULER) return { isAxis: true, x, moment: momentAt(view, x) };
    if (event.clientY - box.top < AXIS) return { part: x < view.gutter ? undefined : partAt(momentAt(view, x)), x };
    const row = view.plan.rows[rowAt(view.plan, y)];
    if (!row) return { x };
    if (row.group || row.cpu !== undefined) return { row, x, moment: momentAt(view, x) };
    const moment = momentAt(view, x), inRow = y - row.top - view.plan.size.strip - 1;
    if (!view.plan.size.bar || inRow < 0 || x < view.gutter) return { row, x, moment };
    return { row, x, moment, ...requestUnder(row.lane, Math.floor(inRow / view.plan.size.bar), inRow % view.plan.size.bar, moment) };
  }

  // The request of a row at a moment, or the nearest within two points. The lower part of a bar has its calls.
  function requestUnder(lane, depth, height, moment) {
    const slack = (view.to - view.from) / (view.width - view.gutter) * 2;
    const nearest = (places = [], begins, ends) => {
      let best, least = Infinity;
      for (let at = firstBehind(places, ends, moment - slack); at < places.length && begins[places[at]] <= moment + slack; at++) {
        const off = Math.max(begins[places[at]] - moment, moment - ends[places[at]], 0);
        if (off < least) [best, least] = [places[at], off];
      }
      return best;
    };
    const call = height > view.plan.size.bar - 6 ? nearest(arranged.calls[lane][depth], requests.waitsFrom, requests.waitsTo) : undefined;
    if (call !== undefined) return { place: call, isCall: true };
    return { place: nearest(arranged.bars[lane][depth], requests.synchronizes, requests.ends), isCall: false };
  }

  function showTip(at, event) {
    const facts = at.part !== undefined ? partFacts(at.part) : at.isAxis && at.x >= view.gutter ? [line(`tick ${grouped(Math.floor(at.moment))}: a click shows who waits`)]
      : at.row?.cpu !== undefined ? cpuFacts(at.row.cpu, at.moment) : at.place !== undefined ? requestFacts(at.place, at.isCall)
      : at.row?.group ? groupFacts(at.row.group) : at.row && at.x >= 0 ? laneFacts(at.row.lane, at.x < view.gutter ? TO - 0.5 : at.moment) : undefined;
    tip.hidden = facts === undefined;
    if (tip.hidden) return;
    tip.replaceChildren(...facts);
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, window.innerWidth - width - 12)) + "px";
    tip.style.top = (event.clientY + 18 + height > window.innerHeight ? Math.max(8, event.clientY - height - 12) : event.clientY + 18) + "px";
  }

  function select(place) {
    tell({ request: place === undefined ? undefined : requests.number[place] }, false);
    if (place !== undefined) announce(`${featureName(place)}: ${stepsOf(place).map(([name, count]) => `${name} ${grouped(count)}`).join(", ")}`);
  }

  // Shows who waits at a moment; without one, none.
  function lookAt(at) {
    tell({ at: at === undefined ? undefined : Math.min(END, Math.max(FROM, Math.floor(at))) }, false);
  }

  // The request before or after the selected one on its lane.
  function step(by) {
    const selected = view.selected ?? arranged.served.find((list) => list.length)?.[0];
    if (selected === undefined) return;
    const list = arranged.served[requests.supplier[selected]];
    const next = view.selected === undefined ? selected : list[list.indexOf(selected) + by];
    if (next !== undefined) select(next);
  }

  function onKey(event) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6),
      0: () => move(FROM, TO), Home: () => move(FROM, TO), n: () => step(1), p: () => step(-1),
      Enter: () => view.selected !== undefined && zoomTo(view.selected), Escape: () => (view.selected === undefined && view.at !== undefined ? lookAt(undefined) : select(undefined)),
      w: () => lookAt(view.selected === undefined ? (view.from + view.to) / 2 : waitsFrom(view.selected)), e: () => lookAt(END),
      c: () => { const sender = view.selected === undefined ? undefined : sentBy(view.selected); if (sender !== undefined) select(sender); },
    };
    if (!Object.hasOwn(keys, key)) return;
    keys[key]();
    event.preventDefault();
  }

  let drag;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, from: view.from, to: view.to, top: well.scrollTop, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
      if (!drag.moved) return;
      const by = -dx / (view.width - view.gutter) * (drag.to - drag.from);
      if (event.pointerType !== "touch") well.scrollTop = drag.top - dy;
      move(drag.from + by, drag.to + by);
      return;
    }
    if (event.pointerType === "touch") return;
    const at = under(event);
    if (at.place !== view.hovered) draw();
    view.hovered = at.place;
    canvas.style.cursor = at.place !== undefined || at.row?.group || at.isAxis || at.part !== undefined ? "pointer" : "grab";
    showTip(at, event);
  });
  canvas.addEventListener("pointerup", (event) => {
    const wasMoved = drag?.moved;
    drag = undefined;
    if (wasMoved || event.button !== 0) return;
    const at = under(event);
    if (at.isAxis && at.x >= view.gutter) lookAt(at.moment);
    else if (at.part !== undefined) showPart(at.part);
    else if (at.row?.group) toggle(at.row.group.name);
    else if (at.place !== undefined) select(at.place === view.selected ? undefined : at.place);
    else if (view.selected !== undefined) select(undefined);
  });
  canvas.addEventListener("pointercancel", () => { drag = undefined; });
  canvas.addEventListener("dblclick", (event) => {
    const at = under(event);
    if (at.place !== undefined) zoomTo(at.place);
    else zoom(0.4, at.x);
  });
  canvas.addEventListener("pointerleave", () => {
    view.hovered = undefined;
    tip.hidden = true;
    draw();
  });
  function onWheel(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const zooms = event.ctrlKey || event.altKey || event.clientY - box.top < AXIS || event.currentTarget === below;
    if (isSideways && !zooms) pan((event.deltaX || event.deltaY) / 800);
    else if (zooms) zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 250), x);
    else return;
    event.preventDefault();
  }
  canvas.addEventListener("wheel", onWheel, { passive: false });
  below.addEventListener("wheel", onWheel, { passive: false });
  below.addEventListener("pointermove", (event) => {
    const box = below.getBoundingClientRect(), from = momentAt(view, event.clientX - box.left), to = momentAt(view, event.clientX - box.left + 1);
    if (from < FROM || from > TO || tracks.count === 0) return;
    const { states, queues } = trackSums(), average = (ticksUpTo) => Math.round((ticksUpTo(to) - ticksUpTo(from)) / (to - from) * 100) / 100;
    const busy = average(states[RUNNING]) + average(states[STATES.indexOf("overhead")]), cpus = amount(about.cpus);
    tip.hidden = false;
    tip.replaceChildren(...[h("b", null, `at tick ${grouped(Math.floor(from))}`),
      ...TRACK_STATES.map((state) => [STATES[state], average(states[state])]).filter(([, count]) => count > 0).map(([name, count]) => line(`${name}: ${count}`)),
      cpus > 0 && line(`CPUs without work: ${Math.round((cpus - busy) * 100) / 100}`), line(`requests in queues: ${average(queues)}`),
      view.queue && line(`in the queue of ${laneName(requests.supplier[view.selected])}${amount(leftOut.requests) > 0 ? ", of those with bars" : ""}: ${average(view.queue)}`), line("averages over a point of the picture", true)].filter(Boolean));
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 12)) + "px";
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + "px";
  });
  below.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("keydown", onKey);
  well.addEventListener("scroll", draw);
  document.addEventListener("themechange", onTheme);
  const observer = new ResizeObserver(() => { if (well.clientWidth !== view.width) arrange(); });
  observer.observe(well);

  function showPart(place) {
    const { from, to } = aroundPart(place), row = view.plan.lanes.get(path.processor[place]);
    move(from, to);
    select(requestOfPart(place));
    if (row) well.scrollTop = Math.max(0, row.top - view.height / 3);
  }

  function toggle(name) {
    if (!view.open.delete(name)) view.open.add(name);
    tell({}, true);
  }

  // Features whose names hold a text; in quotes, the feature with this name.
  function find(text) {
    view.feature = text;
    const wanted = text.toLowerCase(), isWhole = text.length > 2 && text.startsWith('"') && text.endsWith('"');
    const fits = (name) => (isWhole ? name === text.slice(1, -1) : name.toLowerCase().includes(wanted));
    const matching = new Set(text ? texts.map((_, number) => number).filter((number) => fits(texts[number])) : []);
    view.isFound = text ? (place) => matching.has(requests.feature[place]) : undefined;
    const places = text ? requests.feature.filter((feature) => matching.has(feature)).length : 0;
    found.textContent = text ? `${plural(places, "request")} found` : "";
  }

  const out = h("button", { type: "button", class: "button", onclick: () => zoom(1 / 0.6) }, "−");
  const into = h("button", { type: "button", class: "button", onclick: () => zoom(0.6) }, "+");
  const whole = h("button", { type: "button", class: "button", onclick: () => move(FROM, TO) }, "Whole run");
  out.setAttribute("aria-label", "Zoom out");
  into.setAttribute("aria-label", "Zoom in");
  const search = searchField("Find a feature", "", (text) => tell({ feature: text || undefined }));
  const barsChoice = choice("Lanes", [["requests", "Requests"], ["states", "States"], ["thin", "Thin"]], view.bars, (bars) => tell({ bars: bars === usualBars() ? undefined : bars }));
  const groupChoice = choice("Order", [["path", "By creation"], ["class", "By class"]], "path", (group) => tell({ group: group === "class" ? "class" : undefined, open: undefined }));
  const cpuChoice = cpus.count > 0 && choice("Lanes of CPUs", [["shown", "CPUs"], ["hidden", "No CPUs"]], "shown", (shown) => tell({ cpus: (shown === "shown") === usualCpus() ? undefined : shown }));
  const span = h("span", { class: "soft number" });

  function buttons() {
    whole.disabled = view.from <= FROM && view.to >= TO;
    span.textContent = `ticks ${grouped(Math.floor(view.from))} to ${grouped(Math.ceil(view.to))}`;
  }

  function update(_, given) {
    Object.assign(view, partOf(given));
    view.bars = Object.hasOwn(SIZES, given.bars ?? "") ? given.bars : usualBars();
    view.isGrouped = given.group === "class";
    view.open = new Set(openOf(given.open));
    view.hasCpus = cpus.count > 0 && (given.cpus === undefined ? usualCpus() : given.cpus !== "hidden");
    const at = momentOf(given.at);
    if (at !== view.at) {
      view.at = at;
      showMoment();
    }
    if (search.value.trim() !== (given.feature ?? "")) search.value = given.feature ?? "";
    find(given.feature ?? "");
    const selected = given.request === undefined ? undefined : requests.places.get(Number(given.request));
    if (selected !== view.selected) {
      view.selected = selected;
      view.related = new Set(selected === undefined ? [] : callsOf(selected).slice(0, 200));
      view.queue = selected === undefined ? undefined : queueOf(requests.supplier[selected]);
      card.replaceChildren(...(selected === undefined ? [] : [requestCard(selected, () => zoomTo(selected))]));
    }
    press(barsChoice, view.bars);
    press(groupChoice, view.isGrouped ? "class" : "path");
    if (cpuChoice) press(cpuChoice, view.hasCpus ? "shown" : "hidden");
    buttons();
    const now = JSON.stringify([view.bars, view.isGrouped, view.hasCpus, [...view.open]]);
    if (now !== shape && view.plan) arrange();
    shape = now;
    canvas.setAttribute("aria-label", `${plural(lanes.count, "processor")}, ticks ${grouped(Math.floor(view.from))} to ${grouped(Math.ceil(view.to))}`);
    draw();
  }

  function mounted() {
    arrange();
    if (view.selected !== undefined) reveal(view.selected);
  }

  const legend = h("div", { class: "legend" });

  function showMoment() {
    moment.replaceChildren(...(view.at === undefined ? [] : [momentCard(view.at, () => lookAt(undefined))]));
  }

  function onTheme() {
    legend.replaceChildren(...laneLegend());
    showMoment();
    draw();
  }

  function leave() {
    clearTimeout(pendingAddress);
    observer.disconnect();
    document.removeEventListener("themechange", onTheme);
  }

  legend.append(...laneLegend());
  view.plan = layout({ order, groups, isGrouped: false, open: view.open, bars: "states", arranged, hasCpus: false });
  view.plan.lanes = new Map();
  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Processors over time")), cutNotes(),
    h("div", { class: "tools" }, search, barsChoice, groupChoice, cpuChoice, h("span", { class: "zooms" }, out, into, whole), span),
    h("div", { class: "stage" }, found, well, below, legend), moment, card, eachProcessor(), eachCpu(), tip);
  update(argument, options);
  return { element, update, mounted, leave, title: "Processors", view, zoom, pan };
}

// The moment of an address.
function momentOf(text) {
  const at = Number(text);
  return text === undefined || text === "" || Number.isNaN(at) ? undefined : Math.min(END, Math.max(FROM, Math.floor(at)));
}

// A few CPUs have lanes from the start.
const usualCpus = () => cpus.count > 0 && cpus.count <= 8;

function cpuFacts(cpu, moment) {
  const place = intervalAt(cpus, cpu, moment), title = h("b", null, `CPU ${cpu}`);
  if (place >= cpus.first[cpu + 1] || moment < FROM) return [title];
  const lane = cpus.processor[place], kind = cpus.kinds[place];
  const span = line(`${grouped(cpus.begins[place])} to ${grouped(cpus.ends[place])}: ${ticks(cpus.ends[place] - cpus.begins[place])}`);
  const what = kind === IDLE ? "no processor" : lane < 0 ? "several processors" : laneTitle(lane);
  return [title, line(what), span, ...(kind === TILE ? sumsInWords(cpus.tiles.get(place)) : [])];
}

let running;

// How many ticks a lane runs.
function ticksRun(lane) {
  running ??= Float64Array.from({ length: lanes.count }, (_, one) => Math.round(ticksOf(lanes, one)[RUNNING]));
  return running[lane];
}

// What each processor did, in ticks.
function eachProcessor() {
  const places = new Map(order.map((lane, place) => [lane, place]));
  const sums = new Map(), sumsOf = (lane) => sums.get(lane) ?? sums.set(lane, ticksOf(lanes, lane)).get(lane);
  const shown = STACK.filter((state) => state !== ABSENT && tracks.states[state]?.some((count) => count > 0));
  const columns = [
    { key: "name", title: "processor", wide: true, value: (lane) => places.get(lane), cell: (lane) => h("span", { class: "label" }, h("span", { class: "name" }, laneName(lane)), h("span", { class: "where" }, className(lane))) },
    numbers("requests", "requests", (lane) => lanes.served[lane]),
    ...shown.map((state) => (state === RUNNING ? shares("running", "running", ticksRun, END - FROM) : numbers(STATES[state], STATES[state], (lane) => Math.round(sumsOf(lane)[state])))),
  ];
  const element = table({ label: "Processors", columns, rows: order, order: { key: "running", isUp: false }, page: 20 }).element;
  return card("Each processor", hint("Ticks in each state, from its creation to the end. Running: with its part of the run."), element, moreRows(leftOut.processors));
}

// How long each CPU had a processor.
function eachCpu() {
  if (cpus.count === 0) return false;
  const rows = [...Array(cpus.count).keys()], sums = rows.map((cpu) => ticksOf(cpus, cpu));
  const columns = [
    { key: "name", title: "CPU", wide: true, value: (cpu) => cpu, cell: (cpu) => h("span", { class: "name" }, `CPU ${cpu}`) },
    shares("busy", "busy", (cpu) => Math.round(sums[cpu][RUNNING]), END - FROM), numbers("idle", "idle", (cpu) => Math.round(sums[cpu][IDLE])),
  ];
  return card("Each CPU", hint("Busy: its processor executed or was charged."), table({ label: "CPUs", columns, rows, order: { key: "name", isUp: true }, page: 64 }).element);
}

// Names of groups in an address.
function openOf(text) {
  try {
    const names = JSON.parse(text ?? "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

function laneLegend() {
  const swatch = (colour) => { const dot = h("i", { class: "dot" }); dot.style.background = colour; return dot; };
  const shown = STACK.filter((state) => state !== ABSENT && tracks.states[state]?.some((count) => count > 0));
  return [
    h("div", null, shown.map((state) => h("span", null, swatch(stateColour(state)), STATE_TEXTS[STATES[state]]))),
    h("div", null, [requests.marks.size > 0 && h("span", null, swatch(inks().sync), "synchronization of a request; green and red: its condition was true, false"),
      arranged.calls.some((rows) => rows.length > 0) && h("span", null, swatch(stateColour(ANSWER)), "below a bar: a call, as long as the wait")]),
    ...[pathLegend()].filter(Boolean),
    h("div", { class: "keys", id: "lane-keys" }, h("span", null,
      [["Ctrl wheel", " zoom"], ["drag ←→", " move"], ["+ − 0", " zoom"], ["n p", " next, previous request"], ["c", " its caller"], ["w e", " who waits, here and at the end"], ["Enter", " zoom to it"], ["Esc", " none"]]
        .map(([key, does]) => h("span", null, h("kbd", null, key), does)))),
  ];
}

// What did not fit.
function cutNotes() {
  const notes = [];
  if (amount(leftOut.tile) > 0) notes.push(`Intervals shorter than ${ticks(leftOut.tile)} are joined where there are several: their sums are whole, their order is not shown.`);
  if (leftOut.processors > 0) notes.push(`${plural(leftOut.processors, "more processor")} had no room in this page. The tracks and tables count them.`);
  if (amount(leftOut.requests) > 0) notes.push(`The ${grouped(requests.count)} longest requests have bars; ${plural(leftOut.requests, "shorter one")} had no room. The states and tables count them.`);
  if (amount(leftOut.cpuTile) > 0) notes.push(`Times of CPUs shorter than ${ticks(leftOut.cpuTile)} are joined where there are several: their sums are whole.`);
  if (cpus.count > 0 && about.isSegment && FROM > 0) notes.push("Which CPU a processor had before its first turn in this segment is not known.");
  if (amount(leftOut.otherCpus) > 0) notes.push(`CPUs from 64 on have no lane; they were busy for ${ticks(leftOut.otherCpus)}.`);
  if (amount(leftOut.parts) > 0) notes.push(`The last ${plural(leftOut.parts, "part")} of the critical path had no room in this page.`);
  if (TO > Number.MAX_SAFE_INTEGER) notes.push("Moments beyond 9,007,199,254,740,991 are rounded in the picture.");
  return notes.length > 0 && h("ul", { class: "notes" }, notes.map((note) => h("li", null, note)));
}
