package review_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// events reads the bodies of the events of a kind, in any order, and checks that each has its job.
func events[T any](t *testing.T, url, kind string) (out []T) {
	t.Helper()
	rows := storetest.Dump(t, url)
	for _, row := range rows["events"] {
		if !strings.Contains(row, " "+kind+" ") {
			continue
		}
		var v T
		testkit.OK(t, json.Unmarshal([]byte(row[strings.IndexByte(row, '{'):strings.LastIndexByte(row, '}')+1]), &v))
		out = append(out, v)
		id := row[strings.Index(row, "evt_"):][:len("evt_")+26]
		if !slices.ContainsFunc(rows["jobs"], func(j string) bool { return strings.Contains(j, string(domain.KindEvent)+":"+id) }) {
			t.Errorf("the event %s has no job", id)
		}
	}
	return out
}

// A review leaves events for channels and browsers: one for its end, and one for new secrets.
func TestEventsOfReviews(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		t.Parallel()
		f := reviewtest.NewFixture(t, s)
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		f.Snapshots.Lines[storetest.SHA("b")] = reviewtest.SecretLine()
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")

		ended := events[domain.ReviewCompleted](t, url, domain.EventReviewCompleted)
		testkit.Require(t, "ends", len(ended), 2)
		slices.SortFunc(ended, func(a, b domain.ReviewCompleted) int { return strings.Compare(a.RunID, b.RunID) })
		if e := ended[0]; e.RunID != d.RunID || e.RepositoryID == "" || e.PullRequest == 0 || e.HeadSHA != storetest.SHA("a") || e.State != domain.RunCompleted || e.Findings != 1 || e.BySeverity["critical"] != 1 {
			t.Errorf("the end of the review is %+v", e)
		}
		found := events[domain.SecretFound](t, url, domain.EventSecretFound)
		if len(found) != 1 {
			t.Fatalf("%d events of one secret", len(found))
		}
		if e := found[0]; e.RunID != d.RunID || e.Count != 1 || len(e.Rules) != 1 || !strings.HasPrefix(e.Rules[0], "gitleaks/") || e.HeadSHA != storetest.SHA("a") {
			t.Errorf("the secret is told as %+v", e)
		}
		for _, row := range storetest.Dump(t, url)["events"] {
			if strings.Contains(row, "AKIA") {
				t.Errorf("a secret is in an event: %s", row)
			}
		}
	})
}

func TestEventOfAReviewThatFails(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		t.Parallel()
		f := reviewtest.NewFixture(t, s)
		f.Snapshots.Block(func(context.Context, string) error {
			return errs.New(errs.TooLarge, "snapshot_too_large", "The diff is larger than allowed.")
		})
		d := f.Deliver(f.Event("opened", "a"))
		failed := events[domain.ReviewFailed](t, url, domain.EventReviewFailed)
		if len(failed) != 1 || failed[0].RunID != d.RunID || failed[0].RepositoryID == "" || failed[0].State != domain.RunFailed || !strings.Contains(failed[0].Reason, "larger than allowed") {
			t.Errorf("failures %+v", failed)
		}
	})
}

// A review that the host refuses permanently has the same event as any other failure.
func TestEventOfAPublicationThatIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		t.Parallel()
		f := reviewtest.NewFixture(t, s)
		f.Host.Fail("create", &codehost.Error{Class: codehost.ClassInvalid})
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "failed")
		failed := events[domain.ReviewFailed](t, url, domain.EventReviewFailed)
		if len(failed) != 1 || failed[0].RunID != d.RunID || failed[0].Reason != domain.EndRefused.Words() {
			t.Errorf("failures %+v", failed)
		}
	})
}
