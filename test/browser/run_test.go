package browser

import (
	"strings"
	"testing"
)

// part opens a part of a run's page.
func (p *page) part(name, ready string) {
	p.t.Helper()
	p.click("nav.tabs a" + name)
	p.until("document.querySelector(" + quote(ready) + ")")
}

// The demo's review that waits: a person reads it with its change, leaves out the finding, approves,
// and sees it published without loading the page again. The host shows exactly the approved text. The
// call of the tool server is on the review's page and on that of tool servers.
func TestAReviewInTheConsole(t *testing.T) {
	t.Parallel()
	d := newDemo(t, t.TempDir())
	p := newTab(t)
	p.signIn(d.printed)
	p.goTo(d.waits)
	p.until("document.querySelector('form input[name=drop]')")
	p.audit("a review that waits")
	p.axe("a review that waits")
	p.part("[href*='tab=diff']", ".file-diff td.diff-code")
	p.has("the findings below their lines", "document.querySelector('.file-diff .diff-widget article')")
	p.inspect("the changes of a review")
	p.axe("the changes of a review")
	for part, ready := range map[string]string{"published": "main pre", "dropped": "main", "context": "main details", "usage": "main td", "history": "main svg"} {
		p.part("[href*='tab="+part+"']", ready)
		p.axe(part)
	}

	p.part("[href*='tab=context']", "main details")
	p.until("document.querySelector('main').textContent.includes('catalogue__find_service')")

	p.part("", "main article")
	p.has("the answer of the tool server", "document.querySelector('main').textContent.includes('one answer in 2,000 of the bank is lost')")
	p.click("input[name=drop]")
	p.has("one is left out", "document.querySelector('form').innerText.includes('1 finding left out')")
	p.fill("form textarea", "The first one is known.")
	p.approve()
	p.has("the omitted findings, with reasons", "document.body.innerText.includes('The first one is known.') && document.body.innerText.includes('One finding was left out')")
	p.axe("a review that was approved")
	p.part("[href*='tab=published']", "main td")
	p.until("document.body.innerText.includes('The exact published text')")

	p.visit("/mcp-servers")
	p.tap("Calls of Catalogue")
	p.until("[...document.querySelectorAll('main tbody tr')].some(r => r.innerText.includes('find_service') && r.innerText.includes('ok'))")
	p.inspect("the calls of a tool server")
	p.axe("the calls of a tool server")
	p.clean(d.base, d.base)

	p.goTo(d.pull)
	p.has("the review without the omitted parts", "document.body.innerText.includes('Reviewed 1 file') && !document.body.innerText.includes('A payout can be sent twice')")
}

// One finding is left out, and the approver rewords the other. The page shows the changes, and the host
// shows the review with the new words and without the omitted finding.
func TestAReviewApprovedInOtherWords(t *testing.T) {
	t.Parallel()
	d := newDemo(t, t.TempDir())
	p := newTab(t)
	p.signIn(d.printed)
	p.goTo(d.waits)
	const out, stays = "A payout can be sent twice", "The pause between attempts cannot be ended"
	p.until("document.querySelectorAll('form input[name=drop]').length === 2")
	must(t, p.run(named("input[name=drop]", "Leave out: "+out)+".click()", nil))
	p.tap("Reword: " + stays)
	p.enter("Title", "")
	p.until("document.querySelector('form [aria-invalid=true]') && document.querySelector('form button[type=submit]').disabled")
	p.axe("words that cannot be sent")
	p.enter("Title", "Wait with <b>the</b> context")
	p.enter("Explanation", "See the guide to payouts: a pause ends when its context ends.")
	p.until("document.querySelector('form').innerText.includes('1 finding left out, 1 finding reworded')")
	p.inspect("a review in other words")
	p.axe("a review in other words")
	p.approve()
	p.has("the changes", "document.body.innerText.includes('One finding was left out') && document.body.innerText.includes('One finding was reworded')")
	p.part("[href*='tab=published']", "main td")
	p.until("document.querySelector('main').innerText.includes('Wait with')")
	p.has("no omitted finding", "!document.querySelector('main pre').innerText.includes("+quote(out)+")")
	p.clean(d.base, d.base)

	p.goTo(d.pull)
	p.has("the words that were approved, as text", "document.body.innerText.includes('Wait with <b>the</b> context') && document.body.innerText.includes('a pause ends when its context ends') && ![...document.querySelectorAll('b')].some(b => b.innerText === 'the')")
	p.has("no omitted finding and no former words", "!["+quote(out)+", "+quote(stays)+"].some(t => document.body.innerText.includes(t))")
}

// approve sends the form of the decision, and waits until the host shows the review. The page is not
// loaded again.
func (p *page) approve() {
	p.t.Helper()
	p.click("form button[type=submit]")
	p.until("document.body.innerText.includes('approved this review') && !document.querySelector('form button[type=submit]')")
	p.until("document.querySelector('main .state').innerText === 'completed'")
}

// The page says so if a run or a tenant does not exist for a person.
func TestARunThatIsNotThere(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	p := newTab(t)
	p.signIn(d.manager(t))
	before, _, _ := strings.Cut(d.waits, "/runs/")
	p.goTo(before + "/runs/run_none")
	p.until("document.querySelector('main [role=alert]')")
	p.has("the page says so", "document.querySelector('main [role=alert]').innerText.includes('Not found')")
	p.axe("a run that is not there")
	p.goTo(d.base + "/t/none/repositories/none/runs/none")
	p.has("another tenant's", "document.title.startsWith('Not found')")
}
