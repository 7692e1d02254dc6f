package dryrun

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// some returns a preview of a rule that applies to every file, and a change of n files.
func some(n, budget int) (*preview, []store.DiffFile) {
	files := make([]store.DiffFile, n)
	for i := range files {
		files[i].Path = fmt.Sprintf("f%d.go", i)
	}
	return &preview{Service: &Service{Config: Config{Scan: func(s string) string { return s }}}, out: &RulePreview{FilesAll: true}, rule: engine.Rule{}, budget: budget}, files
}

func TestRulePreviewListsAndCountsWithinBounds(t *testing.T) {
	p, files := some(maxPreviewListed+1, maxPreviewListed+1)
	p.files(context.Background(), "rep", files, domain.DefaultPolicy())
	testkit.Equal(t, "listed", len(p.out.Files), maxPreviewListed)
	testkit.Equal(t, "fitting", p.out.FilesFitting, maxPreviewListed+1)
	testkit.Equal(t, "all", p.out.FilesAll, true)
	p.files(context.Background(), "rep", files, domain.DefaultPolicy())
	testkit.Equal(t, "each counts once", p.out.FilesFitting, maxPreviewListed+1)

	found := make([]domain.Finding, maxPreviewFindings+1)
	for i := range found {
		found[i].Anchor.Path = "f1.go"
	}
	p.findings(store.Run{Repository: "rep"}, found)
	testkit.Equal(t, "listed findings", len(p.out.Findings), maxPreviewFindings)
	testkit.Equal(t, "findings", p.out.FindingsFitting, maxPreviewFindings+1)
}

func TestRulePreviewSaysWhereItStops(t *testing.T) {
	p, files := some(10, 4)
	p.files(context.Background(), "rep", files, domain.DefaultPolicy())
	testkit.Equal(t, "files within the bound", p.out.FilesSeen, 4)
	testkit.Equal(t, "all", p.out.FilesAll, false)
	p.findings(store.Run{Repository: "rep"}, []domain.Finding{{Anchor: domain.Anchor{Path: "f9.go"}}})
	testkit.Equal(t, "findings in files beyond", p.out.FindingsFitting, 0)

	p, files = some(10, 100)
	over, stop := context.WithCancel(context.Background())
	stop()
	p.files(over, "rep", files, domain.DefaultPolicy())
	testkit.Equal(t, "files when time is over", p.out.FilesSeen, 0)
	testkit.Equal(t, "all", p.out.FilesAll, false)
}

// The preview of an edited rule lists the findings that the edited rule would no longer report.
func TestRulePreviewKnowsTheFindingsOfTheRuleThatItReplaces(t *testing.T) {
	p, files := some(3, 10)
	p.rule.Paths, p.replaces = []string{"f1.go"}, "rul_1"
	p.files(context.Background(), "rep", files, domain.DefaultPolicy())
	in := func(path, rule string, known bool) domain.Finding {
		return domain.Finding{Anchor: domain.Anchor{Path: path}, RuleID: rule, Known: known}
	}
	p.findings(store.Run{ID: "run_1", Repository: "rep", Number: 7}, []domain.Finding{
		in("f1.go", "repo/rul_1", false), in("f2.go", "repo/rul_1", false), in("f2.go", "repo/rul_2", false), in("f1.go", "llm/x", false), in("f1.go", "llm/y", true), in("gone.go", "repo/rul_1", false),
	})
	testkit.Equal(t, "in its files", p.out.FindingsFitting, 2)
	testkit.Equal(t, "findings that would not be reported", p.out.FindingsReplaced, 1)
	testkit.Require(t, "listed", len(p.out.Findings), 3)
	testkit.Equal(t, "the lost finding", p.out.Findings[1].Replaced && !p.out.Findings[1].Fits, true)
}

func TestAMatcherIsNotTriedWithoutAReview(t *testing.T) {
	p, _ := some(0, 0)
	got, err := p.tryMatcher(context.Background(), nil)
	testkit.OK(t, err)
	testkit.Equal(t, "says why", got.Note, matcherNoReview)
}

// More matchers than there are places wait, and stop waiting when their request ends.
func TestMatchersAreTriedAFewAtATime(t *testing.T) {
	p := &preview{Service: New(Config{})}
	for range maxTrying {
		p.trying <- struct{}{}
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	_, err := p.matchHead(over, store.Repository{}, store.Run{}, domain.DefaultPolicy())
	testkit.Equal(t, "the request has ended", errors.Is(err, errTrying), true)
}
