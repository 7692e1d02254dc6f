package browser

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// settled are the pages for admins of a tenant only.
var settled = []string{"Connections", "Issue trackers", "MCP servers", "Notifications", "Members", "Audit log"}

// ofInstance are the pages of people who manage the instance.
var ofInstance = []string{"Health", "Deliveries", "Failed jobs", "Tenants", "Apps", "Identity providers", "Instance settings", "Instance audit log"}

// offered fails unless all of the pages are in the person's navigation, or none if all is false.
func (p *page) offered(who string, all bool, pages []string) {
	p.t.Helper()
	menu := "\n" + strings.Join(p.menu(), "\n") + "\n"
	for _, name := range pages {
		if strings.Contains(menu, "\n"+name+"\n") != all {
			p.t.Errorf("%s: the navigation is %q; whether %s is in it should be %t", who, menu, name, all)
		}
	}
}

// The navigation of an admin, of a person who may only look, and of a person who manages the instance;
// and the pages that they get at addresses without permission.
func TestNavigationByRole(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)

	p.signIn(o.links[vera])
	p.ready()
	p.offered(vera, false, append(settled, ofInstance...))
	for _, path := range []string{"/connections", "/trackers", "/mcp-servers", "/notifications", "/members", "/audit"} {
		p.move(o.tenant + path)
		p.until("document.querySelector('main [role=alert]')")
		p.has("it is refused", "document.querySelector('main [role=alert]').innerText.includes('This is not allowed') && !document.querySelector('main form [type=submit]')")
	}
	p.axe("a page that is refused")
	p.goTo(o.tenant + "/repositories/" + o.trial + "/onboarding")
	p.until("document.querySelector('main h1')?.innerText === 'Not found'") // a hidden repository does not exist
	p.goTo(o.base + "/instance/health")
	p.has("the page of the instance is missing", "document.title.startsWith('Not found')")

	p.as(o.links[ada])
	p.ready()
	p.offered(ada, true, settled)
	p.offered(ada, false, ofInstance)
	p.goTo(o.base + "/instance/health")
	p.has("the page of the instance is missing for an admin of a tenant", "document.title.startsWith('Not found')")

	p.as(o.links[ina])
	p.until("location.pathname === '/instance/health'")
	p.ready()
	p.offered(ina, true, ofInstance)
	p.offered(ina, false, settled)
	p.goTo(o.tenant)
	p.has("a tenant of others does not exist", "document.title.startsWith('Not found')")
}

// Members of a tenant are added and removed, and the last admin stays.
func TestMembersInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.goTo(o.tenant + "/members")
	p.until("document.querySelectorAll('tbody tr').length === 2")
	p.ready()
	p.button("Change " + ada)
	p.button("Remove the role given by hand")
	p.button("Remove the role")
	p.until("document.querySelector('main [role=alert]')")
	p.has("the last admin stays", "/last|admin/i.test(document.querySelector('main [role=alert]').innerText) && document.querySelectorAll('tbody tr').length === 2")
	p.axe("a refusal")
	p.button("Change " + vera)
	p.button("Make administrator by hand")
	p.until("[...document.querySelectorAll('tbody tr')].filter(r => r.innerText.includes('administrator')).length === 2")
	p.button("Change " + vera)
	p.button("Remove the role given by hand")
	p.button("Remove the role")
	p.until("document.querySelectorAll('tbody tr').length === 1")
	p.button("Add a person")
	p.until("document.querySelector('[role=dialog] input')")
	p.axe("the form of a member")
	p.fill("[role=dialog] input", "usr_none")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] [role=alert]')")
	p.has("people of other tenants are not shown", "document.querySelector('[role=dialog] [role=alert]').innerText.includes('Not found')")
	var gone []string
	for _, text := range p.failed {
		gone = append(gone, text[:3])
	}
	testkit.Equal(t, "refusals", strings.Join(gone, " "), "409 404")
	p.mu.Lock()
	p.failed = nil
	p.mu.Unlock()
	p.clean(o.base, o.base)
}

// A code host is connected after some refusals, tested and synchronised. Its secret is shown once.
func TestAConnectionInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.goTo(o.tenant + "/connections")
	p.until("document.querySelector('main section.sheet')")
	p.ready()
	p.has("the installation", "document.querySelector('main').innerText.includes('octo')")
	p.button("Connect a code host")
	p.until("document.querySelector('[role=dialog] select')")
	must(t, p.run(`(e => { Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, "forgejo"); e.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("[role=dialog] select"))`, nil))
	p.until("document.querySelector('[role=dialog]').innerText.includes('User or organisation')")
	p.axe("the form of a connection")
	field := func(n int) string {
		return "[role=dialog] form > div > :nth-child(" + string(rune('0'+n)) + ") input"
	}
	p.fill(field(2), "Forge")
	p.fill(field(3), o.forge)
	p.fill(field(4), "acme")
	p.fill(field(5), "canary-canary")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true][type=password]')")
	p.has("the entered value stays", "document.querySelector("+quote(field(4))+").value === 'acme'")
	p.axe("a token that is refused")
	p.fill(field(5), o.token)
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && [...document.querySelectorAll('main h3')].some(h => h.innerText === 'Forge')")
	p.has("no token is on the page", "!document.documentElement.outerHTML.includes("+quote(o.token)+")")

	p.button("Test")
	p.until("document.querySelector('main').innerText.includes('Answer of the host')")
	p.button("Synchronise now")
	p.until("document.querySelector('main').innerText.includes('Synchronisation: done')")
	p.until("/[1-9][0-9]* repositor/.test(document.querySelectorAll('main section.sheet')[1].innerText)")
	p.ready()
	p.inspect("a connection")
	p.axe("a connection")

	p.button("Create a new webhook secret")
	p.dialogs(1)
	p.button("Create a new webhook secret")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('it is shown this once')")
	p.axe("a secret")
	var shown string
	must(t, p.run("document.querySelector('[role=dialog] dd code').innerText", &shown))
	if len(shown) < 20 {
		t.Errorf("the secret is %d characters", len(shown))
	}
	p.key("Escape", 27)
	p.has("it does not go by mistake", "document.querySelector('[role=dialog] dd code')")
	p.button("I have kept it")
	p.until("!document.documentElement.outerHTML.includes(" + quote(shown) + ")")

	p.button("Pause")
	p.until("document.querySelectorAll('main section.sheet')[1].innerText.includes('paused')")
	p.until("[...document.querySelectorAll('main button')].some(b => b.innerText === 'Resume' && !b.disabled)")
	// The notification of the pause may lie under the pointer, above the button, and stays until the pointer leaves it.
	p.point("document.querySelector('main h1')")
	p.button("Resume")
	p.until("!document.querySelectorAll('main section.sheet')[1].innerText.includes('paused')")
	p.point("document.querySelector('main h1')")
	p.until("!document.querySelector('.mantine-Notification-root')") // it covers the elements below
	p.button("Delete")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('disconnected')") // with their number once the synchronisation after "Resume" is done
	p.dialogs(1)
	p.axe("the warning about losses")
	p.button("Delete")
	p.until("document.querySelectorAll('main section.sheet').length === 1")
	p.clean(o.base, o.base, "422 /api/tenants/"+strings.TrimPrefix(o.tenant, o.base+"/t/")+"/provider-connections")
}

// The audit log of a tenant is shown, verified and exported. A new repository is accepted with the
// suggestion of its trial.
func TestAuditAndNewRepositoriesInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.goTo(o.tenant + "/onboardings")
	p.until("document.querySelector('tbody a')")
	p.inspect("new repositories")
	p.axe("new repositories")
	p.press("tbody a", "#decide")
	p.ready()
	p.has("figures and a suggestion", "['10 of 12', '$2.00', 'Seven of nine'].every(s => document.querySelector('main').innerText.includes(s))")
	p.inspect("a trial")
	p.axe("a trial")
	p.button("Accept")
	p.until("document.querySelector('main').innerText.includes('Decided by Ada Admin')")
	p.axe("a decision")

	p.goTo(o.tenant + "/audit")
	p.until("document.querySelector('tbody tr')")
	p.button("Verify the log")
	p.until("document.querySelector('main .note.good')")
	p.has("it is whole, with its head", "/The log is intact/.test(document.querySelector('.note.good').innerText) && document.querySelectorAll('.note.good code').length === 2")
	p.axe("a verification")
	must(t, p.run(`[...document.querySelectorAll("tbody tr")].find(r => r.innerText.includes("onboarding.accept")).querySelector("button").click()`, nil))
	p.until("document.querySelector('[role=dialog] td .value')")
	p.has("before and after", "document.querySelector('[role=dialog]').innerText.includes('accepted')")
	p.axe("an entry")
	p.button("Show entries of this target")
	p.until("location.search.includes('targetId=') && !document.querySelector('[role=dialog]')")
	for _, format := range []string{"jsonl", "csv"} {
		var whole bool
		must(t, p.run("fetch(document.querySelector('a[download][href$="+format+"]').href).then(async r => r.ok && r.headers.get('Content-Disposition').includes('attachment') && (await r.text()).includes('onboarding.accept'))", &whole))
		testkit.Equal(t, "an export as "+format, whole, true)
	}
	p.clean(o.base, o.base)
}

// The pages of the instance: its problems, its deliveries, a dead job that is run again, and tenants,
// with a new one.
func TestTheInstanceInABrowser(t *testing.T) {
	t.Parallel()
	o := ownOffice(t)
	p := newTab(t)
	p.signIn(o.links[ina])
	p.until("document.querySelector('main').innerText.includes('D005')")
	p.has("the remedy", "document.querySelector('main').innerText.includes('Remedy:')")
	p.inspect("health")
	p.axe("health")
	for _, path := range []string{"deliveries", "tenants", "audit", "dead-letters"} {
		p.menuTo("/instance/"+path, "nav a[aria-current=page][href$='/instance/"+path+"']")
		p.ready()
	}
	p.inspect("jobs given up")
	p.axe("jobs given up")
	p.goTo(o.base + "/instance/dead-letters?lane=publish")
	p.until("document.querySelector('main').innerText.includes('No job matches')")
	p.button("Show all")
	p.until("document.querySelector('tbody')?.innerText.includes(" + quote(o.dead) + ")")
	must(t, p.run("document.querySelector('tbody button').click()", nil))
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('the host was gone')")
	p.axe("a job that was given up")
	p.button("Retry")
	p.dialogs(2)
	p.button("Retry")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main').innerText.includes('No job is given up')")

	p.goTo(o.base + "/instance/tenants")
	p.until("document.querySelector('tbody')")
	p.button("Create a tenant")
	p.until("document.querySelector('[role=dialog] input')")
	p.fill("[role=dialog] input", "Second")
	p.click("[role=dialog] [type=submit]")
	p.until("[...document.querySelectorAll('tbody tr')].some(r => r.innerText.includes('Second') && r.innerText.includes('Open'))")
	p.clean(o.base, o.base)
}
