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
// once more for quotes in the same conversation. It cannot change a verdict then: another verdict is not taken, and an error
// leaves the first answer as it is. Only the end of ctx is an error then.
func (w *work) judged(ctx context.Context, k checker, h ask.Reply, claims []claim) ([]verdict, error) {
	list, err := w.readVerdicts(ctx, h, claims)
	list = w.weighAll(h, claims, list)
	var said []string
	for _, v := range list {
		if v.Why != "" {
			said = append(said, fmt.Sprintf("%s (%s)", v.Claim, v.Said))
		}
	}
	_, unread := ask.ReadList[verdict](h.Answer, "verdicts") // after a repair, the conversation holds the first answer
	if err != nil || len(said) == 0 || unread != nil || h.Truncated || w.BudgetUsedUp() {
		return list, err
	}
	h.System = w.claimQuestion(k, claims, false).System
	again, err := w.Again(ctx, h, strings.TrimSpace(textOf("quotes", "{verdicts}", strings.Join(said, ", "))))
	var second []verdict
	if err == nil {
		second, err = w.readVerdicts(ctx, again, claims)
	}
	if err != nil {
		w.deps.Logger.InfoContext(ctx, "quotes were not given again", slog.Int("claims", len(said)), slog.Any("error", err))
		return list, ctx.Err()
	}
	for _, v := range w.weighAll(h, claims, second) {
		for i := range list {
			if first := &list[i]; first.Claim == v.Claim && first.Why != "" && first.Said == v.Said && v.Why == "" {
				first.Verdict, first.Why = v.Verdict, ""
				first.ConfirmingQuotes, first.RefutationQuote = v.ConfirmingQuotes, v.RefutationQuote
			}
		}
	}
	return list, nil
}

// weighAll weighs verdicts by the code that the conversation has shown.
func (w *work) weighAll(h ask.Reply, claims []claim, list []verdict) []verdict {
	out, says := make([]verdict, 0, len(list)), w.said
	for _, v := range list {
		words := []string{v.FinalExplanation, v.FinalTrigger}
		for _, d := range v.documents() {
			words = append(words, d.Note)
		}
		repeats := w.Servers.Repeated(v.FinalTitle, strings.Join(words, "\n"))
		v.Repeats, v.Reason, v.Looked = w.in.Public && repeats, "", lookedLines(h.Seen)
		if !repeats {
			v.Reason = change.Cut(change.OneLine(change.StripInvisible(v.FinalExplanation)), finding.MaxExplanation)
		}
		if n := claimIndex(claims, v); n >= 0 {
			c := claims[n]
			c.seen = slices.Concat(c.seen, h.Seen)
			v = c.weigh(v)
			if !c.intends(v, says) {
				v.Intended = "" // counts only with proof
			}
			if v.Intended == "" || !quotesWords(says, v.IntendedQuote) {
				v.IntendedQuote = ""
			}
		}
		out = append(out, v)
	}
	return out
}
