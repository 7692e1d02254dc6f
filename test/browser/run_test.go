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
	p.goTo(d.waits + "?tab=approval")
	p.until("document.querySelector('form article .rendered p')")
	p.has("the comments as the host renders them", "document.querySelector('form article .rendered strong') && !document.querySelector('form article .rendered').innerText.includes('**')")
	const sentence = "document.querySelector('main').innerText.includes('describes the change: Tries a payout three times')"
	p.has("the sentence on the change in the head", sentence)
	p.stays("form .decision-bar", "form article")
	p.audit("a review that waits")
	p.axe("a review that waits")
	p.look(360, "dark")
	p.stays("form .decision-bar", "form article")
	p.axe("a review that waits, narrow and dark")
	p.look(1280, "light")
	p.part("[href*='tab=diff']", ".file-diff td.diff-code")
	p.has("the findings below their lines", "document.querySelector('.file-diff .diff-widget article')")
	p.inspect("the changes of a review")
	p.axe("the changes of a review")
	for part, ready := range map[string]string{"published": "main .rendered p", "dropped": "main", "context": "main details", "usage": "main td", "history": "main .stage-bar svg"} {
		p.part("[href*='tab="+part+"']", ready)
		p.axe(part)
	}

	p.part("[href*='tab=context']", "main details")
	p.until("document.querySelector('main').textContent.includes('catalogue__find_service')")

	p.part("[href*='tab=approval']", "form article")
	p.has("the answer of the tool server", "document.querySelector('main').textContent.includes('one answer in 2,000 of the bank is lost')")
	p.click("input[name=drop]")
	p.has("one is left out", "document.querySelector('form').innerText.includes('1 finding excluded')")
	p.fill("form textarea", "The first one is known.")
	p.approve()
	p.has("the omitted findings, with reasons", "document.body.innerText.includes('The first one is known.') && document.body.innerText.includes('One finding was excluded')")
	p.axe("a review that was approved")
	p.part("[href*='tab=published']", "main td")
	p.until("document.body.innerText.includes('The exact published text')")

	p.visit("/mcp-servers")
	p.tap("Calls of Catalogue")
	p.until("[...document.querySelectorAll('main tbody tr')].some(r => r.innerText.includes('find_service') && r.innerText.includes('answered'))")
	p.inspect("the calls of a tool server")
	p.axe("the calls of a tool server")
	p.clean(d.base, d.base)

	p.dismissFromItsReview(d.base)
	p.clean(d.base, d.base)

	p.goTo(d.pull)
	p.has("the sentence on the change on the host", "document.body.innerText.includes('describes the change: Tries a payout three times')")
	p.has("the review without the omitted parts", "document.body.innerText.includes('Reviewed 1 file') && !document.body.innerText.includes('A payout can be sent twice')")
}

// One finding is left out, and the approver rewords the other. The page shows the changes, and the host
// shows the review with the new words and without the omitted finding.
func TestAReviewApprovedInOtherWords(t *testing.T) {
	t.Parallel()
	d := newDemo(t, t.TempDir())
	p := newTab(t)
	p.signIn(d.printed)
	p.goTo(d.waits + "?tab=approval")
	const out, stays = "A payout can be sent twice", "The pause between attempts cannot be ended"
	p.until("document.querySelectorAll('form input[name=drop]').length === 2")
	must(t, p.run(named("input[name=drop]", "Exclude: "+out)+".click()", nil))
	p.tap("Edit: " + stays)
	p.enter("Title", "")
	p.until("document.querySelector('form [aria-invalid=true]') && document.querySelector('form button[type=submit]').disabled")
	p.axe("words that cannot be sent")
	p.enter("Title", "Wait with <b>the</b> context")
	p.enter("Explanation", "See the guide to payouts: a pause ends when its context ends.")
	p.until("document.querySelector('form').innerText.includes('1 finding excluded, 1 finding edited')")
	p.inspect("a review in other words")
	p.axe("a review in other words")
	p.approve()
	p.has("the changes", "document.body.innerText.includes('One finding was excluded') && document.body.innerText.includes('One finding was edited')")
	p.part("[href*='tab=published']", "main td")
	p.until("document.querySelector('main').innerText.includes('Wait with')")
	p.has("no omitted finding", "!document.querySelector('main .rendered').innerText.includes("+quote(out)+")")
	p.clean(d.base, d.base)

	p.goTo(d.pull)
	p.has("the words that were approved, as text", "document.body.innerText.includes('Wait with <b>the</b> context') && document.body.innerText.includes('a pause ends when its context ends') && ![...document.querySelectorAll('b')].some(b => b.innerText === 'the')")
	p.has("no omitted finding and no former words", "!["+quote(out)+", "+quote(stays)+"].some(t => document.body.innerText.includes(t))")
}

// dismissFromItsReview opens a review from the list, moves to its first finding by the keyboard, and dismisses it with
// at most three clicks. The finding's page then has its own title and the person.
func (p *page) dismissFromItsReview(base string) {
	p.t.Helper()
	ids := p.ids()
	at := "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"] + "/runs/" + ids["runId"]
	p.goTo(base + at)
	p.until("document.querySelector('.file-diff .diff-widget article button')")
	p.has("tickets in the head, unmet criteria first", "/\\d of \\d met/.test(document.querySelector('.review-head').innerText) && document.querySelector('.criteria li').innerText.startsWith('not met')")
	p.has("no finding of the first review is said to be of an earlier one", "!document.querySelector('main').innerText.includes('shown by an earlier review')")
	for _, width := range []int{360, 1280} {
		p.look(width, "light")
		p.stays(".review-head", ".file-diff:last-of-type")
	}
	p.key("j", 'J')
	p.until("document.activeElement.closest('article[data-finding]')")
	p.has("the finding that has the focus is not covered", "document.activeElement.getBoundingClientRect().top >= document.querySelector('.review-head').getBoundingClientRect().bottom")
	p.begin()
	var title string
	must(p.t, p.run("document.querySelector('.diff-widget article[data-finding] h2').innerText", &title))
	p.click(".diff-widget article[data-finding] button")
	p.until(named("[role=dialog] button", "Intended"))
	p.axe("a dismissal from the review")
	p.button("Intended")
	p.until("!document.querySelector('[role=dialog]') && document.querySelector('.diff-widget article[data-finding]').innerText.includes('dismissed')")
	if clicks, fields := p.acts(); clicks != 2 || fields != 0 { // one of them chooses the reason
		p.t.Errorf("a dismissal takes %d clicks and %d fields, want 2 and none", clicks, fields)
	}
	p.click(".diff-widget article[data-finding] h2 a")
	p.until("document.querySelector('main h1').innerText === " + quote(title) + " && document.title.startsWith(" + quote(title) + ")")
	p.until("/dismissed\\s+by \\S/.test(document.querySelector('main').innerText)")
	p.axe("a finding that was dismissed from its review")
}

// stays checks that an element is in view when the page is at its top, at its end and at another element.
func (p *page) stays(selector, other string) {
	p.t.Helper()
	for _, to := range []string{"scrollTo(0, document.querySelector(" + quote(selector) + ").offsetTop)", "document.querySelector(" + quote(other) + ").scrollIntoView()", "scrollTo(0, document.body.scrollHeight)"} {
		must(p.t, p.run(to, nil))
		p.has(selector+" in view after "+to, "(e => e.top >= 0 && e.bottom <= innerHeight && e.left >= 0 && e.right <= innerWidth)(document.querySelector("+quote(selector)+").getBoundingClientRect())")
	}
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
	p.until("document.querySelector('main h1')?.innerText === 'Not found'")
	p.axe("a run that is not there")
	p.goTo(d.base + "/t/none/repositories/none/runs/none")
	p.has("another tenant's", "document.title.startsWith('Not found')")
}
