package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const onlyCheck = `{"cleanReview":"check"}`

// Under the policy check a clean change gets its check, and neither a review nor a comment. A finding gets its words,
// and the summary that it brought is edited when the change is clean again.
func TestACleanChangeGetsOnlyItsCheck(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(onlyCheck)
		f.Models.Set(reviewtest.SilentModel)
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
		testkit.Equal(t, "check", concluded(f, d.RunID), "success")
		testkit.Equal(t, "visible reviews of a clean change", len(f.Host.Visible()), 0)
		testkit.Equal(t, "edits", f.Host.Wrote("edit review"), 0)

		f.Snapshots.Lines[storetest.SHA("b")] = reviewtest.SecretLine()
		d = f.Deliver(f.Event("synchronize", "b"))
		testkit.Equal(t, "check of a finding", concluded(f, d.RunID), "failure")
		testkit.Require(t, "visible reviews of a finding", len(f.Host.Visible()), 1)
		before := f.Host.Visible()[0]

		d = f.Deliver(f.Event("synchronize", "c"))
		testkit.Equal(t, "check when it is clean again", concluded(f, d.RunID), "success")
		testkit.Require(t, "visible reviews when it is clean again", len(f.Host.Visible()), 1)
		if now := f.Host.Visible()[0]; now == before || !strings.Contains(now, storetest.SHA("c")[:7]) {
			t.Errorf("the summary was not edited: %s", now)
		}
	})
}

// An incomplete review is not clean: it gets its words. Without the setting a clean change gets a review.
func TestWhatIsNotCleanGetsAReview(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		play   func(f *reviewtest.Fixture)
	}{
		"by default":             {`{}`, func(f *reviewtest.Fixture) { f.Models.Set(reviewtest.SilentModel) }},
		"no model is configured": {onlyCheck, func(f *reviewtest.Fixture) { f.Models.Set(nil) }},
		"no model answered": {onlyCheck, func(f *reviewtest.Fixture) {
			f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
			f.Models.Set(func(int) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: llm.ClassCredential} })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Policy(c.policy)
				c.play(f)
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
				testkit.Equal(t, "visible reviews", len(f.Host.Visible()), 1)
			})
		})
	}
}
