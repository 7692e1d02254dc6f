package reconcile

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// place is a further place of a finding, on one line.
func place(path string, line int, quote string) domain.Evidence {
	return domain.Evidence{Kind: domain.EvidencePlace, Path: path, Start: line, End: line, Quote: quote}
}

// The evidence of a report decides which one stays, not the further places that it names. The other's places are kept.
func TestFurtherPlacesProveNothingInAMerge(t *testing.T) {
	t.Parallel()
	proved, wide := about("a", "nil-deref", 10, 10), about("a", "nil-deref", 10, 10)
	proved.Evidence = []domain.Evidence{{Kind: "code", Path: "b.go", Start: 3, End: 3}}
	wide.Evidence = []domain.Evidence{place("c.go", 4, "c"), place("d.go", 5, "d")}
	items := []*finding.Item{{Finding: proved, Answer: 1}, {Finding: wide, Answer: 2}}
	kept, lost, err := Cluster(t.Context(), items)
	if err != nil || len(kept) != 1 || len(lost) != 1 || kept[0] != items[0] || len(kept[0].AlsoAt()) != 2 {
		t.Errorf("kept %+v, lost %+v, %v", kept, lost, err)
	}
}

// The most severe of the equal findings of a check stays, whatever their order.
func TestTheMostSevereFindingOfACheckStays(t *testing.T) {
	t.Parallel()
	withSeverity := func(s domain.Severity) *finding.Item {
		f := about("a", "x", 10, 10)
		f.Origin, f.RuleID, f.Severity = domain.OriginStatic, "assay/ci-permissions", s
		return &finding.Item{Finding: f}
	}
	for _, order := range [][]domain.Severity{{domain.Medium, domain.High}, {domain.High, domain.Medium}, {domain.Low, domain.High, domain.Medium}} {
		var items []*finding.Item
		for _, s := range order {
			items = append(items, withSeverity(s))
		}
		kept, lost, err := Cluster(t.Context(), items)
		if err != nil || len(kept) != 1 || kept[0].Severity != domain.High || len(lost) != len(order)-1 {
			t.Errorf("%v: kept %+v, lost %d, %v", order, kept, len(lost), err)
		}
	}
}

// Two reports of one answer about equal code outside the diff are one only if they say the same, because their fingerprint has neither
// lines nor words.
func TestEqualCodeOutsideTheDiffIsNotOneDefect(t *testing.T) {
	t.Parallel()
	at := func(title string, answer int) *finding.Item {
		f := about("print", "nil-deref", 0, 0)
		f.Anchor.Level, f.Title, f.Explanation = domain.AnchorFile, title, ""
		return &finding.Item{Finding: f, Answer: answer}
	}
	for name, c := range map[string]struct {
		items []*finding.Item
		want  int
	}{
		"other words, one answer": {[]*finding.Item{at("Reader is closed twice", 1), at("Cancelled order keeps its price", 1)}, 2},
		"like words, one answer":  {[]*finding.Item{at("Reader is closed twice", 1), at("The reader is closed twice", 1)}, 1},
		"other words, two passes": {[]*finding.Item{at("Reader is closed twice", 1), at("Cancelled order keeps its price", 2)}, 1},
	} {
		kept, _, err := Cluster(t.Context(), c.items)
		if err != nil || len(kept) != c.want {
			t.Errorf("%s: kept %d, want %d: %v", name, len(kept), c.want, err)
		}
	}
}
