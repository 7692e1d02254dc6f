package store_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func wantTriage(t *testing.T, s *store.Store, w storetest.World, head string) (string, bool) {
	t.Helper()
	id, made, err := s.CreateTriage(bg, w.Tenant, store.TriageRun{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: head, Cause: "pull_request.opened"})
	testkit.OK(t, err)
	return id, made
}

// A head gets one triage, however many deliveries race.
func TestOneTriageOfAHead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		var made atomic.Int64
		atOnce(16, func(i int) {
			if _, first := wantTriage(t, s, w, []string{"a", "b"}[i%2]); first {
				made.Add(1)
			}
		})
		testkit.Equal(t, "made", made.Load(), 2)
		list, err := s.TriageRuns(bg, w.Tenant, w.Repository.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "listed", len(list), 2)
		steps, err := s.TriageTransitions(bg, w.Tenant, list[0].ID)
		testkit.OK(t, err)
		testkit.Equal(t, "steps", len(steps), 1)
		testkit.Equal(t, "cause", steps[0].Cause, "pull_request.opened")
		recent, err := s.RecentTriageRuns(bg, w.Repository.Owner+"/"+w.Repository.Name, domain.TriageQueued, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "for operators", len(recent), 2)
	})
}

// Every legal transition can be written once, and no other.
func TestTransitionsOfTriage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		to := map[domain.TriageState][]domain.TriageState{domain.TriageQueued: {}, domain.TriageRunning: {domain.TriageRunning},
			domain.TriageCompleted: {domain.TriageRunning, domain.TriageCompleted}, domain.TriageFailed: {domain.TriageFailed}, domain.TriageCancelled: {domain.TriageCancelled}}
		for i, from := range domain.TriageStates() {
			for j, next := range domain.TriageStates() {
				id, _ := wantTriage(t, s, w, string(rune('a'+i))+string(rune('a'+j)))
				at := domain.TriageQueued
				for _, step := range to[from] {
					moved, err := s.MoveTriage(bg, w.Tenant, id, store.TriageMove{From: at, To: step, Cause: "test"})
					testkit.OK(t, err)
					testkit.Equal(t, "moved", moved, true)
					at = step
				}
				moved, err := s.MoveTriage(bg, w.Tenant, id, store.TriageMove{From: from, To: next, Cause: "test", Reason: "why"})
				testkit.Equal(t, string(from)+" to "+string(next), moved && err == nil, domain.TriageMayMove(from, next))
				run, err := s.TriageForWork(bg, id)
				testkit.OK(t, err)
				if moved {
					testkit.Equal(t, "state", run.State, next)
					testkit.Equal(t, "ended", run.FinishedUS > 0, next.Terminal())
					again, err := s.MoveTriage(bg, w.Tenant, id, store.TriageMove{From: from, To: next})
					testkit.OK(t, err)
					testkit.Equal(t, "twice", again, false)
				} else {
					testkit.Equal(t, "state", run.State, from)
				}
			}
		}
	})
}

// A label that was wanted once on a pull request is never wanted there again.
func TestLabelsOfTriage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		runs := make([]store.TriageRun, 8)
		for i := range runs {
			id, _ := wantTriage(t, s, w, string(rune('a'+i)))
			var err error
			runs[i], err = s.TriageForWork(bg, id)
			testkit.OK(t, err)
		}
		var fresh atomic.Int64
		atOnce(len(runs), func(i int) {
			labels := []string{"bug", "Docs", "size/m"}
			if i%2 == 0 {
				labels = []string{"size/M", "docs", "BUG"}
			}
			n, err := s.WantTriageLabels(bg, w.Tenant, runs[i], labels)
			testkit.OK(t, err)
			fresh.Add(int64(n))
		})
		testkit.Equal(t, "fresh", fresh.Load(), 3)
		for _, step := range []struct {
			label string
			to    domain.LabelState
			held  bool
		}{{"bug", domain.LabelSet, true}, {"Bug", domain.LabelDropped, false}, {"docs", domain.LabelThere, true}, {"other", domain.LabelSet, false}} {
			held, err := s.EndTriageLabel(bg, w.Tenant, w.Pull.ID, step.label, step.to, "")
			testkit.OK(t, err)
			testkit.Equal(t, step.label, held, step.held)
		}
		_, err := s.EndTriageLabel(bg, w.Tenant, w.Pull.ID, "size/m", domain.LabelWaiting, "")
		testkit.Equal(t, "back to waiting", err != nil, true)
		list, err := s.TriageLabels(bg, w.Tenant, w.Pull.ID)
		testkit.OK(t, err)
		states := []domain.LabelState{}
		for _, l := range list {
			states = append(states, l.State)
		}
		testkit.Equal(t, "states", slices.Equal(states, []domain.LabelState{domain.LabelSet, domain.LabelThere, domain.LabelWaiting}), true)
	})
}

// The depth is that of the review as soon as a review of the head has one.
func TestDepthOfTriageIsThatOfTheReview(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		id, _ := wantTriage(t, s, w, w.Pull.HeadSHA)
		testkit.OK(t, s.TakeTriageDepth(bg, w.Tenant, w.Pull.ID, w.Pull.HeadSHA))
		run, err := s.TriageForWork(bg, id)
		testkit.OK(t, err)
		testkit.Equal(t, "before", run.Depth+run.Run, "")
		testkit.OK(t, s.SetRunResult(bg, w.Tenant, w.Run.ID, "T3", "ok", "{}"))
		testkit.OK(t, s.TakeTriageDepth(bg, w.Tenant, w.Pull.ID, w.Pull.HeadSHA))
		run, err = s.TriageOfHead(bg, w.Tenant, w.Pull.ID, w.Pull.HeadSHA)
		testkit.OK(t, err)
		testkit.Equal(t, "after", run.Depth+" "+run.Run, "T3 "+w.Run.ID)
	})
}
