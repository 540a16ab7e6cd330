// The words beside the picture. Everything is set as text, never as markup.
function add(parent, name, cls, text) {
  const e = document.createElement(name);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}
const count = (n, word, more = word + "s") => n.toLocaleString("en") + " " + (n === 1 ? word : more);
const what = i => D.label[i];
function where(i) {
  return "process " + D.process[i] + (D.line[i] ? ", line " + D.line[i] : "") + ", event " + D.call[i] +
    (D.ret[i] < 0 ? " and never returned" : " to " + D.ret[i]);
}
function facts(i) {
  const lines = [where(i)];
  if (place.has(i)) lines.push("number " + (place.get(i) + 1) + " of " + orders[shown].order.length + " in the order shown");
  else if (shown >= 0 && i !== stuck && (!bad.size || bad.has(i)))
    lines.push(D.ret[i] < 0 ? "not in the order shown: it need not have taken effect" : "not in the order shown");
  if (i === stuck) lines.push("cannot be placed: the state is then " + orders[shown].state + ", and it " + (orders[shown].expected ?? "cannot follow"));
  if (reason.has(i)) lines.push(reason.get(i));
  return lines;
}

function top_() {
  $("word").textContent = D.verdict; $("word").classList.add(D.verdict);
  $("question").textContent = D.condition + " · " + D.spec;
  document.title = D.verdict.toUpperCase() + " " + D.condition + " · " + D.title;
  const parts = [D.title, count(D.operations, "operation"), count(D.processes, "process", "processes")];
  if (D.rows.length < D.processes) parts.push("packed into " + count(D.rows.length, "row"));
  if (D.pending) parts.push(D.pending.toLocaleString("en") + " never returned");
  if (COUNT < D.operations) parts.push("this page holds " + count(COUNT, "operation") + ", from number " + (D.from + 1) + " on");
  $("about").textContent = parts.join(" · ");
  $("sentence").textContent = D.sentence;
  for (const e of document.querySelectorAll(".iffail")) e.hidden = !bad.size;
  $("failing").hidden = !bad.size;
}
function failurePanel() {
  const box = $("failure");
  box.replaceChildren();
  if (!bad.size) return;
  add(box, "h2", "", D.minimal ? "The smallest part that shows it" : "A part that shows it");
  add(box, "span", "why", D.minimal ? "Each of these is needed; everything else may take effect at any time or never, and it still cannot be explained."
    : "Perhaps some of these could be left out as well.");
  impasseCard(box);
  const list = add(box, "ol");
  // Operations that say the same for the same reason share a card.
  const cards = new Map();
  for (const i of D.failing.slice(0, 100)) {
    const same = what(i) + "\n" + (reason.get(i) ?? "");
    if (cards.has(same)) cards.get(same).push(i); else cards.set(same, [i]);
  }
  for (const equal of cards.values()) {
    const i = equal.includes(chosen) ? chosen : equal[0];
    const b = add(add(list, "li"), "button");
    add(b, "span", "code", what(i) + (equal.length > 1 ? "  ×" + equal.length : ""));
    add(b, "span", "why", equal.length > 4 ? where(equal[0]) + ", and " + (equal.length - 1) + " more" : equal.map(where).join("; "));
    if (reason.has(i)) add(b, "span", "why", reason.get(i));
    b.dataset.op = i; b.setAttribute("aria-pressed", String(i === chosen));
    // The next of them each time.
    b.onclick = () => choose(equal[(equal.indexOf(chosen) + 1) % equal.length]);
  }
  if (D.also.length) add(box, "span", "why", "Other parts that fail: " + D.also.join(", "));
  if (D.failing.length > 100) add(box, "span", "why", "and " + (D.failing.length - 100) + " more");
}
// The first return that no order passes, when the part is too long to be read.
function impasseCard(box) {
  const m = D.impasse;
  if (!m) return;
  const b = add(box, "button");
  add(b, "span", "why", "The first return that no order explains");
  add(b, "span", "code", "✗ " + (m.blocked === null ? m.text : what(m.blocked)));
  if (m.needs) add(b, "span", "why", "it " + m.needs);
  add(b, "span", "why", "states possible just before it: " + m.states.join(", ") + (m.more ? ", …" : ""));
  for (const o of m.open) add(b, "span", "why", "open then: " + o);
  if (m.blocked !== null) b.onclick = () => choose(m.blocked);
}
function ordersPanel() {
  const box = $("orders");
  box.replaceChildren();
  if (bad.size && orders.length) {
    add(box, "h2", "", orders.length === 1 ? "How far an order comes" : "How far orders come");
    orders.forEach((o, k) => {
      const b = add(box, "button");
      b.dataset.order = k; b.setAttribute("aria-pressed", String(k === shown));
      add(b, "span", "why", o.order.length ? "after" : "at the start");
      if (o.order.length) add(b, "span", "code", some(o.order).map(what).join("; ") + (o.order.length > 20 ? " …" : ""));
      add(b, "span", "why", "the state is " + o.state + ", and");
      if (o.blocked !== null) add(b, "span", "code", "✗ " + what(o.blocked) + " ");
      add(b, "span", "why", o.expected ?? "cannot follow");
      b.onclick = () => { showOrder(k === shown ? -1 : k); panels(); redraw(); };
    });
  } else if (orders.length) {
    const o = orders[0].order, p = Math.max(0, (place.get(chosen) ?? 0) - 4);
    add(box, "h2", "", "An order that explains it");
    if (!D.realtime) add(box, "span", "why", "This condition does not ask for real time, so the line may run backwards.");
    const list = add(box, "ol");
    for (let k = p; k < Math.min(o.length, p + 12); k++) {
      const b = add(add(list, "li"), "button", "code", (k + 1) + ". " + what(o[k]) + "   process " + D.process[o[k]]);
      b.dataset.op = o[k]; b.setAttribute("aria-pressed", String(o[k] === chosen));
      b.onclick = () => choose(o[k]);
    }
    if (o.length > p + 12) add(box, "span", "why", "and " + (o.length - p - 12).toLocaleString("en") + " more; . and , go on and back");
  } else if (D.verdict === "holds") {
    add(box, "h2", "", "No order to show");
    add(box, "span", "why", "A monitor decided, which needs no order, and a short search found none. Ask with --witness for a longer one.");
  }
}
const some = list => list.slice(-20);
function detailPanel() {
  const box = $("detail");
  box.replaceChildren();
  if (chosen < 0) return;
  add(box, "h2", "", "Selected");
  add(box, "div", "code", what(chosen));
  for (const line of facts(chosen)) add(box, "span", "why", line);
}
function panels() { detailPanel(); failurePanel(); ordersPanel(); }

let tipFor = -1;
function tip(e, i, n) {
  const t = $("tip");
  if (i < 0) { t.hidden = true; tipFor = -1; return; }
  if (tipFor !== i) { t.textContent = n > 1 ? count(n, "operation") + "; zoom in to see them" : [what(i), ...facts(i)].join("\n"); tipFor = i; }
  t.hidden = false;
  const r = t.getBoundingClientRect();
  t.style.left = Math.max(4, Math.min(innerWidth - r.width - 8, e.clientX + 14)) + "px";
  t.style.top = (e.clientY + 18 + r.height > innerHeight ? Math.max(4, e.clientY - r.height - 10) : e.clientY + 18) + "px";
}
