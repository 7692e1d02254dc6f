package browser

import (
	_ "embed"
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

//go:embed tally.js
var tallyScript string

// tally counts the acts of a person on a page, across navigations. Clicks include changed selects and keys that act, such as Enter
// and shortcuts. A field that is typed into counts once.
type tally struct {
	clicks int
	fields map[string]bool
}

// add records an act that the page reports.
func (c *tally) add(act string) {
	if act == "click" {
		c.clicks++
		return
	}
	if c.fields == nil {
		c.fields = map[string]bool{}
	}
	c.fields[act] = true
}

// observe makes each document of the tab report the acts of the person.
func (p *page) observe() {
	p.t.Helper()
	p.do("Runtime.addBinding", map[string]any{"name": "act"}, nil)
	p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": tallyScript}, nil)
}

// begin forgets the acts so far.
func (p *page) begin() {
	p.t.Helper()
	p.acts()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally = tally{}
}

// acts returns the numbers of clicks and fields since [page.begin].
func (p *page) acts() (clicks, fields int) {
	p.t.Helper()
	must(p.t, p.run("0", nil)) // reports of the document arrive before its answer
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tally.clicks, len(p.tally.fields)
}

// The tally counts each act of a person once, also after the person leaves the page, and no act of a script.
func TestActsAreCounted(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	expect := func(what string, clicks, fields int) {
		t.Helper()
		testkit.Eventually(t, 5*time.Second, func() (bool, string) {
			c, f := p.acts()
			return c == clicks && f == fields, fmt.Sprintf("%s: %d clicks and %d fields, want %d and %d", what, c, f, clicks, fields)
		})
	}
	const form = `data:text/html,<form onsubmit="return false"><label id=l><input type=checkbox>box</label>` +
		`<input id=one><textarea id=two></textarea>` +
		`<select><option>a<option>b</select><button id=save>Save</button></form><a id=next href="%s">next</a>`
	p.goTo(form)
	p.begin()
	must(t, p.run("document.querySelector('#save').click()", nil))
	expect("a script's click", 0, 0)
	p.click("#l")
	p.has("the box is set", "document.querySelector('[type=checkbox]').checked")
	expect("a click on a label", 1, 0)
	p.fill("#one", "a")
	p.fill("#one", "b")
	expect("a field that is typed into twice", 1, 1)
	p.click("select")
	p.key("Escape", 27)
	p.choose("select", "b")
	expect("a changed select", 2, 1)
	p.fill("#two", "c")
	p.key("Enter", 13)
	p.key("Tab", 9)
	expect("Enter in a text of several lines, and Tab", 2, 2)
	p.click("#one")
	p.key("Enter", 13)
	expect("Enter in a field", 4, 2)
	p.click("#save")
	p.goTo(form + "<p>")
	p.fill("#one", "d")
	p.click("#save")
	expect("after another page", 6, 3)
	p.begin()
	expect("after it begins again", 0, 0)
}
