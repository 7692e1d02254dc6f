package browser

import "testing"

// A page that asks before it loses what was entered is left by whoever means it.
func TestAPageThatAsksIsLeft(t *testing.T) {
	t.Parallel()
	base, link := reviewedDemo(t)
	p := launch(t).tab()
	p.signIn(link)
	p.openPolicy()
	p.click(row("minSeverity", "button"))
	p.until("document.querySelector(" + quote(row("minSeverity", "select")) + ")")
	p.goTo(base + "/t/" + p.tenant() + "/inbox")
	p.says("Inbox")
}
