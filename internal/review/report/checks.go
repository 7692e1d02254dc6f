package report

import (
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sarif"
)

// maxUnread is how many files a log of checks names that were not read.
const maxUnread = 50

// WriteChecks writes the findings of deterministic checks as SARIF 2.1.0. unread are files that a check did not read; with one, the
// run does not count as successful, so that no program takes a missing finding for a repaired one. redact replaces secrets.
func WriteChecks(w io.Writer, version string, found []domain.Finding, unread []string, redact func(string) string) error {
	clean := make([]domain.Finding, len(found))
	for i, f := range found {
		f.Title, f.Explanation, f.Trigger, f.Suggestion = redact(f.Title), redact(f.Explanation), redact(f.Trigger), nil
		f.Evidence = append([]domain.Evidence{}, f.Evidence...)
		for j := range f.Evidence {
			f.Evidence[j].Note, f.Evidence[j].Quote = redact(f.Evidence[j].Note), redact(f.Evidence[j].Quote)
		}
		clean[i] = f
	}
	run := runOf(version, clean)
	if len(unread) > 0 {
		names := unread[:min(len(unread), maxUnread)]
		run.Invocations[0].Successful = false
		run.Invocations[0].Notifications = []sarif.LogNotification{{Level: sarif.LevelError,
			Message: sarif.LogText{Text: plainText("A check did not read all of these files: " + redact(strings.Join(names, ", ")) + ".")}}}
	}
	return sarif.Log{Runs: []sarif.LogRun{run}}.Write(w)
}
