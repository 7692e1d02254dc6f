package browser

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// profile is the browser's data for one person: cookies, storage, permissions and a cache (a browser
// context of the DevTools protocol). Its methods may be called from one goroutine. Reports of the
// browser arrive on another one.
type profile struct {
	*chromium
	t       testing.TB
	id      string
	address string    // source of its requests for services that trust this machine as a proxy
	ends    time.Time // of every wait
}

// limit bounds the whole life of a profile, so that people can run these tests on a busy machine.
const limit = 5 * time.Minute

// profiles counts profiles, so that each has a different address.
var profiles atomic.Int64

// newProfile returns a profile of the shell.
func newProfile(t testing.TB) *profile {
	t.Helper()
	return shell.newProfile(t)
}

// newProfile returns a profile that ends with the test. If the browser does not answer, another one is
// started.
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

// try makes one call and returns the browser's error. It waits longer than the waits for elements of a
// page, whose messages name the missing element.
func (p *profile) try(session, method string, params, into any) error {
	p.t.Helper()
	err := p.ask(p.ends.Add(patience), session, method, params, into)
	if errors.Is(err, errSilent) {
		p.t.Fatal(err)
	}
	return err
}
