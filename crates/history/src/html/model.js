// What the page knows: the operations as columns, the failure, the orders, and which part of time is looked at.
const $ = id => document.getElementById(id);
const D = JSON.parse($("data").textContent);
const COUNT = D.call.length;
const bad = new Set(D.failing), reason = new Map(D.reasons);
// Few operations of a failure are drawn one by one at every zoom, many are not.
const loud = bad.size <= 500;
// Orders that can be drawn: the one that explains the history, or those that come furthest.
const orders = D.partials.length ? D.partials : D.order ? [{order: D.order}] : [];
let shown = -1, place = new Map(), point = new Map(), stuck = -1;
// Looking at the failure alone, time is counted in its own calls and returns.
let only = false, start = 0, finish = 1, from = 0, to = 1, scroll = 0;
let rows = [], rank = null, cuts = [];
let chosen = -1, hits = [], isHit = new Uint8Array(COUNT), hit = -1;

const at = t => rank ? rank.get(t) ?? 0 : t;
const call = i => at(D.call[i]);
const ret = i => D.ret[i] < 0 ? finish + 1 : at(D.ret[i]);

function arrange() {
  rank = null; cuts = [];
  if (only) {
    const times = [];
    for (const i of D.failing) { times.push(D.call[i]); if (D.ret[i] >= 0) times.push(D.ret[i]); }
    times.sort((a, b) => a - b);
    rank = new Map(times.map((t, k) => [t, k]));
    times.forEach((t, k) => { if (k && t > times[k - 1] + 1) cuts.push([k - .5, t - times[k - 1] - 1]); });
    start = 0; finish = times.length;
  } else {
    start = COUNT ? D.call[0] : 0; finish = start + 1;
    for (let i = 0; i < COUNT; i++) finish = Math.max(finish, D.call[i] + 1, D.ret[i]);
  }
  // The operations of a row do not overlap and ascend, so the visible ones are found by bisection.
  const lists = D.rows.map(() => []);
  if (only) for (const i of D.failing) lists[D.row[i]].push(i);
  else for (let i = 0; i < COUNT; i++) lists[D.row[i]].push(i);
  rows = lists.map((list, row) => ({row, list})).filter(r => !only || r.list.length);
  scroll = 0;
  placeOrder();
}

// An operation of an order takes effect after the latest call so far; those that share a moment stand side by side.
// Where an order need not respect real time, each stands in its middle.
function placeOrder() {
  place = new Map(); point = new Map(); stuck = -1;
  if (shown < 0) return;
  const list = orders[shown].order;
  stuck = orders[shown].blocked ?? -1;
  let now = -1, together = [];
  const spread = () => together.forEach((i, k) => point.set(i, now + (k + 1) / (together.length + 1)));
  list.forEach((i, k) => {
    place.set(i, k);
    // What is not of the failure may take effect at any time, also outside its interval.
    if (bad.size && !bad.has(i)) return;
    if (!D.realtime) { point.set(i, (call(i) + ret(i)) / 2); return; }
    if (call(i) > now) { spread(); together = []; now = call(i); }
    together.push(i);
  });
  spread();
}

function showOrder(k) { shown = k; placeOrder(); }
const wide = () => finish - start + 2;
function fit() { from = start - 1; to = finish + 1; }
function window_(middle, width) {
  const w = Math.min(wide(), Math.max(4, width));
  from = Math.min(Math.max(start - 1, middle - w / 2), finish + 1 - w); to = from + w;
}
function zoom(f, where = .5) {
  const t = from + (to - from) * where, w = Math.min(wide(), Math.max(4, (to - from) * f));
  from = Math.min(Math.max(start - 1, t - w * where), finish + 1 - w); to = from + w;
}
function pan(t) { window_((from + to) / 2 + t, to - from); }
function scrollTo(r) { scroll = Math.min(Math.max(0, r), Math.max(0, rows.length - visibleRows())); }

// Brings an operation into view without changing the zoom more than needed.
function reveal(i) {
  if (only && !bad.has(i)) setOnly(false);
  const a = call(i), b = Math.min(ret(i), finish), w = to - from;
  if (a < from || a > to || (b - a < w && b > to)) window_(a + Math.min(b - a, w / 2) / 2, w);
  const r = rows.findIndex(x => x.row === D.row[i]);
  if (r < scroll || r >= scroll + visibleRows()) scrollTo(r - Math.floor(visibleRows() / 2));
}
function setOnly(value) {
  only = value && bad.size > 0;
  const keep = chosen;
  arrange(); fit();
  if (!only && COUNT > 60) { window_(keep >= 0 ? call(keep) : start, 80); if (keep >= 0) reveal(keep); }
}
