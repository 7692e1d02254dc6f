package assistant

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/report"
)

// The findings that a session remembers are bounded in bytes, whatever they quote. The worst findings
// of a review are kept the longest, and a review keeps at most its listed findings.
func TestRememberedFindingsAreBounded(t *testing.T) {
	t.Parallel()
	d := &desk{explanations: map[string]explanation{}}
	review := func(name string, n, long int) {
		r := report.Report{Frames: map[string][]string{"a.go": strings.Split(strings.Repeat(strings.Repeat("y", 200)+"\n", 5000), "\n")}}
		for i := range n {
			r.Result.Findings = append(r.Result.Findings, domain.Finding{ID: fmt.Sprint(name, i), Title: "t", Explanation: strings.Repeat("x", long), Anchor: domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 1, EndLine: 1}})
		}
		if err := d.keep(r, r.Result.Findings); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, k := range d.explanations {
			sum += k.size()
		}
		if len(d.latest) != len(d.explanations) || len(d.explanations) > maxKept || d.bytes != sum || sum > maxBytes {
			t.Fatalf("%d findings in %d places, %d bytes that count as %d", len(d.explanations), len(d.latest), sum, d.bytes)
		}
	}
	review("a", 10, 100)
	if d.bytes > 20_000 {
		t.Errorf("ten short findings take %d bytes", d.bytes)
	}
	review("b", 1200, 30_000)
	if _, there := d.explanations["a0"]; there {
		t.Error("an old finding was kept although new ones had no room")
	}
	if _, worst := d.explanations["b0"]; !worst {
		t.Error("the worst finding is forgotten")
	}
	if _, least := d.explanations["b999"]; least {
		t.Error("one of the least is kept instead")
	}
	review("b", 1200, 10)
	if k := d.explanations["b0"]; len(k.value.Explanation) != 10 || len(d.explanations) != maxKept {
		t.Errorf("a review again: %d findings, the first of %d bytes", len(d.explanations), len(k.value.Explanation))
	}
}
