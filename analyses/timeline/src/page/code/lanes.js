// The order of lanes, and the rows of their bars.

// Creation paths, component by component: a processor comes before those that it made.
function byCreation() {
  const made = new Map();
  for (let lane = 1; lane < lanes.count; lane++) {
    const creator = lanes.creator[lane];
    if (!made.has(creator)) made.set(creator, []);
    made.get(creator).push(lane);
  }
  for (const list of made.values()) list.sort((a, b) => lanes.ordinal[a] - lanes.ordinal[b] || a - b);
  const order = [], rest = lanes.count ? [0] : [];
  while (rest.length) {
    const lane = rest.pop();
    order.push(lane);
    const list = made.get(lane) ?? [];
    for (let place = list.length - 1; place >= 0; place--) if (list[place] !== lane) rest.push(list[place]);
  }
  return order;
}

// Lanes of a class together, the classes in the order of their first lanes.
function groupsOf(order) {
  const groups = new Map();
  for (const lane of order) {
    const name = lane === 0 ? "script" : className(lane) || "(class not known)";
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(lane);
  }
  return [...groups].map(([name, members]) => ({ name, members }));
}

// The sums of a group in columns of one width: { width, columns }, KINDS numbers a column.
const GROUP_COLUMNS = 4096;

function groupSums(group) {
  if (group.sums) return group.sums;
  const width = (TO - FROM) / Math.min(GROUP_COLUMNS, TO - FROM), count = Math.ceil((TO - FROM) / width);
  const columns = new Float64Array(count * KINDS), whole = new Float64Array((count + 1) * KINDS);
  const add = (kind, from, to) => {
    const first = Math.min(count - 1, Math.floor((from - FROM) / width)), last = Math.min(count - 1, Math.floor((to - FROM) / width));
    if (first === last) {
      columns[first * KINDS + kind] += to - from;
      return;
    }
    columns[first * KINDS + kind] += FROM + (first + 1) * width - from;
    columns[last * KINDS + kind] += to - FROM - last * width;
    whole[(first + 1) * KINDS + kind] += width;
    whole[last * KINDS + kind] -= width;
  };
  for (const lane of group.members) {
    for (let place = lanes.first[lane]; place < lanes.first[lane + 1]; place++) {
      const from = lanes.begins[place], to = lanes.ends[place];
      if (lanes.kinds[place] !== TILE) {
        add(lanes.kinds[place], from, to);
        continue;
      }
      const column = Math.min(count - 1, Math.floor((from - FROM) / width));
      lanes.tiles.get(place).forEach((ticks, kind) => { columns[column * KINDS + kind] += ticks; });
    }
  }
  for (let place = KINDS; place < whole.length; place++) whole[place] += whole[place - KINDS];
  for (let place = 0; place < columns.length; place++) columns[place] += whole[place];
  group.sums = { width, count, columns };
  return group.sums;
}

// Requests by the lanes that serve them, in the order of their begins. A request stands one row below those that the lane has under way
// when it begins. `bars` and `calls` have the places of each row: the requests, and the calls of the requests of that row.
function arrangeRequests() {
  const { count, supplier, client, synchronizes } = requests;
  const served = Array.from({ length: lanes.count }, () => []), bars = served.map(() => []), calls = served.map(() => []);
  const row = new Uint8Array(count), rows = new Uint8Array(lanes.count);
  for (let place = 0; place < count; place++) if (has(synchronizes[place]) && supplier[place] < lanes.count) served[supplier[place]].push(place);
  served.forEach((list, lane) => {
    list.sort((a, b) => synchronizes[a] - synchronizes[b] || endOf(b) - endOf(a) || a - b);
    const open = [];
    for (const place of list) {
      while (open.length && endOf(open.at(-1)) <= synchronizes[place]) open.pop();
      row[place] = Math.min(open.length, MOST_ROWS - 1);
      (bars[lane][row[place]] ??= []).push(place);
      open.push(place);
    }
    rows[lane] = bars[lane].length;
  });
  const callRow = (place) => {
    const sender = sentBy(place);
    return sender === undefined || supplier[sender] !== client[place] ? 0 : row[sender];
  };
  for (let place = 0; place < count; place++) {
    const isCall = isFlagged(place, "waits") && !isFlagged(place, "isLocal") && client[place] < lanes.count && place > 0;
    if (isCall) (calls[client[place]][callRow(place)] ??= []).push(place);
  }
  for (const places of calls.flat()) places.sort((a, b) => waitsFrom(a) - waitsFrom(b) || a - b);
  return { served, bars, calls, row, rows, callRow };
}

// The first of places, from one on, that ends behind a moment. Those of a row come one after the other.
function firstBehind(places, ends, moment, low = 0) {
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[places[middle]] < moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Rows of bars that a lane has at most; deeper ones share the last.
const MOST_ROWS = 8;

// How high the parts of a lane are, in points.
const SIZES = {
  requests: { strip: 9, bar: 15, gap: 8 },
  states: { strip: 13, bar: 0, gap: 3 },
  thin: { strip: 4, bar: 0, gap: 0 },
};

// What stands below each other: { lane } or { group }, each with its top and height.
function layout({ order, groups, isGrouped, open, bars, arranged, hasCpus }) {
  const size = SIZES[bars], rows = [];
  let top = 0;
  const push = (row, height) => {
    rows.push({ ...row, top, height });
    top += height;
  };
  const pushLane = (lane) => push({ lane }, size.strip + size.gap + size.bar * arranged.rows[lane]);
  for (let cpu = 0; hasCpus && cpu < cpus.count; cpu++) push({ cpu }, CPU_HEIGHT + (cpu + 1 === cpus.count ? 8 : 2));
  if (!isGrouped) order.forEach(pushLane);
  for (const group of isGrouped ? groups : []) {
    push({ group }, 22);
    if (open.has(group.name)) group.members.forEach(pushLane);
  }
  return { rows, height: top, size };
}

// The first row of a layout that ends behind this place.
function rowAt({ rows }, y) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].top + rows[middle].height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}
