package codehosttest

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// testIssues checks that issues are read within the bounds, and that a pull request is not an issue.
func testIssues(t *testing.T, f *Fixture) {
	r, ok := codehost.IssueReaderOf(f.Host)
	if !ok {
		if f.OpenIssue != nil {
			t.Fatal("the fixture opens issues, and the adapter reads none")
		}
		t.Skip("the adapter reads no issues")
	}
	if f.OpenIssue == nil {
		t.Skip("this fixture cannot open issues; the fixture of the simulated host does")
	}
	ctx := t.Context()
	number := f.OpenIssue("Round the sum", "## Acceptance criteria\n\n- [ ] Half a cent is rounded up\n")
	got := must[codehost.Issue](t)(r.Issue(ctx, f.Repo, number))
	if got.Number != number || got.Title != "Round the sum" || !strings.Contains(got.Body, "- [ ] Half a cent is rounded up") || got.Cut ||
		!got.Open || !strings.Contains(got.URL, "/issues/") {
		t.Errorf("issue %+v", got)
	}
	long := must[codehost.Issue](t)(r.Issue(ctx, f.Repo, f.OpenIssue("Long", strings.Repeat("ä", codehost.MaxIssueBody))))
	if len(long.Body) > codehost.MaxIssueBody || len(long.Body) < codehost.MaxIssueBody-4 || !long.Cut {
		t.Errorf("a long body has %d bytes, cut %v", len(long.Body), long.Cut)
	}
	_, err := r.Issue(ctx, f.Repo, 9999)
	isClass(t, "no issue", err, codehost.ClassNotFound)
	_, err = r.Issue(ctx, f.Repo, 0)
	isClass(t, "no number", err, codehost.ClassInvalid)
	if f.Number != number {
		_, err = r.Issue(ctx, f.Repo, f.Number)
		isClass(t, "a pull request", err, codehost.ClassNotFound)
	}
}
