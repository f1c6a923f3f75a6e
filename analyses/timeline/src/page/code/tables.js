// Features, waits and pairs of processors as tables.

// A figure that was written with commas.
const figure = (text) => Number(String(text ?? 0).replaceAll(",", ""));

const METRICS = ["evaluations", "queue", "synchronization", "execution", "waiting", "useful"];
const COUNTED = 0, SUM = 1, MAXIMUM = 2, MEAN = 3, DEVIATION = 4;
const SHOWN_FIGURES = { sum: [SUM, "Sums"], mean: [MEAN, "Means"], deviation: [DEVIATION, "Deviations"], max: [MAXIMUM, "Maxima"] };

const featureLink = (name) => h("a", { class: "name", href: address("processors", undefined, { feature: `"${texts[name]}"` }), title: "Select its bars" }, texts[name]);

// The words for what stands out in a feature: by which measures no other is worse, and what is not at its best.
const marksOf = new Map(data.hotspots.map((row) => [row.name, row]));

function marked(row, measure, shown) {
  const its = marksOf.get(row.name), isWorst = its?.worst.includes(measure);
  return isWorst ? h("b", { class: "worst", title: "no other feature is worse" }, shown + " !") : shown;
}

function featureColumns(which) {
  const metric = (key) => (row) => row[key][which] ?? "–";
  const cell = (value, measure) => (row) => (figure(value(row)) === 0 ? h("span", { class: "zero" }, String(value(row))) : marked(row, measure, which === MEAN || which === DEVIATION ? String(value(row)) : grouped(value(row))));
  const column = (key, title) => ({ key, title, value: (row) => figure(metric(key)(row)) || 0, cell: cell(metric(key), key) });
  const useful = { key: "share", title: "useful %", value: (row) => figure(row.usefulShare), cell: (row) => marked(row, "useful", row.usefulShare) };
  return [
    { key: "name", title: "feature", wide: true, value: (row) => texts[row.name], cell: (row) => featureLink(row.name) },
    { ...numbers("requests", "requests", (row) => row.requests), cell: (row) => marked(row, "requests", grouped(row.requests)) },
    column("evaluations", "evaluations"),
    { key: "tries", title: "tries", value: (row) => figure(row.evaluations[MEAN]) || 0, cell: (row) => (row.evaluations[MEAN] === null ? "–" : marked(row, "tries", row.evaluations[MEAN])) },
    column("queue", "queue"), column("synchronization", "sync"), column("execution", "execution"), column("waiting", "waiting"), useful,
    numbers("overtaken", "overtaken", (row) => row.overtaken),
  ];
}

function featuresView(_, options) {
  let which, shown;
  const rows = data.features, room = h("div"), hot = h("div");
  const show = (changes) => go(address("features", undefined, { ...parsedAddress().options, ...changes }), true);
  const search = searchField("Find a feature", "", (q) => show({ q: q || undefined }));
  const figures = choice("Figures", Object.entries(SHOWN_FIGURES).map(([key, [, text]]) => [key, text]), "sum", (by) => show({ by: by === "sum" ? undefined : by }));

  function update(__, given) {
    const by = Object.hasOwn(SHOWN_FIGURES, given.by ?? "") ? given.by : "sum", order = { key: given.sort ?? "queue", isUp: given.up === "1" };
    const found = rows.filter((row) => texts[row.name].toLowerCase().includes((given.q ?? "").toLowerCase()));
    if (by !== which) {
      which = by;
      shown = table({ label: "Features", columns: featureColumns(SHOWN_FIGURES[by][0]), rows: found, order, onOrder: ({ key, isUp }) => show({ sort: key, up: isUp ? "1" : undefined }) });
      room.replaceChildren(shown.element);
    } else {
      shown.update({ rows: found, order });
    }
    if (search.value.trim() !== (given.q ?? "")) search.value = given.q ?? "";
    press(figures, by);
  }

  hot.append(...(data.hotspots.length ? [hotspotsCard()] : []));
  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Features")),
    h("p", { class: "explained" }, "In ticks, over the requests of each feature. Queue: until its processor took it up. Sync: until it had its locks and its condition was true. Execution: from there to the end. Waiting: the part of the execution in which it waited. Tries: evaluations of the condition for each request. Overtaken: later requests that got a lock of a waiting scope first. A ! marks what is worst. A click on a row shows its requests over time."),
    h("div", { class: "tools" }, search, figures), h("section", { class: "card" }, room, moreRows(leftOut.features)), hot);
  update(undefined, options);
  return { element, update, title: "Features" };
}

const moreRows = (count) => count > 0 && h("p", { class: "more soft" }, `${plural(count, "more row")} had no room in this page.`);

function hotspotsCard() {
  const columns = [
    { key: "name", title: "feature", wide: true, value: (row) => texts[row.name], cell: (row) => [featureLink(row.name), h("div", { class: "soft" }, "worst in " + row.worst.join(", ")), row.imperfect.length > 0 && h("div", { class: "soft" }, "imperfect in " + row.imperfect.join(", "))] },
    numbers("marks", "marks", (row) => row.worst.length),
  ];
  return card("Hotspots", hint("By these measures no other feature is worse. Tries: evaluations of the condition for each request. Overtaken: later requests that got a lock of a waiting scope first. Imperfect: not 0 ticks, or useful below 100 %."),
    table({ label: "Hotspots", columns, rows: data.hotspots, order: { key: "marks", isUp: false }, page: 10 }).element);
}

function waitsView(_, options) {
  const all = amount(data.waits.reduce((sum, row) => sum + amount(row.ticks), 0));
  const name = (number) => (number === null ? "–" : texts[number]);
  const about = (row) => `${data.causes[row.cause]}${row.subject === null ? "" : " for " + name(row.subject)}${row.by === null ? "" : ", " + name(row.by)}${row.place === null ? "" : ", at " + name(row.place)}`;
  const columns = [
    { key: "waiter", title: "waiter", wide: true, value: (row) => name(row.waiter), cell: (row) => h("div", null, row.waiter === null ? "–" : featureLink(row.waiter), h("div", { class: "soft" }, about(row))) },
    shares("ticks", "ticks", (row) => row.ticks, all),
    numbers("waits", "waits", (row) => row.waits), numbers("longest", "longest", (row) => row.longest),
  ];
  const causes = data.causes.filter((__, cause) => data.waits.some((row) => row.cause === cause));
  const show = (changes) => go(address("waits", undefined, { ...parsedAddress().options, ...changes }), true);
  const shown = table({ label: "Waits", columns, rows: data.waits, order: { key: "ticks", isUp: false }, onOrder: ({ key, isUp }) => show({ sort: key, up: isUp ? "1" : undefined }) });
  const single = longestTable();
  const pick = choice("Cause", [["", "All"], ...causes.map((cause) => [cause, cause])], "", (cause) => show({ cause: cause || undefined }));
  const search = searchField("Find a feature", "", (q) => show({ q: q || undefined }));

  function update(__, given) {
    const wanted = (given.q ?? "").toLowerCase();
    const rows = data.waits.filter((row) => (!given.cause || data.causes[row.cause] === given.cause) && `${name(row.waiter)} ${about(row)}`.toLowerCase().includes(wanted));
    shown.update({ rows, order: { key: given.sort ?? "ticks", isUp: given.up === "1" } });
    single.update(given.cause, wanted);
    if (search.value.trim() !== (given.q ?? "")) search.value = given.q ?? "";
    press(pick, given.cause ?? "");
  }

  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Waits")),
    h("p", { class: "explained" }, "Queue: a request until its supplier takes it up. Lock, condition: a scope. Answer: a client. Ended by: what happened at the end of the wait. Last held by: the last holder of the lock, which need not have held it longest. Waits at the same time all count: a wait for an answer and the wait of the same request in the queue both count."),
    h("div", { class: "tools" }, search, pick), card("By cause, waiter and what ended them", shown.element, moreRows(leftOut.waits)), single.element);
  update(undefined, options);
  return { element, update, title: "Waits" };
}

// Single waits, the longest first. Each leads to its moment.
function longestTable() {
  const places = [...waits.from.keys()];
  const about = (place) => [data.causes[waits.cause[place]], ...waitInWords(place)].join(", ");
  const href = (place) => {
    const margin = (waits.to[place] - waits.from[place]) * 0.2;
    return address("processors", undefined, { from: Math.floor(waits.from[place] - margin), to: Math.ceil(waits.to[place] + margin) });
  };
  const columns = [
    { key: "waiter", title: "wait", wide: true, value: (place) => textOf(waits.waiter[place]) ?? "", cell: (place) => h("div", null, h("a", { class: "name", href: href(place) }, textOf(waits.waiter[place]) ?? "–"), h("div", { class: "soft" }, `${laneTitle(waits.client[place])}: ${about(place)}`)) },
    numbers("ticks", "ticks", (place) => waits.to[place] - waits.from[place]), numbers("from", "from", (place) => waits.from[place]), numbers("to", "to", (place) => waits.to[place]),
  ];
  const shown = table({ label: "Single waits", columns, rows: places, order: { key: "ticks", isUp: false }, page: 20 });
  const element = card("The longest waits", hint("A click shows the moment."), shown.element,
    amount(leftOut.longestWaits) > 0 && h("p", { class: "more soft" }, `${plural(leftOut.longestWaits, "shorter wait")} had no room in this page. The table above counts them.`));
  const update = (cause, wanted) => shown.update({ rows: places.filter((place) => (!cause || data.causes[waits.cause[place]] === cause) && `${textOf(waits.waiter[place]) ?? ""} ${about(place)}`.toLowerCase().includes(wanted)) });
  return { element, update };
}

// Pairs of clients and suppliers, of classes or of processors.
function links(byClass) {
  const name = (lane) => (lane === null ? "others" : lane === 0 ? "script" : byClass ? className(lane) || laneName(lane) : laneTitle(lane));
  if (!byClass) return data.matrix.map((row) => ({ ...row, client: name(row.client), supplier: name(row.supplier) }));
  const pairs = new Map();
  for (const row of data.matrix) {
    const client = name(row.client), supplier = name(row.supplier), key = JSON.stringify([client, supplier]);
    const pair = pairs.get(key) ?? { client, supplier, requests: 0, answers: 0, locks: 0 };
    for (const count of ["requests", "answers", "locks"]) pair[count] += amount(row[count]);
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

const MOST_IN_GRID = 12;

function matrixView(_, options) {
  const room = h("div");
  const pick = choice("Rows", [["class", "Classes"], ["processor", "Processors"]], "class", (by) => go(address("matrix", undefined, { by: by === "class" ? undefined : by }), true));

  function update(__, given) {
    const rows = links(given.by !== "processor");
    const clients = [...new Set(rows.map((row) => row.client))], suppliers = [...new Set(rows.map((row) => row.supplier))];
    const columns = [
      { key: "client", title: "client → supplier", wide: true, value: (row) => `${row.client} → ${row.supplier}`, cell: (row) => h("span", { class: "name" }, `${row.client} → ${row.supplier}`) },
      numbers("requests", "requests", (row) => row.requests), numbers("answers", "waited for answers", (row) => row.answers), numbers("locks", "waited for locks", (row) => row.locks),
    ];
    const isSmall = clients.length <= MOST_IN_GRID && suppliers.length <= MOST_IN_GRID && rows.length > 0;
    room.replaceChildren(...[isSmall && card("Requests, and ticks that the client waited", grid(rows, clients, suppliers)),
      card("Pairs", table({ label: "Pairs", columns, rows, order: { key: "requests", isUp: false } }).element, moreRows(leftOut.matrix))].filter(Boolean));
    press(pick, given.by === "processor" ? "processor" : "class");
  }

  const element = h("div", null, h("div", { class: "title" }, h("h1", { tabindex: "-1" }, "Who waits for whom")),
    h("p", { class: "explained" }, "A row is a client, a column a supplier. A cell has the requests, and the ticks that the client waited for the supplier: for answers, and for locks and conditions."),
    h("div", { class: "tools" }, pick), room);
  update(undefined, options);
  return { element, update, title: "Matrix" };
}

function grid(rows, clients, suppliers) {
  const waited = (row) => amount(row.answers) + amount(row.locks), most = Math.max(1, ...rows.map(waited));
  const cell = (client, supplier) => {
    const row = rows.find((one) => one.client === client && one.supplier === supplier);
    if (!row) return h("td", { class: "none" }, "·");
    const shown = h("td", null, `${grouped(row.requests)} / ${grouped(waited(row))}`);
    shown.style.background = `rgb(var(--heat) / ${Math.round(waited(row) / most * 40) / 100})`;
    return shown;
  };
  return h("div", { class: "sheet" }, h("table", { class: "grid" },
    h("thead", null, h("tr", null, h("td"), suppliers.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, clients.map((client) => h("tr", null, h("th", { scope: "row" }, client), suppliers.map((supplier) => cell(client, supplier)))))));
}
