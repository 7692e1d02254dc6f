package gitlab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// With an external tracker, the host reports the keys of the issues that a merge request closes. Issues of
// the project are not included, and the list is bounded.
func TestLinkedIssues(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	ctx, repo := t.Context(), codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
	pull := s.open("topic", "half.go", simFile)
	l, ok := codehost.IssueLinkerOf(s.host(&codehosttest.Gate{}))
	if !ok {
		t.Fatal("the host lists no issues")
	}
	says := func(body string) []string {
		t.Helper()
		must(s.ctl.UpdatePull(ctx, named, pull.Number, shared.PullUpdate{Body: &body}))(t)
		return must(l.LinkedIssues(ctx, repo, pull.Number))(t)
	}
	const body = "Closes PAY-1 and fixes #4. See PAY-2. Resolves: ENG-3"
	if got := says(body); len(got) != 0 {
		t.Errorf("issues of the project: %q", got)
	}
	elsewhere := true
	s.change(named, simapi.RepoChange{Tracker: &elsewhere})
	if got := says(body); !slices.Equal(got, []string{"PAY-1", "ENG-3"}) {
		t.Errorf("issues %q", got)
	}
	var many strings.Builder
	for i := range 2 * codehost.MaxLinkedIssues {
		fmt.Fprintf(&many, "Closes PAY-%d\n", i+1)
	}
	if got := says(many.String()); len(got) != codehost.MaxLinkedIssues {
		t.Errorf("%d issues", len(got))
	}
	if _, err := l.LinkedIssues(ctx, repo, 9999); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("without issues: %v", err)
	}
	must(s.ctl.SetFault(ctx, shared.Fault{Path: "/closes_issues$", Action: shared.Respond, Status: 200, ReplyBody: `{"id":"PAY-1"}`}))(t)
	if _, err := l.LinkedIssues(ctx, repo, pull.Number); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("an answer that is not a list: %v", err)
	}
}
