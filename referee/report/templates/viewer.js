"use strict";
// Sorting of tables, the list of matches and the replay viewer. It knows how tables look, not how games are played.
// Whatever comes from players is only ever put into text nodes.

const $ = id => document.getElementById(id);

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// -- sorting by buttons in the heads of columns

function sortKey(cell) {
  const text = cell.dataset.key ?? cell.textContent.trim();
  const number = parseFloat(text.replace(/,/g, "").replace("−", "-").replace("+", ""));
  return /^[+−-]?[\d.]/.test(text) && !Number.isNaN(number) ? number : text === "–" ? -Infinity : text;
}

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = make("button", "", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const begin = column < 2 ? "ascending" : "descending";
      const other = begin === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === begin ? other : begin;
      heads.forEach(one => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const rows = [...table.tBodies[0].rows].map(row => [sortKey(row.cells[column]), row]);
      rows.sort((a, b) => compare(a[0], b[0]) * (order === "ascending" ? 1 : -1));
      table.tBodies[0].append(...rows.map(row => row[1]));
    });
  });
}

// -- the data: gzip in base64, unpacked when somebody looks

const run = JSON.parse($("run").textContent);
const pieces = new Map();

async function unpack(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function replay(row) {
  if (!pieces.has(row.piece)) {
    if (pieces.size > 20) pieces.clear();
    pieces.set(row.piece, await unpack("piece-" + row.piece));
  }
  return frames(pieces.get(row.piece)[row.number]);
}

// What can be looked at, in order: each deal that ended in a moment, then the moment itself. A moment keeps only the
// words of the table that changed. The number of a frame is that of its move; its step is that of its first frame.
function frames(moments) {
  let table = {};
  return moments.flatMap((moment, number) => {
    table = { ...table, ...moment.d };
    for (const key in table) if (table[key] === null) delete table[key];
    const lines = moment.l.split("\n"), ended = moment.o ?? [];
    const found = ended.map(deal => ({ number, table: deal.d, heard: deal, before: [], lines: lines.splice(0, deal.n) }));
    found.push({ number, table, heard: moment, before: ended, lines });
    return found.map((frame, at) => ({ ...frame, part: at + 1, step: at ? {} : moment }));
  });
}

// -- the list of matches

const PAGE = 25;
let matches = [];
let byNumber = new Map();
let listed = PAGE;

function rowOf([number, piece, game, players, ranks, scores, block, moves, faults]) {
  return { number, piece, game, players, ranks, scores, block, moves, faults };
}

function wanted() {
  const form = $("filter").elements;
  const player = form.player.value, game = form.game.value, fault = form.fault.value;
  const number = form.number.value.trim();
  const found = matches.filter(row =>
    (player === "" || row.players.includes(Number(player))) &&
    (game === "" || row.game === game) &&
    (fault === "" || (fault === "yes") === row.faults.length > 0) &&
    (number === "" || String(row.number) === number));
  const order = form.order.value;
  if (order !== "number") found.sort((a, b) => (order === "longest" ? b.moves - a.moves : a.moves - b.moves) || a.number - b.number);
  return found;
}

function standing(row, most = 9) {
  const seats = row.players.map((_, seat) => seat).sort((a, b) => row.ranks[a] - row.ranks[b] || a - b);
  const told = seats.slice(0, most).map(seat => `${row.ranks[seat]} ${run.players[row.players[seat]]} (${row.scores[seat]})`);
  return told.join(", ") + (seats.length > most ? `, and ${seats.length - most} more` : "");
}

function list() {
  const found = wanted();
  $("count").textContent = found.length === 1 ? "1 match" : `${found.length} matches`;
  $("matches").tBodies[0].replaceChildren(...found.slice(0, listed).map(row => {
    const line = make("tr");
    const first = make("td", "n");
    const link = make("a", "", String(row.number));
    link.href = `#game=${row.number}`;
    first.append(link);
    const faults = row.faults.map(([seat, code, struck]) => `${run.players[row.players[seat]]} ${code}${struck ? " (strike)" : ""}`).join(", ");
    line.append(first, make("td", "", run.titles[row.game]), make("td", "", standing(row, 4)), make("td", "n", row.moves - 1), make("td", "", faults));
    return line;
  }));
  $("more").hidden = found.length <= listed;
}

function options(select, pairs) {
  for (const [value, text] of pairs) {
    const option = make("option", "", text);
    option.value = value;
    select.append(option);
  }
}

// -- the viewer

const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const RANK_NAMES = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };
const COLUMNS = {
  scat: [["coins", "coins"], ["values", "value"], ["lost", "lost"]],
  scout: [["cards", "cards"], ["taken", "won"], ["tokens", "tokens"], ["points", "round"], ["scores", "points"]],
};
const DEALS = { scat: "Deal", scout: "Round" };
let current = null;  // { row, frames, at }
let view = "*";      // "*" all hands, "" spectator, or a seat

function card(text) {
  if (text.includes("/")) {
    const [up, down] = text.split("/");
    const node = make("span", "card");
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", `${up} over ${down}`);
    node.append(make("b", "", up), make("i", "", down));
    return node;
  }
  const [rank, suit] = [text.slice(0, -1), text.slice(-1)];
  if (!SUITS[suit]) return make("span", "card", text);
  const node = make("span", suit === "D" || suit === "H" ? "card red" : "card", (rank === "T" ? "10" : rank) + SUITS[suit]);
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", `${RANK_NAMES[rank] ?? rank} of ${SUIT_NAMES[suit]}`);
  return node;
}

const cardsOf = text => (text && text !== "-" ? text.split(",") : []);

function word(table, key) {
  return table[`${view}.${key}`] ?? table[key];
}

// The hand of a seat as the chosen view may see it: text, or null when it is hidden.
function handOf(table, seat) {
  if (table[`shown${seat}`] !== undefined) return table[`shown${seat}`];
  if (view !== "*" && view !== String(seat)) return null;
  return (view === "*" ? undefined : table[`${seat}.hand`]) ?? table[`hand${seat}`];
}

function nameOf(seat) {
  return run.players[current.row.players[seat]];
}

function heardBy(listener, told) {
  if (listener === "*") return told.a;
  const own = listener === "" ? undefined : told[listener];
  return own === 1 ? told.a : own ?? told.p ?? told.a;
}

// What the view hears of a frame: of a moment, what follows on the deals that ended in it. All hear a match's end.
function sentenceOf(frame) {
  const rest = listener => {
    const begun = frame.before.map(deal => heardBy(listener, deal)).filter(text => text);
    return heardBy(listener, frame.heard).slice(begun.reduce((length, text) => length + text.length + 1, 0));
  };
  return rest(view) || (frame.before.length ? rest("*") : "");
}

function sees(step) {
  return view === "*" || view === String(step.s);
}

function hand(frame, seat) {
  const cell = make("td", "hand");
  const text = handOf(frame.table, seat);
  if (text === null) {
    const sizes = word(frame.table, "cards");
    const count = sizes ? Number(sizes.split(",")[seat]) : cardsOf(frame.table[`hand${seat}`]).length;
    if (count) cell.append(make("span", "card back", count === 1 ? "1 card" : `${count} cards`));
    return cell;
  }
  const cards = cardsOf(text).map(card);
  const drawn = frame.table[`${seat}.drawn`];
  if (drawn && cards.length) cards.at(-1).classList.add("new");
  cell.append(...cards);
  return cell;
}

function middle(table) {
  const node = $("middle");
  node.replaceChildren();
  const say = text => node.append(make("span", "", text));
  const pile = word(table, "pile"), active = word(table, "active");
  if (pile !== undefined) {
    const cards = cardsOf(pile);
    say(cards.length > 1 ? "Discard pile, its top last: " : "Top of the discard pile: ");
    node.append(...(cards.length ? cards.slice(-12).map(card) : [make("span", "", "empty")]));
    const stock = table["stock"];
    say(` Stock: ${stock} cards`);
    if (view === "*" && table["*.stock"] && table["*.stock"] !== "-") {
      say(", the next is ");
      node.append(card(table["*.stock"].split(",")[0]));
    }
    const knocker = word(table, "knocker");
    if (knocker && knocker !== "-") say(` ${nameOf(knocker)} has knocked.`);
  } else if (active !== undefined) {
    const cards = cardsOf(active);
    if (cards.length) {
      say(`Active show, by ${nameOf(word(table, "owner"))}: `);
      node.append(...cards.map(card));
    } else say("No active show.");
  }
}

function seats(frame) {
  const table = frame.table;
  const columns = (COLUMNS[current.row.game] ?? []).filter(([key]) => word(table, key) !== undefined);
  const heads = ["", "seat", "player", ...columns.map(column => column[1]), "hand"];
  $("table").tHead.rows[0].replaceChildren(...heads.map((text, at) => {
    const head = make(text ? "th" : "td", at > 2 && at < heads.length - 1 ? "n" : "", text);
    if (text) head.scope = "col";
    return head;
  }));
  const act = table.act;
  $("table").tBodies[0].replaceChildren(...current.row.players.map((_, seat) => {
    const line = make("tr", String(seat) === act ? "acts" : "");
    const name = make("th", "", nameOf(seat));
    name.scope = "row";
    const mark = make("td");
    if (String(seat) === act) {
      const arrow = make("span", "", "►");
      arrow.setAttribute("role", "img");
      arrow.setAttribute("aria-label", "to act");
      mark.append(arrow);
    }
    const place = make("td", "", seat + 1);
    place.dataset.head = "seat";
    line.append(mark, place, name);
    for (const [key, title] of columns) {
      const value = (word(table, key) ?? "").split(",")[seat] ?? "";
      const cell = make("td", "n", value === "-" ? (key === "coins" ? "out" : "") : value);
      cell.dataset.head = title;
      line.append(cell);
    }
    line.append(hand(frame, seat));
    return line;
  }));
}

function detail(step) {
  const parts = [];
  if (step.s !== undefined) {
    if (step.t !== undefined) parts.push(`${nameOf(step.s)} took ${step.t} ms` + (run.limit === null ? "" : ` of ${run.limit} ms`));
    if (step.c) parts.push("played by the caretaker");
    if (step.f && sees(step)) parts.push(`${step.f}: ${step.x}`);
    if (step.r && sees(step)) parts.push(`remark: ${step.r}`);
  }
  $("detail").textContent = parts.join(" · ");
}

function log() {
  const node = $("log");
  const { frames, at } = current;
  if (node.dataset.of !== `${current.row.number} ${view}`) {
    node.dataset.of = `${current.row.number} ${view}`;
    node.replaceChildren(...frames.map((frame, number) => {
      const item = make("li", frame.step.f ? "fault" : frame.part > 1 ? "further" : "", sentenceOf(frame).split("\n").filter(line => !line.startsWith("    ")).join("\n"));
      item.value = frame.number;
      item.addEventListener("click", () => step(number));
      return item;
    }));
  }
  [...node.children].forEach((item, number) => {
    item.classList.toggle("later", number > at);
    if (number === at) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const item = node.children[at];
  if (item) node.scrollTop = item.offsetTop - node.clientHeight / 2 + item.offsetHeight / 2;
}

function draw() {
  const { row, frames, at } = current;
  const frame = frames[at], move = `move ${frame.number} of ${frames.at(-1).number}`;
  const deal = `${DEALS[row.game] ?? "Deal"} ${Number(frame.table.deal) + 1}`;
  $("viewer-h").textContent = `Match ${row.number}: ${run.titles[row.game]}`;
  $("viewer-sub").textContent = `${standing(row)}. Block ${row.block}. ${deal}, ${move}.`;
  $("slider").max = frames.length - 1;
  $("slider").value = at;
  $("slider").setAttribute("aria-valuetext", `${deal}, ${move}`);
  $("sentence").replaceChildren(...sentenceOf(frame).split("\n").map(line => make("p", line.startsWith("    ") ? "row" : "", line.replace(/^ {4}/, ""))));
  detail(frame.step);
  middle(frame.table);
  seats(frame);
  $("raw").textContent = view === "*" ? frame.lines.join("\n") : "Choose the view of all hands to see the record's lines.";
  log();
  $("here").href = here();
  for (const button of document.querySelectorAll("[data-step]")) button.disabled = target(button.dataset.step) === at;
}

// The link to what is shown; `part` tells apart what there is to see of one move.
function here() {
  const { number, part } = current.frames[current.at];
  return `#game=${current.row.number}&move=${number}${part > 1 ? `&part=${part}` : ""}`;
}

function target(where) {
  const { frames, at } = current;
  const last = frames.length - 1;
  const deals = frames.map((frame, number) => number === 0 || frame.table.deal !== frames[number - 1].table.deal ? number : -1).filter(number => number >= 0);
  switch (where) {
    case "first": return 0;
    case "last": return last;
    case "on": return Math.min(last, at + 1);
    case "back": return Math.max(0, at - 1);
    case "deal": return deals.find(number => number > at) ?? last;
    case "dealback": return deals.findLast(number => number < at) ?? 0;
    default: {
      const faults = frames.map((frame, number) => frame.step.f ? number : -1).filter(number => number >= 0);
      return faults.find(number => number > at) ?? faults[0] ?? at;
    }
  }
}

function step(at) {
  current.at = at;
  $("notice").hidden = true;
  history.replaceState(null, "", here());
  draw();
}

function say(node, text) {
  node.hidden = !text;
  node.textContent = text;
}

function apologise(text) {
  say($("sorry"), text);
  $("sorry").scrollIntoView({ block: "center" });
}

// Return the frame of a move as the page counts them, and what is wrong with what was asked for.
function find(frames, asked, part) {
  const last = frames.at(-1).number, move = wholeNumber(asked ?? "0");
  if (move === null) return [0, `The link asks for move "${asked}", which is no number: here is the beginning.`];
  if (move > last) return [frames.length - 1, `The link asks for move ${move}, but the last is ${last}: here is the end.`];
  const first = frames.findIndex(frame => frame.number === move);
  const exact = frames.findIndex(frame => frame.number === move && frame.part === wholeNumber(part));
  return [exact < 0 ? first : exact, ""];
}

async function open(number, move, part) {
  const row = byNumber.get(number);
  if (!row) return apologise(`Match ${number} is not in this page. It can be printed with: referee replay ${run.folder}#${number}`);
  say($("sorry"), "");
  if (current?.row !== row) {
    current = { row, frames: await replay(row), at: 0 };
    view = "*";
    $("view").replaceChildren();
    options($("view"), [["*", "all hands"], ["", "spectator"], ...row.players.map((_, seat) => [seat, `seat ${seat + 1}: ${nameOf(seat)}`])]);
  }
  const [at, wrong] = find(current.frames, move, part);
  current.at = at;
  say($("notice"), wrong);
  $("viewer").hidden = false;
  draw();
  $("viewer-h").focus({ preventScroll: true });
  $("viewer").scrollIntoView({ block: "start" });
}

function follow() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("game")) return;
  const number = wholeNumber(words.get("game"));
  if (number === null) apologise(`The link asks for match "${words.get("game")}", which is no number. The list below has the matches.`);
  else open(number, words.get("move"), words.get("part"));
}

function wholeNumber(text) {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : null;
}

const KEYS = { j: "on", ArrowRight: "on", k: "back", ArrowLeft: "back", Home: "first", End: "last", PageDown: "deal", PageUp: "dealback", e: "fault" };

function keyed(event) {
  if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
  const field = event.target.closest("select, input");
  if (field && (field.tagName === "SELECT" || event.key.length > 1)) return;  // the slider has its own arrows
  if (event.key === "v") {
    const choice = $("view");
    choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
    choose();
  } else if (KEYS[event.key]) step(target(KEYS[event.key]));
  else return;
  event.preventDefault();
}

function choose() {
  view = $("view").value;
  draw();
}

async function begin() {
  if (typeof DecompressionStream === "undefined") {
    say($("sorry"), "This browser cannot unpack the replays (it has no DecompressionStream). The tables above are whole.");
    return;
  }
  matches = (await unpack("index")).map(rowOf);
  byNumber = new Map(matches.map(row => [row.number, row]));
  if (!matches.length) return;
  const form = $("filter").elements;
  options(form.player, run.players.map((name, at) => [at, name]));
  options(form.game, Object.entries(run.titles));
  $("filter").addEventListener("input", () => { listed = PAGE; list(); });
  $("filter").addEventListener("submit", event => event.preventDefault());
  $("more").addEventListener("click", () => { listed += 4 * PAGE; list(); });
  list();
  $("list").hidden = false;
  for (const button of document.querySelectorAll("[data-step]")) button.addEventListener("click", () => step(target(button.dataset.step)));
  $("slider").addEventListener("input", () => step(Number($("slider").value)));
  $("view").addEventListener("change", choose);
  $("viewer").addEventListener("keydown", keyed);
  window.addEventListener("hashchange", follow);
  follow();
}

begin();
