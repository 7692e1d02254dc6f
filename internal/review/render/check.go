package render

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// The conclusions of a check run that assay uses.
const (
	Success = "success"
	Neutral = "neutral"
	Failure = "failure"
	Skipped = "skipped"
)

// conclusion decides the check run. Secrets and violations of mandatory rules always fail it. A confirmed
// or deterministic finding fails it from the policy's severity on. An incomplete review is neutral at best,
// never green.
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
	found, clean := wording.TitleFound, wording.TitleClean
	switch {
	case r.Result.ModelState == engine.ModelUnavailable:
		found, clean = wording.TitleFoundChecks, wording.TitleChecks
	case r.degraded():
		found, clean = wording.TitleFoundIncomplete, wording.TitleIncomplete
	}
	if len(r.open) > 0 {
		return r.words.Say(found, r.openFindings(), r.bySeverity())
	}
	return r.words.Say(clean)
}

// maxUnread is how many unread files a check run names.
const maxUnread = 20

// unread names, for the check run, the files that the summary only counts.
func (r *renderer) unread() markdown.Text {
	unread := r.Result.Unread()
	if len(unread) == 0 {
		return markdown.Text{}
	}
	var items []markdown.Text
	for i, f := range unread {
		if i == maxUnread {
			items = append(items, r.words.Count(wording.MoreFiles, len(unread)-i))
			break
		}
		items = append(items, r.words.Say(wording.Aside, r.place(f.Path, 0, 0), r.translate(f.Why, wording.Reasons, maxWhy)))
	}
	return markdown.Blocks(r.words.Say(wording.NotLookedAt), markdown.List(items...))
}
