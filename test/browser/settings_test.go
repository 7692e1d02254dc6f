package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// choose selects an option of a list.
func (p *page) choose(selector, value string) {
	p.t.Helper()
	must(p.t, p.run(`(e => {
		Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, `+quote(value)+`);
		e.dispatchEvent(new Event("change", {bubbles: true}));
	})(document.querySelector(`+quote(selector)+`))`, nil))
}

// row is the selector of an element in the row of a setting.
func row(setting, what string) string { return "[data-setting='" + setting + "'] " + what }

// saveSettings opens the difference, checks that it has a text, and saves.
func (p *page) saveSettings(says string) {
	p.t.Helper()
	p.compare(says)
	p.save()
}

// compare opens the difference between the saved and the entered values, and checks that it has a text.
func (p *page) compare(says string) {
	p.t.Helper()
	p.click(".save-bar button:last-of-type")
	p.until("document.querySelector('[role=dialog] td') && document.querySelector('[role=dialog]').innerText.includes(" + quote(says) + ")")
}

// save saves from the difference.
func (p *page) save() {
	p.t.Helper()
	p.click("[role=dialog] button[data-autofocus]")
	p.until("!document.querySelector('[role=dialog]')")
}

// openGroups opens all groups of settings of the page.
func (p *page) openGroups() {
	p.t.Helper()
	p.until("document.querySelector('.setting-group')")
	p.tap("Open all groups")
	p.until("document.querySelector(" + quote(row("minSeverity", "select")) + ")")
}

// pictures checks that the page fits a narrow window, and takes its pictures for make shots: wide, dark
// and narrow.
func (p *page) pictures(name string) {
	p.t.Helper()
	if os.Getenv("ASSAY_SHOTS") != "" {
		p.shoot(name + ".wide")
		p.look(1280, "dark")
		p.shoot(name + ".dark")
	}
	p.narrow(name + ".narrow")
}

// openPolicy goes to the policy of the first repository of the list.
func (p *page) openPolicy() {
	p.t.Helper()
	p.menuTo("/repositories", "td a[href$='/policy']")
	p.press("td a[href$='/policy']", ".setting-group")
	p.openGroups()
}

// Two people change one policy at the same time: the second one is shown the first one's changes, and
// loses no entries.
func TestAPolicyThatTwoPeopleChange(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	person := newProfile(t)
	first := person.tab()
	first.signIn(o.links[ada])
	first.openPolicy()
	var at string
	must(t, first.run("location.pathname", &at))
	second := person.tab()
	second.goTo(base + at)
	second.openGroups()

	first.choose(row("minSeverity", "select"), "high")
	first.click(row("triggers.draft", ".mantine-Switch-track"))
	first.axe("a policy that is changed")
	first.compare("high and above")
	first.axe("the difference before saving")
	first.save()
	first.until("document.querySelector('.save-bar').innerText.includes('No changes') && document.querySelector(" + quote(row("minSeverity", "")) + ").innerText.includes('set here')")

	second.choose(row("minSeverity", "select"), "low")
	second.fill(row("maxInlineComments", "input"), "41")
	second.saveSettings("41")
	second.until("document.querySelector(" + quote(row("maxInlineComments", "[role=alert]")) + ")")
	second.fill(row("maxInlineComments", "input"), "4")
	second.saveSettings("low and above")
	second.until("document.querySelector('main .note[role=alert]')")
	second.has("the other person's changes", "document.querySelector('main .note[role=alert]').innerText.includes('Drafts') && document.querySelector('main .note[role=alert]').innerText.includes('You have both changed: Minimum severity')")
	second.has("the entered values", "document.querySelector("+quote(row("maxInlineComments", "input"))+").value === '4' && document.querySelector("+quote(row("minSeverity", "select"))+").value === 'low'")
	second.inspect("a policy that two have changed")
	second.axe("a policy that two have changed")
	second.saveSettings("high and above")
	second.until("document.querySelector('.save-bar').innerText.includes('No changes')")
	second.has("the value that the first person saved", "document.querySelector("+quote(row("triggers.draft", "input"))+").checked")

	first.goTo(base + at)
	first.openGroups()
	first.until("document.querySelector(" + quote(row("maxInlineComments", "input")) + ")?.value === '4'")
	first.has("both", "document.querySelector("+quote(row("minSeverity", "select"))+").value === 'low' && document.querySelector("+quote(row("triggers.draft", "input"))+").checked")
	first.clean(base, base)
	policy := "/api" + strings.Replace(at, "/t/", "/tenants/", 1)
	second.clean(base, base, "422 "+policy, "412 "+policy)
}

// A manager finds a setting by a word for it, sets it with one click, sees it among the changed ones and
// takes it back. The address keeps the search.
func TestFindingASettingOfAPolicy(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	p := newTab(t)
	p.signIn(o.links[ada])
	p.menuTo("/repositories", "td a[href$='/policy']")
	p.press("td a[href$='/policy']", ".setting-group")
	p.has("closed groups", "!document.querySelector('[data-setting]')")
	p.pictures("policy.closed")

	p.fill(".setting-search input", "wip")
	p.until("location.search.includes('q=wip') && document.querySelector(" + quote(row("triggers.draft", "input")) + ")")
	p.says("1 setting of 54 found.")
	p.click(row("triggers.draft", ".mantine-Switch-track"))
	p.until("document.querySelector(" + quote(row("triggers.draft", "")) + ").innerText.includes('set here')")
	p.pictures("policy.found")
	p.axe("a policy that is searched")
	p.saveSettings("Drafts")
	p.until("document.querySelector('.save-bar').innerText.includes('No changes')")

	p.fill(".setting-search input", "fail check")
	p.until("document.querySelector(" + quote(row("check.failOn", "select")) + ")")
	p.choose(row("check.failOn", "select"), "high") // its button is the widest one
	p.until("document.querySelector(" + quote(row("check.failOn", ".setting-back")) + ")")
	p.inspect("a setting with a long default")
	p.pictures("policy.back")
	p.click(row("check.failOn", ".setting-back"))
	p.until("document.querySelector('.save-bar').innerText.includes('No changes')")

	p.fill(".setting-search input", "zebra")
	p.says("No setting matches “zebra”.")
	p.axe("a search that finds no setting")
	p.pictures("policy.none")
	p.tap("Show all settings")
	p.until("!location.search && !document.querySelector('[data-setting]')")
	p.says("1 of 10 set here")

	p.click(".setting-switch .mantine-Switch-track")
	p.until("location.search.includes('changed=true') && document.querySelectorAll('[data-setting]').length === 1")
	var at string
	must(t, p.run("location.href", &at))
	p.goTo(at)
	p.until("document.querySelectorAll('[data-setting]').length === 1")
	p.pictures("policy.changed")
	p.click(row("triggers.draft", ".setting-back"))
	p.until("document.activeElement.closest('[data-setting]')?.dataset.setting === 'triggers.draft'")
	p.saveSettings("the default")
	p.says("No setting is set here.")
	p.clean(base, base)
}

// A person who leaves a page with unsaved entries is asked by the page, and by the browser if the
// window goes to another address. A person who stays loses nothing.
func TestLeavingWithoutSaving(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	p := newTab(t)
	p.signIn(o.links[ada])
	p.openPolicy()
	p.fill(row("maxInlineComments", "input"), "7")
	p.click("nav a[href$='/runs']")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('Leave without saving?')")
	p.axe("the question before leaving")
	p.click("[role=dialog] button[data-variant=default]")
	p.until("!document.querySelector('[role=dialog]')")
	p.has("the entered value", "document.querySelector("+quote(row("maxInlineComments", "input"))+").value === '7'")
	p.goTo(base)
	testkit.Equal(t, "asked by the browser", strings.Join(p.asked, ", "), "beforeunload")
	p.until("document.querySelector('h1')")
	p.clean(base, base)
}

// A rule is written with its preview beside it. Reviews of the repository then use it, and it can be
// changed and deleted.
func TestARuleAndItsEffect(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	p.menuTo("/rules", "main .note button")
	p.click("main .note button")
	p.until("document.querySelector('form textarea')")
	p.fill("form [data-path=title]", "Wrap errors")
	p.fill("form [data-path=instruction]", "Errors that cross a package border are wrapped with what was attempted.")
	p.until("document.querySelector('.sheet .paths code')")
	p.audit("a rule that is written")
	p.axe("a rule that is written")
	p.fill("form [data-path=paths]", "nowhere/**")
	p.until("document.querySelector('.sheet').innerText.includes('No file of these reviews matches')")
	p.fill("form [data-path=paths]", "[")
	p.until("document.querySelector('.sheet').innerText.includes('/paths/0')")
	p.click("form button[type=submit]")
	p.until("document.querySelector('form [data-path=paths]').getAttribute('aria-invalid') === 'true'")
	p.has("the focus is in the field", "document.activeElement.dataset.path === 'paths'")
	p.axe("a rule that was refused")
	p.fill("form [data-path=paths]", "**/*.go")
	p.until("document.querySelector('.sheet .paths code')")
	p.click("form button[type=submit]")
	p.until("!document.querySelector('form textarea') && document.querySelector('td')?.innerText.includes('Wrap errors')")
	p.axe("the rules of a tenant")

	p.menuTo("/repositories", "td a[href$='/rules']")
	p.click("td a[href$='/rules']")
	p.until("document.querySelector('h1').innerText.startsWith('Rules of') && document.querySelector('tbody')?.innerText.includes('Wrap errors')")
	p.has("where the rule comes from, and that it is applied", "document.querySelector('tbody').innerText.includes('tenant') && document.querySelector('tbody .state.good').innerText === 'applied'")
	p.has("and is not changed here", "!document.querySelector('td button')")
	p.inspect("the rules of a repository")
	p.axe("the rules of a repository")

	p.menuTo("/rules", "td button")
	p.click("td button")
	p.until("document.querySelector('form textarea')")
	p.click("form input[data-path=enabled]")
	p.until("document.querySelector('.sheet').innerText.includes('switched off')")
	p.click("form button[type=submit]")
	p.until("!document.querySelector('form textarea') && document.querySelector('td .state')?.innerText.includes('switched off')")
	p.click("td button:last-child")
	p.until("document.querySelector('[role=dialog]')?.innerText.includes('deleted for ever')")
	must(t, p.run("[...document.querySelectorAll('[role=dialog] button')].find(b => b.innerText === 'Delete').click()", nil))
	p.until("document.querySelector('main .note button')")
	rules := ""
	must(t, p.run("location.pathname", &rules))
	api := "/api" + strings.Replace(rules, "/t/", "/tenants/", 1)
	p.clean(base, base, "422 "+api+"/preview", "422 "+api)
}

// Two people change one rule at the same time: the second one sees the first one's changes, keeps the
// entries, and saves both.
func TestARuleThatTwoPeopleChange(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	person := newProfile(t)
	first := person.tab()
	first.signIn(o.links[ada])
	first.menuTo("/rules", "main .note button")
	first.click("main .note button")
	first.until("document.querySelector('form textarea')")
	first.fill("form [data-path=title]", "Wrap errors")
	first.fill("form [data-path=instruction]", "Errors are wrapped with what was attempted.")
	first.click("form button[type=submit]")
	first.until("!document.querySelector('form textarea') && document.querySelector('td')?.innerText.includes('Wrap errors')")
	var at string
	must(t, first.run("location.pathname", &at))
	second := person.tab()
	second.goTo(base + at)
	for _, p := range []*page{first, second} {
		p.until("document.querySelector('td button')")
		p.click("td button")
		p.until("document.querySelector('form [data-path=title]')?.value === 'Wrap errors'")
	}

	first.fill("form [data-path=title]", "Wrap every error")
	first.fill("form [data-path=instruction]", "Errors say what was attempted.")
	first.click("form button[type=submit]")
	first.until("!document.querySelector('form textarea') && document.querySelector('td')?.innerText.includes('Wrap every error')")

	second.fill("form [data-path=title]", "Wrap errors of others")
	second.fill("form [data-path=paths]", "**/*.go")
	second.click("form button[type=submit]")
	second.until("document.querySelector('main .note[role=alert]')")
	second.has("the other person's changes", "document.querySelector('main .note[role=alert]').innerText.includes('Wrap every error') && document.querySelector('main .note[role=alert]').innerText.includes('Errors say what was attempted.')")
	second.has("the entered values, beside the other person's only change", "document.querySelector('form [data-path=title]').value === 'Wrap errors of others' && document.querySelector('form [data-path=paths]').value === '**/*.go' && document.querySelector('form [data-path=instruction]').value === 'Errors say what was attempted.'")
	second.inspect("a rule that two have changed")
	second.axe("a rule that two have changed")
	second.click("form button[type=submit]")
	second.until("!document.querySelector('form textarea') && document.querySelector('td')?.innerText.includes('Wrap errors of others')")

	first.goTo(base + at)
	first.until("document.querySelector('td button')")
	first.click("td button")
	first.until("document.querySelector('form [data-path=title]')?.value === 'Wrap errors of others' && document.querySelector('form [data-path=paths]').value === '**/*.go' && document.querySelector('form [data-path=instruction]').value === 'Errors say what was attempted.'")
	first.clean(base, base)
	second.mu.Lock()
	refused := len(second.failed) == 1 && strings.HasPrefix(second.failed[0], "412 ")
	second.mu.Unlock()
	if !refused {
		t.Errorf("answers with an error: %v, want one 412", second.failed)
	}
}

// The other pages of settings, and the page of a repository with links to them.
func TestPagesOfSettings(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	for path, ready := range map[string]string{"/defaults": ".setting-group", "/settings": row("timeZone", "input")} {
		p.menuTo(path, ready)
	}
	p.menuTo("/repositories", "main input")
	p.tap("acme/payouts")
	p.until("document.querySelector('main td button')")
	p.walk("a repository")
	p.click("main td button")
	p.until("document.body.innerText.includes('is being reviewed')")
	p.clean(base, base)
}
