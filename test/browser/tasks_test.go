package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// bound is the exact number of clicks of a task, and of the fields that a person types into.
type bound struct {
	task           string
	clicks, fields int
}

// These tasks have names because a longer test walks them, or another function.
const (
	firstReview  = "Get the first review of an open pull request, from the printed link"
	worstFinding = "See the worst open finding of all repositories"
	dismissOne   = "Dismiss a finding"
	dismissThree = "Dismiss three findings at once"
	failedReview = "Read why a review failed"
	approve      = "Approve a review that waits"
	invite       = "Invite a person"
	setBudget    = "Set the budget of a month"
	changePolicy = "Change one setting of a repository's policy"
	makeToken    = "Create a token for a program"
)

// bounds are in the order of docs/console/tasks.md. All tasks but the first begin at the inbox.
var bounds = []bound{
	{firstReview, 13, 4},
	{worstFinding, 2, 0},
	{dismissOne, 3, 0},
	{dismissThree, 6, 0},
	{failedReview, 1, 0},
	{approve, 2, 0},
	{invite, 5, 0},
	{setBudget, 3, 1},
	{changePolicy, 5, 1},
	{makeToken, 5, 1},
}

// within fails if the acts since [page.begin] are more than the bound of a task, or fewer, because the bound is then too high.
func (p *page) within(task string) {
	p.t.Helper()
	clicks, fields := p.acts()
	for _, b := range bounds {
		if b.task == task {
			p.t.Logf("%s: %d clicks, %d fields", task, clicks, fields)
			if clicks != b.clicks || fields != b.fields {
				p.t.Errorf("%s takes %d clicks and %d fields, want %d and %d", task, clicks, fields, b.clicks, b.fields)
			}
			return
		}
	}
	p.t.Fatalf("the task %q has no bound", task)
}

// perform walks a task from the inbox.
func (p *page) perform(task, inbox string, walk func()) {
	p.t.Helper()
	p.goTo(inbox)
	p.ready()
	p.begin()
	walk()
	p.within(task)
}

// Everyday tasks of an engineer and an administrator, in a demo with reviews.
func TestTasksOfEveryDay(t *testing.T) {
	t.Parallel()
	d := newDemo(t, t.TempDir())
	p := newTab(t)
	p.signIn(d.printed)
	p.ready()
	inbox := d.base + "/t/" + p.tenant() + "/inbox"
	const rows = "document.querySelectorAll('main tbody tr[data-finding]').length"
	openFindings := func() (count int) {
		p.click("nav a[href$='/findings']")
		p.until(rows + " > 0")
		p.ready()
		must(t, p.run(rows, &count))
		return count
	}
	shrinks := func(before, by int) {
		p.t.Helper()
		p.until("!document.querySelector('[role=dialog]')")
		p.goTo(inbox)
		if left := openFindings(); left != before-by {
			t.Errorf("%d findings are open after %d of %d were dismissed", left, by, before)
		}
	}

	p.perform(worstFinding, inbox, func() {
		openFindings()
		p.click("main tbody tr[data-finding] a[href*='/findings/']")
		p.until("/\\/findings\\/./.test(location.pathname) && document.querySelector('main .severity')?.innerText.includes('Critical')")
	})

	before := 0
	p.perform(dismissOne, inbox, func() {
		before = openFindings()
		p.click("main tbody button[aria-label^='Dismiss: ']")
		p.dialogs(1)
		p.button("Accepted risk")
		p.until("!document.querySelector('[role=dialog]')")
	})
	shrinks(before, 1)

	p.perform(dismissThree, inbox, func() {
		before = openFindings()
		for n := range 3 {
			p.clickOn(fmt.Sprintf("document.querySelectorAll('main tbody input[type=checkbox]')[%d]", n))
		}
		p.button("Dismiss 3 findings")
		p.dialogs(1)
		p.button("Accepted risk")
		p.until("!document.querySelector('[role=dialog]')")
	})
	shrinks(before, 3)

	p.perform(approve, inbox, func() {
		p.click("main tbody a[href*='/runs/']")
		p.until("document.querySelector('form .decision-bar')")
		p.approve()
	})

	p.perform(invite, inbox, func() {
		p.visit("/members")
		p.button("Invite by link")
		p.dialogs(1)
		p.click("[role=dialog] [type=submit]")
		p.until("document.querySelector('[role=dialog] dd code')")
		p.button("I have copied it")
		p.until("document.querySelectorAll('section[aria-labelledby=invitations] tbody tr').length === 1")
	})

	p.perform(setBudget, inbox, func() {
		p.visit("/costs")
		p.button("Change budget and limits")
		p.dialogs(1)
		p.until("document.activeElement === " + named("input", "Dollars a month (UTC)"))
		p.enter("Dollars a month (UTC)", "50")
		p.click("[role=dialog] [type=submit]")
		p.says("of $50.00 spent")
	})

	p.perform(changePolicy, inbox, func() {
		p.menuTo("/repositories", "td a[href$='/policy']")
		p.press("td a[href$='/policy']", ".setting-group")
		p.fill(".setting-search input", "minimum severity")
		p.until("document.querySelector(" + quote(row("minSeverity", "select")) + ")")
		p.choose(row("minSeverity", "select"), "high")
		p.saveSettings("high and above")
		p.until("document.querySelector('.save-bar').innerText.includes('No changes')")
	})

	p.perform(makeToken, inbox, func() {
		p.visit("/mcp-access")
		p.button("Create a token")
		p.dialogs(1)
		p.until("document.activeElement === " + named("input", "Name"))
		p.enter("Name", "editor")
		p.click("[role=dialog] [type=submit]")
		p.until("document.querySelector('[role=dialog] dd code')")
		p.button("I have kept it")
		p.until("[...document.querySelectorAll('section[aria-labelledby=tokens] tbody tr')].some(r => r.innerText.includes('editor'))")
	})
	p.clean(d.base, d.base)
}

// The inbox leads an administrator to a review that failed. The page of the review shows the reason.
func TestTaskOfAFailedReview(t *testing.T) {
	t.Parallel()
	const reason = "The model key was refused: HTTP 401."
	o := openOffice(t, func(ctx context.Context, w storetest.World, o *office) {
		run := storetest.Run(t, o.store, storetest.PullRequest(t, o.store, w.Repository, 91), "auto")
		moves := []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning},
			{From: domain.RunRunning, To: domain.RunFailed, End: domain.EndError, Reason: reason}}
		for _, m := range moves {
			_, err := o.store.MoveRun(ctx, w.Tenant, run.ID, m)
			must(t, err)
		}
	})
	p := newTab(t)
	p.signIn(o.links[ada])
	p.perform(failedReview, o.tenant+"/inbox", func() {
		p.click("main tbody a[href*='/runs/']")
		p.until("document.querySelector('main .state')?.innerText === 'failed'")
		p.says(reason)
	})
	p.clean(o.base, o.base)
}

// The documentation shows the bounds of all tasks.
func TestDocumentedTasks(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "console", "tasks.md"))
	must(t, err)
	want := make([]string, 0, len(bounds))
	for _, b := range bounds {
		want = append(want, fmt.Sprintf("%s | %d | %d", b.task, b.clicks, b.fields))
	}
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|[^|]*\| (\d+) \| (\d+) \|$`).FindAllStringSubmatch(string(raw), -1) {
		got = append(got, strings.Join(row[1:], " | "))
	}
	testkit.Equal(t, "the table of docs/console/tasks.md", strings.Join(got, "\n"), strings.Join(want, "\n"))
}
