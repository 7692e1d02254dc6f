package browser

import (
	"os"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// narrow checks that a page of the simulated host fits a window of 360 px, and takes its picture for make shots.
func (p *page) narrow(name string) {
	p.t.Helper()
	p.look(360, "light")
	p.until("document.documentElement.scrollWidth <= 360") // nothing is wider than the window
	if os.Getenv("ASSAY_SHOTS") != "" {
		p.shoot(name)
	}
	p.look(1280, "light")
}

// leads returns the address of the link of the tour's step.
func (p *page) leads(name string) (to string) {
	p.t.Helper()
	at := named(".tour a", name)
	p.until(at)
	must(p.t, p.run(at+".href", &to))
	return to
}

// step waits for a step of the tour.
func (p *page) step(heading string) {
	p.t.Helper()
	p.until("document.querySelector('.tour h2')?.innerText === " + quote(heading))
}

// A person takes the tour of the demo: the console leads, and the simulated host answers.
func TestTheTourOfTheDemo(t *testing.T) {
	t.Parallel()
	needConsole(t)
	d := newDemo(t, t.TempDir())
	p, q := newTab(t), newTab(t)
	p.signIn(d.printed)
	p.tap("Tour")
	p.step("Step 1 of 8: Read a review")
	p.inspect("the tour")
	p.narrow("tour.narrow")
	p.tap("Open a review")
	p.until("location.pathname.includes('/runs/') && document.querySelector('.diff-widget article[data-finding]')")

	p.tap("Next")
	p.step("Step 2 of 8: Reply to a finding")
	first := p.leads("Open the pull request")
	q.goTo(first)
	q.narrow("host.narrow")
	q.fill("form.threadform textarea", "Why is this a problem?")
	q.tap("Reply")
	q.says("Why is this a problem?")

	p.tap("Next")
	p.step("Step 3 of 8: Push the fix")
	second := p.leads("Open the pull request")
	q.goTo(second)
	q.tap("Merge")
	q.says("the required check \"assay\" does not pass")
	q.narrow("refused.narrow")
	q.goTo(second)
	q.tap("Push the fix")
	q.until("!" + named("button", "Push the fix"))

	p.tap("Next")
	p.step("Step 4 of 8: Apply a suggestion")
	q.goTo(p.leads("Open the pull request"))
	q.tap("Apply suggestion")
	q.says("Outdated")

	p.tap("Next")
	p.step("Step 5 of 8: Approve a review")
	p.tap("Open the approvals")
	p.says("Try payouts again")

	p.tap("Next")
	p.step("Step 6 of 8: Dismiss a finding")
	p.tap("Leave the tour")
	p.until("!document.querySelector('.tour')")
	p.tap("Tour")
	p.step("Step 6 of 8: Dismiss a finding")
	p.goTo(d.base) // the place is kept in the browser
	p.step("Step 6 of 8: Dismiss a finding")
	p.tap("Open the findings")
	p.says("The last order of the last page is dropped") // the review of the applied suggestion may have ended, or not

	p.tap("Next")
	p.step("Step 7 of 8: Ask what a setting would change")
	p.tap("Open the setting")
	p.says("Policy defaults")
	p.says("Fail check on")

	p.tap("Next")
	p.step("Step 8 of 8: Merge")
	second = p.leads("Open the pull request")
	testkit.Eventually(t, 2*patience, func() (is bool, why string) {
		q.goTo(second)
		must(t, q.run("document.body.innerText.includes('The required checks pass')", &is))
		return is, "the fix is not reviewed"
	})
	q.tap("Merge")
	q.says("It is merged into")
	q.narrow("merged.narrow")
	p.tap("Finish")
	p.step("You have seen all steps.")
	p.tap("Leave the tour")
	p.until(named("button", "Tour"))
}
