package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// tracked is an issue tracker with one issue, PAY-1.
type tracked struct {
	tracker.Tracker

	mu    sync.Mutex
	issue tracker.Issue
	down  bool
}

// Open implements [tickets.Trackers].
func (k *tracked) Open(context.Context, domain.Tenant, store.TrackerConnection) (tracker.Tracker, error) {
	return k, nil
}

func (k *tracked) Issue(_ context.Context, key string, _ tracker.Want) (tracker.Issue, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.down {
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassUnavailable}
	}
	if key != k.issue.Key {
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassNotFound}
	}
	return k.issue, nil
}

func (k *tracked) LinkedTo(context.Context, string) ([]string, error) { return nil, nil }

// edit replaces title and criteria of the issue.
func (k *tracked) edit(title string, criteria ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.issue = tracker.Issue{Key: "PAY-1", ID: "1", Project: "PAY", URL: "https://jira.example/browse/PAY-1", Type: "Story", State: "Open", Title: title,
		Description: "## Acceptance criteria\n\n- " + strings.Join(criteria, "\n- ")}
}

const (
	firstCriterion  = "There is an answer to the question."
	secondCriterion = "The question is written down."
	thirdCriterion  = "The answer is a whole number."
)

// ticketed is a fixture whose pull request names an issue of a tracker.
type ticketed struct {
	*reviewtest.Fixture
	tracker    *tracked
	connection store.TrackerConnection
}

// eachTicketed runs a body on both engines, with a model that calls the first criterion met and the
// others missing.
func eachTicketed(t *testing.T, body func(t *testing.T, f *ticketed)) {
	t.Helper()
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		k := &tracked{}
		k.edit("The answer", firstCriterion, secondCriterion)
		made, err := f.Store.CreateTrackerConnection(bg, f.World.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "jira", Name: "Jira", BaseURL: "https://jira.example", AuthKind: "token",
			Projects: `["PAY"]`, Mapping: `{"acceptanceCriteria":{"heading":"Acceptance criteria"}}`, Enabled: true})
		testkit.OK(t, err)
		kept, err := memcache.New(memcache.Options{})
		testkit.OK(t, err)
		log := slog.New(slog.DiscardHandler)
		f.Stop()
		f.Service.Tickets = tickets.New(tickets.Config{Store: f.Store, Hosts: f.Host, Trackers: k, Authors: &policy.Authors{Cache: kept}, Cache: kept, Audit: audit.New(f.Store, storetest.Keyring(t, f.Store), log),
			Scan: f.Service.Scan, Logger: log, RecheckAfter: time.Millisecond})
		f.Service.Publisher.Fit = f.Service.Tickets.Fit
		f.Models.Set(criteriaModel)
		f.Start()
		body(t, &ticketed{f, k, made})
	})
}

func criteriaModel(int) (llm.Response, error) {
	found := map[string]any{"criterion": "c1", "verdict": "met", "reason": "The answer stands there.", "searched": []any{},
		"quotes": []map[string]any{{"path": "a.go", "start": 3, "quote": "var answer = 42", "note": "the answer"}}}
	missing := map[string]any{"criterion": "c2", "verdict": "not_met", "reason": "Nothing of it stands there.", "quotes": []any{}, "searched": []map[string]any{{"path": "a.go", "query": "", "note": "the question"}}}
	text, err := json.Marshal(map[string]any{"findings": []any{}, "verdicts": []any{found, missing}})
	return llm.Response{Text: string(text), StopReason: llm.StopEnd}, err
}

// opened delivers the pull request and returns its published run.
func (f *ticketed) opened(head string) store.Run {
	f.T.Helper()
	d := f.Deliver(f.Event("opened", head, nameFiles))
	run, err := f.Store.RunForWork(bg, d.RunID)
	testkit.OK(f.T, err)
	return run
}

func nameFiles(pr *codehost.PullRequest) { pr.Title = "PAY-1: the answer" }

// changed reports a change of the issue to the service and waits for its jobs.
func (f *ticketed) changed() {
	f.T.Helper()
	testkit.OK(f.T, f.Service.Tickets.IssueChanged(bg, f.World.Tenant, f.connection.ID, "PAY-1"))
	f.Settle()
}

func (f *ticketed) link() store.TrackerLink {
	f.T.Helper()
	links, err := f.Store.TrackerLinksTo(bg, f.World.Tenant, f.connection.ID, "PAY-1")
	testkit.OK(f.T, err)
	testkit.Require(f.T, "links", len(links), 1)
	return links[0]
}

// verdicts returns the stored verdicts of a run.
func (f *ticketed) verdicts(run store.Run) string {
	f.T.Helper()
	rows, err := f.Store.RunACChecks(bg, f.World.Tenant, run.PullRequest, run.ID)
	testkit.OK(f.T, err)
	var out []string
	for _, r := range rows {
		said := r.Criterion + " " + r.Verdict
		if r.Kept {
			said += " kept"
		}
		out = append(out, said)
	}
	return strings.Join(out, "; ")
}

// body returns the one visible review.
func (f *ticketed) body() string {
	f.T.Helper()
	all := f.Host.Visible()
	testkit.Require(f.T, "visible reviews", len(all), 1)
	return all[0]
}

// public makes the repository public, or private again.
func (f *ticketed) public(run store.Run, public bool) {
	f.T.Helper()
	row, err := f.Store.Repository(bg, f.World.Tenant, run.Repository)
	testkit.OK(f.T, err)
	row.Private = !public
	_, err = f.Store.UpsertRepository(bg, f.World.Tenant, row)
	testkit.OK(f.T, err)
}

func lacks(t *testing.T, text, part string) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%q in %s", part, text)
	}
}

// After an edit of one criterion, only this criterion is judged again. The new verdict replaces the old
// one, and the summary of the first review is edited once. A repeated delivery, and one about the title
// alone, change nothing and cost no call.
func TestEditedCriteriaAreJudgedAgain(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		run := f.opened("a")
		testkit.Equal(t, "verdicts", f.verdicts(run), firstCriterion+" met; "+secondCriterion+" not_met")
		contains(t, f.body(), "question is written down")
		calls := f.Models.Calls
		f.changed()
		testkit.Equal(t, "calls for unchanged criteria", f.Models.Calls-calls, 0)
		testkit.Equal(t, "edits for unchanged criteria", f.Host.Wrote("edit review"), 0)

		f.tracker.edit("The answer", firstCriterion, thirdCriterion)
		f.changed()
		testkit.Equal(t, "calls", f.Models.Calls-calls, 1)
		prompt := f.Models.Prompts[len(f.Models.Prompts)-1]
		contains(t, prompt, "c1: "+thirdCriterion)
		lacks(t, prompt, "c2: ")
		testkit.Equal(t, "verdicts", f.verdicts(run), firstCriterion+" met kept; "+thirdCriterion+" met")
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
		contains(t, f.body(), "answer is a whole number")
		lacks(t, f.body(), "question is written down")
		contains(t, f.Host.Check(run.ID).Summary.String(), "answer is a whole number")
		testkit.Equal(t, "why not", f.link().Recheck, "")
		testkit.Equal(t, "runs", f.States(), "completed")

		f.changed()
		f.tracker.edit("Another title", firstCriterion, thirdCriterion)
		f.changed()
		testkit.Equal(t, "calls after it", f.Models.Calls-calls, 1)
		testkit.Equal(t, "edits after it", f.Host.Wrote("edit review"), 1)
		testkit.Equal(t, "title", f.link().Title, "Another title")
	})
}

// If all criteria are removed, the summary says so, without a call.
func TestAllCriteriaGo(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		run := f.opened("a")
		calls := f.Models.Calls
		f.tracker.mu.Lock()
		f.tracker.issue.Description = "Nothing in particular."
		f.tracker.mu.Unlock()
		f.changed()
		testkit.Equal(t, "calls", f.Models.Calls-calls, 0)
		testkit.Equal(t, "verdicts", f.verdicts(run), "")
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
		contains(t, f.body(), "no acceptance criteria were found")
	})
}

// A review that could not read the issue says so, even if an earlier one has judged it.
func TestAnIssueThatCannotBeReadAnyMore(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		f.opened("a")
		f.tracker.mu.Lock()
		f.tracker.down = true
		f.tracker.mu.Unlock()
		f.Deliver(f.Event("synchronize", "b", nameFiles))
		testkit.Equal(t, "runs", f.States(), "completed completed")
		contains(t, f.Host.Visible()[0], "could not be read")
		lacks(t, f.Host.Visible()[0], "no acceptance criteria")
	})
}

// If several edits follow each other, only the last one is judged.
func TestSeveralEditsAreJudgedOnce(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		run := f.opened("a")
		f.Stop()
		calls := f.Models.Calls
		for _, text := range []string{"It is short.", "It is long.", "It is short.", thirdCriterion} {
			f.tracker.edit("The answer", firstCriterion, text)
			testkit.OK(t, f.Service.Tickets.IssueChanged(bg, f.World.Tenant, f.connection.ID, "PAY-1"))
		}
		f.Start()
		f.Settle()
		testkit.Equal(t, "calls", f.Models.Calls-calls, 1)
		testkit.Equal(t, "verdicts", f.verdicts(run), firstCriterion+" met kept; "+thirdCriterion+" met")
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
	})
}

// An edit that is overtaken before its turn is not judged, and the link says why.
func TestEditsThatAreNotJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		set func(f *ticketed, run store.Run)
		why string
	}{
		"a newer head":    {func(f *ticketed, _ store.Run) { f.Event("synchronize", "b", nameFiles) }, "newer head"},
		"a closed one":    {func(f *ticketed, _ store.Run) { f.Event("closed", "a", nameFiles) }, "not open"},
		"reviews are off": {func(f *ticketed, _ store.Run) { f.Policy(`{"enabled":false}`) }, "Reviews are off"},
		"a public one":    {func(f *ticketed, run store.Run) { f.public(run, true) }, "Nothing but the key"},
		"a fork":          {func(f *ticketed, _ store.Run) { f.Event("synchronize", "a", nameFiles, reviewtest.Fork) }, "Nothing but the key"},
		"a review under way": {func(f *ticketed, run store.Run) {
			pull, err := f.Store.PullRequest(bg, f.World.Tenant, run.PullRequest)
			testkit.OK(f.T, err)
			storetest.Run(f.T, f.Store, pull, "rerun:1")
		}, "under way"},
		"no tracker any more": {func(f *ticketed, _ store.Run) {
			f.connection.Enabled = false
			_, err := f.Store.UpdateTrackerConnection(bg, f.World.Tenant, f.connection)
			testkit.OK(f.T, err)
		}, "not connected"},
		"no issue any more": {func(f *ticketed, _ store.Run) {
			f.tracker.mu.Lock()
			defer f.tracker.mu.Unlock()
			f.tracker.issue.Key = "PAY-2"
		}, "not there"},
	} {
		t.Run(name, func(t *testing.T) {
			eachTicketed(t, func(t *testing.T, f *ticketed) {
				run := f.opened("a")
				before := f.verdicts(run)
				f.Stop()
				calls := f.Models.Calls
				f.tracker.edit("The answer", firstCriterion, thirdCriterion)
				testkit.OK(t, f.Service.Tickets.IssueChanged(bg, f.World.Tenant, f.connection.ID, "PAY-1"))
				tc.set(f, run)
				f.Start()
				f.Settle()
				testkit.Equal(t, "calls", f.Models.Calls-calls, 0)
				testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 0)
				testkit.Equal(t, "verdicts", f.verdicts(run), before)
				contains(t, f.link().Recheck, tc.why)
			})
		})
	}
}

// An edit during a run that has already read the issue is judged when that run has ended.
func TestAnEditWaitsForTheRunThatMissedIt(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		f.opened("a")
		began, release := f.Hold("b")
		f.Send(f.Event("synchronize", "b", nameFiles))
		<-began
		f.tracker.edit("The answer", firstCriterion, thirdCriterion)
		testkit.OK(t, f.Service.Tickets.IssueChanged(bg, f.World.Tenant, f.connection.ID, "PAY-1"))
		f.Until("the edit is put off", func() bool { return f.link().Recheck != "" })
		release()
		f.Settle()
		runs := f.Runs()
		testkit.Equal(t, "runs", f.States(), "completed completed")
		contains(t, f.verdicts(runs[1]), thirdCriterion+" met")
		contains(t, f.Host.Visible()[0], "answer is a whole number")
		testkit.Equal(t, "why not", f.link().Recheck, "")
	})
}

// broke refuses every call because of the budget.
type broke struct{ *reviewtest.Models }

func (b broke) Open(ctx context.Context, run store.Run, tools func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	m, _, err := b.Models.Open(ctx, run, tools)
	return m, refuser{}, err
}

type refuser struct{ ask.Recorder }

func (refuser) Before(context.Context, ask.Call) (string, error) {
	return "", fmt.Errorf("%w: used up", ask.ErrBudget)
}

func (refuser) Looked(context.Context, ask.ToolUse) {}

// A budget without room keeps the existing verdicts, and the summary says which criteria were not
// judged.
func TestEditedCriteriaWithoutBudget(t *testing.T) {
	eachTicketed(t, func(t *testing.T, f *ticketed) {
		run := f.opened("a")
		f.Stop()
		f.Service.Models = broke{f.Models}
		f.Start()
		calls := f.Models.Calls
		f.tracker.edit("The answer", firstCriterion, thirdCriterion)
		f.changed()
		testkit.Equal(t, "calls", f.Models.Calls-calls, 0)
		testkit.Equal(t, "verdicts", f.verdicts(run), firstCriterion+" met kept; "+thirdCriterion+" unclear")
		contains(t, f.body(), "The budget for models is used up.")
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 1)
	})
}
