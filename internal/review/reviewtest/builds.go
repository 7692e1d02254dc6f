package reviewtest

import (
	"context"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
)

// Builds are the jobs of a [Host]. Its fields are set while no work is under way.
type Builds struct {
	Jobs     map[string][]codehost.Job       // by commit; failed ones are failures with a log
	Others   map[string][]codehost.CIFailure // by commit: failures without a log
	Logs     map[domain.HostID]string        // of jobs; others are gone
	Required []string                        // checks that the host requires; nil: it does not tell
	Reads    int                             // of logs
}

var (
	_ codehost.CI              = (*Host)(nil)
	_ codehost.RequiredChecker = (*Host)(nil)
)

// Jobs implements [codehost.CI].
func (h *Host) Jobs(_ context.Context, _ codehost.Repo, commit string) ([]codehost.Job, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Builds.Jobs[commit], true, h.failed("jobs")
}

// JobLog implements [codehost.CI].
func (h *Host) JobLog(_ context.Context, _ codehost.Repo, job domain.HostID, read func(io.Reader) error) error {
	h.mu.Lock()
	h.Builds.Reads++
	text, there := h.Builds.Logs[job]
	err := h.failed("log")
	h.mu.Unlock()
	switch {
	case err != nil:
		return err
	case !there:
		return &codehost.Error{Class: codehost.ClassNotFound, Op: "log"}
	}
	return read(strings.NewReader(text))
}

// Failures implements [codehost.CI].
func (h *Host) Failures(_ context.Context, _ codehost.Repo, commit string) (list []codehost.CIFailure, whole bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, j := range h.Builds.Jobs[commit] {
		if codehost.IsFailure(j.Conclusion) {
			list = append(list, codehost.CIFailure{Key: "job/" + string(j.ID), Job: j.ID, Name: j.Name, Workflow: j.Workflow,
				Conclusion: j.Conclusion, URL: j.URL})
		}
	}
	return append(list, h.Builds.Others[commit]...), true, h.failed("failures")
}

// RequiredChecks implements [codehost.RequiredChecker].
func (h *Host) RequiredChecks(context.Context, codehost.Repo, string) (names []string, known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Builds.Required, h.Builds.Required != nil, h.failed("required checks")
}

// secretless returns a function that replaces the secrets of a text, as the service's last check does.
func secretless(s *check.Scanner) func(string) string {
	return func(text string) string {
		clean, err := check.NewRedactor(s).Clean(context.Background(), "", []byte(text))
		if err != nil {
			return "(not checked for secrets)"
		}
		return string(clean)
	}
}
