// Package verdicttest reads verdicts in tests, as docs/agents.md tells agents to.
package verdicttest

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/review/verdict"
)

// maxLine is the most bytes of the JSON.
const maxLine = 1000

// Parse finds the verdict in a text. It returns false if the text has no block, more than one, or one of another
// version.
func Parse(text string) (verdict.Verdict, bool) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	at := -1
	for i, l := range lines {
		if l != "```assay-verdict" {
			continue
		}
		if at >= 0 {
			return verdict.Verdict{}, false
		}
		at = i
	}
	if at < 0 || at+2 >= len(lines) || lines[at+2] != "```" || len(lines[at+1]) > maxLine {
		return verdict.Verdict{}, false
	}
	var v verdict.Verdict
	if err := json.Unmarshal([]byte(lines[at+1]), &v); err != nil || v.Version != verdict.Version {
		return verdict.Verdict{}, false
	}
	switch v.State {
	case verdict.Findings, verdict.Incomplete, verdict.Failed, verdict.Skipped, verdict.Clean:
		return v, true
	}
	return verdict.Verdict{}, false
}
