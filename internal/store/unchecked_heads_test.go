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
		raw(`UPDATE pull_requests SET updated_us = 1 WHERE id = $1`, w.Pull.ID)
		raw(`UPDATE review_runs SET created_us = 5 WHERE id = $1`, w.Run.ID)
		want := store.UncheckedHeads{Tenant: w.Tenant.ID, Repository: w.Repository.ID, Number: w.Pull.Number, WithRun: 1, SinceUS: 5}
		testkit.Equal(t, "without a check", of(), want)
		listed := must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Limit: 10}))(t)
		testkit.Equal(t, "in the list", listed[0].UncheckedUS, int64(5))
		must2(s.TakeHeadCheck(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Run: w.Run.ID, CheckID: "1"}, false))(t)
		testkit.Equal(t, "with a check", of(), store.UncheckedHeads{})
	})
}
