// The page of a run that goes on follows it, and is loaded again when it has ended.
// Without this script, or where the stream cannot be had, people load it themselves.
// A page that nobody sees holds no connection: browsers have six for one server.
(function () {
  "use strict";
  var box = document.querySelector("[data-events]"), stream = null;
  if (!box || !window.EventSource) return;
  var lines = box.querySelectorAll("p");
  function say(line, text) {
    if (line.textContent !== text) line.textContent = text;
  }
  function leave() {
    if (stream) stream.close();
    stream = null;
  }
  function reload() {
    leave();
    location.reload();
  }
  function progress(event) {
    var now = JSON.parse(event.data), at = now.progress, used = now.usage;
    if (now.state === "awaiting_approval") { reload(); return; }
    say(lines[0], (at ? "Working: " + at.stage + (at.total ? ", " + at.done + " of " + at.total : "") : now.state === "publishing" ? "Publishing" : "On its way") + ".");
    say(lines[1], (at ? at.files + " files, " : "") + used.calls + " calls of models" +
      (used.calls ? ", " + (used.costMicros === null ? "unknown" : (used.costMicros / 1e6).toFixed(4)) + " " + used.currency : "") + " so far.");
  }
  function follow() {
    leave();
    if (document.hidden) return;
    stream = new EventSource(box.dataset.events);
    stream.addEventListener("open", function () { say(lines[2], "This page follows the run."); });
    stream.addEventListener("progress", progress);
    stream.addEventListener("end", reload);
    stream.addEventListener("error", function () {
      if (this.readyState === EventSource.CLOSED) say(lines[2], "Load the page again for news.");
    });
  }
  document.addEventListener("visibilitychange", follow);
  follow();
})();
