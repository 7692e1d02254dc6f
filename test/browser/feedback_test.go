package browser

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// proposed creates a finding, and two suppressions that wait for a decision: of the finding, and of a rule in a folder. It
// returns the id of the second.
func proposed(ctx context.Context, t testing.TB, s *store.Store, w storetest.World) (ofRule string) {
	t.Helper()
	_, _, finding := reviewedOnce(ctx, t, s, w)
	for _, v := range []store.Suppression{
		{Scope: domain.ScopeFingerprint, Matches: "ex1:" + finding, Source: domain.SuppressedByDismissal, Finding: finding, Path: "a.go", Paths: "[]", Reason: "The caller <b>checks</b> it"},
		{Scope: domain.ScopeRule, Matches: "llm/x", Source: domain.SuppressedByRepetition, Path: "src/a.go", Paths: `["/src/"]`, Reason: "2 people dismissed 3 findings."},
	} {
		v.Record, v.RuleID, v.Category, v.Severity, v.Prints, v.State = store.Record{Repository: w.Repository.ID}, "llm/x", "bug", "medium", "[]", domain.SuppressionProposed
		added, err := s.AddSuppression(ctx, w.Tenant, v)
		must(t, err)
		ofRule = added.ID
	}
	return ofRule
}

// rowSays waits until the table's row that has a text has others, too.
func (p *page) rowSays(what string, texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.until("([...document.querySelectorAll('main tbody tr')].find(r => r.innerText.includes(" + quote(what) + "))?.innerText ?? '').includes(" + quote(text) + ")")
	}
}

// date enters a day into a field of the open dialog by its label.
func (p *page) date(label string, day time.Time) {
	p.t.Helper()
	at := named("[role=dialog] input", label)
	p.until(at)
	must(p.t, p.run(`((e, v) => { Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(e, v); e.dispatchEvent(new Event("input", {bubbles: true})); })(`+at+`, `+quote(day.UTC().Format(time.DateOnly))+`)`, nil))
}

// cards fails unless the table at 360 pixels has cards that need no scrolling to the side.
func (p *page) cards() {
	p.t.Helper()
	p.look(360, "light")
	p.has("cards that need no scrolling", "(e => e.scrollWidth <= e.clientWidth)(document.querySelector('main .scroll'))")
	p.look(1280, "light")
}

// submit sends the form of the open dialog, and waits until the service has accepted it.
func (p *page) submit() {
	p.t.Helper()
	p.click("[role=dialog] [type=submit]")
	p.until("!document.querySelector('[role=dialog]')")
}

// Suppressions are reached from the inbox. One is refused at its paths and its end, and accepted with others; one is declined.
// The accepted one is withdrawn. A person who may only look sees their scope and no buttons.
func TestSuppressionsInABrowser(t *testing.T) {
	t.Parallel()
	var repository, ofRule string
	o := openOffice(t, func(ctx context.Context, w storetest.World, o *office) {
		ofRule = proposed(ctx, t, o.store, w)
		repository = "/repositories/" + w.Repository.ID
	})
	p := newTab(t)
	p.signIn(o.links[vera])
	p.move(o.tenant + repository + "/records/suppressions")
	p.rowSays("one finding: llm/x a.go", "proposed", "The caller <b>checks</b> it")
	p.rowSays("a rule: llm/x", "findings up to medium", "in /src/", "Several people dismissed this.")
	p.has("no buttons for a viewer", "!document.querySelector('main tbody button')")

	p.as(o.links[ada])
	p.visit("/inbox")
	p.tap("llm/x a.go") // the inbox names the finding, not its fingerprint
	p.rowSays("one finding: llm/x a.go", "proposed")
	p.has("the one that was opened", "document.querySelectorAll('main tbody tr').length === 1")
	p.tap("Show all suppressions")
	p.rowSays("a rule: llm/x", "proposed")
	p.inspect("suppressions")
	p.axe("suppressions")
	p.cards()

	p.tap("Decide: llm/x")
	p.enter("Path patterns, one per line", "src/**\n!docs/")
	p.date("Ends after this day (UTC)", time.Now().AddDate(0, 0, -2))
	p.inspect("a decision on a suppression")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelectorAll('[role=dialog] [aria-invalid=true]').length === 2")
	p.has("the line of the wrong pattern", "document.querySelector('[role=dialog]').innerText.includes('Line 2: must not begin with an exclamation mark')")
	p.axe("a decision that was refused")
	p.enter("Path patterns, one per line", "src/**\ndocs/")
	p.date("Ends after this day (UTC)", time.Now().AddDate(0, 0, 40))
	p.enter("Note", "Until the <b>move</b>")
	p.submit()
	p.rowSays("a rule: llm/x", "accepted", "by "+ada, "until", "in src/**, docs/", "Until the <b>move</b>")

	p.tap("Decide: llm/x a.go")
	p.offer("Decision", "decline")
	p.until("!" + named("[role=dialog] select", "Scope")) // only to accept
	p.submit()
	p.rowSays("llm/x a.go", "declined", "by "+ada)
	p.has("a decision is final", "!document.querySelector('[aria-label=\"Decide: llm/x a.go\"]')")

	p.tap("Withdraw: llm/x")
	p.says("Later reviews report again what it left out.")
	p.submit()
	p.rowSays("a rule: llm/x", "withdrawn", "by "+ada)
	p.inspect("decided suppressions")
	p.visit("/inbox")
	p.until("!document.querySelector('main').innerText.includes('Suppression to decide')")
	p.clean(o.base, o.base, "422 /api/tenants/"+strings.TrimPrefix(o.tenant, o.base+"/t/")+repository+"/suppressions/"+ofRule+"/decision")
}

// Proposed rules are reached from the inbox, and name their thread. One is refused at its files and accepted in other words, one
// is accepted as it is, and one is declined. A person who may only look sees them without buttons.
func TestProposedRulesInABrowser(t *testing.T) {
	t.Parallel()
	var repository string
	ids := map[string]string{} // by title
	o := openOffice(t, func(ctx context.Context, w storetest.World, o *office) {
		repository = "/repositories/" + w.Repository.ID
		for n, title := range []string{"Use the clock", "Close <b>bodies</b>", "Name the unit"} {
			v := store.RuleProposal{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 1, Thread: domain.HostID(strconv.Itoa(n + 1)), ThreadURL: o.forge + "/acme/storefront/pulls/1#r" + strconv.Itoa(n+1),
				Title: title, Instruction: "Instruction to: " + title, Languages: `["go"]`, ProposedName: "mona <i>"}
			made, added, err := o.store.ProposeRule(ctx, w.Tenant, v)
			must(t, err)
			testkit.Equal(t, "added", added, store.AddedNew)
			ids[title] = made.ID
		}
	})
	p := newTab(t)
	p.signIn(o.links[vera])
	p.move(o.tenant + repository + "/rules")
	p.says("Instruction to: Close <b>bodies</b>")
	p.has("no buttons for a viewer", "!document.querySelector('main section button')")

	p.as(o.links[ada])
	p.visit("/inbox")
	p.tap("#1 Use the clock")
	p.says("From a reply of mona <i> in pull request #1")
	p.has("the threads", "['1', '2', '3'].every(n => [...document.querySelectorAll('main section a')].some(a => a.href === "+quote(o.forge+"/acme/storefront/pulls/1#r")+" + n))")
	p.inspect("proposed rules")
	p.axe("proposed rules")

	p.tap("Decide: Use the clock")
	p.enter("Instruction", "Read the time from package clock.")
	p.enter("Files", "**/*.go\n[")
	p.inspect("a decision on a rule")
	p.click("[role=dialog] [type=submit]")
	p.until("document.querySelector('[role=dialog] textarea[aria-invalid=true]')")
	p.has("the line of the wrong pattern", "document.querySelector('[role=dialog]').innerText.includes('Line 2: ')")
	p.axe("a rule that was refused")
	p.enter("Files", "**/*.go")
	p.offer("Severity", "high")
	p.submit()
	p.rowSays("Use the clock", "Read the time from package clock.", "**/*.go", "high")

	p.tap("Decide: Close <b>bodies</b>")
	p.until(named("[role=dialog] select", "Decision"))
	p.submit()
	p.rowSays("Close <b>bodies</b>", "Instruction to: Close <b>bodies</b>", "medium")

	p.tap("Decide: Name the unit")
	p.offer("Decision", "decline")
	p.until("!" + named("[role=dialog] textarea", "Instruction")) // only to accept
	p.enter("Note", "It is about one service alone")
	p.submit()
	p.until("!document.querySelector('main').innerText.includes('Name the unit')")
	p.has("no proposed rule is left", "!document.querySelector('main').innerText.includes('Proposed rules')")
	p.visit("/inbox")
	p.until("!document.querySelector('main').innerText.includes('Rule proposed')")
	p.clean(o.base, o.base, "422 /api/tenants/"+strings.TrimPrefix(o.tenant, o.base+"/t/")+repository+"/rules/proposals/"+ids["Use the clock"]+"/decision")
}

// The page of calibration has the counts, the interval, and the threshold in effect beside the implied one. Below 50 findings it
// says how many are missing, and without any it says when a threshold moves.
func TestCalibrationInABrowser(t *testing.T) {
	t.Parallel()
	var repository string
	count := func(ctx context.Context, o *office, w storetest.World, v store.Calibration) {
		v.Repository = w.Repository.ID
		_, err := o.store.SaveCalibration(ctx, w.Tenant, v)
		must(t, err)
	}
	var world storetest.World
	o := openOffice(t, func(_ context.Context, w storetest.World, _ *office) {
		repository, world = "/repositories/"+w.Repository.ID, w
	})
	p := newTab(t)
	p.signIn(o.links[vera])
	p.goTo(o.tenant + repository)
	p.tap("Analysis")
	p.tap("Calibration")
	p.says("No finding was accepted or refused yet. The threshold of a category moves once 50 of its findings were accepted or refused.")
	p.inspect("no calibration")

	ctx := context.Background()
	count(ctx, &o, world, store.Calibration{Category: "api", Taken: 12, Refused: 1, Ignored: 2, Held: string(domain.HeldByOutcomes), Buckets: `[{"from":700000,"to":750000,"taken":12,"refused":1,"ignored":2}]`})
	count(ctx, &o, world, store.Calibration{Category: "bug", Taken: 20, Refused: 60, Ignored: 3, ImpliedPPM: 900_000, ThresholdPPM: 800_000, MovedUS: time.Now().Add(-time.Hour).UnixMicro(), Held: string(domain.HeldByWeek), Buckets: `[{"from":700000,"to":750000,"taken":5,"refused":40,"ignored":0},{"from":750000,"to":800000,"taken":15,"refused":20,"ignored":3}]`})
	count(ctx, &o, world, store.Calibration{Category: "docs", Taken: 1, Buckets: "[]"})
	p.goTo(o.tenant + repository + "/records/calibration")
	p.rowSays("Interfaces", "12", "92 % (67 % to 99 %)", "0.70", "It moves after 37 more findings are accepted or refused.")
	p.rowSays("Bugs", "20", "60", "25 % (17 % to 35 %)", "0.80", "moved", "The counts imply 0.90.", "It moves by at most 0.1 in a week.")
	p.rowSays("Documents", "no threshold: the summary lists these findings")
	p.click("main details summary")
	p.until("document.querySelector('main details[open]')?.innerText.includes('accepted')")
	p.inspect("calibration")
	p.axe("calibration")
	p.cards()
	p.clean(o.base, o.base)
}
