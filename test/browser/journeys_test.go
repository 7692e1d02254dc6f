package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// tick switches a checkbox or switch on or off, by its label.
func (p *page) tick(label string) {
	p.t.Helper()
	at := named("input[type=checkbox]", label)
	p.until(at)
	must(p.t, p.run(at+".click()", nil))
}

// offer selects an option of a list by its label.
func (p *page) offer(label, value string) {
	p.t.Helper()
	at := named("select", label)
	p.until(at)
	must(p.t, p.run(`(e => { Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, `+quote(value)+`); e.dispatchEvent(new Event("change", {bubbles: true})); })(`+at+`)`, nil))
}

// confirmed waits for the question before an irreversible action, and confirms it.
func (p *page) confirmed(does string) {
	p.t.Helper()
	p.dialogs(1)
	p.answer(does)
}

// stay marks the page, so that [page.stayed] can check that it was not loaded again.
func (p *page) stay() { p.t.Helper(); must(p.t, p.run("void (window.stayed = true)", nil)) }

func (p *page) stayed() {
	p.t.Helper()
	p.has("the page was not loaded again", "window.stayed === true")
}

// A tool server, a channel and an issue tracker: each is created, refused at the wrong field, changed
// and removed. Their secrets do not appear on the page.
func TestServersChannelsAndTrackersInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.ready()
	canary := secret.New("canary-" + strings.Repeat("s", 20)).Reveal()
	hidden := func(where string) {
		p.t.Helper()
		p.has(where+" has no secret", "!document.documentElement.outerHTML.includes("+quote(canary)+") && ![...document.querySelectorAll('input')].some(e => e.value.includes("+quote(canary)+"))")
	}

	p.visit("/mcp-servers")
	p.says("No tool server is entered.")
	p.tap("Add a tool server")
	p.enter("Name", "Search")
	p.enter("Address", "ftp://tools.example/mcp")
	p.offer("Sign-in", "bearer")
	p.enter("Secret", canary)
	p.axe("the form of a tool server")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true][type=url]')")
	p.has("the entered value stays", named("input", "Secret")+".value === "+quote(canary))
	p.enter("Address", o.forge+"/mcp")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main section.sheet')?.innerText.includes('Search')")
	hidden("tool servers")
	p.tap("Load its tools")
	p.until("document.querySelector('main section.sheet').innerText.includes('does not work')")
	p.inspect("a tool server that does not answer")
	p.axe("a tool server that does not answer")
	p.tap("Calls of Search")
	p.says("None of its tools was called.")
	p.has("the address says whose calls are shown", "location.search.includes('calls=')")
	p.tap("Close the list of calls")
	p.tap("Pause")
	p.until("document.querySelector('main section.sheet').innerText.includes('Resume')")
	p.tap("Remove")
	p.confirmed("Remove")
	p.says("No tool server is entered.")

	p.visit("/notifications")
	p.tap("Add a channel")
	p.offer("Kind", "email")
	p.enter("Name", "Post")
	p.enter("Address", "not an address")
	p.axe("the form of a channel")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true]')")
	p.enter("Address", "team@acme.example")
	p.tick("a review is done")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main section.sheet')?.innerText.includes('team@acme.example')")
	p.has("the selected events", "document.querySelector('main section.sheet').innerText.includes('a review is done')")
	p.inspect("a channel")
	p.axe("a channel")
	p.tap("Messages to Post")
	p.says("No message was sent to this channel.")
	p.tap("Remove")
	p.confirmed("Remove")
	p.says("There are no channels yet.")

	p.visit("/trackers")
	p.tap("Connect an issue tracker")
	p.offer("Tracker", "linear")
	p.enter("Name", "Board")
	p.enter("Token", canary)
	p.enter("States that count as done", "Done")
	p.axe("the form of an issue tracker")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main section.sheet')?.innerText.includes('Linear')")
	hidden("issue trackers")
	p.tap("Create a webhook secret")
	p.until("document.querySelector('[role=dialog] dd code')")
	p.key("Escape", 27)
	p.has("it does not go by mistake", "document.querySelector('[role=dialog] dd code')")
	p.answer("I have kept it")
	p.tap("Remove")
	p.confirmed("Remove")
	p.says("No issue tracker is connected.")
	api := "/api/tenants/" + strings.TrimPrefix(o.tenant, o.base+"/t/")
	p.clean(o.base, o.base, "422 "+api+"/mcp-servers", "422 "+api+"/notification-channels")
}

// A session ends in the middle of a form: a dialog says so, and after a person has signed in again the
// form is sent with its entries.
func TestASessionThatEndsInAForm(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.ready()
	p.visit("/notifications")
	p.stay()
	p.tap("Add a channel")
	p.offer("Kind", "email")
	p.enter("Name", "Kept while away")
	p.enter("Address", "team@acme.example")
	var kept struct{ Cookies []json.RawMessage }
	p.do("Network.getCookies", nil, &kept)
	p.do("Network.clearBrowserCookies", nil, nil)
	p.click("[role=dialog] [type=submit]")
	p.until("[...document.querySelectorAll('[role=dialog]')].some(d => d.innerText.includes('Your session has ended'))")
	p.has("the entered value is there", named("input", "Name")+".value === 'Kept while away'")
	p.axe("a session that ends in a form")
	p.do("Network.setCookies", map[string]any{"cookies": kept.Cookies}, nil)
	p.tap("I have signed in")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main section.sheet')?.innerText.includes('Kept while away')")
	p.stayed()
}

// A service stops and returns with its data: a change reports that the service does not answer, and
// succeeds later, without another sign-in or page load. Then the service stops and returns without its
// data: the page says that the connection is lost, asks again without a click, and asks the person to sign in.
func TestTheServiceComesBack(t *testing.T) {
	t.Parallel()
	o := ownOffice(t)
	p := newTab(t)
	p.signIn(o.links[ada])
	p.ready()
	p.visit("/notifications")
	p.stay()
	p.tap("Add a channel")
	p.offer("Kind", "email")
	p.enter("Name", "Sent twice")
	p.enter("Address", "team@acme.example")
	o.process.Signal(syscall.SIGTERM)
	o.process.Wait(patience)
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] [role=alert]')?.innerText.includes('does not answer')")
	p.axe("a service that does not answer")
	again := testkit.Start(t, o.command)
	again.WaitReady(patience, o.base+"/readyz")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelectorAll('main section.sheet').length === 1 && document.querySelector('main section.sheet').innerText.includes('Sent twice')")
	p.stayed()

	p.menuTo("/repositories", "main input")
	again.Signal(syscall.SIGTERM)
	again.Wait(patience)
	p.fill("main input", "pay")
	p.until(lostNote)
	o.command.Env["ASSAY_DATA_DIR"] = t.TempDir()
	testkit.Start(t, o.command).WaitReady(patience, o.base+"/readyz")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('Your session has ended')")
}

// A repeated review is watched from its start until it is published. The page follows it without being
// loaded again, and names the person who asked.
func TestALiveReviewIsWatched(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	before := fmt.Sprintf("/t/%s/repositories/%s/runs/", ids["tenantId"], ids["repositoryId"])
	p.goTo(base + before + ids["secondRunId"])
	p.tap("Review again")
	p.until("location.pathname.startsWith(" + quote(before) + ") && !location.pathname.endsWith(" + quote(ids["secondRunId"]) + ")")
	p.stay()
	p.says("Requested by") // the page is that of the new review
	p.part("[href*='tab=history']", ".mantine-Timeline-root")
	p.until("['queued', 'running', 'publishing', 'completed'].every((s, i) => document.querySelectorAll('.mantine-Timeline-root .state')[i].innerText === s)")
	p.until("document.querySelector('main .state').innerText === 'completed'")
	p.stayed()
	p.has("the person who asked for it", "document.querySelector('main').innerText.includes('Requested by') && document.querySelector('main').innerText.includes('as another review')")
	p.inspect("a review that was watched")
	p.clean(base, base)
}

// The person who manages the instance sets it up: a setting that the process fixes cannot be changed,
// another one can. An identity provider that does not answer is reported.
func TestTheInstanceIsSetUpInABrowser(t *testing.T) {
	t.Parallel()
	o := ownOffice(t)
	p := newTab(t)
	p.signIn(o.links[ina])
	p.until("document.querySelector('main h1')")
	p.menuTo("/instance/settings", row("name", "input"))
	p.has("the setting that the process fixes", "document.querySelector("+quote(row("edition", ""))+").innerText.includes('fixed by the configuration') && !document.querySelector("+quote(row("edition", "select"))+")")
	p.fill(row("name", "input"), "Reviews of Acme")
	p.fill(row("session.idleMinutes", "input"), "2")
	p.saveSettings("Reviews of Acme")
	p.until("document.querySelector(" + quote(row("session.idleMinutes", "[role=alert]")) + ")")
	p.fill(row("session.idleMinutes", "input"), "45")
	p.saveSettings("Reviews of Acme")
	p.until("document.querySelector('.save-bar').innerText.includes('No changes')")

	p.menuTo("/instance/identity-providers", "main h1")
	p.tap("Add an identity provider")
	p.enter("Name", "Acme")
	p.enter("Part of its sign-in path", "acme")
	p.enter("Issuer", o.forge)
	p.enter("Client id", "assay")
	p.enter("Client secret", secret.New("canary-"+strings.Repeat("p", 20)).Reveal())
	p.axe("the form of an identity provider")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main section.sheet')?.innerText.includes('Acme')")
	p.tap("Test")
	p.says("Result of the test")
	p.says("failed")
	p.inspect("an identity provider")
	p.axe("an identity provider")
	p.tap("Remove")
	p.confirmed("Remove")
	p.says("No identity provider is entered.")

	p.menuTo("/instance/apps", "main section.sheet")
	p.tap("Change")
	p.until("document.querySelector('[role=dialog] form')")
	p.axe("the form of an app")
	p.clean(o.base, o.base, "422 /api/instance/settings")
}
