package browser

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// An admin makes a link. A person who has never signed in opens it, signs in by OpenID Connect, and joins with one
// click. The same link is refused a second time.
func TestAnInvitationInABrowser(t *testing.T) {
	t.Parallel()
	at := setUp(t)
	base, forge := at.base, at.forge
	p := newTab(t)
	p.signIn(at.link)
	tenant := base + "/t/" + p.tenant()
	app, err := simclient.New(forge, at.control).RegisterClient(t.Context(), shared.ClientSpec{Name: "assay", RedirectURIs: []string{base + "/auth/oidc/company/callback"}})
	must(t, err)
	p.send("/api/instance/identity-providers", map[string]any{"slug": "company", "displayName": "Company account", "issuer": forge, "clientId": app.ClientID, "clientSecret": app.ClientSecret, "tenants": "all", "listed": true}, nil)

	link := func() (shown string) {
		t.Helper()
		p.button("Invite by link")
		p.until("document.querySelector('[role=dialog] select')")
		p.click("[role=dialog] [type=submit]")
		p.until("document.querySelector('[role=dialog] dd code')")
		must(t, p.run("document.querySelector('[role=dialog] dd code').innerText", &shown))
		return shown
	}
	p.goTo(tenant + "/members")
	p.ready()
	used := link()
	p.axe("a link that is shown once")
	p.button("I have copied it")
	p.until("!document.documentElement.outerHTML.includes(" + quote(used) + ")")
	revoked := link()
	p.button("I have copied it")
	p.until("document.querySelectorAll('section[aria-labelledby=invitations] tbody tr').length === 2")
	p.inspect("members with open invitations")
	p.axe("members with open invitations")
	p.button("Revoke the invitation as member by Ada")
	p.dialogs(1)
	p.axe("the question before an invitation is revoked")
	p.answer("Revoke")
	p.until("document.querySelectorAll('section[aria-labelledby=invitations] tbody tr').length === 1")
	p.signOut("Ada")

	p.goTo(used)
	p.says("Sign in with Company account")
	p.has("the address of the sign-in page has no token", "!location.href.includes('assay_invite_')")
	p.tap("Sign in with Company account")
	p.tap(demo.Author)
	p.says("You are invited to Acme as member.")
	p.has("the page is the invitation, without its token", "location.href === "+quote(base+"/invitation"))
	p.audit("an invitation")
	p.axe("an invitation")
	p.tap("Join")
	p.until("location.href === " + quote(tenant+"/inbox") + " && document.querySelector(" + quote(consoleReady) + ")")
	p.has("a member, no administrator", "!document.querySelector(\"nav a[href$='/costs']\")")
	const refused = "document.querySelector('main [role=alert]')?.innerText.includes('This invitation is not valid')"
	p.goTo(used)
	p.until(refused)
	must(t, p.run("window.stale = true; location.href = "+quote(revoked), nil)) // another link in the same tab: only the fragment differs
	p.until("!window.stale && !location.hash && " + refused)
	p.clean(base, forge, "401 /api/me", "404 /api/me/invitations/look", "404 /api/me/invitations/look")
	for _, text := range p.requests {
		if strings.Contains(strings.Split(text, "#")[0], "assay_invite_") {
			t.Errorf("a request has the token in its address: %s", text)
		}
	}
}
