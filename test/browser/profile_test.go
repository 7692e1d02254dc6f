package browser

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// profile is what the browser keeps for one person: cookies, storage, permissions and a
// cache (a browser context of the DevTools protocol). Its methods may be called from one
// goroutine; what the browser reports comes on another.
type profile struct {
	*chromium
	t       testing.TB
	id      string
	address string    // from which services that trust this machine as a proxy see its requests come
	ends    time.Time // of every wait
}

// limit bounds the whole life of a profile, so that these stay tests that people run;
// the machine may be busy.
const limit = 5 * time.Minute

// profiles counts profiles, so that each has an address of its own.
var profiles atomic.Int64

// newProfile returns a profile of the shell.
func newProfile(t testing.TB) *profile {
	t.Helper()
	return shell.newProfile(t)
}

// newProfile returns a profile that ends with the test. Where the browser does not answer,
// another one is tried.
func (k *kind) newProfile(t testing.TB) *profile {
	t.Helper()
	for range 3 {
		c := k.browser(t)
		var made struct{ BrowserContextID string }
		err := c.ask(time.Now().Add(2*patience), "", "Target.createBrowserContext", nil, &made)
		if errors.Is(err, errSilent) {
			t.Logf("%v; another one is tried", err)
			k.replace(c)
			continue
		}
		must(t, err)
		t.Cleanup(func() {
			c.call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": made.BrowserContextID})
		})
		n := profiles.Add(1)
		return &profile{chromium: c, t: t, id: made.BrowserContextID, address: fmt.Sprintf("10.0.%d.%d", n/250, 1+n%250), ends: time.Now().Add(limit)}
	}
	t.Fatal("no browser answers")
	return nil
}

// newTab returns a tab of a new profile.
func newTab(t testing.TB) *page {
	t.Helper()
	return newProfile(t).tab()
}

// try does one call; an error is what the browser says against it. It waits longer than the waits
// for what a page shows, which say what has not come.
func (p *profile) try(session, method string, params, into any) error {
	p.t.Helper()
	err := p.ask(p.ends.Add(patience), session, method, params, into)
	if errors.Is(err, errSilent) {
		p.t.Fatal(err)
	}
	return err
}
