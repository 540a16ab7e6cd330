// Zooms with the wheel, moves with the mouse, fits with 0, finds a state or a label with / (next: n).
const svg = document.documentElement, whole = svg.viewBox.baseVal;
const home = [whole.x, whole.y, whole.width, whole.height];
let view = [...home], found = [], at = 0;
const show = () => svg.setAttribute("viewBox", view.join(" "));
const scale = () => Math.max(view[2] / innerWidth, view[3] / innerHeight);
addEventListener("wheel", (e) => {
    e.preventDefault();
    const by = Math.exp(e.deltaY / 500), k = scale();
    const x = view[0] + view[2] / 2 + (e.clientX - innerWidth / 2) * k;
    const y = view[1] + view[3] / 2 + (e.clientY - innerHeight / 2) * k;
    view = [x + (view[0] - x) * by, y + (view[1] - y) * by, view[2] * by, view[3] * by];
    show();
}, { passive: false });
addEventListener("pointermove", (e) => {
    if (e.buttons !== 1) return;
    view[0] -= e.movementX * scale();
    view[1] -= e.movementY * scale();
    show();
});
const centre = () => {
    const box = found[at].getBBox();
    view = [box.x + box.width / 2 - 300, box.y + box.height / 2 - 200, 600, 400];
    show();
};
addEventListener("keydown", (e) => {
    if (e.key === "0") { view = [...home]; show(); }
    if (e.key === "n" && found.length) { at = (at + 1) % found.length; centre(); }
    if (e.key !== "/") return;
    e.preventDefault();
    const wanted = prompt("state or label");
    if (!wanted) return;
    found.forEach((t) => t.removeAttribute("font-weight"));
    found = [...document.querySelectorAll("text")].filter((t) =>
        /^\d+$/.test(wanted) ? t.textContent === wanted : t.textContent.includes(wanted));
    found.forEach((t) => t.setAttribute("font-weight", "bold"));
    at = 0;
    if (found.length) centre();
});
