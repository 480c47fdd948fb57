// Light or dark, the contents on a phone, and the search. The pages can be read without it.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("script");
  const memory = {
    get() { try { return localStorage.getItem("theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("theme", theme); } catch { /* A page from a folder may have no memory. */ } },
  };
  if (memory.get()) root.dataset.theme = memory.get();

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      memory.set(root.dataset.theme);
    });

    const menu = document.getElementById("menu");
    menu.addEventListener("click", (event) => {
      event.preventDefault();
      root.classList.toggle("open");
    });
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "center" });
    scrollTo(0, location.hash ? scrollY : 0);

    const field = document.getElementById("search");
    const results = document.getElementById("results");
    let loading;
    const index = () => (loading ??= new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = `${root.dataset.up}book-index.js`;
      script.onload = () => resolve(window.bookIndex);
      document.head.append(script);
    }));
    const close = () => { results.hidden = true; };

    /** How well a section answers the words; 0 if one of them is not there. */
    const rate = (words, [, title, heading, text]) => {
      let sum = 0;
      for (const word of words) {
        const at = (place) => place.toLowerCase().indexOf(word);
        const starts = (place) => new RegExp(`(^|[^\\p{L}\\p{N}])${word.replace(/[^\p{L}\p{N}]/gu, "\\$&")}`, "iu").test(place);
        let points = 0;
        if (at(title) >= 0) points += starts(title) ? 8 : 3;
        if (heading !== title && at(heading) >= 0) points += starts(heading) ? 8 : 3;
        if (at(text) >= 0) points += starts(text) ? 2 : 1;
        if (points === 0) return 0;
        sum += points;
      }
      return sum + (heading === title ? 1 : 0);
    };

    /** The words around the first hit, with the hits marked. */
    const excerpt = (words, text) => {
      const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
      const from = Math.max(0, Math.min(...(found.length ? found : [0])) - 50);
      const part = (from > 0 ? "…" : "") + text.slice(from, from + 160);
      const line = document.createElement("span");
      const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "iu");
      for (const [at, piece] of part.split(pattern).entries()) {
        const node = at % 2 ? document.createElement("mark") : document.createElement("i");
        if (at % 2) { node.textContent = piece; line.append(node); } else line.append(piece);
      }
      return line;
    };

    const show = async () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length === 0) return close();
      const all = await index();
      const hits = all.map((entry) => [rate(words, entry), entry]).filter(([points]) => points > 0);
      hits.sort((a, b) => b[0] - a[0]);
      results.replaceChildren(...hits.slice(0, 12).map(([, [place, title, heading, text]]) => {
        const link = document.createElement("a");
        link.href = root.dataset.up + place;
        const name = document.createElement("b");
        name.textContent = heading === title ? title : `${title} › ${heading}`;
        link.append(name, excerpt(words, text));
        link.addEventListener("click", close);
        return link;
      }));
      if (hits.length === 0) {
        const nothing = document.createElement("p");
        nothing.textContent = "Nothing was found.";
        results.append(nothing);
      }
      results.hidden = false;
    };
    field.addEventListener("input", show);
    field.addEventListener("focus", show);

    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement;
      if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); }
      if (event.key === "Escape") { close(); root.classList.remove("open"); }
      const links = [...results.querySelectorAll("a")];
      const here = links.indexOf(document.activeElement);
      if (!results.hidden && event.key === "ArrowDown") { event.preventDefault(); links[Math.min(here + 1, links.length - 1)]?.focus(); }
      if (!results.hidden && event.key === "ArrowUp") { event.preventDefault(); (links[here - 1] ?? field).focus(); }
      if (!results.hidden && event.key === "Enter" && typing) links[0]?.click();
    });
    document.addEventListener("click", (event) => {
      if (!event.target.closest("header")) close();
    });
  });
})();
