package engine

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// judged returns the verdicts of an answer as far as their quotes prove them. If quotes prove nothing, the model is asked
// for them once more in the same conversation.
func (w *work) judged(ctx context.Context, k checker, h ask.Reply, claims []claim) ([]verdict, error) {
	list, err := w.readVerdicts(ctx, h, claims)
	list = w.weighAll(h, claims, list)
	var unproved []claim
	var said []string
	for _, v := range list {
		if n := claimIndex(claims, v); n >= 0 && v.Why != "" {
			unproved, said = append(unproved, claims[n]), append(said, fmt.Sprintf("%s (%s)", claims[n].ID, v.Said))
		}
	}
	if err != nil || len(unproved) == 0 || w.BudgetUsedUp() {
		return list, err
	}
	h.System = w.claimQuestion(k, claims, false).System
	again, err := w.Again(ctx, h, strings.TrimSpace(textOf("quotes", "{verdicts}", strings.Join(said, ", "))))
	var second []verdict
	if err == nil {
		second, err = w.readVerdicts(ctx, again, unproved)
	}
	if ask.IsFatal(err) && (ctx.Err() != nil || !w.in.WithoutVerifier) {
		return list, err
	}
	if err != nil { // the verdicts of the first answer stay as they are
		w.deps.Logger.InfoContext(ctx, "quotes were not given again", slog.Int("claims", len(unproved)), slog.Any("error", err))
		return list, nil
	}
	for _, v := range w.weighAll(h, unproved, second) {
		if v.Verdict == unread || v.Why != "" {
			continue
		}
		for i := range list {
			if list[i].Claim == v.Claim {
				list[i] = v
			}
		}
	}
	return list, nil
}

// weighAll weighs verdicts by the code that the conversation has shown.
func (w *work) weighAll(h ask.Reply, claims []claim, list []verdict) []verdict {
	out := make([]verdict, 0, len(list))
	for _, v := range list {
		repeats := w.Servers.Repeated(v.FinalTitle, v.FinalExplanation)
		if v.Repeats, v.Reason = w.in.Public && repeats, ""; !repeats {
			v.Reason = change.Cut(change.OneLine(change.StripInvisible(v.FinalExplanation)), finding.MaxExplanation)
		}
		if n := claimIndex(claims, v); n >= 0 {
			c := claims[n]
			c.seen = slices.Concat(c.seen, h.Seen)
			v = c.weigh(v)
		}
		out = append(out, v)
	}
	return out
}
