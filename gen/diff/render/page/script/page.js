"use strict";
// Everything the page says is in its text; the script filters, opens and copies.
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const one = (selector, from = document) => from.querySelector(selector);
const byId = (id) => document.getElementById(id);
const words = {ok: "works", info: "safe", warn: "may break", err: "breaks"};
const badness = ["ok", "info", "warn", "err"];
const findings = all(".finding");
const texts = new Map(); // what a finding can be searched by

document.documentElement.classList.add("js");
for (const e of all(".filter, .ask, .copy")) e.hidden = false;

function textOf(finding) {
  if (!texts.has(finding)) {
    const tool = one("h3", finding.closest(".group") || finding);
    texts.set(finding, ((tool ? tool.textContent : "") + " " + finding.textContent).toLowerCase());
  }
  return texts.get(finding);
}

// filter shows the findings that match, and what contains them.
function filter() {
  const wanted = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const levels = new Set(all("input[name=level]:checked").map((box) => box.value));
  let shown = 0;
  for (const f of findings) {
    const level = f.dataset.level === "ok" ? "info" : f.dataset.level;
    f.hidden = !levels.has(level) || !wanted.every((w) => textOf(f).includes(w));
    if (!f.hidden) shown++;
  }
  for (const box of all(".group, .quiet, .jump")) {
    box.hidden = !one(".finding:not([hidden])", box);
    if (wanted.length && !box.hidden && box.matches(".quiet")) box.open = true;
  }
  byId("count").textContent = shown === findings.length ? "" : shown + " of " + findings.length;
  one(".nomatch").hidden = shown > 0;
}

// choose shows the levels of one order of upgrades, the worst findings first.
function choose(order) {
  for (const card of all(".order")) {
    if (card.dataset.order === order) card.setAttribute("aria-current", "true");
    else card.removeAttribute("aria-current");
  }
  const parents = new Set();
  for (const f of findings) {
    f.dataset.level = f.dataset[order];
    const chip = one(".level", f);
    chip.className = "level " + f.dataset.level;
    chip.textContent = words[f.dataset.level];
    parents.add(f.parentElement);
  }
  const rank = (f) => badness.indexOf(f.dataset.level);
  for (const parent of parents) {
    const list = [...parent.children].filter((e) => e.matches(".finding"));
    const after = list[list.length - 1].nextSibling;
    for (const f of list.sort((a, b) => rank(b) - rank(a))) parent.insertBefore(f, after);
  }
  const sum = (group) => all(".finding", group).reduce((n, f) => n + (f.hasAttribute("data-accepted") ? 0 : Math.pow(1000, rank(f))), 0);
  const groups = all(".group");
  if (groups.length) {
    const end = groups[groups.length - 1].nextSibling, parent = groups[0].parentElement;
    const sums = new Map(groups.map((g) => [g, sum(g)]));
    for (const g of groups.sort((a, b) => sums.get(b) - sums.get(a))) {
      parent.insertBefore(g, end);
      one(".sum", g).textContent = counted(all(".finding", g));
    }
  }
  filter();
}

function counted(list) {
  const n = {err: 0, warn: 0, info: 0, accepted: 0};
  for (const f of list) n[f.hasAttribute("data-accepted") ? "accepted" : f.dataset.level === "ok" ? "info" : f.dataset.level]++;
  return [[n.err, n.err === 1 ? "breaks" : "break"], [n.warn, "may break"], [n.info, "safe"], [n.accepted, "accepted"]]
    .filter(([k]) => k).map(([k, word]) => k + " " + word).join(", ");
}

// follow does what the fragment of the address asks for.
function follow() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && byId(id);
  if (!target) return;
  if (target.matches(".order")) return choose(target.dataset.order);
  if (target.matches(".meeting")) return meet(target);
  for (let e = target; e; e = e.parentElement) {
    if (e.hidden) e.hidden = false;
    if (e.tagName === "DETAILS") e.open = true;
  }
  target.scrollIntoView();
}

// meet shows the answer for one server and its clients.
function meet(answer) {
  for (const other of all(".meeting")) other.classList.toggle("chosen", other === answer);
  for (const cell of all(".meetings a")) {
    if (cell.hash === "#" + answer.id) cell.setAttribute("aria-current", "true");
    else cell.removeAttribute("aria-current");
  }
  const [, server, client] = answer.id.match(/^server-(.*)-client-(.*)$/);
  if (location.hash === "#" + answer.id) answer.scrollIntoView({block: "nearest"});
  byId("server").value = server;
  byId("client").value = client;
}

async function copy(button) {
  const pre = one("pre", button.parentElement);
  try {
    await navigator.clipboard.writeText(pre.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(pre);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
  }
  button.textContent = byId("said").textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest(".copy");
  if (button) copy(button);
  const kind = event.target.closest("[data-search]");
  if (kind) {
    byId("search").value = kind.dataset.search;
    filter();
  }
  // A link to where the page already is asks again.
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) follow();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || !byId("search") || event.target.closest("input, select")) return;
  event.preventDefault();
  byId("search").focus();
});
if (byId("search")) {
  one(".filter").addEventListener("input", filter);
  one(".filter").addEventListener("submit", (event) => event.preventDefault());
  byId("unfold").addEventListener("click", () => {
    const open = byId("unfold").getAttribute("aria-pressed") !== "true";
    byId("unfold").setAttribute("aria-pressed", String(open));
    byId("unfold").textContent = open ? "Close all" : "Open all";
    for (const e of all(".finding:not([hidden]), .quiet")) e.open = open;
  });
}
if (one(".ask")) {
  one(".ask").addEventListener("input", () => {
    const id = "server-" + byId("server").value + "-client-" + byId("client").value;
    if (byId(id)) location.hash = id;
    else for (const e of all(".meeting")) e.classList.remove("chosen");
  });
  const answers = all(".meeting");
  if (answers.length) meet(answers[answers.length - 1]);
}
addEventListener("hashchange", follow);
follow();
