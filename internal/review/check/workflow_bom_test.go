package check

import (
	"strings"
	"testing"
)

// The host reads a workflow with a byte-order mark as one without, and so do the checks.
func TestAWorkflowWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	text := "on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n    - uses: actions/checkout@v4\n      with:\n        ref: ${{ github.event.pull_request.head.sha }}\n    - run: make\n"
	for _, mark := range []string{"", "\ufeff"} {
		if got := summary(run(t, ".github/workflows/a.yml", "", mark+text)); !strings.Contains(got, "ci-untrusted-checkout") {
			t.Errorf("with the mark %q: %s", mark, got)
		}
	}
}
