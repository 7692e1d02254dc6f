// Package browser uses the pages like a person: a real Chromium against real processes. The browser is
// driven over its DevTools protocol (chromedevtools.github.io/devtools-protocol) through a pipe, which
// needs no library and no port.
//
// All tests share one browser, in which each test has a profile, and most tests share the services: a
// demo, an office with a tenant for each test, and an empty tenant.
//
// The tests skip if no browser is found: $ASSAY_BROWSER, or chromium-headless-shell, chromium,
// chromium-browser, google-chrome or google-chrome-stable in PATH. The shell has no push messages, so
// the test of notifications starts a full browser.
package browser
