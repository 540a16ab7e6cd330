// Draws what is visible, and never more than LIMIT elements, however long the history is.
const LIMIT = 4000, LEFT = 96, TOP = 24, HEIGHT = 40, BOX = 22, UP = 13, CHAR = 6.63;
const NS = "http" + "://www.w3.org/2000/svg";
const svg = $("svg"), map = $("map");
let drawn = 0, waiting = false, view = null, late = null;

function visibleRows() { return Math.max(1, Math.floor((svg.clientHeight - TOP) / HEIGHT)); }
function el(name, attributes, text) {
  if (drawn >= LIMIT) return null;
  drawn++;
  const e = document.createElementNS(NS, name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  view.append(e);
  return e;
}
// As much of a text as fits; wide characters count twice.
function clip(text, width) {
  let room = Math.floor(width / CHAR), out = "";
  for (const c of text) {
    room -= c.codePointAt(0) >= 0x1100 ? 2 : 1;
    if (room < 1 && out.length + c.length < text.length) return out + "…";
    out += c;
  }
  return out;
}
function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } }

function draw() {
  view = document.createDocumentFragment(); drawn = 0; late = null;
  const width = Math.max(100, svg.clientWidth - LEFT - 8), x = t => LEFT + (t - from) * width / (to - from);
  const some = rows.slice(scroll, scroll + visibleRows() + 1);
  axis(width, x);
  const least = Math.max(3, width * some.length / 1500), points = [];
  let texts = 1200, merged = 0;
  some.forEach(({row, list}, r) => {
    const y = TOP + r * HEIGHT;
    if (r % 2 === 0) el("rect", {x: LEFT, y, width, height: HEIGHT, class: "row"});
    let k = first(list, i => ret(i) >= from);
    const stop = first(list, i => call(i) > to);
    while (k < stop) {
      const i = list[k], left = x(call(i));
      let right = x(ret(i)), n = 1;
      const single = j => loud && bad.has(j) || j === chosen || x(ret(j)) - x(call(j)) >= least;
      if (!single(i)) while (k + n < stop && x(call(list[k + n])) < left + least && !single(list[k + n])) right = x(ret(list[k + n++]));
      // A text may reach into the gap up to the next operation.
      const room = k + n < list.length ? Math.min(LEFT + width, x(call(list[k + n])) - 4) : LEFT + width;
      texts -= box(list, k, n, Math.max(left, LEFT), Math.min(right, LEFT + width), y, texts > 0 ? room : 0);
      if (n > 1 && point.has(i)) merged++;
      if (n === 1 && point.has(i)) points.push([place.get(i), x(point.get(i)), y + UP - 3]);
      k += n;
    }
  });
  path(points, merged, width);
  // The label of the operation that cannot follow is readable, whatever stands beside it.
  if (late) el("text", {x: late.end ? late.left - 3 : late.right + 3, y: late.y, class: "stuckout", "text-anchor": late.end ? "end" : "start"}, late.label);
  el("rect", {x: 0, y: 0, width: LEFT, height: svg.clientHeight, class: "gutter"});
  some.forEach(({row}, r) => el("text", {x: 8, y: TOP + r * HEIGHT + UP + 15, class: "name"}, clip(D.rows[row], LEFT - 10)));
  svg.replaceChildren(view);
  overview();
  $("only").setAttribute("aria-pressed", String(only));
  svg.dataset.drawn = drawn; svg.dataset.from = from; svg.dataset.to = to;
}
function first(list, test) {
  let a = 0, b = list.length;
  while (a < b) { const m = (a + b) >> 1; if (test(list[m])) b = m; else a = m + 1; }
  return a;
}
// One operation, or several that are too small; answers how many texts it wrote.
function box(list, k, n, left, right, y, room) {
  const i = list[k];
  let cls = "op";
  if (n > 1) cls += bad.has(i) ? " many bad" : " many";
  else if (i === stuck) cls += " stuck";
  else if (bad.has(i)) cls += " bad";
  if (n === 1 && D.ret[i] < 0) cls += " pending";
  if (bad.size && !bad.has(i) && i !== chosen) cls += " faded";
  for (let j = k; j < k + n; j++) if (isHit[list[j]]) { cls = cls.replace(" faded", "") + " hit"; break; }
  if (n === 1 && i === chosen) cls += " chosen";
  const width = Math.max(2, right - left);
  el("rect", {x: left, y: y + UP, width, height: BOX, rx: Math.min(4, width / 2), class: cls, "data-op": i, "data-many": n});
  const space = n > 1 ? width : Math.max(width, room - left);
  if (!room || space < 22) return 0;
  const label = n > 1 ? n + " operations" : (i === stuck ? "✗ " : "") + D.label[i];
  // A label stands in its box if it fits, else behind it if there is room, else as much of it as fits the box.
  const inside = clip(label, width - 8) === label, beside = !inside && space - width > 40;
  const cut = clip(label, beside ? space - width - 4 : width - 8);
  if (i === stuck && cut !== label) {
    const long = label.length * CHAR + 3;
    late = {label, left, right: left + width, y: y + UP + 15, end: left + width + long > svg.clientWidth && left - long > LEFT};
    return 1;
  }
  // A letter and dots tell nobody anything: a tip does.
  if (cut !== label && cut.length < 5) return 0;
  el("text", {x: beside ? left + width + 3 : left + 5, y: y + UP + 15, class: i === stuck ? beside ? "stuckout" : "stucktext" : bad.size && !bad.has(i) ? "faded" : ""}, cut);
  return 1;
}
// The order as a line through the moments at which operations take effect.
function path(points, merged, width) {
  points.sort((p, q) => p[0] - q[0]);
  const room = Math.min(700, Math.floor(width / 4));
  $("hint").textContent = merged > 0 || points.length > room ? "zoom in to see the order" : "";
  if (!points.length || points.length > room) return;
  let run = [points[0]];
  const line = () => el("polyline", {points: run.map(p => p[1].toFixed(1) + "," + p[2]).join(" "), class: "order"});
  for (const p of points.slice(1)) { if (p[0] !== run[run.length - 1][0] + 1) { line(); run = []; } run.push(p); }
  line();
  const numbers = points.length <= 250;
  for (const p of points) {
    const text = String(p[0] + 1), r = numbers ? 5 + 2 * text.length : 3;
    el("rect", {x: p[1] - r, y: p[2] - (numbers ? 7 : 3), width: 2 * r, height: numbers ? 14 : 6, rx: 7, class: "dot"});
    if (numbers) el("text", {x: p[1], y: p[2] + 3, class: "number"}, text);
  }
}
function axis(width, x) {
  const step = [1, 2, 5].flatMap(a => [0, 1, 2, 3, 4, 5, 6].map(b => a * 10 ** b)).sort((a, b) => a - b).find(s => s * width / (to - from) >= 70) ?? 1e7;
  for (const [t, n] of cuts) if (t >= from && t <= to) {
    el("line", {x1: x(t), x2: x(t), y1: 14, y2: svg.clientHeight, class: "cut"});
    el("text", {x: x(t), y: 11, class: "axis", "text-anchor": "middle"}, "⋯ " + n + (width / (to - from) > 80 ? (n === 1 ? " event" : " events") : ""));
  }
  if (only) return;
  for (let t = Math.ceil(Math.max(0, from) / step) * step; t <= to; t += step) {
    el("line", {x1: x(t), x2: x(t), y1: 16, y2: svg.clientHeight, class: "tick"});
    const label = (t === 0 ? "event " : "") + t;
    // The last number stands before its line where the page ends behind it.
    const end = x(t) + 3 + label.length * CHAR > svg.clientWidth;
    el("text", {x: end ? x(t) - 3 : x(t) + 3, y: 12, class: "axis", "text-anchor": end ? "end" : "start"}, label);
  }
  let notes = 50;
  for (const n of D.notes) if (n[0] >= from && n[0] <= to && notes-- > 0)
    el("text", {x: x(n[0]), y: 22}, "▾ " + clip(n[1], 160));
}
// The strip above: how busy each moment is, where the failure and what was found are, what is looked at.
let busy = null, busyFor = "";
function overview() {
  const g = map.getContext("2d"), w = map.width = map.clientWidth, h = map.height, style = getComputedStyle(document.documentElement);
  if (!g || !w) return;
  const color = name => style.getPropertyValue(name), a = COUNT ? D.call[0] : 0;
  const end = Math.max(a + 1, D.last), X = t => (t - a) * w / (end - a);
  if (busyFor !== String(w)) {
    busyFor = String(w); busy = new Float64Array(w + 1);
    for (let i = 0; i < COUNT; i++) {
      const l = Math.floor(X(D.call[i])), r = D.ret[i] < 0 ? w : Math.floor(X(D.ret[i]));
      busy[Math.min(w, l)]++; busy[Math.min(w, r + 1)]--;
    }
    let sum = 0, most = 1;
    for (let p = 0; p <= w; p++) { sum += busy[p]; busy[p] = sum; if (sum > most) most = sum; }
    for (let p = 0; p <= w; p++) busy[p] = Math.ceil(busy[p] * (h - 6) / most);
  }
  g.fillStyle = color("--op"); g.globalAlpha = .5;
  for (let p = 0; p < w; p++) g.fillRect(p, h - busy[p], 1, busy[p]);
  g.globalAlpha = 1;
  const mark = (list, name, y, height) => { g.fillStyle = color(name); for (const i of list) g.fillRect(Math.floor(X(D.call[i])) - 1, y, 3, height); };
  mark(hits.length < 5000 ? hits : [], "--hit", h - 8, 8);
  mark(D.failing, "--bad", 0, h);
  if (!only) {
    g.strokeStyle = color("--ink"); g.lineWidth = 2;
    g.strokeRect(X(from) + 1, 1, Math.max(4, X(to) - X(from)) - 2, h - 2);
  }
}
