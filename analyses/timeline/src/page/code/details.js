// What is said of a request, a lane or a moment: tips at the pointer, and the card of the selected request.

const ticks = (count) => plural(count, "tick");
const exactly = (moment) => (has(moment) ? grouped(moment) : "–");

// The steps of a request: names and ticks.
function stepsOf(place) {
  const { called, synchronizes, executes, waiting } = requests;
  const steps = [];
  if (has(called[place])) steps.push(["queue", (has(synchronizes[place]) ? synchronizes[place] : TO) - called[place]]);
  if (has(synchronizes[place])) steps.push(["synchronization", (has(executes[place]) ? executes[place] : TO) - synchronizes[place]]);
  if (has(executes[place])) {
    const execution = endOf(place) - executes[place];
    steps.push(["execution", execution], ["waiting in it", waiting[place]], ["useful", Math.max(0, execution - waiting[place])]);
  }
  return steps;
}

function kindsOf(place) {
  const kinds = [isFlagged(place, "isLocal") ? "scope of its own processor" : isFlagged(place, "waits") ? "its client waits" : "command"];
  if (isFlagged(place, "isCallback")) kinds.push("callback");
  if (!has(requests.synchronizes[place])) kinds.push("never taken up");
  else if (!has(requests.returns[place])) kinds.push("did not end");
  return kinds;
}

const line = (text, dim) => h("span", { class: dim ? "dim" : null }, text);

function requestFacts(place, isCall) {
  const { client, supplier, number, evaluations, marks } = requests;
  const facts = [h("b", null, number[place] === 0 ? "script" : featureName(place))];
  if (isCall) facts.push(line(`call of ${laneTitle(client[place])}: waits ${ticks(waitsTo(place) - waitsFrom(place))} for ${laneTitle(supplier[place])}`));
  else if (number[place] !== 0) facts.push(line(isFlagged(place, "isLocal") ? `on ${laneTitle(supplier[place])}` : `${laneTitle(client[place])} → ${laneTitle(supplier[place])}`));
  facts.push(line(kindsOf(place).join(", ")));
  for (const [name, count] of stepsOf(place)) facts.push(line(`${name} ${grouped(count)}`));
  if (evaluations[place] > 0) facts.push(line(plural(evaluations[place], "evaluation") + " of its condition"));
  const locks = marks.get(place)?.locks ?? [];
  if (locks.length > 0) facts.push(line("locks " + locks.slice(0, 8).map(laneName).join(", ") + (locks.length > 8 ? ", …" : "")));
  if (textOf(requests.site[place])) facts.push(line("sent at " + textOf(requests.site[place]), true));
  return facts;
}

// The listed wait of a lane at a moment.
function waitAt(lane, moment) {
  for (let place = 0; place < waits.count && waits.from[place] <= moment; place++) {
    if (waits.client[place] === lane && waits.to[place] > moment && data.causes[waits.cause[place]] !== "queue") return place;
  }
  return undefined;
}

function waitInWords(place) {
  const subject = textOf(waits.subject[place]), by = textOf(waits.by[place]), at = textOf(waits.place[place]);
  return [subject && `for ${subject}`, by, at && `at ${at}`].filter(Boolean);
}

function sumsInWords(sums) {
  const shown = STATES.map((name, state) => [name, sums[state]]).filter(([, count]) => count > 0);
  return shown.sort((a, b) => b[1] - a[1]).map(([name, count]) => line(`${name} ${grouped(Math.round(count))}`));
}

function laneFacts(lane, moment) {
  const place = intervalAt(lanes, lane, moment);
  const title = h("b", null, laneTitle(lane));
  if (place >= lanes.first[lane + 1] || lanes.kinds[place] === ABSENT) return [title, line(`not created before ${grouped(lanes.created[lane])}`)];
  const from = lanes.begins[place], to = lanes.ends[place], kind = lanes.kinds[place];
  const span = line(`${grouped(from)} to ${grouped(to)}: ${ticks(to - from)}`);
  if (kind === TILE) return [title, span, line("several states, joined to one:"), ...sumsInWords(lanes.tiles.get(place))];
  const wait = [ANSWER, LOCK, CONDITION].includes(kind) || STATES[kind] === "blocked" ? waitAt(lane, moment) : undefined;
  return [title, line(STATE_TEXTS[STATES[kind]]), span, ...(wait === undefined ? [] : waitInWords(wait).map((text) => line(text)))];
}

function groupFacts(group) {
  if (!group.whole) {
    group.whole = new Float64Array(KINDS);
    for (const lane of group.members) ticksOf(lanes, lane).forEach((count, kind) => { group.whole[kind] += count; });
  }
  return [h("b", null, group.name), line(plural(group.members.length, "processor")), ...sumsInWords(group.whole)];
}

// The requests that a request has sent, as far as they are in the page.
function callsOf(place) {
  const calls = [];
  for (let other = 0; other < requests.count; other++) if (requests.sender[other] === requests.number[place] && other !== place) calls.push(other);
  return calls;
}

const requestLink = (place, text) => h("a", { class: "name", href: address("processors", undefined, { ...shownOptions(), request: requests.number[place] }) }, text ?? featureName(place));

// The card of a request.
function requestCard(place, zoom) {
  const { client, supplier, number, evaluations, marks } = requests;
  const sender = sentBy(place), locks = marks.get(place)?.locks ?? [];
  const facts = [
    ["kind", kindsOf(place).join(", ")],
    number[place] !== 0 && ["client", laneTitle(client[place])], ["supplier", laneTitle(supplier[place])],
    sender !== undefined && sender !== place && ["sent by", requestLink(sender)],
    textOf(requests.site[place]) && ["sent at", textOf(requests.site[place])],
    ["called", exactly(requests.called[place])], ["taken up", exactly(requests.synchronizes[place])],
    ["begins", exactly(requests.executes[place])], ["ends", exactly(requests.returns[place])],
    has(requests.answered[place]) && ["answer arrives", exactly(requests.answered[place])],
    ...stepsOf(place).map(([name, count]) => [name, ticks(count)]),
    evaluations[place] > 0 && ["evaluations", grouped(evaluations[place])],
    locks.length > 0 && ["locks", locks.map(laneTitle).join(", ")],
  ].filter(Boolean);
  const calls = callsOf(place);
  return h("section", { class: "card", id: "request" },
    h("h2", null, `Request ${grouped(number[place])}: `, h("span", { class: "name" }, number[place] === 0 ? "script" : featureName(place))),
    h("div", { class: "pair" },
      h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
      h("div", null,
        calls.length === 0 ? hint("It sent no requests, or shorter ones than this page holds.") : callsTable(calls),
        h("p", { class: "more" }, h("button", { type: "button", class: "button", onclick: zoom }, "Zoom to it")))));
}

function callsTable(calls) {
  const columns = [
    { key: "name", title: "requests that it sent", wide: true, value: featureName, cell: (place) => requestLink(place) },
    numbers("called", "called", (place) => requests.called[place] || requests.synchronizes[place]),
    numbers("ticks", "ticks", (place) => endOf(place) - (has(requests.called[place]) ? requests.called[place] : requests.synchronizes[place])),
  ];
  return table({ label: "Requests that it sent", columns, rows: calls, order: { key: "called", isUp: true }, page: 8 }).element;
}
