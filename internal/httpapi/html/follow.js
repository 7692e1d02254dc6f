// The page of a run that goes on follows it, and is loaded again when it has ended.
// Without this script, or where the stream cannot be had, people load it themselves.
(function () {
  "use strict";
  var box = document.querySelector("[data-events]");
  if (!box || !window.EventSource) return;
  var lines = box.querySelectorAll("p");
  var stream = new EventSource(box.dataset.events);
  function say(line, text) {
    if (line.textContent !== text) line.textContent = text;
  }
  stream.addEventListener("open", function () { say(lines[2], "This page follows the run."); });
  stream.addEventListener("progress", function (event) {
    var now = JSON.parse(event.data), at = now.progress, used = now.usage;
    if (now.state === "awaiting_approval") { stream.close(); location.reload(); return; }
    say(lines[0], (at ? "Working: " + at.stage + (at.total ? ", " + at.done + " of " + at.total : "") : now.state === "publishing" ? "Publishing" : "On its way") + ".");
    say(lines[1], (at ? at.files + " files, " : "") + used.calls + " calls of models" +
      (used.calls ? ", " + (used.costMicros === null ? "unknown" : (used.costMicros / 1e6).toFixed(4)) + " " + used.currency : "") + " so far.");
  });
  stream.addEventListener("end", function () { stream.close(); location.reload(); });
  stream.addEventListener("error", function () {
    if (stream.readyState === EventSource.CLOSED) say(lines[2], "Load the page again for news.");
  });
})();
