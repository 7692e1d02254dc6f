package engine

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// CriteriaJudged is what [Engine.Criteria] has found.
type CriteriaJudged struct {
	Tickets []criteria.Ticket
	Checks  []domain.CriterionCheck
	// Redact replaces the secrets that the change holds by placeholders.
	Redact func(text string) string
}

// Criteria judges the criteria of the tickets alone, as a review does at its end, and
// reviews nothing. Input and errors are those of [Engine.Review], but that a model that
// fails is no error.
func (e *Engine) Criteria(ctx context.Context, in Input) (CriteriaJudged, error) {
	w, err := e.prepare(ctx, in)
	if err != nil {
		return CriteriaJudged{}, err
	}
	defer w.checks.Close()
	got, err := w.judge().Verdicts(ctx)
	if err != nil {
		return CriteriaJudged{}, err
	}
	return CriteriaJudged{Tickets: got.Tickets, Checks: got.Checks, Redact: w.redact}, nil
}

// judge returns the judge of the criteria of the change's tickets.
func (w *work) judge() *criteria.Judge {
	reads := w.newToolbox()
	if reads == nil {
		reads = lookup.NewReader(w.head())
	}
	return &criteria.Judge{Session: w.Session, Models: w.in.Models, Logger: w.deps.Logger, Set: w.set, Long: w.long,
		Policy: w.in.Policy, MergeBase: w.in.MergeBase,
		Tickets: w.in.Tickets, Earlier: w.in.EarlierChecks, Again: w.in.Full, Redact: w.redact, Symbol: w.symbol, Tools: w.newToolbox(),
		Reader: reads}
}

// judgeCriteria judges the criteria of the tickets.
func (w *work) judgeCriteria(ctx context.Context) error {
	got, err := w.judge().Verdicts(ctx)
	w.result.Tickets, w.result.CriterionChecks = got.Tickets, got.Checks
	return err
}
