"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const columns = all("#grid thead th[data-column]").map((th) => ({index: +th.dataset.column, label: th.innerText.replace(/\s+/g, " ").trim() || th.textContent, far: th.classList.contains("far")}));
let chosen = null; // the one column that is shown, if one was chosen in the matrix

// What a finding can be searched by.
const texts = data.findings.map((list) => list.map((f) => [f.subject, f.rule, f.message, f.fingerprint, f.guard || "", f.direction, ...f.uses].join(" ").toLowerCase()));

function shownColumn(index) {
  if (chosen !== null) return index === chosen;
  const far = byId("far");
  return !columns.find((c) => c.index === index).far || Boolean(far && far.checked);
}

function refresh() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const levels = new Set(all("input[name=level]:checked").map((box) => box.value));
  const quiet = byId("quiet").checked;
  const counted = new Set();
  for (const cell of all("#grid [data-column]")) {
    const show = shownColumn(+cell.dataset.column);
    cell.classList.toggle("hidden", !show);
    cell.classList.toggle("shown", show);
  }
  for (const tr of all("#grid tr[data-name]")) {
    const name = tr.dataset.name.toLowerCase();
    const named = words.every((w) => name.includes(w));
    let any = false;
    for (const td of tr.querySelectorAll("td[data-column]")) {
      const button = td.querySelector("button");
      if (!button) continue;
      const column = +td.dataset.column;
      const list = button.dataset.findings.split(" ").map(Number).filter((i) => {
        const f = data.findings[column][i];
        return levels.has(f.level) && (named || words.every((w) => texts[column][i].includes(w) || name.includes(w)));
      });
      button.classList.toggle("hidden", list.length === 0);
      if (list.length === 0 || !shownColumn(column)) continue;
      any = true;
      for (const i of list) counted.add(column + "/" + i);
    }
    const show = any || (quiet && named);
    tr.classList.toggle("hidden", !show);
    tr.classList.toggle("shown", show);
  }
  for (const body of all("#grid tbody")) {
    body.querySelector(".group").classList.toggle("hidden", !body.querySelector("tr[data-name].shown"));
  }
  byId("count").textContent = counted.size + (counted.size === 1 ? " finding" : " findings") + (chosen === null ? "" : " in " + columns.find((c) => c.index === chosen).label);
}

// make builds an element; text is never taken for markup.
function make(tag, className, ...content) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...content);
  return e;
}

const says = {ok: "works", info: "works", warn: "may break", err: "breaks"};
function verdict(who, level) { return make("span", "chip " + level, who + ": " + says[level]); }

function article(column, f) {
  const head = make("h3", "", make("span", "chip " + f.level, f.level), f.subject + ": " + f.message);
  const verdicts = f.direction === "both"
    ? make("p", "", verdict("receiver upgraded first", f.verdicts.receiver_first), verdict("sender upgraded first", f.verdicts.sender_first))
    : make("p", "", verdict("servers upgraded first", f.server_first), verdict("clients upgraded first", f.client_first));
  const out = make("article", "", head, verdicts,
    make("p", "soft", "Sent " + f.sent + " in " + f.uses.join(", ") + "."),
    make("p", "soft", make("code", "", f.rule), " — " + f.doc));
  if (f.guard) out.append(make("p", "", make("code", "", f.guard), " — " + f.why));
  if (f.accepted) out.append(make("p", "", "Accepted" + (f.accepted.until ? " until " + f.accepted.until : "") + ": " + f.accepted.reason));
  const [old, now] = columns.find((c) => c.index === column).label.split("→").map((s) => s.trim());
  const side = (label, place, text) => make("div", "", make("h4", "", label + (place.path ? " · " + place.path : "")), make("pre", "", text || "not there"));
  out.append(make("div", "sides", side(old, f.old, f.old_text), side(now, f.new, f.new_text)));
  for (const w of f.witnesses || []) {
    const pre = make("pre", "", JSON.stringify(w.value, null, 2));
    out.append(make("div", "witness", make("h4", "", w.accepted_by + " accepts and " + w.refused_by + " refuses this " + w.of + " (" + w.breaks + ")"), pre));
  }
  const link = make("a", "", make("code", "", f.fingerprint));
  link.href = "#" + column + "-" + f.fingerprint;
  out.append(make("p", "soft", "fingerprint ", link));
  out.id = column + "-" + f.fingerprint;
  return out;
}

// openLink opens the finding that the address names: #column-fingerprint.
function openLink() {
  const [column, fingerprint] = location.hash.slice(1).split("-");
  const i = (data.findings[+column] || []).findIndex((f) => f.fingerprint === fingerprint);
  if (!fingerprint || i < 0 || byId("detail").open) return;
  // The last row with it is that of what has changed; those before only carry it.
  const cells = all(`#grid td[data-column="${+column}"] .cell`).filter((b) => b.dataset.findings.split(" ").includes(String(i)));
  open(cells[cells.length - 1]);
  document.getElementById(location.hash.slice(1)).scrollIntoView();
}

function open(button) {
  const td = button.closest("td");
  const column = +td.dataset.column;
  const body = byId("detail-body");
  byId("detail-title").textContent = td.closest("tr").dataset.name + " · " + td.dataset.label;
  body.replaceChildren(...button.dataset.findings.split(" ").map((i) => article(column, data.findings[column][+i])));
  byId("detail").showModal();
  byId("detail").scrollTop = 0;
}

// move takes the focus to the next cell in a direction.
function move(from, key) {
  const visible = (b) => b.offsetParent !== null;
  const td = from.closest("td"), tr = td.closest("tr");
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const row = all("button", tr).filter(visible);
    const next = row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
    if (next) next.focus();
    return;
  }
  const rows = all("#grid tr[data-name]").filter((r) => all("button", r).some(visible));
  const next = rows[rows.indexOf(tr) + (key === "ArrowDown" ? 1 : -1)];
  if (!next) return;
  const same = next.querySelector(`td[data-column="${td.dataset.column}"] button`);
  (same && visible(same) ? same : all("button", next).find(visible)).focus();
}

document.addEventListener("click", (event) => {
  const cell = event.target.closest(".cell");
  if (cell) open(cell);
  const pair = event.target.closest(".pair");
  if (pair) {
    const column = +pair.dataset.column;
    chosen = chosen === column ? null : column;
    for (const other of all(".pair")) other.setAttribute("aria-pressed", String(+other.dataset.column === chosen));
    refresh();
  }
  if (event.target === byId("detail")) byId("detail").close();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target.tagName !== "INPUT") {
    event.preventDefault();
    byId("search").focus();
  } else if (event.key.startsWith("Arrow") && event.target.classList.contains("cell")) {
    event.preventDefault();
    move(event.target, event.key);
  } else if (event.key === "ArrowDown" && event.target === byId("search")) {
    const first = all(".cell").find((b) => b.offsetParent !== null);
    if (first) first.focus();
  }
});
for (const id of ["search", "quiet", "far"]) if (byId(id)) byId(id).addEventListener("input", refresh);
for (const box of all("input[name=level]")) box.addEventListener("input", refresh);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
window.addEventListener("hashchange", openLink);
refresh();
openLink();
