package render

import (
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/wording"
)

// forPrograms returns the verdict of the review for programs.
func (r *renderer) forPrograms() verdict.Verdict {
	open := slices.DeleteFunc(slices.Clone(r.open), r.waits)
	left := r.Result.Stats.Left
	left.LaterRounds = len(r.open) - len(open)
	v := verdict.Reviewed(open, len(r.Result.UnreviewedEnds()) == 0, left)
	v.Head, v.Run, v.Round = r.Run.HeadSHA, r.Run.ID, r.Run.Round
	return v
}

// waits reports whether a finding waits in the summary because a later round found it. A finding that fails the check does not.
func (r *renderer) waits(f domain.Finding) bool {
	return engine.Waits(f) && !r.Result.Fails(f, r.Policy)
}

// verdictEnds returns the ends of the summary and of the check run's text that hold the verdict for programs. A summary has it
// only if the host shows no text of a check.
func (r *renderer) verdictEnds() (summary, check markdown.Text) {
	check = r.forPrograms().Text()
	if r.Host.Outcome != codehost.OutcomeCheck {
		summary = r.fold(r.words.Say(wording.ForPrograms), check)
	}
	return summary, check
}

// waitingNote says how many findings wait in the summary because of the round. It is empty if none does.
func (r *renderer) waitingNote() markdown.Text {
	_, _, _, waiting := r.split()
	if len(waiting) == 0 {
		return markdown.Text{}
	}
	return r.words.Paragraph(r.words.Count(wording.LaterRounds, len(waiting)))
}
