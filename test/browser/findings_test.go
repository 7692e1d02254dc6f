package browser

import "testing"

// The list of findings over all repositories is worked by keys, wide and narrow: the worst first, rows are selected, and a
// dismissal without the note that its reason needs is refused at its field. At 360 pixels a row is a card.
func TestFindingsOfAllRepositories(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	p.goTo(base + "/t/" + ids["tenantId"] + "/findings")
	p.until("document.querySelectorAll('main tbody tr').length > 2")
	p.has("the worst first", `(order => order.every((s, i) => i === 0 || s >= order[i - 1]))([...document.querySelectorAll("main tbody tr")].map(r => ["Critical", "High", "Medium", "Low", "Info"].findIndex(s => r.innerText.includes(s))))`)
	p.inspect("findings of all repositories")
	p.pictures("findings.rows")
	p.axe("findings of all repositories")
	for _, key := range []string{"j", "x", "j", "x"} {
		p.key(key, int(key[0])-32)
	}
	p.until("[...document.querySelectorAll('main tbody input')].filter(e => e.checked).length === 2")
	p.key("e", 'E')
	p.until(named("[role=dialog] button", "Other"))
	p.pictures("findings.dismiss")
	p.button("Other")
	p.until("document.querySelector('[role=dialog] input[aria-invalid=true]')")
	p.axe("a dismissal without its note")
	p.has("no finding was dismissed", "document.querySelectorAll('main tbody tr.chosen').length === 2")
	p.look(360, "light")
	p.goTo(base + "/t/" + ids["tenantId"] + "/findings")
	p.until("document.querySelectorAll('main tbody tr').length > 2")
	p.has("cards that need no scrolling", "(e => e.scrollWidth <= e.clientWidth)(document.querySelector('main .scroll'))")
	p.axe("findings of all repositories, narrow")
	p.clean(base, base)
}

// A typed filter takes effect with Enter, which leaves the focus in the field, and with Tab.
func TestTypedFiltersOfFindings(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	p.goTo(d.base + "/t/" + d.ids(p)["tenantId"] + "/findings")
	p.until("document.querySelectorAll('main tbody tr').length > 2")
	p.tap("More filters")
	file, rule := named("main .filters input", "File"), named("main .filters input", "Rule")
	p.until(file)
	p.replace(file, "internal/order/handler.go")
	p.has("nothing happens before Enter", "!location.search.includes('path')")
	p.key("Enter", 13)
	p.until("location.search.includes('path=') && document.querySelectorAll('main tbody tr').length === 1")
	p.has("the focus stays", "document.activeElement === "+file)
	p.axe("a typed filter")
	p.replace(rule, "llm/none")
	p.key("Tab", 9)
	p.until("location.search.includes('rule=') && document.querySelector('main').innerText.includes('No finding matches.')")
	p.has("one way to clear the filters", "[...document.querySelectorAll('main button, main a')].filter(e => e.checkVisibility() && (e.ariaLabel ?? e.innerText) === 'Clear the filters').length === 1")
	p.click("main [aria-label='Clear: Rule']")
	p.until("!location.search.includes('rule') && document.querySelectorAll('main tbody tr').length === 1")
	p.clean(d.base, d.base)
}
