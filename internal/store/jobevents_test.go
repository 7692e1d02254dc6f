package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestChangesOfTheLedgerAreAnnouncedAfterTheCommit(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		calls := 0
		stop := s.OnJobs(func() { calls++ })
		job := store.NewJob{Kind: domain.KindReflect, FairKey: "key", Subject: "sub", Dedup: "one"}
		claimed := func() store.Job {
			all := must2(s.JobsOf(bg, "sub"))(t)
			return must2(s.Claim(bg, all[0].ID, "worker", time.Minute))(t)
		}
		step := func(name string, want int, act func()) {
			t.Helper()
			calls = 0
			act()
			testkit.Equal(t, "announced by "+name, calls, want)
		}
		step("a transaction that is undone", 0, func() {
			undo := errors.New("undo")
			err := s.InTx(bg, func(ctx context.Context) error { return errors.Join(undo, ignore(s.Enqueue(ctx, job))) })
			testkit.Equal(t, "undone", errors.Is(err, undo), true)
		})
		step("a new job", 1, func() { testkit.OK(t, ignore(s.Enqueue(bg, job))) })
		step("a job that is there", 0, func() { testkit.OK(t, ignore(s.Enqueue(bg, job))) })
		j := claimed()
		step("a job that is given back", 1, func() { testkit.OK(t, ignore(s.SnoozeJob(bg, j.ID, j.Gen, store.Wait{}))) })
		j = claimed()
		step("a failure", 1, func() { testkit.OK(t, ignore(s.RetryJob(bg, j.ID, j.Gen, 0, 8, "no"))) })
		j = claimed()
		step("a job that can never succeed", 1, func() { testkit.OK(t, ignore(s.KillJob(bg, j.ID, j.Gen, "no"))) })
		step("a job that is driven again", 1, func() { testkit.OK(t, ignore(s.RedriveJob(bg, j.ID))) })
		j = claimed()
		step("a claim that is lost", 0, func() { testkit.OK(t, ignore(s.FinishJob(bg, j.ID, j.Gen-1))) })
		step("the end of a job", 1, func() { testkit.OK(t, ignore(s.FinishJob(bg, j.ID, j.Gen))) })
		stop()
		job.Dedup = "two"
		step("a store whose listener has stopped", 0, func() { testkit.OK(t, ignore(s.Enqueue(bg, job))) })
	})
}

// ignore returns the error of a call that also reports whether it changed a row.
func ignore(_ bool, err error) error { return err }
