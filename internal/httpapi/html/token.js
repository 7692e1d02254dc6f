// A one-time token comes in the address behind "#", which no server and no proxy
// sees. It goes into the form, and out of the address.
(function () {
  "use strict";
  var found = /^#token=([A-Za-z0-9_]+)$/.exec(location.hash);
  var input = document.querySelector("input[name=token]");
  if (!found) return;
  history.replaceState(null, "", location.pathname);
  if (input) { input.value = found[1]; input.form.requestSubmit(); }
})();
