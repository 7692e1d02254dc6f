// Reports each act of a person to the binding "act": "click", or "field" with a number for each field of the document.
(() => {
  const report = globalThis.act;
  const fields = new WeakMap();
  let count = 0;
  const others = ["checkbox", "radio", "button", "submit", "file"];
  const isField = e => e.tagName === "TEXTAREA" || (e.tagName === "INPUT" && !others.includes(e.type));
  let echo = null; // the control of a label that was clicked: the browser then clicks it, too
  addEventListener("click", e => {
    if (!e.isTrusted || e.detail === 0 || e.target === echo || e.target.tagName === "SELECT") return; // detail 0: a key has done it
    report("click");
    const control = e.target.closest("label")?.control;
    echo = control === e.target ? null : control;
    setTimeout(() => { echo = null; });
  }, true);
  // Keys that act count as clicks: Enter and Space, and shortcuts outside of fields.
  addEventListener("keydown", e => {
    if (!e.isTrusted || e.repeat) return;
    const typing = isField(e.target);
    const acts = e.key === "Enter" ? e.target.tagName !== "TEXTAREA" : e.key.length === 1 && (e.ctrlKey || e.metaKey || !typing);
    if (acts) report("click");
  }, true);
  addEventListener("change", e => e.target.tagName === "SELECT" && report("click"), true);
  addEventListener("input", e => {
    if (!isField(e.target)) return;
    if (!fields.has(e.target)) fields.set(e.target, ++count);
    report(`field ${performance.timeOrigin} ${fields.get(e.target)}`);
  }, true);
})();
