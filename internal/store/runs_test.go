package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// newRun is a run of a pull request's head with a trigger.
func newRun(p store.PullRequest, head, trigger string) store.Run {
	return store.Run{Repository: p.Repository, PullRequest: p.ID, Number: p.Number, HeadSHA: head, TriggerKey: trigger, TriggerEvent: "test"}
}

func TestCreateRunOncePerKey(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		run, made, err := s.CreateRun(bg, w.Tenant, newRun(w.Pull, w.Pull.HeadSHA, "auto"))
		testkit.OK(t, err)
		testkit.Equal(t, "made", made, false)
		testkit.Equal(t, "run", run.ID, w.Run.ID)
		_, made, err = s.CreateRun(bg, w.Tenant, newRun(w.Pull, w.Pull.HeadSHA, "cmd:1"))
		testkit.OK(t, err)
		testkit.Equal(t, "made with another key", made, true)
		steps := must2(s.Transitions(bg, w.Tenant, w.Run.ID))(t)
		testkit.Require(t, "transitions", len(steps), 1)
		testkit.Equal(t, "first transition", steps[0].From+">"+steps[0].To, ">queued")
		_, _, err = s.CreateRun(bg, w.Tenant, store.Run{Repository: w.Repository.ID, PullRequest: "pr_none", Number: 9, HeadSHA: "x", TriggerKey: "auto"})
		wantKind(t, err, errs.NotFound)
	})
}

func TestWhoAskedForARun(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for i, how := range []domain.AskedHow{domain.AskedByEvent, domain.AskedByCommand, domain.AskedByRerun, domain.AskedByRequest, domain.AskedBySweep} {
			run := newRun(w.Pull, w.Pull.HeadSHA, fmt.Sprint("cmd:", i))
			run.Asker = domain.Asker{How: how, UserID: "usr_1", Name: strings.Repeat("é", 300)}
			made, _, err := s.CreateRun(bg, w.Tenant, run)
			testkit.OK(t, err)
			testkit.Equal(t, "returned", made.Asker.How, how)
			testkit.Equal(t, "kept", must2(s.Run(bg, w.Tenant, made.ID))(t).Asker, domain.Asker{How: how, UserID: "usr_1", Name: strings.Repeat("é", 100)})
		}
		testkit.Equal(t, "where it is not known", must2(s.Run(bg, w.Tenant, w.Run.ID))(t).Asker, domain.Asker{})
		unknown := newRun(w.Pull, w.Pull.HeadSHA, "cmd:strange")
		unknown.Asker.How = "guess"
		if _, _, err := s.CreateRun(bg, w.Tenant, unknown); err == nil {
			t.Error("a run was asked for in a way that there is not")
		}
	})
}

func TestMoveRun(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		move := func(from, to domain.RunState) bool {
			t.Helper()
			return must2(s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: from, To: to, Cause: "test", Reason: strings.Repeat("r", 3000)}))(t)
		}
		testkit.Equal(t, "queued to running", move(domain.RunQueued, domain.RunRunning), true)
		testkit.Equal(t, "queued to running again", move(domain.RunQueued, domain.RunRunning), false)
		for _, to := range []domain.RunState{domain.RunQueued, domain.RunCompleted, domain.RunRunning} {
			if _, err := s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: domain.RunRunning, To: to}); err == nil {
				t.Errorf("running to %s was allowed", to)
			}
		}
		testkit.Equal(t, "running to publishing", move(domain.RunRunning, domain.RunPublishing), true)
		testkit.Equal(t, "publishing to completed", move(domain.RunPublishing, domain.RunCompleted), true)
		r := must2(s.Run(bg, w.Tenant, w.Run.ID))(t)
		if r.StartedUS < r.CreatedUS || r.FinishedUS < r.StartedUS || len(r.Reason) != 2000 {
			t.Fatalf("%+v", r)
		}
		var got []string
		for i, step := range must2(s.Transitions(bg, w.Tenant, w.Run.ID))(t) {
			testkit.Equal(t, "seq", step.Seq, int64(i+1))
			got = append(got, step.To)
		}
		if want := []string{"queued", "running", "publishing", "completed"}; !slices.Equal(got, want) {
			t.Fatalf("got %v", got)
		}
	})
}

func TestSeePullRequestInTheHostsOrder(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		see := func(us int64, head string) store.PullRequest {
			t.Helper()
			return must2(s.UpsertPullRequest(bg, w.Tenant, store.PullRequest{Repository: w.Repository.ID, Number: 1, Title: "T", HeadSHA: head, State: "open", HostUpdatedUS: us}))(t)
		}
		testkit.Equal(t, "newer", see(3000, "b").HeadSHA, "b")
		testkit.Equal(t, "older", see(2000, "c").HeadSHA, "b")
		testkit.Equal(t, "same time", see(3000, "d").HeadSHA, "d")
		testkit.Equal(t, "id", see(4000, "e").ID, w.Pull.ID)
		testkit.Equal(t, "author", see(4000, "e").Author, "mona")
	})
}

func TestNewerRun(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, err := s.NewerRun(bg, w.Tenant, w.Run)
		wantKind(t, err, errs.NotFound)
		b, _, err := s.CreateRun(bg, w.Tenant, newRun(w.Pull, "b", "auto"))
		testkit.OK(t, err)
		testkit.Equal(t, "newer", must2(s.NewerRun(bg, w.Tenant, w.Run))(t).ID, b.ID)
		_, err = s.NewerRun(bg, w.Tenant, b)
		wantKind(t, err, errs.NotFound)

		// Both have the same time of creation: exactly one of them counts as newer.
		raw(t, s, `UPDATE review_runs SET created_us = 5000`)
		newer := 0
		for _, id := range []string{w.Run.ID, b.ID} {
			if _, err := s.NewerRun(bg, w.Tenant, must2(s.Run(bg, w.Tenant, id))(t)); err == nil {
				newer++
			}
		}
		testkit.Equal(t, "runs that have a newer one", newer, 1)

		// A run that ended unpublished does not count.
		last := must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{Limit: 1}))(t)[0]
		must2(s.MoveRun(bg, w.Tenant, last.ID, store.RunMove{From: domain.RunQueued, To: domain.RunSkipped}))(t)
		for _, id := range []string{w.Run.ID, b.ID} {
			if id != last.ID {
				_, err := s.NewerRun(bg, w.Tenant, must2(s.Run(bg, w.Tenant, id))(t))
				wantKind(t, err, errs.NotFound)
			}
		}
	})
}

func TestLastRunOfHead(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for i, key := range []string{"auto:after:" + w.Run.ID, "cmd:1", "rerun:1"} {
			r := storetest.Run(t, s, w.Pull, key)
			raw(t, s, `UPDATE review_runs SET created_us = created_us + $1 WHERE id = $2`, int64(i+1)*1000, r.ID)
		}
		testkit.Equal(t, "last", must2(s.LastRunOfHead(bg, w.Tenant, w.Pull.ID, w.Pull.HeadSHA))(t).TriggerKey, "auto:after:"+w.Run.ID)
		_, err := s.LastRunOfHead(bg, w.Tenant, w.Pull.ID, "other")
		wantKind(t, err, errs.NotFound)
		testkit.Require(t, "open", len(must2(s.OpenRuns(bg, w.Tenant, w.Pull.ID, w.Run.ID))(t)), 3)
	})
}

func TestModelWindowIsSetOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		left := must2(s.StartModelWindow(bg, w.Tenant, w.Run.ID, time.Hour))(t)
		testkit.Equal(t, "left", left, time.Hour)
		raw(t, s, `UPDATE review_runs SET model_deadline_us = model_deadline_us - 1800000000`)
		left = must2(s.StartModelWindow(bg, w.Tenant, w.Run.ID, 2*time.Hour))(t)
		if left > 30*time.Minute || left < 29*time.Minute {
			t.Fatalf("a retry got %v", left)
		}
		raw(t, s, `UPDATE review_runs SET model_deadline_us = {now} - 1000000`)
		if left = must2(s.StartModelWindow(bg, w.Tenant, w.Run.ID, time.Hour))(t); left >= 0 {
			t.Fatalf("a window that is over has %v left", left)
		}
	})
}

func TestStageResultsFirstWins(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, there, err := s.StageResult(bg, w.Tenant, w.Run.ID, "generate", "h")
		testkit.OK(t, err)
		testkit.Equal(t, "there", there, false)
		testkit.OK(t, s.SaveStageResult(bg, w.Tenant, w.Run.ID, "generate", "h", []byte("one")))
		testkit.OK(t, s.SaveStageResult(bg, w.Tenant, w.Run.ID, "generate", "h", []byte("two")))
		testkit.OK(t, s.SaveStageResult(bg, w.Tenant, w.Run.ID, "generate", "other input", []byte("three")))
		out, there, err := s.StageResult(bg, w.Tenant, w.Run.ID, "generate", "h")
		testkit.OK(t, err)
		testkit.Equal(t, "result", string(out), "one")
		testkit.Equal(t, "there", there, true)
		wantKind(t, s.SaveStageResult(bg, w.Tenant, "run_none", "generate", "h", []byte("x")), errs.NotFound)
	})
}

func TestRunFields(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		testkit.Equal(t, "progress of an open run", must2(s.SetRunProgress(bg, w.Tenant, w.Run.ID, `{"done":1}`))(t), true)
		testkit.OK(t, s.SetRunBase(bg, w.Tenant, w.Run.ID, "base", "merge", "e1", "p1"))
		testkit.OK(t, s.SetRunResult(bg, w.Tenant, w.Run.ID, "deep", "ok", `{"files":2}`))
		r := must2(s.RunForWork(bg, w.Run.ID))(t)
		testkit.Equal(t, "fields", strings.Join([]string{r.Progress, r.BaseSHA, r.MergeBase, r.EngineVersion + r.PromptHash, r.Tier, r.ModelState, r.Summary}, " "), `{"done":1} base merge e1p1 deep ok {"files":2}`)
		testkit.Equal(t, "progress of an unknown run", must2(s.SetRunProgress(bg, w.Tenant, "run_none", "{}"))(t), false)
		wantKind(t, s.SetRunBase(bg, w.Tenant, "run_none", "", "", "", ""), errs.NotFound)
		wantKind(t, s.SetRunResult(bg, w.Tenant, "run_none", "", "", "{}"), errs.NotFound)
		must2(s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled}))(t)
		testkit.Equal(t, "progress of an ended run", must2(s.SetRunProgress(bg, w.Tenant, w.Run.ID, `{"done":2}`))(t), false)
		testkit.Equal(t, "its progress", must2(s.RunForWork(bg, w.Run.ID))(t).Progress, `{"done":1}`)
	})
}

// Pages follow each other without a gap or a repetition, even if many runs were created at the same
// moment and while new ones are created.
func TestRunPages(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for i := range 10 {
			storetest.Run(t, s, w.Pull, "rerun:"+string(rune('a'+i)))
		}
		raw(t, s, `UPDATE review_runs SET created_us = CASE WHEN trigger_key < 'rerun:f' THEN 1000 ELSE 2000 END`)
		var seen []string
		f := store.RunFilter{Limit: 3}
		for {
			page := must2(s.Runs(bg, w.Tenant, w.Repository.ID, f))(t)
			if len(page) == 0 {
				break
			}
			for _, r := range page {
				seen = append(seen, r.ID)
			}
			last := page[len(page)-1]
			f.Before = store.Cursor{US: last.CreatedUS, ID: last.ID}
			storetest.Run(t, s, w.Pull, "rerun:new"+last.ID)
		}
		testkit.Require(t, "runs seen", len(seen), 11)
		slices.Sort(seen)
		testkit.Require(t, "different runs seen", len(slices.Compact(seen)), 11)

		testkit.Require(t, "default page", len(must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{}))(t)), 15)
		testkit.Require(t, "running", len(must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{State: domain.RunRunning}))(t)), 0)
		testkit.Require(t, "another pull request", len(must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{Number: 2}))(t)), 0)
		testkit.Require(t, "recent", len(must2(s.RecentRuns(bg, 4))(t)), 4)
	})
}
