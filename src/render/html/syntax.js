"use strict";
// Syntax colours of what is near the screen. They are highlights over the text, so that no element is made for them; a line is
// read by expressions that take time linear in its length.
const colours = (() => {
  const WORDS = new Set(("abstract and as assert async await auto bool boolean break case catch char class const constexpr continue crate def default defer del do double elif else " +
    "elsif end enum except export extends extern false False final finally fn float for foreach from func function global go goto if impl implements import in include " +
    "instanceof int interface is lambda let local long loop match mod module move mut namespace new nil None not null nullptr or package pass private protected pub public raise " +
    "ref return self Self short signed sizeof static struct super switch template then this throw throws trait true True try type typedef typeof union unless unsafe unsigned " +
    "until use using var virtual void volatile when where while with yield").split(" "));
  const SQL = new Set(("add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from " +
    "full grant group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table " +
    "then true union unique update using values view when where with").split(" "));
  const STRINGS = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?`;
  // A quote that is none of a text: a lifetime, or a part of a number.
  const RUST = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.[^']*)'`;
  const rest = String.raw`|(?<number>\b\d[\w.]*)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)`;
  const language = (comment, strings, from = null, to = null, words = WORDS) => ({
    find: new RegExp(`(?<comment>${comment})|(?<string>${strings})${rest}`, "gu"), from, to, words,
  });
  const slashes = language(String.raw`//.*|/\*[^]*?(?:\*/|$)`, `${STRINGS}|\`(?:[^\`\\\\]|\\\\.)*\`?`, "/*", "*/");
  const rust = language(String.raw`//.*|/\*[^]*?(?:\*/|$)`, RUST, "/*", "*/");
  const hash = language("#.*", STRINGS);
  const sql = language(String.raw`--.*|/\*[^]*?(?:\*/|$)`, STRINGS, "/*", "*/", SQL);
  const css = language(String.raw`/\*[^]*?(?:\*/|$)`, STRINGS, "/*", "*/", new Set());
  const markup = language(String.raw`<!-{2}[^]*?(?:-->|$)`, String.raw`"[^"]*"?`, `<!${"--"}`, "-->", new Set());
  const NAMES = [
    [rust, "rs"], [slashes, "c h cc cpp cxx hh hpp m mm java js mjs cjs jsx ts tsx go cs kt kts swift scala dart php proto groovy zig"],
    [hash, "py pyi rb sh bash zsh pl pm r yml yaml toml mk cmake tf jl ex exs nix Makefile Dockerfile"],
    [sql, "sql"], [css, "css scss less"], [markup, "html htm xml svg vue xhtml"], [language("(?!)", STRINGS), "json jsonl"],
  ];
  const byName = new Map(NAMES.flatMap(([one, names]) => names.split(" ").map((name) => [name, one])));
  const KINDS = ["comment", "string", "number", "keyword"];
  const MOST_CHARACTERS = 2000;
  const isThere = typeof Highlight === "function" && CSS.highlights;
  const shown = isThere ? new Map(KINDS.map((kind) => [kind, new Highlight()])) : new Map();
  shown.forEach((highlight, kind) => CSS.highlights.set(kind, highlight));
  const made = new WeakMap();

  const of = (path) => (isThere ? byName.get(path.split("/").at(-1).split(".").at(-1)) : undefined);
  // Returns the tokens of a line, each a kind, a start and an end; `state` says whether a comment goes on.
  const tokens = (language, line, state) => {
    const found = [];
    if (line.length > MOST_CHARACTERS) return found;
    let at = 0;
    if (state.isOpen) {
      const end = line.indexOf(language.to);
      at = end < 0 ? line.length : end + language.to.length;
      found.push(["comment", 0, at]);
      state.isOpen = end < 0;
    }
    language.find.lastIndex = at;
    for (let match; (match = language.find.exec(line)) !== null;) {
      const { comment, string, number, word } = match.groups;
      const kind = comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number" : "keyword";
      if (kind === "keyword" && !language.words.has(language.words === SQL ? word.toLowerCase() : word)) continue;
      found.push([kind, match.index, language.find.lastIndex]);
      if (kind === "comment" && language.from && comment.startsWith(language.from)) state.isOpen = comment.length < language.from.length + language.to.length || !comment.endsWith(language.to);
    }
    return found;
  };
  // Colours a row, whose text begins with its sign; words that differ keep their own colour.
  const colour = (part, row, found) => {
    const ranges = made.get(part) ?? [];
    made.set(part, ranges);
    let start = -1;
    for (const node of row.childNodes) {
      const length = node.textContent.length;
      if (node.nodeType === Node.TEXT_NODE) {
        for (const [kind, from, to] of found) {
          const [first, last] = [Math.max(from - start, 0), Math.min(to - start, length)];
          if (last <= first) continue;
          const range = new StaticRange({ startContainer: node, startOffset: first, endContainer: node, endOffset: last });
          shown.get(kind).add(range);
          ranges.push([kind, range]);
        }
      } else if (node.className === "from") continue;
      start += length;
    }
  };
  const clear = (part) => {
    (made.get(part) ?? []).forEach(([kind, range]) => shown.get(kind).delete(range));
    made.delete(part);
  };
  return { of, tokens, colour, clear };
})();
