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
	Jobs        map[string][]codehost.Job       // by commit; failed ones are failures with a log
	Others      map[string][]codehost.CIFailure // by commit: failures without a log
	Logs        map[domain.HostID]string        // of jobs; others are gone
	Required    []string                        // checks that the host requires; nil: it does not tell
	AllRequired bool                            // the host requires every job that must not fail
	Reads       int                             // of logs
	Open        int                             // results of other systems that have not ended
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

// Results implements [codehost.CI].
func (h *Host) Results(_ context.Context, _ codehost.Repo, commit string) (out codehost.CIResults, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out.Whole, out.Open = true, h.Builds.Open
	out.AddJobs(h.Builds.Jobs[commit])
	out.Failed = append(out.Failed, h.Builds.Others[commit]...)
	out.Bound()
	return out, h.failed("results")
}

// RequiredChecks implements [codehost.RequiredChecker].
func (h *Host) RequiredChecks(context.Context, codehost.Repo, string) (checks codehost.RequiredChecks, known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return codehost.RequiredChecks{Names: h.Builds.Required, All: h.Builds.AllRequired}, h.Builds.Required != nil || h.Builds.AllRequired, h.failed("required checks")
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
