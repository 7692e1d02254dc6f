package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

// began creates runs of other pull requests that have begun, with a model or with deterministic checks
// only.
func began(f *reviewtest.Fixture, n int, author string, depth domain.Depth, model bool) {
	f.T.Helper()
	repo, err := f.Store.UpsertRepository(bg, f.World.Tenant, store.Repository{Installation: f.World.Installation.ID, ExternalID: reviewtest.Repository().ExternalID, Owner: "octo", Name: "repo", Private: true})
	testkit.OK(f.T, err)
	for i := range n {
		pull, err := f.Store.UpsertPullRequest(bg, f.World.Tenant, store.PullRequest{Repository: repo.ID, Number: 100 + i, Author: author, AuthorID: "5", HeadSHA: storetest.SHA("x"), State: "open"})
		testkit.OK(f.T, err)
		run, _, err := f.Store.CreateRun(bg, f.World.Tenant, store.Run{Repository: repo.ID, PullRequest: pull.ID, Number: pull.Number, HeadSHA: pull.HeadSHA, TriggerKey: "auto", TriggerEvent: "pull_request.opened", Depth: depth})
		testkit.OK(f.T, err)
		_, err = f.Store.MoveRun(bg, f.World.Tenant, run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunRunning})
		testkit.OK(f.T, err)
		if model {
			_, err = f.Store.StartModelWindow(bg, f.World.Tenant, run.ID, time.Minute)
			testkit.OK(f.T, err)
		}
		_, err = f.Store.MoveRun(bg, f.World.Tenant, run.ID, store.RunMove{From: domain.RunRunning, To: domain.RunCancelled})
		testkit.OK(f.T, err)
	}
}

// Beyond the reviews of an hour, the affected people get deterministic checks only. The review is still
// published, and says so.
func TestReviewsPerHour(t *testing.T) {
	stranger := func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a") }
	fork := func(f *reviewtest.Fixture) codehost.Event { return f.Event("opened", "a", reviewtest.Fork) }
	for name, c := range map[string]struct {
		policy string
		role   string
		author string // of the reviews before
		before int
		depth  domain.Depth
		checks bool // the reviews before had deterministic checks only
		event  func(f *reviewtest.Fixture) codehost.Event
		note   string // "": the model is asked
	}{
		"the last one of an author":  {author: "mona", before: domain.AuthorReviewsPerHour - 1, event: stranger},
		"one more":                   {author: "mona", before: domain.AuthorReviewsPerHour, event: stranger, note: "the author has had 10 reviews within an hour"},
		"by another author":          {author: "hubot", before: domain.AuthorReviewsPerHour, event: stranger},
		"a person with write access": {author: "mona", role: "write", before: domain.AuthorReviewsPerHour, event: stranger},
		"a bot": {policy: `{"triggers":{"includeBots":true}}`, author: "mona", before: domain.AuthorReviewsPerHour, note: "the author has had", event: func(f *reviewtest.Fixture) codehost.Event {
			return f.Event("opened", "a", func(p *codehost.PullRequest) { p.AuthorIsBot = true })
		}},
		"the last one from outside":   {policy: `{"outsideContributors":"reduced"}`, author: "hubot", before: domain.OutsideReviewsPerHour - 1, depth: domain.DepthReduced, event: fork},
		"one more from outside":       {policy: `{"outsideContributors":"reduced"}`, author: "hubot", before: domain.OutsideReviewsPerHour, depth: domain.DepthReduced, event: fork, note: "contributions from outside have had 20 reviews here within an hour"},
		"after many without a model":  {author: "mona", checks: true, before: 2 * domain.AuthorReviewsPerHour, event: stranger},
		"the same, from outside":      {policy: `{"outsideContributors":"reduced"}`, author: "hubot", checks: true, before: 2 * domain.OutsideReviewsPerHour, depth: domain.DepthReduced, event: fork},
		"a member, after all of them": {policy: `{"outsideContributors":"reduced"}`, role: "write", author: "hubot", before: domain.OutsideReviewsPerHour, depth: domain.DepthReduced, event: stranger},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				if c.policy != "" {
					f.Policy(c.policy)
				}
				if c.role != "" {
					f.Host.Roles["mona"] = c.role
				}
				f.Models.Set(reviewtest.SilentModel)
				began(f, c.before, c.author, c.depth, !c.checks)
				d := f.Deliver(c.event(f))
				run, err := f.Store.Run(bg, f.World.Tenant, d.RunID)
				testkit.OK(t, err)
				testkit.Equal(t, "state", run.State, domain.RunCompleted)
				testkit.Equal(t, "the model was asked", f.Models.Calls > 0, c.note == "")
				body := f.Host.Visible()[0]
				if c.note != "" && (!strings.Contains(body, c.note) || !strings.Contains(body, "/assay review")) {
					t.Errorf("the review does not say %q: %s", c.note, body)
				}
				if c.note == "" && strings.Contains(body, "within an hour") {
					t.Errorf("the review names a limit: %s", body)
				}
			})
		})
	}
}

// A reduced review says that it is one. A full review that a member then asks for looks at everything
// again and has no limit.
func TestTheFullReviewAfterAReducedOne(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"outsideContributors":"reduced"}`)
		f.Host.Roles["hubot"] = "write"
		f.Models.Set(func(int) (llm.Response, error) { return reviewtest.SilentModel(0) })
		first := f.Deliver(f.Event("opened", "a", reviewtest.Fork))
		if body := f.Host.Visible()[0]; !strings.Contains(body, wording.English(wording.Reduced)) {
			t.Errorf("the review does not say that it is reduced: %s", body)
		}
		began(f, domain.OutsideReviewsPerHour, "mona", domain.DepthReduced, true)
		calls := f.Models.Calls
		if calls == 0 {
			t.Fatal("no model was asked")
		}
		second := f.Deliver(reviewtest.Comment(1, "hubot", "/assay review"))
		if second.RunID == first.RunID || f.Models.Calls == calls {
			t.Errorf("the command did not review again: %d calls before and %d after", calls, f.Models.Calls)
		}
		if body := f.Host.Visible()[1]; strings.Contains(body, "reduced") {
			t.Errorf("the full review says that it is reduced: %s", body)
		}
		calls = f.Models.Calls
		f.Deliver(reviewtest.Comment(2, "hubot", "/assay review"))
		testkit.Equal(t, "calls for code that the full review has seen", f.Models.Calls, calls)
	})
}

// If no model answered a full review, the parts that a reduced review looked at stay due for the next
// full one.
func TestTheFullReviewAfterOneWithoutAModel(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"outsideContributors":"reduced"}`)
		f.Host.Roles["hubot"] = "write"
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine() // a review without findings is not published
		f.Models.Set(reviewtest.SilentModel)
		f.Deliver(f.Event("opened", "a", reviewtest.Fork))
		f.Models.Set(func(int) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Class: llm.ClassCredential, Status: 401}
		})
		f.Deliver(reviewtest.Comment(1, "hubot", "/assay review"))
		f.Models.Set(reviewtest.SilentModel)
		calls := f.Models.Calls
		f.Deliver(reviewtest.Comment(2, "hubot", "/assay review"))
		if f.Models.Calls == calls {
			t.Error("the reduced review was not followed by a full one")
		}
		testkit.Equal(t, "runs", f.States(), "completed completed completed")
	})
}
