package render

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// The conclusions of a check run that we use.
const (
	Success = "success"
	Neutral = "neutral"
	Failure = "failure"
	Skipped = "skipped"
)

// conclusion decides the check run: secrets and violations of mandatory rules
// fail it always; a finding that holds fails it from the policy's severity on.
// A review that is incomplete is neutral at best, never green.
func (r *renderer) conclusion() string {
	for _, f := range r.open {
		if r.Result.Blocks(f.ID) {
			return Failure
		}
		holds := f.Verdict == domain.VerdictConfirmed || f.Origin.Deterministic()
		if on := r.Policy.Check.FailOn; on != nil && holds && f.Severity >= *on && f.Scope != "pre_existing" {
			return Failure
		}
	}
	if len(r.open) > 0 || r.degraded() {
		return Neutral
	}
	return Success
}

func (r *renderer) checkTitle() string {
	prefix := ""
	switch {
	case r.Result.ModelState == engine.ModelUnavailable:
		prefix = "Deterministic checks only: "
	case r.degraded():
		prefix = "Incomplete: "
	}
	if len(r.open) == 0 {
		if prefix != "" {
			return prefix + "nothing found so far"
		}
		return "Nothing found"
	}
	return fmt.Sprintf("%s%s: %s", prefix, count(len(r.open), "open finding"), r.bySeverity())
}

// maxUnread bounds the files that a check run names as not looked at.
const maxUnread = 20

// checkSummary is the summary with the files that it only counts.
func (r *renderer) checkSummary() string {
	unread := r.Result.Unread()
	if len(unread) == 0 {
		return r.summary()
	}
	lines := []string{"Not looked at by a model, or not whole:", ""}
	for i, f := range unread {
		if i == maxUnread {
			lines = append(lines, fmt.Sprintf("- and %s", count(len(unread)-i, "more file")))
			break
		}
		lines = append(lines, "- "+r.place(f.Path, 0, 0)+" ("+Line(r.raw(f.Why), 60)+")")
	}
	return r.summary() + "\n\n" + strings.Join(lines, "\n")
}
