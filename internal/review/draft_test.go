package review

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/testkit"
)

// The verdict counts the findings that the person who approves a review leaves out with those that people dismissed before.
func TestAVerdictCountsWhatAnApprovalLeavesOut(t *testing.T) {
	t.Parallel()
	finding := func(id string) domain.Finding {
		return domain.Finding{ID: id, Title: id, Severity: domain.High, State: domain.FindingOpen, Route: domain.RouteSummary}
	}
	result := engine.Result{ModelState: engine.ModelComplete, Findings: []domain.Finding{finding("fnd_a"), finding("fnd_b")}}
	result.Stats.Left = verdict.Left{Dismissed: 3}
	kept, err := json.Marshal(draft{Result: result, Run: render.Run{ID: "run_1", HeadSHA: "0123456789abcdef"}, Policy: domain.DefaultPolicy(),
		Host: codehost.Capabilities{Outcome: codehost.OutcomeCheck}})
	testkit.OK(t, err)
	s := New(Config{Scan: func(text string) string { return text }})
	result.Findings[1].State = domain.FindingDismissed
	decided, err := json.Marshal(draft{Result: result, Run: render.Run{ID: "run_1"}, Policy: domain.DefaultPolicy()})
	testkit.OK(t, err)
	if _, err := s.Rerender(string(decided), domain.ApprovalChanges{Drop: []string{"fnd_b"}}); err == nil {
		t.Error("a finding that the review does not show is left out, and counted once more")
	}
	for _, tt := range []struct {
		drop []string
		want string
	}{
		{nil, `\"left\":{\"dismissed\":3,`},
		{[]string{"fnd_a"}, `\"left\":{\"dismissed\":4,`},
		{[]string{"fnd_a", "fnd_b"}, `\"left\":{\"dismissed\":5,`},
	} {
		out, err := s.Rerender(string(kept), domain.ApprovalChanges{Drop: tt.drop})
		testkit.OK(t, err)
		if !strings.Contains(out.Body, tt.want) {
			t.Errorf("without %v: %s", tt.drop, out.Body)
		}
	}
}
