package tracking_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// board is an issue tracker with an issue for every key. It fails if a test sets an error.
type board struct {
	tracker.Tracker

	mu       sync.Mutex
	read     map[string]int // how often an issue was read
	limits   int            // the number of issues that it returns before it asks to wait, once; 0: it never does
	down     error          // of every request
	projects int            // how often it was asked for its projects
}

// Open implements [tickets.Trackers].
func (b *board) Open(context.Context, domain.Tenant, store.TrackerConnection) (tracker.Tracker, error) {
	return b, nil
}

func (b *board) Projects(context.Context) ([]tracker.Project, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.projects++
	return []tracker.Project{{Key: "PAY"}}, b.down
}

func (b *board) LinkedTo(context.Context, string) ([]string, error) { return nil, nil }

func (b *board) Issue(_ context.Context, key string, _ tracker.Want) (tracker.Issue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.read) == b.limits && b.limits > 0 {
		b.limits = 0
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassLimited, Op: "read issue", Status: 429}
	}
	b.read[key]++
	return tracker.Issue{Key: key, Project: "PAY", Title: "The " + key}, b.down
}

// newLinked is a tenant whose backfills find issues like reviews do. It has n more open pull requests.
// Every third one names an issue.
func newLinked(t *testing.T, s *store.Store, n int) (*desk, *board) {
	t.Helper()
	kept, err := memcache.New(memcache.Options{})
	testkit.OK(t, err)
	b, host := &board{read: map[string]int{}}, reviewtest.NewHost()
	links := tickets.New(tickets.Config{Store: s, Hosts: host, Trackers: b, Authors: &policy.Authors{Cache: kept}, Cache: kept, Scan: func(text string) string { return text }, Logger: telemetry.Discard()})
	d := &desk{tracker: &featuretest.Trackers{}, bench: &bench{t: t, host: &featuretest.Connections{}}}
	d.World = featuretest.NewWorld(t, s, func(o *featuretest.Options) { o.Code, o.Trackers, o.Links = d.host, d.tracker, links })
	for i := range n {
		title := "Nothing"
		if i%3 == 0 {
			title = fmt.Sprintf("PAY-%d: add the sum", i+1)
		}
		_, err := s.UpsertPullRequest(bg, d.Tenant, store.PullRequest{Repository: d.Repository.ID, Number: 900 + i, Title: title, Author: "mona", HeadSHA: strings.Repeat("a", 40), BaseRef: "main", State: "open"})
		testkit.OK(t, err)
		host.Set(codehost.PullRequest{Number: 900 + i, Title: title, URL: fmt.Sprint("https://code.example/octo/repo/pull/", 900+i), Author: "mona", AuthorID: "5", Open: true, HeadRef: "topic", HeadSHA: strings.Repeat("a", 40)})
	}
	_, err = s.UpsertRepository(bg, d.Tenant, store.Repository{Installation: d.Repository.Installation, ExternalID: d.Repository.ExternalID, Owner: d.Repository.Owner, Name: d.Repository.Name, DefaultBranch: "main", Private: true})
	testkit.OK(t, err)
	return d, b
}

// told returns the report of a job: its state, its problem and its counts.
func (d *desk) told(t *testing.T, id string) string {
	t.Helper()
	row, err := d.Store.TenantJob(bg, d.Tenant, id)
	testkit.OK(t, err)
	state, problem := row.PublicState()
	c := store.FromJSON[domain.JobOutcome](row.Report.Outcome).Counts
	return fmt.Sprintf("%s %q: %d looked at, %d linked, %d issues, %d skipped", state, problem, c["pullRequests"], c["linked"], c["issues"], c["skipped"])
}

// If a tracker asks to wait in the middle of 300 pull requests, the job waits and then continues with
// the same one. The counts include all of them.
func TestBackfillWaitsForTheTracker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const pulls = 300
		d, b := newLinked(t, s, pulls)
		open, err := s.OpenPulls(bg, d.Tenant, "", 1000)
		testkit.OK(t, err)
		made := d.connect("one")
		b.limits = 50
		job, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "ends", strings.Join(d.work(t, 2), " "), "snoozed done")
		testkit.Equal(t, "told", d.told(t, job.ID), fmt.Sprintf(`completed "": %d looked at, 100 linked, 100 issues, %d skipped`, len(open), len(open)-pulls))
		for key, n := range b.read {
			if n != 1 {
				t.Errorf("%s was read %d times", key, n)
			}
		}
		testkit.Equal(t, "issues read", len(b.read), 100)
		testkit.Equal(t, "asked for projects", b.projects, 1)
	})
}

// A tracker that does not answer with its projects is not a tracker without issues. The job reports the
// problem, and continues when the tracker answers.
func TestBackfillSaysThatTheTrackerIsSilent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, b := newLinked(t, s, 3)
		made := d.connect("one")
		b.down = &tracker.Error{Class: tracker.ClassUnavailable, Op: "list projects", Status: 503}
		job, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "ends", strings.Join(d.work(t, 6), " "), "failed failed failed failed failed done")
		if told := d.told(t, job.ID); !strings.Contains(told, "status 503") || strings.HasPrefix(told, "completed") {
			t.Errorf("told %s", told)
		}
		b.down = nil
		again, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		d.work(t, 1)
		if told := d.told(t, again.ID); !strings.Contains(told, "1 linked, 1 issues") {
			t.Errorf("told %s", told)
		}
	})
}

// A silent tracker does not stop the backfill of another one, and its issues are not counted.
func TestBackfillIsOfOneTracker(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, _ := newLinked(t, s, 3)
		d.tracker.Projects = func() ([]tracker.Project, error) { return []tracker.Project{{Key: "PAY"}, {Key: "OPS"}}, nil }
		made, other := d.connect("one", "PAY"), d.connect("two", "OPS")
		job, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, other.ID)
		testkit.OK(t, err)
		d.work(t, 1)
		if told := d.told(t, job.ID); !strings.Contains(told, "0 linked, 0 issues") {
			t.Errorf("told %s", told)
		}
		job, err = d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		d.work(t, 1)
		if told := d.told(t, job.ID); !strings.Contains(told, "1 linked, 1 issues") {
			t.Errorf("told %s", told)
		}
	})
}
