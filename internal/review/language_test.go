package review_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

var outsideCode, latinWord = regexp.MustCompile("`[^`]*`|<!--.*?-->|\\]\\([^)]*\\)"), regexp.MustCompile(`[A-Za-z]{3,}`)

// The policy's language reaches the host: in the review, in the check run, and in the check run of a
// skipped run.
func TestTheReviewIsInThePolicysLanguage(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"language":"ja-JP"}`)
		f.Models.Set(reviewtest.SilentModel)
		d := f.Deliver(f.Event("opened", "a"))
		body, check := f.Host.Visible()[0], f.Host.Check(d.RunID)
		japanese(t, body, "レビュー")
		japanese(t, check.Title.String()+"\n"+check.Summary.String(), "指摘")
		f.Policy(`{"language":"ja-JP","triggers":{"draft":false}}`)
		d = f.Deliver(f.Event("synchronize", "b", reviewtest.Drafted, func(p *codehost.PullRequest) { p.Title = "x" }))
		run, err := f.Store.Run(bg, f.World.Tenant, d.RunID)
		testkit.OK(t, err)
		testkit.Equal(t, "state", run.State, domain.RunSkipped)
		check = f.Host.Check(d.RunID)
		japanese(t, check.Title.String()+"\n"+check.Summary.String(), "ドラフト")
	})
}

func japanese(t *testing.T, text, word string) {
	t.Helper()
	if found := latinWord.FindAllString(outsideCode.ReplaceAllString(text, ""), -1); len(found) > 0 || !strings.Contains(text, word) {
		t.Errorf("%q in %s", found, text)
	}
}
