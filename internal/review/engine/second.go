package engine

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxSecond is how many conversations of a review give second opinions (design
// choice: few claims are grave and undecided).
const maxSecond = 6

// second asks somebody else about claims that are grave and that the verifier could
// neither prove nor disprove: the model of another tier, or the same one where there
// is no other, which is asked to refute them. Without an answer they stay as they are;
// only the end of the context is an error.
func (w *work) second(ctx context.Context, first checker, items []*finding.Item) error {
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
	k.route, k.prompt, k.most = w.in.Models.SecondOpinion(first.route), "refute", maxSecond
	if _, err := w.verifyItems(ctx, k, open); err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.deps.Logger.WarnContext(ctx, "no second opinion", slog.Int("claims", len(open)), slog.Any("error", err))
	}
	for _, it := range open {
		verdict, alone := together(domain.VerdictUnproven, it.Verdict)
		if verdict == domain.VerdictUnproven {
			*it = before[it]
			continue
		}
		it.Verdict, it.Alone = verdict, alone
	}
	return nil
}

// together is what two verdicts come to, each of them proved or unproven; the second
// is "" where nobody else was asked. Alone says that one has confirmed and the other
// has not: such a finding is shown in the summary at most.
func together(first, second domain.Verdict) (verdict domain.Verdict, alone bool) {
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
