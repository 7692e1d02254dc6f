package run_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

// counted is an observer that records the ends of runs.
type counted []string

func (c *counted) RunEntered(state string) { *c = append(*c, state) }

// jobKinds returns the kinds of a run's jobs.
func jobKinds(t *testing.T, s *store.Store, run string) (out []string) {
	t.Helper()
	got, err := s.JobsOf(bg, run)
	testkit.OK(t, err)
	for _, j := range got {
		out = append(out, string(j.Kind))
	}
	slices.Sort(out)
	return out
}

// Every end of a run has its state and cause, its metric, an event if it failed, and the job that shows
// it on the host.
func TestEveryEndHasWhatFollowsFromIt(t *testing.T) {
	for name, c := range map[string]struct {
		from   []domain.RunState // after queued
		end    run.Ending
		failed int    // events of a failure
		jobs   string // of the run
	}{
		"completed":                  {[]domain.RunState{domain.RunRunning, domain.RunPublishing}, run.Ending{To: domain.RunCompleted, Cause: domain.EndPublished}, 0, "[review.reflect]"},
		"failed while running":       {[]domain.RunState{domain.RunRunning}, run.Ending{To: domain.RunFailed, Cause: domain.EndError, Reason: "no disk"}, 1, "[review.reflect]"},
		"failed while publishing":    {[]domain.RunState{domain.RunRunning, domain.RunPublishing}, run.Ending{To: domain.RunFailed, Cause: domain.EndSlotBusy, Reason: "slot_busy"}, 1, "[review.reflect]"},
		"cancelled":                  {nil, run.Ending{To: domain.RunCancelled, Cause: domain.EndClosed, Reason: "closed"}, 0, "[review.reflect]"},
		"skipped":                    {nil, run.Ending{To: domain.RunSkipped, Cause: domain.EndPolicy, Reason: "off"}, 0, "[review.reflect]"},
		"superseded":                 {[]domain.RunState{domain.RunRunning}, run.Superseded("a newer head arrived", ""), 0, "[review.reflect]"},
		"superseded while it waited": {[]domain.RunState{domain.RunRunning, domain.RunAwaitingApproval}, run.Superseded("a newer head arrived", ""), 0, "[review.reflect]"},
		"superseded after a draft":   {[]domain.RunState{domain.RunRunning, domain.RunPublishing}, run.Superseded("a newer head arrived", ""), 0, "[review.reflect]"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
				w := storetest.Seed(t, s)
				now := w.Run
				for _, to := range c.from {
					_, err := s.MoveRun(bg, w.Tenant, now.ID, store.RunMove{From: now.State, To: to})
					testkit.OK(t, err)
					now.State = to
				}
				seen := &counted{}
				runs := &run.Runs{Store: s, Observer: seen}
				undone := errors.New("undone")
				err := s.InTx(bg, func(ctx context.Context) error {
					_, err := runs.End(ctx, now, c.end)
					return errors.Join(err, undone)
				})
				if !errors.Is(err, undone) || len(*seen) != 0 {
					t.Fatalf("after a transaction that was undone: %v, counted %v", err, *seen)
				}
				for i, want := range []bool{true, false} { // the second time the run has already ended
					ended, err := runs.End(bg, now, c.end)
					testkit.OK(t, err)
					testkit.Equal(t, fmt.Sprint("ended, time ", i), ended, want)
				}
				got, err := s.Run(bg, w.Tenant, now.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "end", fmt.Sprint(got.State, " ", got.End, " ", got.Reason), fmt.Sprint(c.end.To, " ", c.end.Cause, " ", c.end.Reason))
				testkit.Equal(t, "counted", fmt.Sprint(*seen), fmt.Sprint([]domain.RunState{c.end.To}))
				testkit.Equal(t, "jobs", fmt.Sprint(jobKinds(t, s, now.ID)), c.jobs)
				failed := 0
				for _, row := range storetest.Dump(t, url)["events"] {
					if strings.Contains(row, domain.EventReviewFailed) {
						failed++
					}
				}
				testkit.Equal(t, "events of a failure", failed, c.failed)
			})
		})
	}
}

// An event does not retry a head whose review crashed its workers. The stored cause decides this, not
// the words of the reason.
func TestAutoAfterEachEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end    run.Ending
		made   bool
		refuse bool
	}{
		"crashed":                       {run.Ending{To: domain.RunFailed, Cause: domain.EndCrashed, Reason: "publishing failed: crashed: the worker stopped"}, false, true},
		"failed with a word of crashes": {run.Ending{To: domain.RunFailed, Cause: domain.EndError, Reason: "crashed: so says the provider"}, true, false},
		"skipped":                       {run.Ending{To: domain.RunSkipped, Cause: domain.EndPolicy, Reason: "off"}, true, false},
		"cancelled":                     {run.Ending{To: domain.RunCancelled, Cause: domain.EndClosed, Reason: "closed"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				runs := &run.Runs{Store: s}
				out, err := runs.Auto(bg, w.Tenant, w.Pull, run.Request{Event: "pull_request.reopened"})
				testkit.OK(t, err)
				testkit.Equal(t, "joins the open run", fmt.Sprint(out), fmt.Sprint(run.Outcome{Run: w.Run.ID}))
				_, err = runs.End(bg, w.Run, c.end)
				testkit.OK(t, err)
				out, err = runs.Auto(bg, w.Tenant, w.Pull, run.Request{Event: "pull_request.reopened"})
				testkit.OK(t, err)
				testkit.Equal(t, "made", out.Made, c.made)
				testkit.Equal(t, "refused", out.Refuse != "", c.refuse)
				testkit.Equal(t, "names the run before", out.Run == w.Run.ID, !c.made)
			})
		})
	}
}

// A failure is reported once, whatever its cause and the state of the run.
func TestEveryFailureIsReported(t *testing.T) {
	causes := []domain.EndCause{domain.EndCrashed, domain.EndError, domain.EndModelUnavailable, domain.EndModelFruitless, domain.EndModelRejected, domain.EndSlotBusy,
		domain.EndDeleted, domain.EndRefused}
	ways := map[string][]domain.RunState{"queued": nil, "running": {domain.RunRunning}, "publishing": {domain.RunRunning, domain.RunPublishing}}
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		told := 0
		for _, cause := range causes {
			for name, way := range ways {
				t.Run(string(cause)+" while "+name, func(t *testing.T) {
					w := storetest.Seed(t, s)
					now := w.Run
					for _, to := range way {
						_, err := s.MoveRun(bg, w.Tenant, now.ID, store.RunMove{From: now.State, To: to})
						testkit.OK(t, err)
						now.State = to
					}
					for range 2 { // the second time the run has already ended
						_, err := (&run.Runs{Store: s}).End(bg, now, run.Ending{To: domain.RunFailed, Cause: cause, Reason: "why"})
						testkit.OK(t, err)
					}
					told++
					got := 0
					for _, row := range storetest.Dump(t, url)["events"] {
						if strings.Contains(row, domain.EventReviewFailed) {
							got++
						}
					}
					testkit.Equal(t, "events of failures in all", got, told)
				})
			}
		}
	})
}

// No other package moves runs, so every failure passes through [run.Runs.End].
func TestOnlyThisPackageMovesRuns(t *testing.T) {
	movers := map[string]bool{}
	testkit.OK(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), ".MoveRun(") {
			movers[filepath.Dir(path)] = true
		}
		return err
	}))
	testkit.Equal(t, "folders that move runs", fmt.Sprint(movers), "map[../run:true]")
}
