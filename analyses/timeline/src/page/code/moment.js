// Who waits for whom at a moment: who waits as edges between lanes, chains and circles of them, and a drawing.

const MOST_NODES = 60, MOST_CHAINS = 60, LONGEST_CHAIN = 30;
const END = amount(about.to);

// Whether what is from one moment to another one is at this moment. What lasts is at the last moment too.
const isAt = (from, to, lasts, moment) => from <= moment && (moment < to || lasts === 1);

// What each lane has begun last and not ended, and the requests that stand in its queue.
function underWay(moment) {
  const { count, supplier, called, synchronizes, returns } = requests, inner = new Map(), queues = new Map();
  for (let place = 0; place < count; place++) {
    const lane = supplier[place];
    if (has(synchronizes[place]) && synchronizes[place] <= moment) {
      if (has(returns[place]) && returns[place] <= moment) continue;
      const other = inner.get(lane);
      if (other === undefined || synchronizes[place] >= synchronizes[other]) inner.set(lane, place);
    } else if (called[place] <= moment && !isFlagged(place, "isLocal")) {
      queues.set(lane, (queues.get(lane) ?? 0) + 1);
    }
  }
  return { inner, queues };
}

// Edges { from, to, cause, text } between lanes, what lanes wait for that is no lane, and the queues.
function waitingAt(moment) {
  const { inner, queues } = underWay(moment), holders = new Map(), edges = new Map(), objects = new Map();
  for (let place = 0; place < holds.count && holds.from[place] <= moment; place++) if (isAt(holds.from[place], holds.to[place], holds.lasts[place], moment)) holders.set(holds.supplier[place], holds.client[place]);
  const add = (from, to, cause, text) => {
    if (from !== to && from < lanes.count && to < lanes.count && !edges.has(`${from} ${to}`)) edges.set(`${from} ${to}`, { from, to, cause, text });
  };
  const addLocks = (lane, wanted) => {
    const others = wanted.filter((one) => holders.has(one) && holders.get(one) !== lane);
    for (const one of others) add(lane, holders.get(one), "lock", `lock of ${laneName(one)}`);
    if (others.length > 0) return;
    // No scope has them, as far as is known: then a request that locks its processor for itself alone.
    const busy = wanted.filter((one) => !holders.has(one) && inner.has(one));
    for (const one of busy.length ? busy : wanted.filter((one) => !holders.has(one))) add(lane, one, "lock", `lock of ${laneName(one)}`);
  };
  for (let place = 0; place < waits.count && waits.from[place] <= moment; place++) {
    const lane = waits.client[place], supplier = waits.supplier[place], cause = data.causes[waits.cause[place]];
    if (cause === "queue" || !isAt(waits.from[place], waits.to[place], waits.lasts[place], moment)) continue;
    const own = inner.get(lane);
    // It serves a callback while it waits: the callback counts.
    if (own !== undefined && (waits.from[place] < requests.synchronizes[own] || (cause === "answer" && isFlagged(own, "isCallback") && waits.from[place] === requests.synchronizes[own]))) continue;
    const wanted = (own === undefined ? undefined : requests.marks.get(own)?.locks) ?? (supplier < 0 ? [] : [supplier]);
    if (cause === "answer" && supplier >= 0) {
      add(lane, supplier, "answer", "answer");
      if (!inner.has(supplier) && holders.has(supplier) && holders.get(supplier) !== lane) add(supplier, holders.get(supplier), "lock", `lock of ${laneName(supplier)}`);
    } else if (cause === "lock") {
      addLocks(lane, wanted);
    } else if (cause === "condition") {
      for (const one of wanted) add(lane, one, "condition", "its condition");
    } else if (cause !== "answer") {
      objects.set(lane, `${cause}${textOf(waits.subject[place]) ? " " + textOf(waits.subject[place]) : ""}`);
    }
  }
  return { edges: [...edges.values()], objects, queues, inner };
}

// Edges by the lanes from which they lead.
function edgesFrom(edges) {
  const from = new Map();
  for (const edge of edges) from.get(edge.from)?.push(edge) ?? from.set(edge.from, [edge]);
  return from;
}

// Lanes that wait for each other in a circle. What only waits for a condition can be helped by anyone.
function circlesOf(edges) {
  const strong = edges.filter((edge) => edge.cause !== "condition"), from = edgesFrom(strong), to = new Map(), left = new Map();
  for (const edge of strong) {
    to.get(edge.to)?.push(edge) ?? to.set(edge.to, [edge]);
    left.set(edge.from, (left.get(edge.from) ?? 0) + 1);
    if (!left.has(edge.to)) left.set(edge.to, 0);
  }
  // Without those that lead out, circles are left and what leads into them.
  const free = [...left.keys()].filter((lane) => left.get(lane) === 0);
  while (free.length) for (const edge of to.get(free.pop()) ?? []) {
    left.set(edge.from, left.get(edge.from) - 1);
    if (left.get(edge.from) === 0) free.push(edge.from);
  }
  const circles = [], seen = new Map();
  [...left.keys()].filter((lane) => left.get(lane) > 0).forEach((start, turn) => {
    const way = [];
    let at = start;
    while (!seen.has(at)) {
      seen.set(at, turn);
      way.push(at);
      at = from.get(at).find((edge) => left.get(edge.to) > 0).to;
    }
    if (seen.get(at) === turn) circles.push(way.slice(way.indexOf(at)));
  });
  return circles;
}

// Ways along the edges from lanes for which no other lane waits: lists of edges.
function chainsOf(edges, circles) {
  const from = edgesFrom(edges), targets = new Set(edges.map((edge) => edge.to)), inCircle = new Set(circles.flat()), chains = [];
  const heads = [...from.keys()].filter((lane) => !targets.has(lane));
  for (const head of heads) {
    for (const first of from.get(head)) {
      if (chains.length >= MOST_CHAINS) return { chains, more: heads.length - new Set(chains.map((chain) => chain[0].from)).size };
      const chain = [first], seen = new Set([head]);
      for (let at = first.to; chain.length < LONGEST_CHAIN && from.has(at) && !seen.has(at) && !inCircle.has(at);) {
        seen.add(at);
        chain.push(from.get(at)[0]);
        at = chain.at(-1).to;
      }
      chains.push(chain);
    }
  }
  return { chains, more: 0 };
}

const laneMark = (lane) => h("span", { class: "name" }, laneTitle(lane));

// What a lane does, in words.
function doesAt(lane, moment, { inner, objects }) {
  if (objects.has(lane)) return "waits for " + objects.get(lane);
  const own = inner.get(lane), what = own === undefined ? "" : requests.number[own] === 0 ? "script" : featureName(own);
  const place = intervalAt(lanes, lane, Math.min(moment, TO - 0.5)), kind = lanes.kinds[place];
  const state = place < lanes.first[lane + 1] && kind < STATES.length ? STATE_TEXTS[STATES[kind]] : "";
  return [state, what].filter(Boolean).join(": ");
}

// The card of a moment.
function momentCard(moment, close) {
  const found = waitingAt(moment), { edges, queues, objects } = found, circles = circlesOf(edges), { chains, more } = chainsOf(edges, circles);
  const isEnd = moment >= END, names = new Set([...edges.flatMap((edge) => [edge.from, edge.to]), ...objects.keys()]), queued = [...queues].sort((a, b) => b[1] - a[1]);
  const list = (label, items) => items.length > 0 && h("ul", { class: "chains", "aria-label": label }, items);
  const arrows = (chain) => [laneMark(chain[0].from), chain.map((edge) => [h("span", { class: "soft" }, ` → ${edge.text} → `), laneMark(edge.to)])];
  const circleText = (circle) => {
    const from = edgesFrom(edges), edgeTo = (lane, next) => from.get(lane).find((edge) => edge.to === next);
    return h("li", { class: "bad" }, isEnd ? "Deadlock: " : "Circle: ", arrows(circle.map((lane, place) => edgeTo(lane, circle[(place + 1) % circle.length]))));
  };
  const chainText = (chain) => h("li", null, arrows(chain),
    circles.some((circle) => circle.includes(chain.at(-1).to)) ? h("span", { class: "worst" }, " in a circle") : h("span", { class: "soft" }, " " + doesAt(chain.at(-1).to, moment, found)));
  const waitedFor = new Set(edges.map((edge) => edge.to)), lone = [...objects].filter(([lane]) => !waitedFor.has(lane));
  const notes = [names.size > MOST_NODES && `${plural(names.size, "processor")} wait or are waited for: too many for a drawing.`,
    more > 0 && `${plural(more, "more chain")} are not listed.`,
    (amount(leftOut.longestWaits) > 0 || amount(leftOut.holds) > 0 || amount(leftOut.requests) > 0) && "Short waits, locks and requests that have no room in this page are not known here.",
    FROM > 0 && "Locks and requests from before what is shown are not known."].filter(Boolean);
  const isEmpty = edges.length === 0 && objects.size === 0;
  return h("section", { class: "card", id: "moment" }, h("h2", null, isEnd ? "Who waits at the end" : `Who waits at tick ${grouped(moment)}`),
    isEmpty ? h("p", { class: "empty" }, "No processor waits for another one.") : names.size <= MOST_NODES && waitDrawing(found, circles, names, moment),
    list("Circles", circles.slice(0, MOST_CHAINS).map((circle) => circleText(circle))), list("Chains", chains.map(chainText)),
    list("Objects", lone.slice(0, MOST_CHAINS).map(([lane]) => h("li", null, laneMark(lane), h("span", { class: "soft" }, " " + doesAt(lane, moment, found))))),
    queued.length > 0 && h("p", { class: "more" }, "In queues: ", queued.slice(0, 12).map(([lane, count], place) => [place > 0 && ", ", laneMark(lane), ` ${plural(count, "request")}`]), queued.length > 12 && `, and those of ${plural(queued.length - 12, "more processor")}`),
    notes.length > 0 && h("ul", { class: "notes" }, notes.map((note) => h("li", null, note))),
    h("p", { class: "more" }, h("button", { type: "button", class: "button", onclick: close }, "Close")));
}

// Boxes of lanes in columns: those that are waited for stand to the right of those that wait, circles as rings.
const BOX = { width: 168, height: 40, across: 96, down: 16 };

function placed({ edges }, circles, names) {
  const from = edgesFrom(edges), ring = new Map(), layer = new Map(), at = new Map();
  circles.forEach((circle) => circle.forEach((lane) => ring.set(lane, circle)));
  const layerOf = (lane, depth) => {
    if (layer.has(lane)) return layer.get(lane);
    layer.set(lane, 0);
    if (!ring.has(lane) && depth < MOST_NODES) layer.set(lane, Math.max(0, ...(from.get(lane) ?? []).map((edge) => layerOf(edge.to, depth + 1) + 1)));
    return layer.get(lane);
  };
  for (const lane of names) layerOf(lane, 0);
  const columns = [];
  for (const lane of names) if (!ring.has(lane)) (columns[layer.get(lane)] ??= []).push(lane);
  const { width, height, across, down } = BOX;
  let right = 0, ringHeight = 0;
  for (const circle of circles) {
    const [wide, high] = circle.length === 2 ? [0, 62] : [Math.max(150, circle.length * 42), Math.max(100, circle.length * 27)];
    circle.forEach((lane, place) => {
      const angle = (place / circle.length - 0.25) * 2 * Math.PI;
      at.set(lane, [-wide + wide * Math.cos(angle), ringHeight + high + high * Math.sin(angle)]);
    });
    right = Math.min(right, -2 * wide);
    ringHeight += 2 * high + height + 3 * down;
  }
  columns[0] ??= [];
  let top = ringHeight;
  for (const lane of columns[0]) {
    at.set(lane, [right / 2, top]);
    top += height + down;
  }
  // Others stand level with what they wait for, as far as there is room.
  for (let column = 1; column < columns.length; column++) {
    const x = right - column * (width + across), wanted = (lane) => Math.min(...from.get(lane).map((edge) => at.get(edge.to)?.[1] ?? 0));
    let next = -Infinity;
    for (const lane of (columns[column] ?? []).sort((a, b) => wanted(a) - wanted(b) || a - b)) {
      const y = Math.max(next, wanted(lane));
      at.set(lane, [x, y]);
      next = y + height + down;
    }
  }
  return at;
}

// The point at which the line from the middle of a box leaves it.
function edgeOf([x, y], [dx, dy], gap) {
  const part = Math.min((BOX.width / 2 + gap) / Math.abs(dx || 1e-9), (BOX.height / 2 + gap) / Math.abs(dy || 1e-9), 0.5);
  return [x + dx * part, y + dy * part];
}

const CAUSE_STATES = { answer: ANSWER, lock: LOCK, condition: CONDITION };

function edgeMarks(edge, at, isBad) {
  const [x1, y1] = at.get(edge.from), [x2, y2] = at.get(edge.to), length = Math.hypot(x2 - x1, y2 - y1) || 1;
  // Two that wait for each other have two lines.
  const [sx, sy] = [-(y2 - y1) / length * 5, (x2 - x1) / length * 5], way = [x2 - x1, y2 - y1];
  let [ax, ay] = edgeOf([x1 + sx, y1 + sy], way, 1), [bx, by] = edgeOf([x2 + sx, y2 + sy], [-way[0], -way[1]], 3);
  // From column to column, so that no line leads behind the boxes of a column.
  if (!isBad && x2 - x1 > BOX.width) [ax, ay, bx, by] = [x1 + BOX.width / 2 + 1, y1, x2 - BOX.width / 2 - 3, y2];
  const reach = Math.hypot(bx - ax, by - ay) || 1, [ux, uy] = [(bx - ax) / reach, (by - ay) / reach];
  const tip = [[bx, by], [bx - ux * 9 - uy * 4.5, by - uy * 9 + ux * 4.5], [bx - ux * 9 + uy * 4.5, by - uy * 9 - ux * 4.5]];
  const colour = stateColour(CAUSE_STATES[edge.cause]);
  const line = s("line", { x1: ax, y1: ay, x2: bx - ux * 7, y2: by - uy * 7, stroke: colour, "stroke-width": isBad ? 3 : 1.6, ...(edge.cause === "condition" ? { "stroke-dasharray": "5 4" } : {}) });
  const text = s("text", { x: (ax + bx) / 2, y: (ay + by) / 2 + 4, class: "edge" }, edge.text);
  return { text, line: [line, s("polygon", { points: tip.map((point) => point.map((one) => one.toFixed(1)).join()).join(" "), fill: colour })] };
}

function waitDrawing(found, circles, names, moment) {
  const at = placed(found, circles, names), places = [...at.values()], { width, height } = BOX, inCircle = new Map();
  circles.forEach((circle) => circle.forEach((lane, place) => inCircle.set(lane, circle[(place + 1) % circle.length])));
  const left = Math.min(...places.map(([x]) => x)) - width / 2 - 4, top = Math.min(...places.map(([, y]) => y)) - height / 2 - 16;
  const wide = Math.max(...places.map(([x]) => x)) + width / 2 + 4 - left, high = Math.max(...places.map(([, y]) => y)) + height / 2 + 6 - top;
  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const box = (lane) => {
    const [x, y] = at.get(lane), own = found.inner.get(lane), queue = found.queues.get(lane) ?? 0;
    const below = found.objects.has(lane) ? `waits for ${found.objects.get(lane)}` : own === undefined ? STATE_TEXTS.idle : requests.number[own] === 0 ? "" : featureName(own);
    return s("g", { class: inCircle.has(lane) ? "node bad" : "node" }, s("title", null, `${laneTitle(lane)} ${doesAt(lane, moment, found)}${queue ? `, ${plural(queue, "request")} in its queue` : ""}`),
      s("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6 }), s("text", { x, y: below ? y - 3 : y + 4 }, cut(laneTitle(lane), 24)),
      below ? s("text", { x, y: y + 13, class: "does" }, cut(below, 29)) : [],
      queue ? s("text", { x: x + width / 2 - 4, y: y - height / 2 - 2, class: "queue" }, `${grouped(queue)} queued`) : []);
  };
  const marks = found.edges.map((edge) => edgeMarks(edge, at, inCircle.get(edge.from) === edge.to));
  const drawing = s("svg", { viewBox: [left, top, wide, high].map(Math.round).join(" "), width: Math.round(wide), height: Math.round(high), class: "waiting", role: "img", "aria-label": `Who waits for whom: ${plural(names.size, "processor")}, ${plural(found.edges.length, "wait")}` },
    marks.map(({ line }) => line), [...names].map(box), marks.map(({ text }) => text));
  return h("div", { class: "sheet" }, drawing);
}
