package ci

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/testkit"
)

// headFile is the new version of the only file of a change.
type headFile string

// Blob implements [check.Source].
func (f headFile) Blob(_ context.Context, side domain.Side, _ string) ([]byte, error) {
	if side == domain.Left {
		return nil, fs.ErrNotExist
	}
	return []byte(f), nil
}

// The workflows of docs/ci.md have no fault that our own check of workflows knows, and pin each action by its commit.
func TestRecipes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/ci.md")
	testkit.OK(t, err)
	checks, err := check.New()
	testkit.OK(t, err)
	workflows := 0
	for part := range strings.SplitSeq(string(raw), "```yaml\n") {
		text, _, closed := strings.Cut(part, "```")
		if !closed || !strings.HasPrefix(text, "name:") {
			continue
		}
		workflows++
		var b strings.Builder
		fmt.Fprintf(&b, "diff --git a/.github/workflows/a.yml b/.github/workflows/a.yml\nnew file mode 100644\n--- /dev/null\n+++ b/.github/workflows/a.yml\n"+
			"@@ -0,0 +1,%d @@\n", strings.Count(text, "\n"))
		for line := range strings.Lines(text) {
			b.WriteString("+" + line)
		}
		set, err := diff.Parse([]byte(b.String()))
		testkit.OK(t, err)
		res, err := checks.Run(t.Context(), set, headFile(text), check.Options{Secrets: true, Static: true})
		testkit.OK(t, err)
		for _, f := range res.Findings {
			if f.RuleID == "assay/ci-permissions" && strings.Contains(f.Explanation, "security-events: write") { // docs/ci.md says for what
				continue
			}
			t.Errorf("%s in line %d: %s", f.RuleID, f.Anchor.StartLine, f.Explanation)
		}
	}
	testkit.Equal(t, "workflows", workflows, 2)
}
