package browser

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// send sends a body to the interface as the person of the page, and records the answer.
func (p *page) send(path string, body, into any) {
	p.t.Helper()
	raw, err := json.Marshal(body)
	must(p.t, err)
	must(p.t, p.run(`(async () => {
		const me = await (await fetch("/api/me")).json();
		const r = await fetch(`+quote(path)+`, {method: "POST", headers: {"Content-Type": "application/json", "X-CSRF-Token": me.csrfToken}, body: `+quote(string(raw))+`});
		if (!r.ok) throw new Error(r.status + " " + await r.text());
		return r.json();
	})()`, into))
}

// leave ends the session of the page. Requests that are refused because the session has just ended are not recorded as failed.
func (p *page) leave(end func()) {
	p.t.Helper()
	p.mu.Lock()
	before := len(p.failed)
	p.mu.Unlock()
	end()
	p.mu.Lock()
	defer p.mu.Unlock()
	since := slices.DeleteFunc(slices.Clone(p.failed[before:]), func(text string) bool { return strings.HasPrefix(text, "401 ") })
	p.failed = append(p.failed[:before], since...)
}

// signOut signs out in the menu of the account.
func (p *page) signOut(name string) {
	p.t.Helper()
	p.until("document.querySelector('header [aria-label^=Account][aria-haspopup]')") // its button does nothing until the menu is loaded
	p.tap("Account of " + name)
	p.leave(func() {
		p.tap("Sign out")
		p.until("location.pathname === '/' && document.readyState === 'complete' && !document.querySelector('#root')")
	})
}

// People sign in by OpenID Connect at a Forgejo: a person with a mapped role is let in and returns to
// the requested page; for a person without a role the tenant does not exist; a person who cancels is
// not signed in.
func TestSignInByOpenIDConnect(t *testing.T) {
	t.Parallel()
	at := setUp(t)
	base, forge := at.base, at.forge
	p := newTab(t)
	p.signIn(at.link)
	tenant := "/api/tenants/" + p.tenant()
	inbox := base + "/t/" + p.tenant() + "/inbox"
	app, err := simclient.New(forge, at.control).RegisterClient(t.Context(), shared.ClientSpec{Name: "assay", RedirectURIs: []string{base + "/auth/oidc/company/callback"}})
	must(t, err)
	var provider struct {
		ID string `json:"id"`
	}
	p.send("/api/instance/identity-providers", map[string]any{"slug": "company", "displayName": "Company account", "issuer": forge, "clientId": app.ClientID, "clientSecret": app.ClientSecret, "tenants": "all", "listed": true}, &provider)
	p.send(tenant+"/oidc-role-mappings", map[string]any{"identityProviderId": provider.ID, "claim": []string{"preferred_username"}, "value": demo.Admin, "role": "member"}, nil)
	p.signOut("Ada")

	p.goTo(inbox)
	p.says("Sign in with Company account")
	p.audit("ways to sign in")
	p.tap("Sign in with Company account")
	p.tap("Cancel")
	p.until("document.title.startsWith('Not signed in')")
	p.audit("a sign-in that was cancelled")

	p.goTo(inbox)
	p.tap("Sign in with Company account")
	p.tap(demo.Admin)
	p.until("document.querySelector(" + quote(consoleReady) + ")")
	p.has("the page that was asked for", "location.href === "+quote(inbox))
	p.has("a member, no administrator", "!document.querySelector(\"nav a[href$='/costs']\")")
	var name string
	must(t, p.run("document.querySelector('header [aria-label^=Account]').getAttribute('aria-label').replace('Account of ', '')", &name))
	p.signOut(name)

	p.goTo(inbox)
	p.tap("Sign in with Company account")
	p.tap(demo.Author)
	p.until("document.readyState === 'complete' && location.origin === " + quote(base))
	p.has("a person without a role", "!document.querySelector('nav a.nav-link')")
	p.audit("without a tenant")
	p.clean(base, forge, "403 /auth/oidc/company/callback", "404 "+strings.TrimPrefix(inbox, base))
}
