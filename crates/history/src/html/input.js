// Mouse, keys and search.
function choose(i) {
  chosen = i;
  if (i >= 0) reveal(i);
  panels(); redraw();
}
let failed = -1;
function failure(step) {
  if (!D.failing.length) return;
  const now = D.failing.indexOf(chosen);
  failed = step === 0 ? 0 : now < 0 ? (step > 0 ? 0 : D.failing.length - 1) : (now + step + D.failing.length) % D.failing.length;
  choose(D.failing[failed]);
}
function along(step) {
  if (shown < 0) return;
  const o = orders[shown].order, now = place.get(chosen);
  const k = now === undefined ? (step > 0 ? 0 : o.length - 1) : now + step;
  if (k >= 0 && k < o.length) choose(o[k]);
}
function beside(step) {
  if (chosen < 0) return someVisible();
  const list = rows.find(r => r.row === D.row[chosen])?.list ?? [], k = list.indexOf(chosen) + step;
  if (k >= 0 && k < list.length) choose(list[k]);
}
function above(step) {
  if (chosen < 0) return someVisible();
  for (let r = rows.findIndex(x => x.row === D.row[chosen]) + step; r >= 0 && r < rows.length; r += step) {
    const list = rows[r].list;
    if (!list.length) continue;
    const k = Math.min(list.length - 1, first(list, i => ret(i) >= call(chosen)));
    return choose(list[k]);
  }
}
function someVisible() {
  for (const {list} of rows.slice(scroll, scroll + visibleRows())) {
    const k = first(list, i => ret(i) >= from);
    if (k < list.length && call(list[k]) <= to) return choose(list[k]);
  }
}
function find() {
  const q = $("search").value.trim().toLowerCase(), p = /^(process|line) (-?\d+)$/.exec(q);
  hits = []; isHit.fill(0); hit = -1;
  if (q) for (let i = 0; i < COUNT; i++)
    if (p ? D[p[1]][i] === Number(p[2]) : D.label[i].toLowerCase().includes(q)) { hits.push(i); isHit[i] = 1; }
  toHit(1);
}
function toHit(step) {
  if (!hits.length) { $("hits").textContent = $("search").value.trim() ? "nothing found" : ""; redraw(); return; }
  hit = hit < 0 ? (step > 0 ? 0 : hits.length - 1) : (hit + step + hits.length) % hits.length;
  $("hits").textContent = (hit + 1).toLocaleString("en") + " of " + hits.length.toLocaleString("en");
  choose(hits[hit]);
}
function toggleOnly() { if (bad.size) { setOnly(!only); panels(); redraw(); } }
function nextOrder() { if (orders.length && bad.size) { showOrder((shown + 1) % orders.length); panels(); redraw(); } }
function whole() { fit(); redraw(); }
function help() { if ($("keys").open) $("keys").close(); else $("keys").showModal(); }

const KEYS = {
  ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), ArrowUp: () => above(-1), ArrowDown: () => above(1),
  PageUp: () => { pan((from - to) * .9); redraw(); }, PageDown: () => { pan((to - from) * .9); redraw(); },
  Home: () => { pan(-Infinity); redraw(); }, End: () => { pan(Infinity); redraw(); },
  "+": () => { zoom(.5); redraw(); }, "=": () => { zoom(.5); redraw(); }, "-": () => { zoom(2); redraw(); }, "0": whole,
  e: () => failure(0), n: () => failure(1), p: () => failure(-1), f: toggleOnly, o: nextOrder,
  ".": () => along(1), ",": () => along(-1), "/": () => { $("search").focus(); $("search").select(); }, "?": help,
  Escape: () => { choose(-1); svg.focus(); },
};
const SHIFTED = {
  ArrowLeft: () => { pan((from - to) * .2); redraw(); }, ArrowRight: () => { pan((to - from) * .2); redraw(); },
  ArrowUp: () => { scrollTo(scroll - 1); redraw(); }, ArrowDown: () => { scrollTo(scroll + 1); redraw(); },
};
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
  if (e.target === $("search")) {
    if (e.key === "Enter") { e.preventDefault(); toHit(e.shiftKey ? -1 : 1); }
    if (e.key === "Escape") { $("search").value = ""; find(); svg.focus(); }
    return;
  }
  // In the panel the arrows scroll.
  if (e.target === $("panel") && /^(Arrow|Page|Home|End)/.test(e.key)) return;
  const action = (e.shiftKey && SHIFTED[e.key]) || KEYS[e.key];
  if (action) { e.preventDefault(); action(); }
});
$("in").onclick = KEYS["+"]; $("out").onclick = KEYS["-"]; $("all").onclick = whole;
$("first").onclick = KEYS.e; $("next").onclick = KEYS.n; $("prev").onclick = KEYS.p; $("only").onclick = toggleOnly;
$("help").onclick = help;
$("search").oninput = find;

const share = e => Math.min(1, Math.max(0, (e.clientX - svg.getBoundingClientRect().left - LEFT) / Math.max(1, svg.clientWidth - LEFT - 8)));
svg.addEventListener("wheel", e => {
  e.preventDefault();
  const along = e.shiftKey ? e.deltaY + e.deltaX : e.deltaX;
  if (Math.abs(along) > Math.abs(e.shiftKey ? 0 : e.deltaY)) pan(along * (to - from) / svg.clientWidth);
  else zoom(e.deltaY > 0 ? 1.25 : .8, share(e));
  redraw();
}, {passive: false});
let drag = null;
svg.addEventListener("pointerdown", e => { drag = {x: e.clientX, y: e.clientY, from, to, scroll, moved: false}; });
svg.addEventListener("pointermove", e => {
  if (!drag) { const i = e.target.dataset?.op; tip(e, i === undefined ? -1 : Number(i), Number(e.target.dataset?.many)); return; }
  const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 5) return;
  if (!drag.moved) svg.setPointerCapture(e.pointerId);
  drag.moved = true; tip(e, -1);
  window_((drag.from + drag.to) / 2 - dx * (drag.to - drag.from) / Math.max(1, svg.clientWidth - LEFT - 8), drag.to - drag.from);
  scrollTo(drag.scroll - Math.round(dy / HEIGHT));
  redraw();
});
svg.addEventListener("pointerup", e => {
  const click = drag && !drag.moved;
  drag = null;
  if (!click) return;
  const i = e.target.dataset?.op, n = Number(e.target.dataset?.many);
  if (i === undefined) { choose(-1); return; }
  // A click on several opens them.
  if (n > 1) { window_((call(Number(i))), (to - from) / 8); redraw(); } else choose(Number(i));
});
svg.addEventListener("pointerleave", e => tip(e, -1));
svg.addEventListener("pointercancel", () => { drag = null; });
function toMap(e) {
  const a = COUNT ? D.call[0] : 0, width = to - from;
  if (only) { setOnly(false); panels(); }
  window_(a + (e.clientX - map.getBoundingClientRect().left) * (D.last - a) / Math.max(1, map.clientWidth), only ? 80 : Math.min(width, wide()));
  redraw();
}
map.addEventListener("pointerdown", e => { map.setPointerCapture(e.pointerId); toMap(e); });
map.addEventListener("pointermove", e => { if (e.buttons & 1) toMap(e); });
window.addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

// First the failure, and the order that comes furthest; of a long history the failure alone.
top_();
showOrder(orders.length ? 0 : -1);
only = bad.size > 0 && bad.size < COUNT && COUNT > 60;
arrange(); fit();
if (!bad.size && COUNT > 60) window_(start, 80);
panels(); draw();
