package intake_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Among the pull requests that were opened before their repository was connected, the newest thirty since the
// start time of reviews are reviewed. Older ones are listed, and reviewed if a person requests it.
func TestPullRequestsFromBeforeTheConnection(t *testing.T) {
	const from, connected = 1_000_000_000, 2_000_000_000 // microseconds
	at := func(us int64) time.Time { return time.UnixMicro(us) }
	for name, c := range map[string]struct {
		from     int64
		opened   []time.Time // of pull requests 1, 2, ...
		reviewed int
		listed   int
	}{
		"opened since":                  {from, []time.Time{at(from), at(from + 1)}, 2, 2},
		"opened before":                 {from, []time.Time{at(from - 1), at(from + 1)}, 1, 2},
		"the host has no time":          {from, []time.Time{{}}, 0, 1},
		"the age is unknown":            {0, []time.Time{at(from)}, 0, 1},
		"more than are reviewed":        {from, slices.Repeat([]time.Time{at(from)}, 32), 30, 32},
		"more than are listed, and old": {from, slices.Repeat([]time.Time{at(1)}, 103), 0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := reviewtest.NewFixture(t, s)
				throughGitea(f, "[]", reviewtest.Repository())
				testkit.OK(t, f.Sync(bg))
				testkit.OK(t, f.Store.DisconnectRepositories(bg, f.World.Tenant, f.World.Installation.ID))
				raw(fmt.Sprintf(`UPDATE repositories SET created_us = %d, review_from_us = %d`, connected, c.from))
				for i, opened := range c.opened {
					f.Event("opened", fmt.Sprintf("head%d", i+1), func(pr *codehost.PullRequest) {
						pr.Number, pr.CreatedAt, pr.UpdatedAt = i+1, opened, at(connected-1)
					})
				}
				sweepTwice(f)
				testkit.Equal(t, "reviewed", len(f.Runs()), c.reviewed)
				access, err := f.Store.AccessOfConnection(bg, f.World.Tenant, f.Connection.ID)
				testkit.OK(t, err)
				repo, err := f.Store.AccessRepository(bg, f.World.Tenant, access.ID, reviewtest.Repository().ExternalID)
				testkit.OK(t, err)
				rows, err := f.Store.PullRequests(bg, f.World.Tenant, repo.ID, store.PullFilter{Limit: 200})
				testkit.OK(t, err)
				testkit.Equal(t, "listed", len(rows), c.listed)
				for _, r := range rows {
					testkit.Equal(t, "state", r.State, "open")
				}
			})
		})
	}
}

// The webhooks of repository and organisation deliver the same body with different ids, also at the same
// moment. There is one review, one answer to a command, and one run.
func TestTwoWebhooksTellTheSame(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		throughGitea(f, "[]", reviewtest.Repository())
		testkit.OK(t, f.Sync(bg))
		f.Host.Roles["hubot"] = "write"
		for i, head := range []string{"a", "b"} {
			ev := f.Event(map[int]string{0: "opened", 1: "synchronize"}[i], head)
			first, second := f.Send(ev), f.Send(ev)
			f.Settle()
			both := []string{string(f.Delivery(first).Disposition), string(f.Delivery(second).Disposition)}
			slices.Sort(both) // either may come first
			testkit.Equal(t, "dispositions", fmt.Sprint(both), "[coalesced run]")
			testkit.Equal(t, "reviews", len(f.Host.Visible()), i+1)
			testkit.Equal(t, "runs", len(f.Runs()), i+1)
		}
		command := reviewtest.Comment(1, "hubot", "/assay help")
		for _, want := range []domain.Disposition{domain.DispositionApplied, domain.DispositionIgnored} {
			testkit.Equal(t, "command", f.Deliver(command).Disposition, want)
		}
		testkit.Equal(t, "answers", f.Host.Wrote("reply"), 1)
		// The event of a new repository requests the host's list once while a request is under way.
		asked := 0
		f.Sync = func(context.Context) error { asked++; return nil }
		repo := reviewtest.Repository()
		created := codehost.Event{Kind: codehost.KindRepository, Action: "created", Repository: &repo}
		testkit.Equal(t, "created", f.Deliver(created).Disposition, domain.DispositionApplied)
		testkit.Equal(t, "asked", asked, 1)
	})
}
