package render

import (
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/wording"
)

// forPrograms returns the verdict of the review for programs.
func (r *renderer) forPrograms() verdict.Verdict {
	v := verdict.Reviewed(r.open, !r.degraded(), r.Result.Stats.Left)
	v.Head, v.Run, v.Round = r.Run.HeadSHA, r.Run.ID, r.Run.Round
	return v
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
