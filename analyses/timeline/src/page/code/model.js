// The timeline as columns of numbers. Lanes are processors, or processes where there are none; their numbers are those of the trace.

const data = JSON.parse(document.getElementById("profile").textContent);
const { about, texts, leftOut } = data;

// Moments of the page.
const FROM = amount(about.from), TO = Math.max(amount(about.to), amount(about.from) + 1);

// Kinds of intervals: the states in the order of the trace, then what is no state.
const STATES = data.states;
const IDLE = 0, RUNNING = 1, READY = 2, ANSWER = 3, LOCK = 4, CONDITION = 5;
const ABSENT = STATES.length, TILE = ABSENT + 1, KINDS = TILE;
// From the bottom of a column to its top.
const STACK = [RUNNING, STATES.indexOf("overhead"), READY, ANSWER, LOCK, CONDITION, STATES.indexOf("blocked"), STATES.indexOf("asleep"), IDLE, ABSENT];
const STATE_TEXTS = {
  running: "runs", ready: "ready, without a CPU", answer: "waits for an answer", lock: "waits for locks", condition: "waits for its condition",
  asleep: "sleeps", overhead: "is charged", idle: "idle", blocked: "blocked: its processes wait",
};

// Sums are kept for every block of this many intervals.
const BLOCK = 16;

const textOf = (number) => (number < 0 ? undefined : texts[number]);

function readLanes(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  const lanes = {
    count, creator: new Int32Array(count), ordinal: new Float64Array(count), created: new Float64Array(count),
    classOf: new Int32Array(count), served: new Float64Array(count),
  };
  for (let lane = 0; lane < count; lane++) {
    lanes.creator[lane] = lane - input.number();
    lanes.ordinal[lane] = input.number();
    lanes.created[lane] = FROM + input.difference();
    lanes.classOf[lane] = input.number() - 1;
    lanes.served[lane] = input.number();
  }
  readStrips(input, lanes, count ? input.number() : 0);
  return lanes;
}

// Intervals of all lanes one after the other, and their sums before each block.
function readStrips(input, lanes, strips) {
  const count = lanes.count ? input.number() : 0, tiles = new Map();
  const begins = new Float64Array(count), ends = new Float64Array(count), kinds = new Uint8Array(count);
  const first = new Uint32Array(lanes.count + 1);
  let place = 0;
  for (let lane = 0; lane < lanes.count; lane++) {
    first[lane] = place;
    let moment = FROM;
    for (let rest = lane < strips ? input.number() : 0; rest > 0; rest--, place++) {
      const byte = input.byte(), short = byte >> 4;
      begins[place] = moment;
      moment += short < 15 ? short : 15 + input.number();
      ends[place] = moment;
      kinds[place] = byte & 15;
      if (kinds[place] === TILE) tiles.set(place, readTile(input));
    }
  }
  first[lanes.count] = place;
  Object.assign(lanes, { first, begins, ends, kinds, tiles });
  lanes.blocks = blockSums(lanes);
}

function readTile(input) {
  const mask = input.number(), sums = new Float64Array(KINDS);
  for (let kind = 0; kind < KINDS; kind++) if (mask & (1 << kind)) sums[kind] = input.number();
  return sums;
}

function blockSums({ begins, ends, kinds, tiles }) {
  const blocks = new Float64Array((Math.floor(ends.length / BLOCK) + 1) * KINDS), sums = new Float64Array(KINDS);
  for (let place = 0; place < ends.length; place++) {
    if (place % BLOCK === 0) blocks.set(sums, place / BLOCK * KINDS);
    addInterval(sums, place, ends[place] - begins[place], kinds, tiles, 1);
  }
  if (ends.length % BLOCK === 0) blocks.set(sums, ends.length / BLOCK * KINDS);
  return blocks;
}

// Adds ticks of an interval. Of a tile that is cut this is its share of each state.
function addInterval(sums, place, ticks, kinds, tiles, share) {
  const kind = kinds[place];
  if (kind !== TILE) sums[kind] += ticks;
  else tiles.get(place).forEach((own, state) => { sums[state] += own * share; });
}

// The interval of a lane at a moment; behind the last one, the number after it.
function intervalAt(lanes, lane, moment, low = lanes.first[lane]) {
  let high = lanes.first[lane + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lanes.ends[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Goes along a lane from moment to moment. `next` adds the ticks by state up to a later moment to sums.
class Walk {
  constructor(lanes, lane, moment) {
    this.lanes = lanes;
    this.lane = lane;
    this.last = lanes.first[lane + 1];
    this.place = intervalAt(lanes, lane, moment);
    this.moment = moment;
  }

  // The part of the interval here up to a moment.
  part(sums, until) {
    const { begins, ends, kinds, tiles } = this.lanes, place = this.place;
    const from = Math.max(this.moment, begins[place]), to = Math.min(until, ends[place]);
    if (to <= from) return;
    addInterval(sums, place, to - from, kinds, tiles, (to - from) / (ends[place] - begins[place]));
  }

  // The state of the whole time up to a moment, if it is one alone; -1 otherwise. Then `next` is still to be called.
  state(until) {
    const { begins, ends, kinds } = this.lanes, place = this.place;
    if (place >= this.last || until > ends[place] || this.moment < begins[place] || kinds[place] === TILE) return -1;
    this.moment = until;
    return kinds[place];
  }

  next(sums, until) {
    const { ends } = this.lanes;
    if (this.place < this.last && until < ends[this.place]) {
      this.part(sums, until);
    } else if (this.place < this.last) {
      this.part(sums, until);
      let place = this.place + 1;
      for (let steps = 0; steps < BLOCK && place < this.last && ends[place] <= until; steps++, place++) this.whole(sums, place);
      if (place < this.last && ends[place] <= until) place = this.leap(sums, place, until);
      this.place = place;
      if (place < this.last) this.part(sums, until);
    }
    this.moment = until;
  }

  whole(sums, place) {
    const { begins, ends, kinds, tiles } = this.lanes;
    addInterval(sums, place, ends[place] - begins[place], kinds, tiles, 1);
  }

  // Over whole blocks by their sums.
  leap(sums, from, until) {
    const { blocks } = this.lanes;
    const to = intervalAt(this.lanes, this.lane, until, from);
    const firstBlock = Math.ceil(from / BLOCK), lastBlock = Math.floor(to / BLOCK);
    if (firstBlock >= lastBlock) {
      for (let place = from; place < to; place++) this.whole(sums, place);
      return to;
    }
    for (let place = from; place < firstBlock * BLOCK; place++) this.whole(sums, place);
    for (let kind = 0; kind < KINDS; kind++) sums[kind] += blocks[lastBlock * KINDS + kind] - blocks[firstBlock * KINDS + kind];
    for (let place = lastBlock * BLOCK; place < to; place++) this.whole(sums, place);
    return to;
  }
}

// Ticks of a lane by state between two moments.
function ticksOf(lanes, lane, from = FROM, to = TO) {
  const sums = new Float64Array(KINDS);
  new Walk(lanes, lane, from).next(sums, to);
  return sums;
}

const FLAGS = ["waits", "isLocal", "isCallback"];
const MOMENTS = ["called", "synchronizes", "executes", "returns", "joined", "answered"];

function readRequests(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  let last = 0;
  const number = input.column(Float64Array, count, () => (last += input.difference()));
  const feature = input.column(Int32Array, count);
  const client = input.column(Uint32Array, count);
  const supplier = input.column(Uint32Array, count, (place) => client[place] + input.difference());
  const sender = input.column(Float64Array, count, (place) => { const back = input.number(); return back === 0 ? -1 : number[place] - back + 1; });
  const site = input.optionals(count);
  const flags = input.column(Uint16Array, count);
  const requests = { count, number, feature, client, supplier, sender, site, flags };
  readMoments(input, requests);
  requests.waiting = input.column(Float64Array, count);
  requests.evaluations = input.column(Float64Array, count);
  readMarks(input, requests);
  requests.places = new Map();
  number.forEach((one, place) => requests.places.set(one, place));
  const first = ([one, other]) => {
    const column = new Float64Array(count);
    for (let place = 0; place < count; place++) column[place] = has(one[place]) ? one[place] : other && has(other[place]) ? other[place] : TO;
    return column;
  };
  requests.ends = first([requests.returns]);
  requests.waitsTo = first([requests.answered, requests.returns]);
  requests.waitsFrom = first([requests.joined, requests.called]);
  return requests;
}

// The moments of each request; NaN for those that it has not.
function readMoments(input, requests) {
  const { count, flags } = requests;
  for (const moment of MOMENTS) requests[moment] = new Float64Array(count).fill(NaN);
  let last = FROM;
  for (let place = 0; place < count; place++) {
    let before = last, isFirst = true;
    MOMENTS.forEach((moment, bit) => {
      if (!(flags[place] >> (FLAGS.length + bit) & 1)) return;
      before += input.difference();
      requests[moment][place] = before;
      if (isFirst) last = before;
      isFirst = false;
    });
  }
}

function readMarks(input, requests) {
  requests.marks = new Map();
  let place = 0;
  for (let rest = requests.count ? input.number() : 0; rest > 0; rest--) {
    place += input.number();
    let moment = Number.isNaN(requests.synchronizes[place]) ? 0 : requests.synchronizes[place];
    const evaluations = [], locks = [];
    for (let marks = input.number(); marks > 0; marks--) {
      moment += input.difference();
      evaluations.push([moment, input.byte() === 1]);
    }
    for (let marks = input.number(); marks > 0; marks--) locks.push(input.number());
    requests.marks.set(place, { evaluations, locks });
  }
}

function readWaits(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  let last = FROM;
  const from = input.column(Float64Array, count, () => (last += input.difference()));
  const to = input.column(Float64Array, count, (place) => from[place] + input.difference());
  const cause = input.column(Uint8Array, count);
  const [waiter, subject] = [input.optionals(count), input.optionals(count)];
  const client = input.column(Uint32Array, count);
  const [supplier, by, place] = [input.optionals(count), input.optionals(count), input.optionals(count)];
  const lasts = input.column(Uint8Array, count, () => input.byte());
  return { count, from, to, cause, waiter, subject, client, supplier, by, place, lasts };
}

// Which scope has the lock of a processor, and when: the supplier's lock, the client's scope.
function readHolds(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  let last = FROM;
  const from = input.column(Float64Array, count, () => (last += input.number()));
  const to = input.column(Float64Array, count, (place) => from[place] + input.number());
  const [supplier, client, request] = [0, 1, 2].map(() => input.column(Uint32Array, count));
  return { count, from, to, supplier, client, request, lasts: input.column(Uint8Array, count, () => input.byte()) };
}

// CPUs as lanes that run a processor or are idle. Joined times are tiles.
function readCpus(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  const begins = [], ends = [], kinds = [], processor = [], first = [0], tiles = new Map();
  const push = (from, to, kind, its) => {
    begins.push(from);
    ends.push(to);
    kinds.push(kind);
    processor.push(its);
  };
  for (let cpu = 0; cpu < count; cpu++) {
    let moment = FROM;
    for (let rest = input.number(); rest > 0; rest--) {
      const from = moment + input.number(), to = from + input.number(), idle = input.number(), its = input.number() - 1;
      if (from > moment) push(moment, from, IDLE, -1);
      if (idle > 0 || its < 0) {
        const sums = new Float64Array(KINDS);
        sums[IDLE] = idle;
        sums[RUNNING] = to - from - idle;
        tiles.set(begins.length, sums);
      }
      push(from, to, idle > 0 || its < 0 ? TILE : RUNNING, its);
      moment = to;
    }
    if (moment < TO) push(moment, TO, IDLE, -1);
    first.push(begins.length);
  }
  const columns = { begins: Float64Array.from(begins), ends: Float64Array.from(ends), kinds: Uint8Array.from(kinds), tiles };
  return { count, first, processor, ...columns, blocks: blockSums(columns) };
}

// The critical path as a lane: the kind of a part is the number of how time passes in it, from 1 on. `onLanes` has the parts of each
// lane in which that lane does something.
function readPath(bytes) {
  const input = new Reader(bytes);
  const count = bytes.length ? input.number() : 0;
  const gaps = input.column(Float64Array, count), lengths = input.column(Float64Array, count);
  const begins = new Float64Array(count), ends = new Float64Array(count);
  for (let place = 0, moment = FROM; place < count; place++) {
    begins[place] = moment + gaps[place];
    moment = ends[place] = begins[place] + lengths[place];
  }
  const kinds = input.column(Uint8Array, count, () => input.number() + 1), feature = input.optionals(count), processor = input.column(Uint32Array, count);
  const onLanes = new Map(), columns = { begins, ends, kinds, tiles: new Map() };
  for (let place = 0; place < count; place++) {
    if (!["running", "overhead", "asleep"].includes(data.path.passes[kinds[place] - 1])) continue;
    if (!onLanes.has(processor[place])) onLanes.set(processor[place], []);
    onLanes.get(processor[place]).push(place);
  }
  return { count, first: [0, count], feature, processor, onLanes, ...columns, blocks: blockSums(columns) };
}

// Sums over all processors in columns of one width.
function readTracks(bytes) {
  const input = new Reader(bytes);
  if (!bytes.length) return { width: 1, count: 0, states: [], queues: [] };
  const width = input.number(), count = input.number();
  const states = STATES.map(() => input.column(Float64Array, count));
  return { width, count, states, queues: input.column(Float64Array, count) };
}

let lanes, requests, waits, holds, cpus, path, tracks;

async function readAll() {
  const parts = await Promise.all([data.lanes, data.requests, data.longestWaits, data.tracks, data.holds, data.cpus, data.path?.parts ?? ""].map(inflated));
  lanes = readLanes(parts[0]);
  requests = readRequests(parts[1]);
  waits = readWaits(parts[2]);
  tracks = readTracks(parts[3]);
  holds = readHolds(parts[4]);
  cpus = readCpus(parts[5]);
  path = readPath(parts[6]);
}

// The name of a lane: the creations that led to it. A long way shows its end only.
function laneName(lane) {
  if (lane === 0) return "script";
  const parts = [];
  let at = lane;
  while (at > 0 && at < lanes.count && lanes.ordinal[at] > 0 && lanes.creator[at] < at && parts.length < 6) {
    parts.push(lanes.ordinal[at]);
    at = lanes.creator[at];
  }
  if (at > 0) parts.push("…");
  return "#" + parts.reverse().join(".");
}

const className = (lane) => textOf(lanes.classOf[lane] ?? -1) ?? "";
const laneTitle = (lane) => `${laneName(lane)} ${className(lane)}`.trim();

const featureName = (place) => texts[requests.feature[place]] ?? "";
const has = (moment) => !Number.isNaN(moment);
const isFlagged = (place, flag) => (requests.flags[place] >> FLAGS.indexOf(flag) & 1) === 1;
const endOf = (place) => requests.ends[place];
// When the client of a request began to wait for it, and when it had the answer.
const waitsFrom = (place) => requests.waitsFrom[place];
const waitsTo = (place) => requests.waitsTo[place];
const sentBy = (place) => requests.places.get(requests.sender[place]);
