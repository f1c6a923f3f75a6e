// Drawing: strips of states, bars of requests, the axis, and the tracks below.

const STATE_COLOURS = {
  light: { running: "#d9822b", overhead: "#8b5a2b", ready: "#efc94c", answer: "#7d9cc0", lock: "#b8434a", condition: "#8a63b5", blocked: "#a8477f", asleep: "#63a5a2", idle: "#e6e0d5" },
  dark: { running: "#d98a35", overhead: "#a87748", ready: "#cfae3f", answer: "#6f90b8", lock: "#c95b60", condition: "#9c7cc4", blocked: "#bb6497", asleep: "#5d9c99", idle: "#2f3238" },
};
const INKS = {
  light: { ink: "#1f1c18", soft: "#625b51", line: "#e3ded4", paper: "#ffffff", mark: "#1f1c18", found: "#b3179b", good: "#2c6e3f", bad: "#a4262c", sync: "#e3b3b0" },
  dark: { ink: "#ece9e3", soft: "#a9a399", line: "#303339", paper: "#1c1e22", mark: "#ffffff", found: "#f07bdc", good: "#86cf98", bad: "#f39a97", sync: "#6d3a3a" },
};
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif";
// The axis, and the critical path below it, stay on top while lanes scroll.
const RULER = 24, PATH_ROOM = 23;
const AXIS = RULER + (data.path?.shares.length ? PATH_ROOM : 0);
// The width of a bar without ticks.
const THINNEST = 2;

const stateColour = (state) => STATE_COLOURS[theme()][STATES[state]];
const inks = () => INKS[theme()];

// A colour as a number of a picture's pixel: the bytes are red, green, blue and opacity.
function pixel(colour) {
  const number = Number.parseInt(colour.slice(1), 16);
  return (0xff000000 | (number & 0xff) << 16 | (number & 0xff00) | number >> 16) >>> 0;
}

// The shades of features: those of a class are alike.
const shadesOf = { light: new Map(), dark: new Map() };

function featureColour(feature) {
  const known = shadesOf[theme()];
  if (!known.has(feature)) {
    const [owner] = (texts[feature] ?? "").split(">>");
    let hash = 2166136261;
    for (let at = 0; at < owner.length; at++) hash = Math.imul(hash ^ owner.charCodeAt(at), 16777619);
    const hue = (hash >>> 8) % 360;
    known.set(feature, theme() === "dark" ? `hsl(${hue} 28% 34%)` : `hsl(${hue} 46% 82%)`);
  }
  return known.get(feature);
}

// A canvas of this size in points; its pixels are those of the screen.
function sized(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "12px " + FONT;
  context.textBaseline = "middle";
  return context;
}

// Moments at which the axis has labels: whole ticks, 90 points apart or more.
function axisMoments({ from, to, gutter, width }) {
  const most = Math.max(1, Math.floor((width - gutter) / 90));
  const least = Math.max(1, (to - from) / most), unit = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((candidate) => candidate >= least);
  const moments = [];
  for (let moment = Math.ceil(from / step) * step; moment <= to; moment += step) moments.push(moment);
  return moments;
}

function xOf(view, moment) {
  return view.gutter + (moment - view.from) / (view.to - view.from) * (view.width - view.gutter);
}

function momentAt(view, x) {
  return view.from + (x - view.gutter) / (view.width - view.gutter) * (view.to - view.from);
}

// A text that fits, with its end left out.
function shortText(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let length = Math.min(text.length, Math.floor(room / 5));
  while (length > 1 && context.measureText(text.slice(0, length) + "…").width > room) length -= 1;
  return length > 1 ? text.slice(0, length) + "…" : "";
}

// Writes a strip into the pixels of a picture: in each column the states take as much of its height as of its ticks. Most columns have one
// state.
function strip(pixels, stride, { left, right, top, height }, colours, stateOf, sumsOf) {
  const sums = new Float64Array(KINDS), first = Math.max(0, top) * stride, last = (top + height) * stride;
  for (let x = left; x < right; x++) {
    const state = stateOf(x - left);
    if (state >= 0) {
      if (state !== ABSENT) for (let at = first + x; at < last; at += stride) pixels[at] = colours[state];
      continue;
    }
    sums.fill(0);
    sumsOf(sums, x - left);
    let all = 0;
    for (let kind = 0; kind < KINDS; kind++) all += sums[kind];
    if (all <= 0) continue;
    let done = 0, y = height;
    for (const kind of STACK) {
      if (sums[kind] <= 0) continue;
      done += sums[kind];
      // What is no idle time has a point, however short it is.
      const until = Math.min(Math.round(height * (1 - done / all)), kind === IDLE || kind === ABSENT || height < 2 ? height : height - 1);
      if (kind !== ABSENT) for (let at = until; at < y; at++) if (top + at >= 0) pixels[(top + at) * stride + x] = colours[kind];
      y = until;
    }
  }
}

// A picture of the size of a canvas, without anything in it.
let lastPicture;

function emptyPicture(context) {
  const { width, height } = context.canvas;
  if (lastPicture?.width !== width || lastPicture?.height !== height) lastPicture = context.createImageData(width, height);
  else new Uint32Array(lastPicture.data.buffer).fill(0);
  return lastPicture;
}

function paintStrips(context, view, rows) {
  const { canvas } = context, scale = window.devicePixelRatio || 1;
  const picture = emptyPicture(context);
  const pixels = new Uint32Array(picture.data.buffer);
  const colours = STATES.map((_, state) => pixel(stateColour(state)));
  const left = Math.round(view.gutter * scale), right = canvas.width, step = (view.to - view.from) / (right - left);
  for (const row of rows) {
    const top = Math.round((AXIS + row.top - view.top + (row.group ? 3 : 0)) * scale);
    const height = Math.min(Math.max(1, Math.round((row.group ? 16 : row.cpu === undefined ? view.plan.size.strip : CPU_HEIGHT) * scale)), canvas.height - top);
    const box = { left, right, top, height };
    if (row.group) {
      const { width, count, columns } = groupSums(row.group);
      strip(pixels, canvas.width, box, colours, () => -1, (sums, x) => {
        const first = Math.max(0, Math.floor((view.from + x * step - FROM) / width));
        const last = Math.max(first, Math.min(count - 1, Math.ceil((view.from + (x + 1) * step - FROM) / width) - 1));
        for (let column = first; column <= last; column++) for (let kind = 0; kind < KINDS; kind++) sums[kind] += columns[column * KINDS + kind] ?? 0;
      });
    } else {
      const walk = row.cpu === undefined ? new Walk(lanes, row.lane, view.from) : new Walk(cpus, row.cpu, view.from);
      const until = (x) => view.from + (x + 1) * step;
      strip(pixels, canvas.width, box, colours, (x) => walk.state(until(x)), (sums, x) => walk.next(sums, until(x)));
    }
  }
  context.putImageData(picture, 0, 0);
}

function paintLabels(context, view, rows) {
  const { ink, soft } = inks();
  for (const row of rows) {
    const y = AXIS + row.top - view.top;
    if (row.group) {
      const isOpen = view.open.has(row.group.name);
      context.fillStyle = ink;
      context.fillText(shortText(context, `${isOpen ? "▾" : "▸"} ${row.group.name} × ${grouped(row.group.members.length)}`, view.gutter - 10), 4, y + 11);
    } else if (row.cpu !== undefined) {
      context.fillStyle = soft;
      context.fillText(`CPU ${row.cpu}`, 4, y + CPU_HEIGHT / 2);
    } else if (row.height >= 12) {
      const name = laneName(row.lane), middle = y + Math.min(row.height, 16) / 2;
      const indent = view.isGrouped ? 16 : 4;
      context.fillStyle = ink;
      context.fillText(name, indent, middle);
      const used = indent + context.measureText(name).width + 6;
      context.fillStyle = soft;
      context.fillText(shortText(context, className(row.lane), view.gutter - used - 6), used, middle);
    }
  }
}

// Where the bars of a row of requests are.
const barTop = (view, row, depth) => AXIS + row.top - view.top + view.plan.size.strip + 1 + depth * view.plan.size.bar;

// Draws what is seen of a row of places, one after the other. Of those that have no point of their own, one in each point is drawn.
function eachSeen(view, places, begins, ends, drawOne) {
  const point = (view.to - view.from) / (view.width - view.gutter);
  let at = firstBehind(places, ends, view.from - THINNEST * point);
  while (at < places.length && begins[places[at]] <= view.to) {
    const place = places[at], isNarrow = ends[place] - begins[place] < point;
    drawOne(place, isNarrow);
    at = isNarrow ? Math.max(at + 1, firstBehind(places, ends, begins[place] + point * THINNEST, at)) : at + 1;
  }
}

function paintBars(context, view, row) {
  const height = view.plan.size.bar - 1;
  view.arranged.bars[row.lane].forEach((places, depth) => {
    const top = barTop(view, row, depth);
    let colour;
    eachSeen(view, places, requests.synchronizes, requests.ends, (place, isNarrow) => {
      if (!isNarrow || view.isFound) {
        paintBar(context, view, place, top);
        colour = undefined;
        return;
      }
      const its = has(requests.executes[place]) ? featureColour(requests.feature[place]) : inks().sync;
      if (its !== colour) context.fillStyle = colour = its;
      context.fillRect(xOf(view, requests.synchronizes[place]), top, THINNEST, height);
    });
  });
  context.fillStyle = stateColour(ANSWER);
  view.arranged.calls[row.lane].forEach((places, depth) => {
    const top = barTop(view, row, depth) + view.plan.size.bar - 5;
    eachSeen(view, places, requests.waitsFrom, requests.waitsTo, (place) => {
      const left = Math.max(view.gutter, xOf(view, waitsFrom(place)));
      context.globalAlpha = view.isFound && !view.isFound(place) ? 0.3 : 1;
      context.fillRect(left, top, Math.max(1, xOf(view, waitsTo(place)) - left), 4);
    });
  });
  context.globalAlpha = 1;
  for (const place of [view.selected, view.hovered, ...view.related]) {
    if (place !== undefined && requests.supplier[place] === row.lane && has(requests.synchronizes[place])) paintBar(context, view, place, barTop(view, row, view.arranged.row[place]));
  }
}

// A request: its step of synchronization with the evaluations of its condition, then its execution.
function paintBar(context, view, place, top) {
  const height = view.plan.size.bar - 1, clipped = (x) => Math.min(view.width + 2, Math.max(view.gutter - 2, x));
  const begin = clipped(xOf(view, requests.synchronizes[place]));
  const starts = has(requests.executes[place]) ? requests.executes[place] : TO;
  const middle = clipped(xOf(view, starts)), end = Math.max(clipped(xOf(view, endOf(place))), begin + THINNEST);
  const { ink, sync, mark } = inks();
  context.globalAlpha = view.isFound && !view.isFound(place) ? 0.3 : 1;
  if (middle > begin) {
    context.fillStyle = sync;
    context.fillRect(begin, top + 3, middle - begin, height - 6);
    paintMarks(context, view, place, top, middle - begin, begin);
  }
  if (has(requests.executes[place])) {
    const left = Math.min(middle, end - THINNEST), width = end - left;
    context.fillStyle = place === 0 || requests.number[place] === 0 ? inks().line : featureColour(requests.feature[place]);
    context.fillRect(left, top, width > 3 ? width - 0.5 : width, height);
    if (width >= 34) {
      context.fillStyle = ink;
      context.font = "11px " + FONT;
      const inside = Math.max(left, view.gutter) + 3;
      context.fillText(shortText(context, barLabel(place), end - inside - 3), inside, top + height / 2 - 1);
      context.font = "12px " + FONT;
    }
  }
  context.globalAlpha = 1;
  if (place === view.selected || place === view.hovered || view.related.has(place)) {
    context.strokeStyle = place === view.selected ? mark : inks().found;
    context.lineWidth = place === view.selected ? 2 : 1;
    context.strokeRect(begin - 0.5, top - 0.5, end - begin + 1, height + 1);
  }
}

function barLabel(place) {
  const name = requests.number[place] === 0 ? "script" : featureName(place), selector = name.split(">>").at(-1);
  return isFlagged(place, "isCallback") ? "↩ " + selector : selector;
}

// Evaluations of a condition: those that were false and true. The locked processors, where there is room.
function paintMarks(context, view, place, top, width, left) {
  const marks = requests.marks.get(place);
  if (!marks) return;
  const { good, bad, ink } = inks(), height = view.plan.size.bar - 1;
  if (width > 60 && marks.locks.length > 0) {
    context.fillStyle = ink;
    context.font = "10px " + FONT;
    context.fillText(shortText(context, "locks " + marks.locks.map(laneName).join(", "), width - 8), left + 4, top + height / 2);
    context.font = "12px " + FONT;
  }
  for (const [moment, isTrue] of marks.evaluations) {
    const x = xOf(view, moment);
    if (x < view.gutter || x > view.width) continue;
    context.fillStyle = isTrue ? good : bad;
    context.fillRect(x - 1, top, 2, height);
    context.fillRect(x - 3, isTrue ? top + height - 2 : top, 6, 2);
  }
}

// The requests of a feature, over strips that have no bars.
function paintFound(context, view, row) {
  if (!view.isFound) return;
  context.fillStyle = inks().found;
  const height = Math.max(2, Math.floor(view.plan.size.strip / 3)), top = AXIS + row.top - view.top;
  let last = -1;
  for (const place of view.arranged.served[row.lane]) {
    if (requests.synchronizes[place] > view.to) break;
    if (endOf(place) < view.from || !view.isFound(place)) continue;
    const left = Math.max(view.gutter, xOf(view, requests.synchronizes[place])), right = Math.max(left + 1, xOf(view, endOf(place)));
    if (right <= last) continue;
    last = Math.ceil(right);
    context.fillRect(left, top, right - left, height);
  }
}

// From the call of a request to the bar that it caused.
function paintLink(context, view, place) {
  const { client, supplier, called, synchronizes } = requests;
  const from = view.plan.lanes.get(client[place]), to = view.plan.lanes.get(supplier[place]);
  if (!has(called[place]) || !has(synchronizes[place]) || !from || !to || !view.plan.size.bar) return;
  const depth = view.arranged.callRow(place);
  const x1 = xOf(view, called[place]), y1 = barTop(view, from, depth) + view.plan.size.bar - 3;
  const x2 = xOf(view, synchronizes[place]), y2 = barTop(view, to, view.arranged.row[place]) + view.plan.size.bar / 2;
  context.strokeStyle = inks().found;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1 + 24, y1, x2 - 24, y2, x2, y2);
  context.stroke();
  context.fillStyle = inks().found;
  context.beginPath();
  context.arc(x2, y2, 3, 0, 7);
  context.fill();
}

function paintAxis(context, view) {
  const { soft, paper } = inks();
  context.fillStyle = paper;
  context.fillRect(0, 0, view.width, AXIS);
  context.fillStyle = soft;
  for (const moment of axisMoments(view)) {
    const label = grouped(moment), wide = context.measureText(label).width;
    context.fillRect(Math.round(xOf(view, moment)), RULER - 6, 1, 4);
    context.fillText(label, Math.min(view.width - wide - 2, Math.max(view.gutter, xOf(view, moment) - wide / 2)), 9);
  }
}

// Lines below the moments of the axis, behind all that is there.
function paintGrid(context, view) {
  context.globalCompositeOperation = "destination-over";
  context.fillStyle = inks().line;
  for (const moment of axisMoments(view)) context.fillRect(Math.round(xOf(view, moment)), AXIS, 1, view.height - AXIS);
  context.globalCompositeOperation = "source-over";
}

// The whole picture. What is below the axis scrolls.
function paintLanes(canvas, view) {
  const context = sized(canvas, view.width, view.height);
  context.clearRect(0, 0, view.width, view.height);
  const first = rowAt(view.plan, view.top), rows = [];
  for (let at = first; at < view.plan.rows.length && view.plan.rows[at].top < view.top + view.height; at++) rows.push(view.plan.rows[at]);
  paintStrips(context, view, rows);
  context.save();
  context.beginPath();
  context.rect(view.gutter, AXIS, view.width - view.gutter, view.height - AXIS);
  context.clip();
  for (const row of rows) {
    if (row.group) continue;
    if (row.cpu !== undefined) {
      paintTurns(context, view, row);
      continue;
    }
    if (view.plan.size.bar) paintBars(context, view, row);
    else paintFound(context, view, row);
    paintOnPath(context, view, row);
  }
  if (view.selected !== undefined) {
    paintLink(context, view, view.selected);
    for (const place of view.related) paintLink(context, view, place);
  }
  if (view.plan.size.bar) paintGrid(context, view);
  context.restore();
  paintLabels(context, view, rows);
  paintAxis(context, view);
  paintPath(context, view);
  paintMoment(context, view);
}

// The moment that is looked at.
function paintMoment(context, view) {
  if (view.at === undefined || view.at < view.from || view.at > view.to) return;
  const x = Math.min(view.width - 1, Math.round(xOf(view, view.at)));
  context.fillStyle = inks().found;
  context.fillRect(x, RULER - 8, 1, view.height);
  context.beginPath();
  context.moveTo(x - 4, RULER - 10);
  context.lineTo(x + 5, RULER - 10);
  context.lineTo(x + 0.5, RULER - 2);
  context.fill();
}

const CPU_HEIGHT = 13;

// The shade of a processor on a CPU.
const laneColour = (lane) => (theme() === "dark" ? `hsl(${lane * 137.5 % 360} 28% 34%)` : `hsl(${lane * 137.5 % 360} 46% 82%)`);

// The processors that a CPU had, where there is room for them; elsewhere its strip says how much of the time it was busy.
function paintTurns(context, view, row) {
  const top = AXIS + row.top - view.top, point = (view.to - view.from) / (view.width - view.gutter);
  for (let place = intervalAt(cpus, row.cpu, view.from); place < cpus.first[row.cpu + 1] && cpus.begins[place] < view.to; place++) {
    const lane = cpus.processor[place], wide = (cpus.ends[place] - cpus.begins[place]) / point;
    if (wide < 4) {
      // All that has no room is passed over at once.
      place = Math.max(place, intervalAt(cpus, row.cpu, cpus.begins[place] + point * 2, place) - 1);
      continue;
    }
    if (lane < 0 || cpus.kinds[place] === TILE) continue;
    const left = Math.max(view.gutter - 2, xOf(view, cpus.begins[place])), right = Math.min(view.width + 2, xOf(view, cpus.ends[place]));
    context.fillStyle = laneColour(lane);
    context.fillRect(left, top, right - left - 0.5, CPU_HEIGHT);
    if (right - left < 26) continue;
    const inside = Math.max(left, view.gutter) + 3;
    context.fillStyle = inks().ink;
    context.font = "10px " + FONT;
    context.fillText(shortText(context, laneTitle(lane), right - inside - 3), inside, top + CPU_HEIGHT / 2);
    context.font = "12px " + FONT;
  }
}

// The tracks below the lanes: how many processors are in which state, and how many requests stand in queues, on average over each point.
const TRACK_HEIGHT = 58;
const TRACK_STATES = STACK.filter((kind) => kind !== IDLE && kind !== ABSENT);

function prefixed(column) {
  const sums = new Float64Array(column.length + 1);
  for (let place = 0; place < column.length; place++) sums[place + 1] = sums[place] + column[place];
  return sums;
}

// Ticks of a track up to a moment; of a column that is cut, its part.
const upTo = (sums) => (moment) => {
  const place = Math.min(tracks.count, Math.max(0, (moment - FROM) / tracks.width)), whole = Math.floor(place);
  return sums[whole] + (place - whole) * ((sums[whole + 1] ?? sums[whole]) - sums[whole]);
};

// For each state its ticks up to a moment, and those of requests in queues.
function trackSums() {
  tracks.sums ??= { states: tracks.states.map((column) => upTo(prefixed(column))), queues: upTo(prefixed(tracks.queues)) };
  return tracks.sums;
}

// Ticks that the shown requests of a lane have been in its queue up to a moment: those since the calls, without those since they were taken up.
function queueOf(lane) {
  const calls = [], ends = [];
  for (let place = 0; place < requests.count; place++) {
    if (requests.supplier[place] !== lane || !has(requests.called[place])) continue;
    calls.push(requests.called[place]);
    ends.push(has(requests.synchronizes[place]) ? requests.synchronizes[place] : TO);
  }
  const since = (moments) => {
    const sorted = Float64Array.from(moments).sort(), sums = prefixed(sorted);
    return (moment) => {
      let low = 0, high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] < moment) low = middle + 1;
        else high = middle;
      }
      return low * moment - sums[low];
    };
  };
  const [called, taken] = [since(calls), since(ends)];
  return (moment) => called(moment) - taken(moment);
}

// The average in each point of the picture.
function averages(ticksUpTo, from, step, points) {
  const values = new Float64Array(points);
  let before = ticksUpTo(from);
  for (let x = 0; x < points; x++) {
    const after = ticksUpTo(from + (x + 1) * step);
    values[x] = (after - before) / step;
    before = after;
  }
  return values;
}

// The tracks from top to bottom: a name, layers of ticks up to a moment and colours, and a number that is marked.
const TRACKS = [
  () => ["processors", TRACK_STATES.map((state) => [trackSums().states[state], stateColour(state)]), amount(about.cpus)],
  () => ["in queues", [[trackSums().queues, inks().soft]], 0],
  ({ selected, queue }) => selected !== undefined && [`queue of ${laneName(requests.supplier[selected])}`, [[queue, inks().found]], 0],
];

function paintTracks(canvas, view) {
  const shown = TRACKS.map((track) => track(view)).filter(Boolean), height = shown.length * (TRACK_HEIGHT + 8);
  const context = sized(canvas, view.width, height);
  context.clearRect(0, 0, view.width, height);
  if (tracks.count === 0) return;
  shown.forEach((track, place) => paintTrack(context, view, place * (TRACK_HEIGHT + 8), ...track));
}

function paintTrack(context, view, top, name, layers, limit) {
  const left = Math.round(view.gutter), points = Math.max(1, view.width - left), step = (view.to - view.from) / points;
  const present = layers.filter(([ticksUpTo]) => ticksUpTo(TO) > 0), values = present.map(([ticksUpTo]) => averages(ticksUpTo, view.from, step, points));
  const whole = new Float64Array(points);
  for (const column of values) for (let x = 0; x < points; x++) whole[x] += column[x];
  const most = whole.reduce((one, other) => Math.max(one, other), 1);
  const { soft, line, ink } = inks(), unit = (TRACK_HEIGHT - 14) / most, bottom = top + TRACK_HEIGHT;
  const below = new Float64Array(points);
  present.forEach(([, colour], layer) => {
    context.fillStyle = colour;
    for (let x = 0; x < points; x++) {
      const high = values[layer][x] * unit;
      if (high > 0) context.fillRect(left + x, bottom - below[x] - high, 1, high);
      below[x] += high;
    }
  });
  context.fillStyle = line;
  context.fillRect(left, bottom - 1, points, 1);
  if (limit > 0 && limit <= most) {
    context.fillStyle = ink;
    for (let x = left; x < view.width; x += 6) context.fillRect(x, bottom - limit * unit, 3, 1);
  }
  context.fillStyle = soft;
  context.fillText(shortText(context, name, view.gutter - 8), 4, bottom - TRACK_HEIGHT / 2 + 6);
  const label = most >= 100 ? grouped(Math.round(most)) : String(Math.round(most * 10) / 10);
  context.fillText("≤ " + label, left + 2, top + 6);
}
