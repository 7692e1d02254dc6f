package render

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
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

func (r *renderer) checkTitle() markdown.Text {
	var prefix markdown.Text
	switch {
	case r.Result.ModelState == engine.ModelUnavailable:
		prefix = markdown.Const("Deterministic checks only: ")
	case r.degraded():
		prefix = markdown.Const("Incomplete: ")
	}
	switch {
	case len(r.open) > 0:
		return markdown.Format("%s%s: %s", prefix, openFindings(len(r.open)), r.bySeverity())
	case prefix.Empty():
		return markdown.Const("Nothing found")
	}
	return markdown.Format("%snothing found so far", prefix)
}

// maxUnread bounds the files that a check run names as not looked at.
const maxUnread = 20

// checkSummary is the summary with the files that it only counts.
func (r *renderer) checkSummary() markdown.Text {
	unread := r.Result.Unread()
	if len(unread) == 0 {
		return r.summary()
	}
	var items []markdown.Text
	for i, f := range unread {
		if i == maxUnread {
			items = append(items, markdown.Format("and %s", markdown.Count(len(unread)-i, "more file", "more files")))
			break
		}
		items = append(items, markdown.Format("%s (%s)", r.place(f.Path, 0, 0), r.line(f.Why, maxWhy)))
	}
	return markdown.Blocks(r.summary(), markdown.Const("Not looked at by a model, or not whole:"), markdown.List(items...))
}
