"use strict";
// The page is complete without this script, which makes rows of what comes near the screen, remembers what was viewed and
// answers the keys. Whatever it shows is set as text: nothing of a repository is ever read as markup.
(() => {
  const LEAST_DISTANCE = "1200px";
  const ID = /^[0-9a-f]{40}(-[0-9]+)?$/, RANGE = /^@@ -([0-9]+)(?:,[0-9]+)? \+([0-9]+)(?:,[0-9]+)? @@/;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, given = {}, ...inner) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...inner);
    return made;
  };
  const button = (text, pressed) => make("button", { type: "button", textContent: text, onclick: pressed });
  const repository = document.body.dataset.repository;
  const sections = all(".file");
  const hunks = all(".h[id]");
  let isBeside = false, current = null;

  // What was viewed, by the ids of hunks, which stay the same when a branch is rebased.
  const KEY = `redline viewed: ${repository}`;
  const viewed = new Map();
  const lines = new Set();
  const add = (entry) => {
    const { hunk_id: id, context_id: context } = entry ?? {};
    if (typeof id !== "string" || typeof context !== "string" || !ID.test(id) || !ID.test(context)) return false;
    const text = (value) => (typeof value === "string" ? value : "");
    viewed.set(context, { hunk_id: id, context_id: context, file_path: text(entry.file_path), viewed_at: text(entry.viewed_at) });
    lines.add(id);
    return true;
  };
  const recall = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      if (Array.isArray(kept)) kept.forEach(add);
    } catch { /* What is kept is of no use, or nothing can be. */ }
  };
  const keep = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify([...viewed.values()]));
    } catch { say("This browser keeps nothing for this page: use Export."); }
  };
  // A hunk that is shown as one and is several of the default options has their ids, joined.
  const idsOf = (hunk) => {
    const contexts = hunk.dataset.c.split("+");
    return hunk.id.split("+").map((id, at) => ({ hunk_id: id, context_id: contexts[at] }));
  };
  const isViewed = (hunk) => idsOf(hunk).every((ids) => viewed.has(ids.context_id));
  // The same lines were viewed, with others around them: that is said, and the hunk is shown.
  const isKnown = (hunk) => !isViewed(hunk) && idsOf(hunk).every((ids) => lines.has(ids.hunk_id));
  const sectionOf = (part) => part.closest(".file");
  const hunksOf = (section) => all(".h[id]", section);
  const partsOf = (hunk) => {
    const parts = [hunk];
    for (let next = hunk.nextElementSibling; next?.classList.contains("g"); next = next.nextElementSibling) parts.push(next);
    return parts;
  };
  const set = (given, is) => {
    for (const hunk of given) {
      const about = { file_path: sectionOf(hunk).dataset.path, viewed_at: new Date().toISOString() };
      for (const ids of idsOf(hunk)) {
        if (is) add({ ...ids, ...about });
        else viewed.delete(ids.context_id);
      }
    }
    lines.clear();
    viewed.forEach((entry) => lines.add(entry.hunk_id));
    keep();
    new Set(given.map(sectionOf)).forEach((section) => show(section, true));
    count();
  };
  // Shows what is viewed in a section; one that is viewed whole is closed.
  const show = (section, isNew) => {
    const own = hunksOf(section);
    for (const hunk of own) {
      const is = isViewed(hunk);
      for (const part of partsOf(hunk)) part.classList.toggle("seen", is);
      if (built.has(hunk)) redraw(hunk);
    }
    const isWhole = own.length > 0 && own.every(isViewed);
    const box = section.querySelector(":scope > .viewed input");
    if (box) box.checked = isWhole;
    const details = section.querySelector("details");
    if (isWhole && (isNew || details.open)) details.open = false;
    else if (isNew) details.open = true;
  };
  const box = (label, is, changed) =>
    make("label", { className: "viewed" }, make("input", { type: "checkbox", checked: is, ariaLabel: label, onchange: changed }), " viewed");

  // Rows.
  const whole = new WeakMap();
  const built = new Set();
  const textOf = (part) => whole.get(part)?.text ?? part.textContent;
  const startOf = (part) => {
    if (part.dataset.o !== undefined) return [Number(part.dataset.o), Number(part.dataset.n)];
    const range = RANGE.exec(textOf(part).slice(0, 100));
    return range && [Number(range[1]), Number(range[2])];
  };
  const movedOf = (section) => {
    const moved = new Map();
    for (const run of (section.dataset.moved ?? "").split(" ").filter(Boolean)) {
      const [side, ...numbers] = run.split(",");
      const [first, last, file, line, other] = numbers.map(Number);
      for (let at = first; at <= last; at += 1) moved.set(side + at, { file, line: line + at - first, isFirst: at === first, other });
    }
    return moved;
  };
  const row = (line, kind, old, now, moved) => {
    const made = make("div", { className: kind });
    if (old !== null) made.dataset.o = old;
    if (now !== null) made.dataset.n = now;
    const run = kind && moved.get(kind === "ins" ? `n${now}` : `o${old}`);
    if (run) {
      made.classList.add("moved");
      made.classList.toggle("other", run.other === 1);
      if (run.isFirst) {
        const path = sections[run.file - 1]?.dataset.path ?? "";
        const text = `${kind === "ins" ? "from" : "to"} ${path}:${run.line}`;
        made.append(make("a", { className: "from", href: `#f${run.file}`, textContent: text, onclick: (event) => {
          event.preventDefault();
          go(run.file - 1, kind === "ins" ? "o" : "n", run.line);
        } }));
      }
    }
    made.append(...line.nodes.map((node) => node.cloneNode(true)));
    return made;
  };
  // Returns the lines of a part, each with its text and the nodes that show its pieces; no piece has two lines.
  const linesOf = (part) => {
    const found = [];
    let nodes = [];
    const end = () => {
      found.push({ text: nodes.map((node) => node.textContent).join(""), nodes });
      nodes = [];
    };
    // Without script, lines of one sign are in one element.
    const inner = (node) => (["ins", "del"].includes(node.className) ? [...node.childNodes] : [node]);
    for (const node of whole.get(part).nodes.flatMap(inner)) {
      if (node.nodeType !== Node.TEXT_NODE) { nodes.push(node); continue; }
      node.data.split("\n").forEach((text, at) => {
        if (at) end();
        if (text) nodes.push(new Text(text));
      });
    }
    if (nodes.length) end();
    return found;
  };
  const draw = (part) => {
    const start = startOf(part);
    const found = linesOf(part);
    const made = [];
    const moved = movedOf(sectionOf(part));
    if (part.classList.contains("h")) {
      made.push(heading(part, start ? found.shift() : { text: "", nodes: [] }));
      if (isViewed(part)) return made;
    }
    if (!start) return [...made, ...found.map((line) => row(line, "", null, null, moved))];
    let [old, now] = start;
    const language = colours.of(sectionOf(part).dataset.path);
    const states = { "-": {}, "+": {} };
    // The tokens of each line, by its side and number.
    const tokens = new Map();
    const read = (sign, key, line) => language && tokens.set(key, colours.tokens(language, line.text.slice(1), states[sign]));
    let removed = [], added = [], remarks = [];
    const flush = () => {
      const dels = removed.map(([number, line]) => row(line, "del", number, null, moved));
      const inss = added.map(([number, line]) => row(line, "ins", null, number, moved));
      if (isBeside) for (let at = 0; at < Math.max(dels.length, inss.length); at += 1) made.push(pair(dels[at], inss[at]));
      else made.push(...dels, ...inss);
      made.push(...remarks);
      [removed, added, remarks] = [[], [], []];
    };
    for (const line of found) {
      if (line.text[0] === "-") {
        if (added.length) flush();
        removed.push([old, line]);
        read("-", `o${old}`, line);
        old += 1;
      } else if (line.text[0] === "+") {
        added.push([now, line]);
        read("+", `n${now}`, line);
        now += 1;
      } else if (line.text[0] === "\\") {
        // In git's order it follows its line; here it stands behind the block.
        remarks.push(make("div", { className: "no", textContent: line.text }));
        if (!removed.length && !added.length) flush();
      } else {
        flush();
        read("-", `o${old}`, line);
        read("+", `n${now}`, line);
        made.push(isBeside ? pair(row(line, "", old, null, moved), row(line, "", null, now, moved)) : row(line, "", old, now, moved));
        [old, now] = [old + 1, now + 1];
      }
    }
    flush();
    if (language) {
      for (const one of made.flatMap((row) => (row.className === "pair" ? [...row.children] : [row]))) {
        const found = tokens.get(one.dataset.n === undefined ? `o${one.dataset.o}` : `n${one.dataset.n}`);
        if (found) colours.colour(part, one, found);
      }
    }
    return made;
  };
  const pair = (old, now) => make("div", { className: "pair" }, old ?? make("div"), now ?? make("div"));
  const heading = (hunk, { text, nodes }) => {
    const made = make("div", { className: "at" });
    if (hunk.id) made.append(box(`Viewed: ${text || sectionOf(hunk).dataset.path}`, isViewed(hunk), (event) => set([hunk], event.target.checked)));
    made.append(...nodes);
    if (isKnown(hunk)) made.append(make("span", { className: "known", textContent: "viewed before, with something else around" }));
    return made;
  };
  const build = (part) => {
    if (built.has(part)) return;
    whole.set(part, { text: part.textContent, nodes: [...part.childNodes] });
    built.add(part);
    redraw(part);
  };
  const redraw = (part) => {
    colours.clear(part);
    part.replaceChildren(...draw(part));
    part.classList.add("rows");
  };
  const unbuild = (part) => {
    if (!built.has(part) || part.contains(document.activeElement)) return;
    colours.clear(part);
    part.replaceChildren(...whole.get(part).nodes);
    part.classList.remove("rows");
    built.delete(part);
    whole.delete(part);
  };

  // Only what is near the screen has rows.
  const near = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => (isIntersecting ? build : unbuild)(target)), { rootMargin: LEAST_DISTANCE });
  const nearSections = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const parts = all(".h, .g, .c", target);
      if (isIntersecting) {
        if (!target.querySelector(":scope > .viewed") && hunksOf(target).length) {
          const own = hunksOf(target);
          target.append(box(`Viewed: ${target.dataset.path}`, own.every(isViewed), (event) => set(own, event.target.checked)));
        }
        parts.forEach((part) => near.observe(part));
      } else {
        parts.forEach((part) => { near.unobserve(part); unbuild(part); });
      }
    }
  }, { rootMargin: LEAST_DISTANCE });

  // Going somewhere. What is made into rows on the way changes the heights above, so an element is brought again for some frames.
  let bringing = 0;
  const bring = (element, block = "start") => {
    const own = bringing += 1;
    let left = 15;
    const again = () => {
      if (own !== bringing) return;
      element.scrollIntoView({ block });
      left -= 1;
      if (left > 0) requestAnimationFrame(again);
    };
    again();
  };
  const leave = () => { bringing += 1; };
  ["wheel", "touchmove", "pointerdown"].forEach((event) => addEventListener(event, leave, { passive: true }));
  const open = (section) => { section.querySelector("details").open = true; };
  // Of a file of data, either the changed cells are shown or the lines.
  const openLines = (section) => {
    open(section);
    const lines = section.querySelector(".shows .lines");
    if (lines) lines.checked = true;
  };
  const showsLines = (section) => section.querySelector("details").open && !section.querySelector(".shows .cells")?.checked;
  const shownHunks = () => hunks.filter((hunk) => showsLines(sectionOf(hunk)));
  const focusOn = (hunk) => {
    current?.classList.remove("current");
    current = hunk;
    hunk.classList.add("current");
    openLines(sectionOf(hunk));
    build(hunk);
    hunk.tabIndex = -1;
    hunk.focus({ preventScroll: true });
    bring(hunk);
  };
  const top = () => document.querySelector("header").getBoundingClientRect().bottom + 8;
  // Returns the place of the last of some elements that begins above the top of what is seen, or -1.
  const lastAbove = (elements) => {
    let [low, high] = [0, elements.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elements[middle].getBoundingClientRect().top <= top()) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const isOnScreen = (element) => {
    const { top: from, bottom: to } = element.getBoundingClientRect();
    return to > top() && from < innerHeight;
  };
  const step = (by) => {
    const shown = shownHunks();
    let at = current && isOnScreen(current) ? shown.indexOf(current) : -2;
    if (at === -2) at = lastAbove(shown) + (by < 0 ? 1 : 0);
    const next = shown[at + by];
    if (next) focusOn(next);
  };
  const stepFile = (by) => {
    const own = current && isOnScreen(current) ? sectionOf(current) : null;
    let at = own ? sections.indexOf(own) : lastAbove(sections);
    if (by < 0 && !own && at >= 0 && sections[at].getBoundingClientRect().top < top() - 20) at += 1;
    const next = sections[at + by];
    if (!next) return;
    const first = showsLines(next) && next.querySelector(".h");
    if (first) focusOn(first);
    next.querySelector("summary").focus({ preventScroll: true });
    bring(next);
  };
  const toggle = () => {
    const shown = shownHunks();
    const hunk = current ?? shown[Math.max(lastAbove(shown), 0)];
    if (!hunk) return;
    const is = !isViewed(hunk);
    set([hunk], is);
    if (is) {
      const next = hunks.slice(hunks.indexOf(hunk) + 1).find((other) => !isViewed(other));
      if (next) focusOn(next);
    }
  };
  const go = (file, side, line) => {
    const section = sections[file];
    if (!section) return;
    openLines(section);
    const place = side === "o" ? 0 : 1;
    const part = all(".h, .g", section).findLast((one) => (startOf(one)?.[place] ?? Infinity) <= line);
    if (!part) return bring(section);
    build(part);
    const target = part.querySelector(`.${side === "o" ? "del" : "ins"}[data-${side}="${line}"]`);
    all(".target").forEach((one) => one.classList.remove("target"));
    target?.classList.add("target");
    bring(target ?? part, "center");
  };

  // Searching.
  let found = [], foundAt = -1;
  const search = (text, by) => {
    const wanted = text.toLowerCase();
    if (search.text !== wanted) {
      search.text = wanted;
      foundAt = -1;
      found = wanted ? all(".h, .g").filter((part) => textOf(part).toLowerCase().includes(wanted) || (part.classList.contains("h") && sectionOf(part).dataset.path.toLowerCase().includes(wanted))) : [];
    }
    CSS.highlights?.delete("found");
    if (!found.length) return say(wanted ? "Not found" : "");
    foundAt = (foundAt + by + found.length) % found.length;
    const part = found[foundAt];
    openLines(sectionOf(part));
    build(part);
    bring(part);
    mark(part, wanted);
    say(`${foundAt + 1} of ${found.length} places`);
  };
  const mark = (part, wanted) => {
    if (!CSS.highlights) return;
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    const marked = new Highlight();
    while (walk.nextNode()) {
      const text = walk.currentNode.data.toLowerCase();
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(walk.currentNode, at);
        range.setEnd(walk.currentNode, at + wanted.length);
        marked.add(range);
      }
    }
    CSS.highlights.set("found", marked);
    const [first] = marked;
    if (first) bring(first.startContainer.parentElement, "center");
  };

  // The tools at the top.
  const said = make("span", { role: "status" });
  const say = (text) => { said.textContent = text; };
  const progress = make("span", { className: "progress" });
  const count = () => { progress.textContent = `${hunks.filter(isViewed).length} of ${hunks.length} viewed`; };
  const beside = button("Side by side", () => {
    isBeside = !isBeside;
    beside.ariaPressed = isBeside;
    built.forEach(redraw);
  });
  beside.ariaPressed = "false";
  const collapse = button("Collapse all", () => {
    const isOpen = sections.some((section) => section.querySelector("details").open);
    sections.forEach((section) => { section.querySelector("details").open = !isOpen; });
    collapse.textContent = isOpen ? "Open all" : "Collapse all";
  });
  const field = make("input", { type: "search", placeholder: "Search", ariaLabel: "Search in the change", onkeydown: (event) => {
    if (event.key === "Enter") search(field.value, event.shiftKey ? -1 : 1);
    if (event.key === "Escape") field.blur();
  } });
  const save = () => {
    const text = [...viewed.values()].map((entry) => `${JSON.stringify({ repository, ...entry })}\n`).join("");
    const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    make("a", { href: address, download: `viewed-${repository.replace(/[^\w.-]+/g, "_")}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  const chosen = make("input", { type: "file", hidden: true, ariaLabel: "A file of what was viewed", onchange: async () => {
    const text = await chosen.files[0]?.text();
    chosen.value = "";
    const entries = (text ?? "").split("\n").filter((line) => line.trim()).map((line) => { try { return JSON.parse(line); } catch { return null; } });
    const taken = entries.filter(add).length;
    keep();
    sections.forEach((section) => show(section, true));
    count();
    say(`${taken} of ${entries.length} lines taken`);
  } });
  const help = make("dialog", { ariaLabel: "Keys" });
  const KEYS = [
    ["j", "the next hunk", () => step(1)], ["k", "the one before", () => step(-1)],
    ["n", "the next file", () => stepFile(1)], ["p", "the one before", () => stepFile(-1)],
    ["v", "the hunk is viewed, or not; then the next one that is not", toggle],
    ["s", "side by side, or one below the other", () => beside.click()],
    ["/", "search; Enter finds the next place, Shift and Enter the one before", () => { field.focus(); field.select(); }],
    ["?", "these keys", () => (help.open ? help.close() : help.showModal())],
  ];
  help.append(make("h2", { textContent: "Keys" }), make("table", {}, make("tbody", {}, ...KEYS.map(([key, text]) => make("tr", {}, make("td", {}, make("kbd", { textContent: key })), make("td", { textContent: text }))))), button("Close", () => help.close()));
  document.querySelector("header").append(make("div", { className: "tools" }, beside, collapse, field, button("Export viewed", save), button("Import", () => chosen.click()), chosen, button("Keys", () => help.showModal()), progress, said));
  document.body.append(help);
  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input[type=search], textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || (help.open && event.key !== "?")) return;
    const key = KEYS.find(([name]) => name === event.key);
    if (!key) return;
    event.preventDefault();
    key[2]();
  });
  addEventListener("beforeprint", () => sections.forEach(open));
  const arrive = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest(".file")) open(target.closest(".file"));
    if (target.classList.contains("h")) focusOn(target);
    else bring(target);
  };
  addEventListener("hashchange", arrive);

  const files = document.querySelector("nav details");
  // Beside the change where there is room.
  if (files && matchMedia("(min-width: 80rem)").matches) files.open = true;
  recall();
  count();
  if (viewed.size) sections.forEach((section) => show(section, false));
  sections.forEach((section) => nearSections.observe(section));
  arrive();
})();
