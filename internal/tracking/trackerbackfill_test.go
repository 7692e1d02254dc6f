package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracking"
)

// linker records the linked pull requests.
type linker struct {
	mu     sync.Mutex
	linked []string
	fails  map[int][]error // by the number of calls so far
}

func (l *linker) LinkPullRequest(_ context.Context, _ domain.Tenant, _ string, _ store.Repository, pull store.PullRequest) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if all := l.fails[len(l.linked)]; len(all) > 0 {
		l.fails[len(l.linked)] = all[1:]
		if tracker.ClassOf(all[0]) == tracker.ClassNotFound {
			l.linked = append(l.linked, "gone")
		}
		return 0, all[0]
	}
	l.linked = append(l.linked, pull.ID)
	return len(l.linked) % 2, nil
}

func newBackfill(t *testing.T, s *store.Store) (*desk, *linker) {
	l := &linker{fails: map[int][]error{}}
	d := &desk{tracker: &featuretest.Trackers{}, bench: &bench{t: t, host: &featuretest.Connections{}}}
	d.World = featuretest.NewWorld(t, s, func(o *featuretest.Options) { o.Code, o.Trackers, o.Links = d.host, d.tracker, l })
	for n := range 4 {
		_, err := s.UpsertPullRequest(bg, d.Tenant, store.PullRequest{Repository: d.Repository.ID, Number: 900 + n, Title: "t", Author: "mona", HeadSHA: strings.Repeat("a", 40), BaseRef: "main", State: "open"})
		testkit.OK(t, err)
	}
	return d, l
}

// Every open pull request is linked once, in order, even if attempts fail: the next attempt continues
// at the place of the last one. Errors of single pull requests are counted. A request during the
// backfill returns the same job.
func TestBackfill(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, l := newBackfill(t, s)
		made := d.connect("one")
		l.fails[1] = []error{errors.New("the database is away"), &tracker.Error{Class: tracker.ClassLimited, Op: "read issue"}}
		l.fails[2] = []error{&tracker.Error{Class: tracker.ClassNotFound, Op: "read issue", Status: 404}}
		job, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		again, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "the same job", again.ID, job.ID)
		open, err := s.OpenPulls(bg, d.Tenant, "", 100)
		testkit.OK(t, err)
		testkit.Equal(t, "ends", strings.Join(d.work(t, 3), " "), "failed snoozed done")
		var want []string
		for i, p := range open {
			want = append(want, p.ID)
			if i == 2 {
				want[i] = "gone"
			}
		}
		if !slices.Equal(l.linked, want) {
			t.Errorf("linked %v, want %v", l.linked, want)
		}
		row, err := s.TenantJob(bg, d.Tenant, job.ID)
		testkit.OK(t, err)
		state, problem := row.PublicState()
		testkit.Equal(t, "state", state+problem, "completed")
		out := store.FromJSON[domain.JobOutcome](row.Report.Outcome)
		testkit.Equal(t, "counts", fmt.Sprint(out.Counts), fmt.Sprint(map[string]int{"pullRequests": len(open), "linked": out.Counts["linked"], "issues": out.Counts["linked"], "skipped": 1}))
		p := store.FromJSON[domain.JobProgress](row.Report.Progress)
		if p.Stage != "pullRequests" || p.Done != len(open) || p.Total != len(open) {
			t.Errorf("progress %+v of %d", p, len(open))
		}
		next, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID)
		testkit.OK(t, err)
		if next.ID == job.ID {
			t.Error("an ended one is not started again")
		}
		d.work(t, 1)
		testkit.Equal(t, "linked again", len(l.linked), 2*len(open))
	})
}

// The results of a worker that dies midway stay: another one continues with the next pull request.
func TestBackfillGoesOnAfterADeath(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d, _ := newBackfill(t, s)
		made := d.connect("one")
		open, err := s.OpenPulls(bg, d.Tenant, "", 100)
		testkit.OK(t, err)
		at, err := s.BeginBackfill(bg, d.Tenant, made.ID, "job_1")
		testkit.OK(t, err)
		at.After, at.Looked, at.Linked = open[1].ID, 2, 1
		testkit.OK(t, s.SaveBackfill(bg, d.Tenant, made.ID, at))
		late := at
		late.After, late.Looked = open[0].ID, 1
		testkit.OK(t, s.SaveBackfill(bg, d.Tenant, made.ID, late)) // from a worker that does not know that it lost the job
		again, err := s.BeginBackfill(bg, d.Tenant, made.ID, "job_1")
		testkit.OK(t, err)
		testkit.Equal(t, "where it stands", again, at)
		rest, err := s.CountOpenPulls(bg, d.Tenant, again.After)
		testkit.OK(t, err)
		testkit.Equal(t, "left", rest, len(open)-2)
		fresh, err := s.BeginBackfill(bg, d.Tenant, made.ID, "job_2")
		testkit.OK(t, err)
		testkit.Equal(t, "of another job", fresh, store.TrackerBackfill{Job: "job_2"})
	})
}

// A connection that cannot be used starts no backfill.
func TestBackfillNeedsAConnection(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	d, _ := newBackfill(t, s)
	made := d.connect("one")
	if _, err := d.Features.Tracking.BackfillTracker(bg, d.Other.Tenant, made.ID); !errs.Is(err, errs.NotFound) {
		t.Errorf("a foreign tenant gets %v", err)
	}
	_, err := d.Features.Tracking.UpdateTracker(bg, d.Tenant, made.ID, 0, featuretest.Request[tracking.TrackerConnectionUpdate](t, `{"enabled":false}`))
	testkit.OK(t, err)
	if _, err := d.Features.Tracking.BackfillTracker(bg, d.Tenant, made.ID); !errs.Is(err, errs.Conflict) {
		t.Errorf("one that is switched off gets %v", err)
	}
	if _, err := d.Features.Tracking.TryMapping(bg, d.Tenant, made.ID); !errs.Is(err, errs.Conflict) {
		t.Errorf("its mapping gets %v", err)
	}
}

// A mapping is tried on the newest issues of each project. The result shows what would be read and from
// where, and names projects beyond the limit and projects that cannot be read.
func TestMappingIsTried(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		made := d.connect("one")
		try := func() tracking.MappingTrial {
			t.Helper()
			out, err := d.Features.Tracking.TryMapping(bg, d.Tenant, made.ID)
			testkit.OK(t, err)
			return out
		}
		set := func(body string) {
			t.Helper()
			_, err := d.Features.Tracking.UpdateTracker(bg, d.Tenant, made.ID, 0, featuretest.Request[tracking.TrackerConnectionUpdate](t, body))
			testkit.OK(t, err)
		}
		var wants []tracker.Want
		d.tracker.Newest = func(project string, n int, want tracker.Want) ([]tracker.Issue, error) {
			wants = append(wants, want)
			if project == "P1" {
				return nil, trackerError(tracker.ClassForbidden, 403, "not\nyours "+newToken())
			}
			var out []tracker.Issue
			for i := range 20 { // more than requested
				issue := tracker.Issue{Key: fmt.Sprintf("%s-%d", project, i), Title: "A <b>\u202etitle</b>\n" + newToken(), State: "Released", CriteriaKnown: want.CriteriaField != "",
					Criteria: "- [ ] it pays\n- [x] it tells", Description: "# Acceptance criteria\n1. one\n2. two\n"}
				if !issue.CriteriaKnown {
					issue.Criteria = ""
				}
				out = append(out, issue)
			}
			return out, nil
		}
		got := try()
		testkit.Equal(t, "projects", len(got.Projects), 1)
		testkit.Equal(t, "issues", len(got.Projects[0].Issues), 5)
		if i := got.Projects[0].Issues[0]; i.Source != "none" || len(i.Criteria) != 0 || i.Done || strings.ContainsAny(i.Title, "\n\u202e") || strings.Contains(i.Title, newToken()) {
			t.Errorf("without a mapping: %+v", i)
		}
		set(`{"mapping":{"acceptanceCriteria":{"heading":"Acceptance Criteria"},"doneStates":["released"],"linkBack":"none"}}`)
		if i := try().Projects[0].Issues[0]; i.Source != "heading" || i.Heading != "Acceptance criteria" || len(i.Criteria) != 2 || i.Criteria[0].Form != "numbered" || !i.Done {
			t.Errorf("below a heading: %+v", i)
		}
		set(`{"mapping":{"acceptanceCriteria":{"field":"f1"},"doneStates":[],"linkBack":"none"}}`)
		if i := try().Projects[0].Issues[0]; i.Source != "field" || len(i.Criteria) != 2 || i.Criteria[0].Text != "it pays" || i.Criteria[0].Form != "box" {
			t.Errorf("in a field: %+v", i)
		}
		testkit.Equal(t, "in short", fmt.Sprint(try().Checks), "[{PAY true Of 5 issues that were read 5 have acceptance criteria where the mapping says, 10 in all.}]")
		newest := d.tracker.Newest
		d.tracker.Newest = func(string, int, tracker.Want) ([]tracker.Issue, error) {
			return []tracker.Issue{{Key: "PAY-1", Title: "One"}}, nil
		}
		testkit.Equal(t, "in short", fmt.Sprint(try().Checks), "[{PAY false No issue of 1 that were read has acceptance criteria where the mapping says.}]")
		d.tracker.Newest = func(string, int, tracker.Want) ([]tracker.Issue, error) { return nil, nil }
		testkit.Equal(t, "in short", fmt.Sprint(try().Checks), "[{PAY true There is no issue to read.}]")
		d.tracker.Newest = newest
		testkit.Equal(t, "the requested parts", wants[len(wants)-1], tracker.Want{CriteriaField: "f1"})
		d.tracker.Projects = func() (out []tracker.Project, err error) {
			for i := range 12 {
				out = append(out, tracker.Project{Key: fmt.Sprintf("P%d", i)})
			}
			return out, nil
		}
		got = try()
		if len(got.Projects) != 10 || got.More != 2 || !got.Complete || !strings.Contains(got.Projects[1].Problem, "not yours") || strings.Contains(got.Projects[1].Problem, newToken()) {
			t.Errorf("twelve projects: %d, %d more, complete %v, %q", len(got.Projects), got.More, got.Complete, got.Projects[1].Problem)
		}
		testkit.Equal(t, "lines of twelve projects", len(got.Checks), 11)
		if c := got.Checks[1]; c.Name != "P1" || c.OK || !strings.Contains(c.Message, "not yours") || strings.Contains(c.Message, newToken()) {
			t.Errorf("a project that cannot be read: %+v", c)
		}
		testkit.Equal(t, "projects beyond the limit", fmt.Sprint(got.Checks[10]), "{projects true 2 more projects were not looked at.}")
		d.tracker.Projects = func() ([]tracker.Project, error) { return nil, trackerError(tracker.ClassUnavailable, 503, "") }
		if _, err := d.Features.Tracking.TryMapping(bg, d.Tenant, made.ID); !errs.Is(err, errs.Unavailable) {
			t.Errorf("a tracker that is down: %v", err)
		}
	})
}
