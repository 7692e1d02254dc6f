package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/web"
)

// consoleReady is an element that the console has when a page of a tenant is there.
const consoleReady = "nav a[aria-current=page]"

// needConsole skips a test if there is no browser or the console was not built.
func needConsole(t testing.TB) {
	t.Helper()
	shell.program(t)
	if web.Console() == nil {
		t.Skip("the console is not built: make console")
	}
}

// signIn opens a one-time link, signs in with it, and waits for the console.
func (p *page) signIn(link string) {
	p.t.Helper()
	needConsole(p.t)
	p.goTo(link)
	p.until("document.querySelector('input[name=token][type=hidden]')")
	p.press("main button", consoleReady)
}

// axeScript reads the accessibility checker axe.
var axeScript = sync.OnceValues(func() (string, error) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "web", "node_modules", "axe-core", "axe.min.js"))
	return string(raw), err
})

// axe runs axe on the page, for WCAG 2.2 A and AA. It checks the frame once after each load, because
// the frame stays while pages change, and each time if [everyLook].
func (p *page) axe(what string) {
	p.t.Helper()
	p.until(atRest) // elements that fade in have no contrast yet
	var there bool
	must(p.t, p.run("typeof axe === 'object'", &there))
	part := "document"
	if there && !everyLook() {
		part = "{exclude: ['.mantine-AppShell-navbar', '.mantine-AppShell-header']}"
	}
	if !there {
		script, err := axeScript()
		if err != nil {
			p.t.Fatalf("axe is not installed; test/console installs it: %v", err)
		}
		must(p.t, p.run(script, nil))
	}
	var wrong []string
	must(p.t, p.run(`axe.run(`+part+`, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
		rules: {"heading-order": {enabled: true}, "landmark-unique": {enabled: !document.querySelector("[role=dialog]")}}}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary.slice(0, 200))))`, &wrong))
	for _, text := range wrong {
		p.t.Errorf("%s: %s", what, text)
	}
}

// shortcut presses a key with Ctrl.
func (p *page) shortcut(key string) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": "Key" + strings.ToUpper(key), "windowsVirtualKeyCode": int(strings.ToUpper(key)[0]), "modifiers": 2}, nil)
	}
}

// palette opens the palette by its keys, pressed once: they also work before it is loaded.
func (p *page) palette() {
	p.t.Helper()
	p.shortcut("k")
	p.until("document.activeElement.tagName === 'INPUT' && document.activeElement.closest('[role=dialog]')")
}

// The console as a person sees it in the demo: every page, the palette, another tenant, and a session
// that ends.
func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	p.ready()
	p.has("the inbox of the only tenant", "/^\\/t\\/[^/]+\\/inbox$/.test(location.pathname) && document.title === 'Inbox · assay'")
	p.walk("the inbox")
	for path, ready := range map[string]string{"/repositories": "td a", "/inbox": "main h1", "/runs": "main input", "/dry-runs": "main input", "/approvals": "main h1", "/onboardings": "main h1", "/costs": "main h1", "/me": "td", "/rules": "main h1", "/instance/apps": "main h1"} {
		p.menuTo(path, ready)
		p.until("!document.querySelector('[aria-busy=true]') && document.querySelector('nav a[aria-current=page]').getAttribute('href').endsWith('" + path + "')")
	}
	p.palette()
	p.axe("the palette")
	p.key("Escape", 27)
	p.until("!document.querySelector('[role=dialog]')")

	var kept struct{ Cookies []json.RawMessage }
	p.do("Network.getCookies", nil, &kept)
	p.do("Network.clearBrowserCookies", nil, nil)
	p.menuTo("/repositories", "main h1")
	p.fill("main input", "store")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('Your session has ended')")
	p.axe("a session that has ended")
	p.do("Network.setCookies", map[string]any{"cookies": kept.Cookies}, nil)
	p.click("[role=dialog] button")
	p.until("!document.querySelector('[role=dialog]') && location.search.includes('name=store') && document.querySelector('td a')")
	p.has("the entered value is there", "document.querySelector('main input').value === 'store'")
	p.mu.Lock()
	p.failed = nil // forget the failures of the session that ended
	p.mu.Unlock()

	p.goTo(base + "/t/ten_other/inbox")
	p.has("a tenant of others does not exist", "document.title === 'Not found · assay'")
	p.clean(base, base, "404 /t/ten_other/inbox")
}

// mostLoaded bounds the bytes that a new browser loads until the console is there and at rest,
// including later fetches of its own and the answers of the service.
const mostLoaded = 360_000

// The first visit loads little: the compressed files of the page and of later parts, and the answers of
// the service. test/console bounds the files that come first to 250 kB.
func TestTheFirstVisitLoadsLittle(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.goTo(d.manager(t))
	p.until("document.querySelector('input[name=token][type=hidden]')")
	p.mu.Lock()
	p.loaded = 0
	p.mu.Unlock()
	p.press("main button", consoleReady)
	p.ready()
	must(t, p.run("new Promise(r => requestIdleCallback(() => setTimeout(() => r(true), 1000)))", nil)) // fetches that happen when the page is idle
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Logf("%d bytes were loaded", p.loaded)
	if p.loaded < 100_000 || p.loaded > mostLoaded {
		t.Errorf("%d bytes were loaded, want at most %d", p.loaded, mostLoaded)
	}
}
