package mcpserver_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The text of get_ci_analysis has the evidence, the notes and the log, and marks each line that is cut.
func TestAssistantsReadFailedJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		o := newOffice(t, s)
		id, _, err := s.AddCIAnalysis(bg, o.Tenant, store.CIAnalysis{Record: store.Record{Repository: o.Repository.ID}, PullRequest: o.Run.PullRequest,
			Number: o.Run.Number, HeadSHA: o.Run.HeadSHA, Job: "test", Key: "job/test", Source: "job", Trigger: "failed", Facts: `["a.go:3: bad"]`})
		testkit.OK(t, err)
		_, err = s.MoveCI(bg, o.Tenant, id, domain.CIQueued, domain.CIRunning, "")
		testkit.OK(t, err)
		long := strings.Repeat("x", 900)
		_, err = s.SetCIResult(bg, o.Tenant, store.CIAnalysis{Record: store.Record{ID: id}, Facts: `["a.go:3: bad"]`, Cause: "TestHalf fails", Relation: domain.CICaused,
			Suggestion: "Divide by 2.", Method: domain.CIByModel, Evidence: `[{"source":"diff","path":"a.go","line":4,"text":"return n / 3"}]`,
			Notes: `["The end of the log is missing."]`, Log: store.JSON([]domain.CILogLine{{LeftOut: 6}, {Line: 7, Text: long}})})
		testkit.OK(t, err)
		c := o.assistant(o.caller(o.mona), nil)
		_, text := o.tool(c, "get_ci_analysis", map[string]any{"repository": o.Repository.ID, "analysis": id})
		for _, want := range []string{"TestHalf fails", "relation: caused", "suggestion: Divide by 2.", "diff a.go:4: return n / 3", "a.go:3: bad",
			"The end of the log is missing.", "… 6 lines left out …", "7: xxx", "x…\n"} {
			testkit.Equal(t, "has "+want, strings.Contains(text, want), true)
		}
		_, text = o.tool(c, "get_ci_analysis", map[string]any{"repository": o.Repository.ID, "pullRequest": o.Run.Number})
		testkit.Equal(t, "of the pull request", strings.Contains(text, "return n / 3") && !strings.Contains(text, "7: xxx"), true)
	})
}
