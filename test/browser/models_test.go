package browser

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
)

// named is an expression for the first element of a kind with a text or label.
func named(selector, name string) string {
	return "[..." + "document.querySelectorAll(" + quote(selector) + ")].find(e => [e.innerText, e.getAttribute('aria-label'), ...[...(e.labels || [])].map(l => l.innerText.replace(/\\s*\\*$/, ''))].some(t => t && t.trim() === " + quote(name) + "))"
}

// tap clicks a button or link by its name, when it is there.
func (p *page) tap(name string) {
	p.t.Helper()
	p.clickOn(named("button, a, [role=menuitem]", name))
}

// answer clicks a button of the open dialog, and waits until it is closed.
func (p *page) answer(name string) {
	p.t.Helper()
	p.clickOn(named("[role=dialog] button", name))
	p.until("!document.querySelector('[role=dialog]')")
}

// enter types into a field by its label.
func (p *page) enter(label, value string) {
	p.t.Helper()
	at := named("input, textarea", label)
	p.until(at)
	p.replace(at, value)
}

// says waits until the page has a text.
func (p *page) says(text string) {
	p.t.Helper()
	p.until("document.body.innerText.includes(" + quote(text) + ")")
}

// visit goes to a page of the tenant by the navigation.
func (p *page) visit(path string) {
	p.t.Helper()
	p.menuTo(path, "main h1")
	p.until("!document.querySelector('[aria-busy=true]') && document.querySelector('nav a[aria-current=page]').getAttribute('href').endsWith('" + path + "')")
}

// keepAnswers records the answers to the page from now on, for keptHas.
func (p *page) keepAnswers() {
	p.t.Helper()
	must(p.t, p.run(`(() => {
		const send = window.fetch;
		window.kept = [];
		window.fetch = async (...a) => { const r = await send(...a); window.kept.push(await r.clone().text()); return r; };
	})()`, nil))
}

// A model key is entered and tested, and is never shown again: neither on the page nor in any answer to
// it.
func TestAModelKeyInTheConsole(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.signIn(sharedDemo(t).manager(t))
	p.visit("/model-keys")
	p.says("bootstrap")
	p.walk("model keys")
	p.keepAnswers()
	canary := secret.New("canary-" + strings.Repeat("k", 20)).Reveal()

	var endpoint string
	must(t, p.run(`fetch("/api/tenants/" + location.pathname.split("/")[2] + "/llm-credentials").then(r => r.json()).then(l => l.items[0].endpoint)`, &endpoint))
	p.tap("Add a key")
	p.until(named("select", "Provider"))
	must(t, p.run(`(e => { Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(e, "compatible"); e.dispatchEvent(new Event("change", {bubbles: true})); })(`+named("select", "Provider")+`)`, nil))
	p.enter("Name", "bootstrap")
	p.enter("Base URL", endpoint)
	p.enter("API key", canary)
	p.axe("a new key")
	p.tap("Store the key")
	p.says("There is already a model key with this name")
	p.has("the entered values are there", named("input", "API key")+".value === "+quote(canary)+" && "+named("input", "Base URL")+".value === "+quote(endpoint))
	p.enter("Name", "second")
	p.tap("Store the key")
	p.says("Test second")
	p.until(named("input", "Model") + "?.value") // it is proposed when the provider has listed its models
	p.tap("Test now")
	p.says("Everything works.")
	p.axe("a key that was tested")
	p.answer("Close")
	p.until("[...document.querySelectorAll('main li')].find(e => e.innerText.includes('second')).innerText.includes('passed')")

	p.tap("Change: second")
	p.says("One is stored, and never shown.")
	p.has("the field is empty", named("input", "API key")+".value === ''")
	p.enter("Name", "renamed")
	p.tap("Save")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('main').innerText.includes('renamed')")
	p.tap("Models: renamed")
	p.says("The provider lists")
	p.answer("Close")
	p.has("the key is nowhere", "!document.documentElement.outerHTML.includes("+quote(canary)+") && ![...document.querySelectorAll('input')].some(e => e.value.includes("+quote(canary)+"))")
	p.has("no answer had it", "window.kept.length > 3 && !window.kept.some(t => t.includes("+quote(canary)+"))")

	p.tap("Delete: bootstrap")
	p.says("It cannot be deleted while something uses it.")
	p.answer("Close")
	p.tap("Delete: renamed")
	p.says("Delete renamed?")
	p.answer("Delete")
	p.until("!document.querySelector('main').innerText.includes('renamed')")
}

// wholeWords is an expression that is true if no word of a table is broken across lines.
const wholeWords = `(cells => cells.length > 0 && cells.every(cell => {
	const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
	while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/[A-Za-z0-9]+/g)) {
		range.setStart(texts.currentNode, word.index);
		range.setEnd(texts.currentNode, word.index + word[0].length);
		if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) return false;
	}
	return true;
}))([...document.querySelectorAll("main .scroll td, main .scroll th")])`

// Tiers are removed, proposed and stored. Then the costs of the reviews are shown.
func TestTiersAndCostsInTheConsole(t *testing.T) {
	t.Parallel()
	d := newDemo(t, t.TempDir())
	p := newTab(t)
	p.signIn(d.printed)
	p.visit("/models")
	p.until(named("button", "Save"))
	p.tap("Remove all tiers")
	p.says("Remove all tiers?")
	p.answer("Remove all tiers")
	p.says("No tier is set")
	p.tap("Use proposed models")
	p.until("[...document.querySelectorAll('fieldset input')].some(e => e.value === 'sim-strong')")
	p.tap("Save")
	p.until("!document.body.innerText.includes('No tier is set') && document.body.innerText.includes('sim-fast')")
	p.enter("Repository", "storefront")
	p.until("document.querySelector('[role=option]')")
	must(t, p.run("document.querySelector('[role=option]').click()", nil))
	p.until("[...document.querySelectorAll('main tr')].find(e => e.innerText.includes('Reviews may call tool servers'))?.innerText.includes('yes')") // the demo allows it
	for _, says := range []string{"no", "yes"} {
		must(t, p.run(named("input", "Reviews may call tool servers")+".click()", nil))
		p.tap("Save")
		p.until("[...document.querySelectorAll('main tr')].find(e => e.innerText.includes('Reviews may call tool servers'))?.innerText.includes('" + says + "')")
	}
	p.tap("Turn off: Reviews may call tool servers")
	p.until("[...document.querySelectorAll('main tr')].find(e => e.innerText.includes('Reviews may call tool servers'))?.innerText.includes('no')")
	p.axe("a repository whose reviews call no tool server")
	p.look(390, "light")
	p.has("tables that hide columns have a shaded edge", "(all => all.some(e => e.scrollWidth > e.clientWidth) && all.every(e => getComputedStyle(e).backgroundImage.includes('gradient')))([...document.querySelectorAll('main .scroll')])")
	p.has("no table breaks a word", wholeWords)
	must(t, p.run("document.querySelector('main .scroll td bdi').firstChild.data = 'm'.repeat(400)", nil))
	p.has("a word that is longer than a column may be breaks", "document.querySelector('main .scroll td').offsetWidth < 500 && document.documentElement.scrollWidth <= innerWidth")
	p.look(1280, "light")
	p.has("one for each tier", "['sim-fast', 'sim-standard', 'sim-strong'].every(m => [...document.querySelectorAll('fieldset input')].some(e => e.value === m))")

	p.visit("/costs")
	p.until("document.querySelector('figure.stacks svg') && document.querySelector('main h2').innerText.includes('$')")
	must(t, p.run(`document.querySelector("figure.stacks details").open = true`, nil))
	p.has("the figures of the picture are in a table", "document.querySelectorAll('figure.stacks tbody tr').length === 30")
	p.says("of $2.00 spent")
	p.tap("Change budget and limits")
	p.enter("Dollars a month (UTC)", "0.01")
	p.axe("the form of a budget")
	p.tap("Save")
	p.says("of $0.01 spent")
	p.clean(d.base, d.base)
}
