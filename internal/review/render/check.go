package render

import (
	"fmt"

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
// An incomplete review without findings is neutral, never green.
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
	switch r.Result.ModelState {
	case engine.ModelUnavailable:
		prefix = "Deterministic checks only: "
	case engine.ModelPartial:
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
