// What is wrong with the page for somebody who cannot see it well, or does not
// use a mouse: a list of sentences, empty where nothing was found. It checks
// what a program can (WCAG 2.2: 1.1.1, 1.3.1, 1.4.3, 1.4.10, 1.4.11, 2.1.1, 2.4.2,
// 2.5.8, 3.1.1, 4.1.2), nothing more.
(() => {
  const wrong = [], name = e => e.outerHTML.slice(0, 120);
  const say = (ok, what, e) => { if (!ok) wrong.push(e ? what + name(e) : what); };
  const all = s => [...document.querySelectorAll(s)];
  const shown = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;

  say(document.documentElement.lang === "en", "the page names no language");
  say(/^.+ · assay$/.test(document.title), "the title is " + document.title);
  say(all("h1").length === 1, all("h1").length + " elements h1");
  say(all("main").length === 1, all("main").length + " elements main");
  const ids = all("[id]").map(e => e.id);
  for (const id of ids) say(ids.indexOf(id) === ids.lastIndexOf(id), "two elements have the id " + id);
  for (const e of all("input:not([type=hidden]), textarea, select")) {
    say([...(e.labels || [])].some(l => l.innerText.trim() !== "" || !shown(e)), "no label: ", e);
    say(e.hasAttribute("autocomplete") || e.type === "checkbox", "no autocomplete: ", e);
    if (e.getAttribute("aria-invalid") === "true") say(e.getAttribute("aria-describedby"), "the error is not bound: ", e);
  }
  for (const e of all("[aria-describedby], [aria-labelledby]"))
    for (const a of ["aria-describedby", "aria-labelledby"])
      for (const id of (e.getAttribute(a) || "").split(" ").filter(Boolean)) say(document.getElementById(id), a + " leads nowhere: " + id);
  for (const e of all("a[href], button")) say(e.innerText.trim() !== "" || e.getAttribute("aria-label") || !shown(e), "no name: ", e);
  for (const e of all("a[href^='#']")) say(document.getElementById(e.getAttribute("href").slice(1)), "the link leads nowhere: ", e);
  for (const e of all("img:not([alt])")) say(false, "no alternative: ", e);
  // The scripts of the console set styles of elements, which the policy allows; the browser itself complains of others.
  for (const e of all(document.getElementById("root") ? "[onclick]" : "[style], [onclick]")) say(false, "not allowed by the policy: ", e);

  const overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  say(overflow <= 0, "the page is " + overflow + " px too wide at " + innerWidth);

  for (const e of all("button, button span")) {
    if (e.closest("[data-loading]") || e.closest("button").getAnimations({ subtree: true }).length > 0) continue; // its words move aside for the sign of waiting
    say(!shown(e) || getComputedStyle(e).overflowX === "visible" || e.scrollWidth <= e.clientWidth + 1 && e.scrollHeight <= e.clientHeight + 2, "the words of a button are cut: ", e.closest("button"));
  }
  for (const e of all("body *")) {
    if (!/auto|scroll/.test(getComputedStyle(e).overflowX) || e.scrollWidth <= e.clientWidth + 1) continue;
    say(e.tabIndex >= 0 && e.hasAttribute("tabindex") || e.matches("input, textarea") || e.querySelector("a[href], button, input"), "the keyboard does not scroll: ", e);
  }
  for (const e of all(".cards tbody td")) { // in a narrow window a cell shows the name of its column
    if (!shown(e) || e.innerText.trim() !== "" || e.querySelector("svg, img, input")) continue;
    say(/^(none|normal|"")$/.test(getComputedStyle(e, "::before").content), "a cell names its column and is empty: ", e);
  }
  // 2.5.8 leaves out links among words, and the rows of lists have room between their links.
  const among = e => [...e.parentElement.childNodes].some(n => n.nodeType === 3 && /\w/.test(n.data));
  for (const e of all("a[href], button, summary")) {
    const height = e.getBoundingClientRect().height;
    if (shown(e) && !e.closest(".skip, td") && !among(e)) say(height > 23.5, "a target is " + height.toFixed(1) + " px high: " + e.innerText.slice(0, 30) + " ", e);
  }

  // Contrast: the ratio of relative luminances (WCAG 2.2, definitions).
  const channels = c => { const m = c.match(/[\d.]+/g).map(Number); return { rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1 }; };
  const luminance = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const grounds = new Map([[null, [255, 255, 255]]]); // by element: what stands below its text
  const ground = e => {
    if (!grounds.has(e)) { const c = channels(getComputedStyle(e).backgroundColor); grounds.set(e, c.a === 1 ? c.rgb : ground(e.parentElement)); }
    return grounds.get(e);
  };
  for (const e of all("body *")) {
    if (!shown(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim() !== "") && !e.matches("input:not([type=hidden], [type=checkbox]), textarea")) continue;
    if (e.closest(":disabled, [aria-disabled=true]")) continue; // 1.4.3 leaves out what cannot be used
    const r = ratio(channels(getComputedStyle(e).color).rgb, ground(e));
    say(r >= 4.5, "text has a contrast of " + r.toFixed(2) + ": ", e);
  }
  for (const e of all("input:not([type=hidden], [type=checkbox]), textarea")) {
    if (!shown(e)) continue;
    const r = ratio(channels(getComputedStyle(e).borderTopColor).rgb, ground(e.parentElement));
    say(r >= 3, "the edge has a contrast of " + r.toFixed(2) + ": ", e);
  }
  return wrong;
})()
