package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofRepository begins the paths of a repository's records.
const ofRepository = "/api/tenants/{tenantId}/repositories/{repositoryId}/"

// unfilled reads from the description of the interface the lists that nothing fills yet.
func unfilled(t *testing.T) (paths []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "api", "openapi.json"))
	must(t, err)
	var described struct {
		Paths map[string]struct {
			Get struct {
				Filled *bool `json:"x-filled"`
			}
		}
	}
	must(t, json.Unmarshal(raw, &described))
	for path, of := range described.Paths {
		if of.Get.Filled != nil && !*of.Get.Filled {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Every list that the description marks as not filled has a page that requests it and says so, instead
// of showing an empty list. A new mark fails here until its page exists.
func TestUnfilledListsSaySo(t *testing.T) {
	t.Parallel()
	paths := unfilled(t)
	if len(paths) == 0 {
		t.Skip("the description has no such mark any more")
	}
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	asked := func(path string) string {
		return base + strings.NewReplacer("{tenantId}", ids["tenantId"], "{repositoryId}", ids["repositoryId"]).Replace(path)
	}
	d.each(t, paths, (*page).goTo, func(path string) string {
		list, of := strings.CutPrefix(path, ofRepository)
		if !of {
			t.Fatalf("%s is of no repository: tell this test which page shows it", path)
		}
		return "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"] + "/records/" + strings.ReplaceAll(list, "/", "-")
	}, func(p *page, path string) {
		p.has(path+" has an honest page", "document.querySelector('main .note')?.innerText.startsWith('Nothing fills this yet')")
		p.axe(path)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !slices.ContainsFunc(p.requests, func(address string) bool {
			address, _, _ = strings.Cut(address, "?")
			return address == asked(path)
		}) {
			t.Errorf("the page of %s does not ask for it", path)
		}
	})
}

// Lists of a repository: another repository is linked and unlinked, and an issue that no tracker has is
// refused at its field.
func TestListsOfARepository(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	at := "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"]
	p.goTo(base + at)
	p.tap("Analysis")
	p.until("document.title.startsWith('Triage of acme/') && document.querySelector('main tbody tr')")
	p.inspect("first looks")
	p.axe("first looks")
	p.tap("Acceptance criteria")
	p.until(`(rows => rows.length === 4 && rows.filter(r => r.includes("SHOP-12")).length === 4 && rows.filter(r => r.includes("not met")).length === 1)([...document.querySelectorAll("main tbody tr")].map(e => e.innerText))`)

	p.tap("Linked repositories")
	p.says("No repository is linked.")
	p.tap("Link a repository")
	p.until(named("[role=dialog] input", "Repository"))
	p.tap("Add")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true]')")
	p.axe("a link that was refused")
	p.enter("Repository", "payouts")
	p.until("document.querySelector('[role=option]')?.innerText === 'acme/payouts'")
	must(t, p.run("document.querySelector('[role=option]').click()", nil))
	p.enter("Note", "Pays for <b>orders</b>")
	p.tap("Add")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main tbody')?.innerText.includes('acme/payouts')")
	p.has("its note, as text", "document.querySelector('main tbody').innerText.includes('Pays for <b>orders</b>')")
	p.inspect("a linked repository")
	p.axe("a linked repository")
	p.tap("Remove: acme/payouts")
	p.confirmed("Remove")
	p.says("No repository is linked.")

	p.tap("Issues")
	p.until("document.querySelector('main tbody')?.innerText.includes('Long lists of orders come in pages')")
	p.tap("Add an issue")
	p.enter("Number of the pull request", "1")
	p.enter("Key or address of the issue", "PAY-1")
	p.tap("Add")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true], [role=dialog] [role=alert]')")
	p.has("the entered value", named("input", "Key or address of the issue")+".value === 'PAY-1'")
	p.axe("an issue that was refused")
	p.goTo(base + at + "/records/none")
	p.until("document.title.startsWith('Not found')")
	api := "/api" + strings.Replace(at, "/t/", "/tenants/", 1)
	p.clean(base, base, "422 "+api+"/links", "422 "+api+"/tracker-links")
}

// A finding is dismissed with a reason, which its page then shows, and reopened. A repository becomes
// an example for the others. The instance shows the agreement about personal data.
func TestDecisionsInABrowser(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	p.goTo(base + "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"] + "/findings/" + ids["findingId"])
	p.tap("Dismiss")
	p.until(named("[role=dialog] button", "Other"))
	p.button("Other")
	p.until("document.querySelector('[role=dialog] [aria-invalid=true]')")
	p.axe("a dismissal without a reason")
	p.fill("[role=dialog] input", "The caller <b>checks</b> it")
	p.button("Other")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main').innerText.includes('The caller <b>checks</b> it')")
	p.inspect("a finding that is dismissed")
	p.axe("a finding that is dismissed")
	p.tap("Undo dismissal")
	p.until("!" + named("main button", "Undo dismissal") + " && " + named("main button", "Dismiss"))

	p.visit("/not-available")
	p.press("main a[href$='/patterns']", "main h1")
	p.says("No repository is an example for the others.")
	p.tap("Add an example")
	p.enter("Repository", "payouts")
	p.until("document.querySelector('[role=option]')?.innerText === 'acme/payouts'")
	must(t, p.run("document.querySelector('[role=option]').click()", nil))
	p.enter("Paths", "[")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] textarea[aria-invalid=true]')")
	p.enter("Paths", "internal/**")
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main tbody')?.innerText.includes('internal/**')")
	p.axe("a pattern repository")
	p.tap("Remove: acme/payouts")
	p.confirmed("Remove")
	p.says("No repository is an example for the others.")

	p.menuTo("/instance/sign-off", "main form")
	p.tap("Sign off")
	p.until("document.querySelector('main form [aria-invalid=true]')")
	p.axe("a sign-off that was refused")
	p.enter("Place of the agreement", "Agreement 7")
	p.enter("Permitted uses of the data", "reviewer suggestions")
	p.tap("Sign off")
	p.until("document.querySelector('main .state')?.innerText === 'Signed off'")
	p.tap("Withdraw")
	p.confirmed("Withdraw")
	p.until("document.querySelector('main .state')?.innerText === 'Not signed off'")

	p.visit("/not-available")
	p.until("!document.querySelector('.mantine-Notification-root')") // it covers the end of the page
	p.press("main a[href$='/instance/telemetry']", "main h2")
	p.has("nothing is sent", "document.querySelector('main .note').innerText.includes('This version sends nothing')")
	p.tick("Send these figures")
	p.says("Last changed")
	api := "/api/tenants/" + ids["tenantId"]
	p.clean(base, base, "422 "+api+"/pattern-repositories", "422 /api/instance/assignment/legal-sign-off")
}
