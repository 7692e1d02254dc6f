// Package browser goes through the pages as a person does: a real Chromium
// against real processes. The browser is driven over its DevTools protocol
// (chromedevtools.github.io/devtools-protocol) through a pipe, which needs no
// library and no port.
//
// All tests share one browser, in which each has a profile of its own, and most share the
// services: a demo, an office with a tenant for each test, and a tenant that has nothing.
//
// The tests skip where no browser is found: $ASSAY_BROWSER, or chromium-headless-shell,
// chromium, chromium-browser, google-chrome or google-chrome-stable in PATH. The shell has
// no push messages, so the test of notifications starts a whole browser.
package browser
