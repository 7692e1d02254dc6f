package analytics_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A merged pull request is clean if no later head resolved a shown finding, and silent if no finding has a comment on a
// line. Silent reviews, pull requests that are not merged, and other tenants do not count.
func TestCleanChanges(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		empty, err := a.Repository(bg, w.Tenant, w.Repository.ID, "", "")
		testkit.OK(t, err)
		if c := empty.CleanChanges; c.Changes != 0 || c.Share != nil || c.Low != nil || c.High != nil {
			t.Errorf("without a merged pull request: %+v", c)
		}
		for i, c := range []struct{ pull, verdict, finding string }{
			{"merged", "success", ""}, {"merged", "success", ""}, {"merged", "neutral", ""}, // silent
			{"merged", "neutral", `state = 'open', comment_text = '7'`}, // a comment that changed nothing
			{"merged", "neutral", `state = 'dismissed', comment_text = '8'`},
			{"merged", "neutral", `state = 'open'`},                         // in the summary only
			{"merged", "success", `state = 'resolved', comment_text = '9'`}, // the review brought a change
			{"merged", "", ""}, // nothing was published
			{"open", "success", ""}, {"closed", "success", ""},
		} {
			p := storetest.PullRequest(t, s, w.Repository, 100+i)
			run := storetest.Run(t, s, p, "auto")
			raw(`UPDATE review_runs SET state = 'completed', finished_us = created_us, verdict = $2 WHERE id = $1`, run.ID, c.verdict)
			raw(`UPDATE pull_requests SET state = $2 WHERE id = $1`, p.ID, c.pull)
			if c.finding != "" {
				_, err := s.SaveRunFindings(bg, run, []domain.Finding{{Title: "a", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: fmt.Sprint(i)}}})
				testkit.OK(t, err)
				raw(`UPDATE findings SET posted_run = $1, `+c.finding+` WHERE exact = $2`, run.ID, fmt.Sprint(i))
			}
		}
		got, err := a.Repository(bg, w.Tenant, w.Repository.ID, "", "")
		testkit.OK(t, err)
		c := got.CleanChanges
		testkit.Equal(t, "counts", fmt.Sprint(c.Changes, " ", c.WithoutComment), "6 4")
		testkit.Equal(t, "share", fmt.Sprintf("%.3f, %.3f to %.3f", *c.Share, *c.Low, *c.High), "0.667, 0.300 to 0.903")
		other, err := a.Tenant(bg, w.Other.Tenant, "", "", "")
		testkit.OK(t, err)
		testkit.Equal(t, "of another tenant", other.CleanChanges.Changes, 0)
	})
}
