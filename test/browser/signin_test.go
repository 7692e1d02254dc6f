package browser

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
)

// send sends a body to the interface as the person of the page, and keeps what was answered.
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

// application registers an application that signs people in with a Forgejo, as its page
// "Applications" does (POST /user/applications/oauth2 of its interface).
func application(t *testing.T, forge, token, callback string) (id, secret string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"name": "assay", "redirect_uris": []string{callback}, "confidential_client": true})
	must(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, forge+"/api/v1/user/applications/oauth2", bytes.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "token "+token)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	var made struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	must(t, json.NewDecoder(answer.Body).Decode(&made))
	if made.ID == "" || made.Secret == "" {
		t.Fatalf("no application: %s", answer.Status)
	}
	return made.ID, made.Secret
}

// signOut leaves by the menu of the account.
func (p *page) signOut(name string) {
	p.t.Helper()
	p.tap("Account of " + name)
	p.tap("Sign out")
	p.until("location.pathname === '/' && document.readyState === 'complete' && !document.querySelector('#root')")
}

// People sign in by OpenID Connect, at a Forgejo: whom a mapping gives a role is let in and
// comes back to the page that was asked for; somebody without one is told what is missing; who
// cancels is not signed in.
func TestSignInByOpenIDConnect(t *testing.T) {
	t.Parallel()
	base, link, forge, token, _ := setUp(t)
	p := launch(t).tab()
	p.signIn(link)
	tenant := "/api/tenants/" + p.tenant()
	inbox := base + "/t/" + p.tenant() + "/inbox"
	id, secret := application(t, forge, token, base+"/auth/oidc/company/callback")
	var provider struct {
		ID string `json:"id"`
	}
	p.send("/api/instance/identity-providers", map[string]any{"slug": "company", "displayName": "Company account", "issuer": forge, "clientId": id, "clientSecret": secret, "tenants": "all", "listed": true}, &provider)
	p.send(tenant+"/oidc-role-mappings", map[string]any{"identityProviderId": provider.ID, "claim": []string{"preferred_username"}, "value": "grace", "role": "member"}, nil)
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
	p.tap("grace")
	p.until(consoleReady)
	p.has("the page that was asked for", "location.href === "+quote(inbox))
	p.has("a member, no administrator", "!document.querySelector(\"nav a[href$='/members']\")")
	p.axe("the inbox of a member")
	var name string
	must(t, p.run("document.querySelector('header [aria-label^=Account]').getAttribute('aria-label').replace('Account of ', '')", &name))
	p.signOut(name)

	p.goTo(inbox)
	p.tap("Sign in with Company account")
	p.tap("linus-b")
	p.until("document.readyState === 'complete' && location.origin === " + quote(base))
	p.has("somebody without a role", "!document.querySelector('nav a.nav-link')")
	p.audit("nobody's tenant")
	p.clean(base, forge)
}
