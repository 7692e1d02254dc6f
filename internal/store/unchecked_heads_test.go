package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An open head without a known check is listed with its repository, and no longer once it has one or is closed.
func TestUncheckedHeads(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		of := func() (out store.UncheckedHeads) {
			for _, h := range must2(s.UncheckedHeads(bg))(t) {
				if h.Repository == w.Repository.ID {
					out = h
				}
			}
			return out
		}
		testkit.Equal(t, "of the last minutes", of().WithRun, int64(0))
		raw(`UPDATE pull_requests SET created_us = 5 WHERE id = $1`, w.Pull.ID)
		testkit.Equal(t, "of an old pull request with a new run", of().WithRun, int64(0))
		raw(`UPDATE review_runs SET created_us = 5 WHERE id = $1`, w.Run.ID)
		must2(s.UpsertPullRequest(bg, w.Tenant, w.Pull))(t) // as each sweep does
		want := store.UncheckedHeads{Tenant: w.Tenant.ID, Repository: w.Repository.ID, Number: w.Pull.Number, WithRun: 1, SinceUS: 5}
		testkit.Equal(t, "without a check, stored again by a sweep", of(), want)
		older := storetest.PullRequest(t, s, w.Repository, w.Pull.Number-1)
		raw(`UPDATE pull_requests SET head_sha = 'another', host_updated_us = 1, created_us = 5 WHERE id = $1`, older.ID)
		want.WithoutRun = 1
		testkit.Equal(t, "the number is of the head with a run", of(), want)
		listed := must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Limit: 10}))(t)
		testkit.Equal(t, "in the list", listed[0].UncheckedUS, int64(5))
		must2(s.TakeHeadCheck(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Run: w.Run.ID, CheckID: "1"}, false))(t)
		want = store.UncheckedHeads{Tenant: w.Tenant.ID, Repository: w.Repository.ID, Number: older.Number, WithoutRun: 1, SinceUS: 1}
		testkit.Equal(t, "with a check", of(), want)
		raw(`UPDATE pull_requests SET state = 'closed' WHERE id = $1`, older.ID)
		testkit.Equal(t, "closed", of(), store.UncheckedHeads{})
	})
}
