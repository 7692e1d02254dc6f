package engine

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxSecondOpinions is the maximum number of conversations of a review for second opinions (design choice: few claims
// are grave and undecided).
const maxSecondOpinions = 6

// secondOpinion asks for a second opinion about grave claims for which the verifier has no proof either way. It
// asks the model of another tier, or the same one if there is no other, and asks it to refute them. It gets the first
// verdict and its reason. A claim that both confirm is confirmed, also if only the second proves it. Claims
// without an answer stay as they are. Only the end of the context is an error.
func (w *work) secondOpinion(ctx context.Context, first checker, items []*finding.Item) error {
	var open []*finding.Item
	before := map[*finding.Item]finding.Item{}
	for _, it := range items {
		if it.Judged && !it.Resolves && it.Verdict == domain.VerdictUnproven && it.Severity >= domain.High {
			open = append(open, it)
			before[it] = *it
		}
	}
	if len(open) == 0 || w.BudgetUsedUp() {
		return nil
	}
	k := first
	k.route, k.prompt, k.maxConversations = w.in.Models.SecondOpinion(first.route), "refute", maxSecondOpinions
	if _, err := w.verifyItems(ctx, k, open); err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.deps.Logger.WarnContext(ctx, "no second opinion", slog.Int("claims", len(open)), slog.Any("error", err))
	}
	for _, it := range open {
		verdict, alone := joinVerdicts(domain.VerdictUnproven, it.Verdict)
		if verdict == domain.VerdictUnproven {
			*it = before[it]
			continue
		}
		it.Verdict, it.Alone = verdict, alone && before[it].Check.Said != verdict
	}
	return nil
}

// joinVerdicts joins two verdicts, each proved or unproven. The second is "" if no other model was asked. alone reports
// whether exactly one model confirms the finding, which then appears only in the summary.
func joinVerdicts(first, second domain.Verdict) (verdict domain.Verdict, alone bool) {
	const yes, no = domain.VerdictConfirmed, domain.VerdictRefuted
	switch {
	case second == "":
		return first, false
	case first == yes || second == yes:
		return yes, first != second
	case first == no || second == no:
		return no, false
	}
	return domain.VerdictUnproven, false
}
