package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// One job of a kind about a subject is open at a time. A second request for a waiting job makes it due
// immediately.
func TestAwaitedJobIsOne(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		first := must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1"))(t)
		claim := must2(s.Claim(bg, first.ID, "wrk_1", time.Minute))(t)
		running := must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1"))(t)
		if running.ID != first.ID || running.State != domain.JobRunning || running.Gen != claim.Gen {
			t.Fatalf("while it runs: %+v", running)
		}
		_, err := s.RetryJob(bg, first.ID, claim.Gen, time.Hour, 8, "down")
		testkit.OK(t, err)
		waiting := must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1"))(t)
		if waiting.ID != first.ID || waiting.RunUS > waiting.NowUS {
			t.Fatalf("while it waits: %+v", waiting)
		}
		claim = must2(s.Claim(bg, first.ID, "wrk_1", time.Minute))(t)
		_, err = s.FinishJob(bg, first.ID, claim.Gen)
		testkit.OK(t, err)
		for what, subject := range map[string]string{"after its end": "pcn_1", "about something else": "pcn_2"} {
			if again := must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, subject))(t); again.ID == first.ID || again.State != domain.JobQueued {
				t.Errorf("%s: %+v", what, again)
			}
		}
	})
}

// A job that was requested while it ran does not end then, but runs once more for all these requests.
// Requests before its claim do not make it run again.
func TestAwaitedJobIsAskedForAgain(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		ask := func() store.Job { return must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1"))(t) }
		ask()
		first := ask()
		claim := must2(s.Claim(bg, first.ID, "wrk_1", time.Minute))(t)
		if claim.AskedUS == 0 {
			t.Error("the claim does not record the request")
		}
		ask()
		ask()
		ends := func(gen int64, wantEnded, wantAgain bool) {
			t.Helper()
			ended, again, err := s.FinishUnasked(bg, first.ID, gen)
			testkit.OK(t, err)
			if ended != wantEnded || again != wantAgain {
				t.Errorf("generation %d: ended %v, again %v", gen, ended, again)
			}
		}
		ends(claim.Gen, false, true)
		ends(claim.Gen+1, false, false) // a claim that does not exist
		if held := must2(s.SnoozeJob(bg, first.ID, claim.Gen, store.Wait{}))(t); !held {
			t.Fatal("the claim was lost")
		}
		ends(claim.Gen, false, false)
		claim = must2(s.Claim(bg, first.ID, "wrk_1", time.Minute))(t)
		ends(claim.Gen, true, false)
		if later := ask(); later.ID == first.ID {
			t.Error("a job that has ended was given again")
		}
	})
}

// Only the current claim of a job writes its progress, which is bounded.
func TestAwaitedJobReportsProgress(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		job := must2(s.EnqueueAwaited(bg, w.Tenant, domain.KindSync, "pcn_1"))(t)
		progress := domain.JobProgress{Stage: "repositories", Done: 1, Total: 3}
		if held := must2(s.RecordProgress(bg, job.ID, 1, progress))(t); held {
			t.Error("progress was recorded without a claim")
		}
		claim := must2(s.Claim(bg, job.ID, "wrk_1", time.Minute))(t)
		held := must2(s.RecordProgress(bg, job.ID, claim.Gen, progress))(t)
		testkit.Equal(t, "held", held, true)
		notes := make([]string, domain.MaxJobNotes+1)
		held = must2(s.RecordOutcome(bg, job.ID, claim.Gen, domain.JobOutcome{Notes: notes}, strings.Repeat("é", 600)))(t)
		testkit.Equal(t, "held", held, true)
		got := must2(s.TenantJob(bg, w.Tenant, job.ID))(t)
		testkit.Equal(t, "progress", store.FromJSON[domain.JobProgress](got.Report.Progress), progress)
		outcome := store.FromJSON[domain.JobOutcome](got.Report.Outcome)
		if len(outcome.Notes) != domain.MaxJobNotes || outcome.Counts == nil || got.Report.Problem != strings.Repeat("é", 500) {
			t.Errorf("told %+v", got.Report)
		}
	})
}
