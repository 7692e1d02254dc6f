package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of what is judged of tickets in one review (design choices).
const (
	criteriaOfCall = 10     // criteria of one conversation
	criteriaCalls  = 12     // conversations; what is beyond stays unclear, and is said
	criterionLooks = 4      // calls of tools for each criterion of a conversation
	criterionRoom  = 16_000 // tokens of their results in a conversation
	maxCriterion   = 1_000  // characters
	maxReason      = 300    // characters of what is said of a verdict
	maxBacking     = 5      // of a verdict
	maxTicketKey   = 64     // characters
)

// TicketSeen is what a review may show of a ticket.
type TicketSeen struct {
	Key      string `json:"key"`
	URL      string `json:"url,omitempty"`
	Title    string `json:"title,omitempty"` // "" where nothing but the key is shown
	KeyOnly  bool   `json:"keyOnly,omitempty"`
	Unread   string `json:"unread,omitempty"` // why it could not be read, one sentence
	Criteria int    `json:"criteria"`         // how many were read
}

// ticket is one with its texts fit for prompts.
type ticket struct {
	TicketSeen
	kind, state string
	description string
	criteria    []domain.Criterion
}

// tickets are the tickets of the change, each key once. Of those of which nothing but the
// key may be known nothing else goes any further from here.
func (w *work) tickets() (out []ticket) {
	for _, t := range w.in.Tickets {
		key := clip.Runes(w.plain(t.Key), maxTicketKey, "…")
		if key == "" || len(out) == domain.MaxTickets || slices.ContainsFunc(out, func(o ticket) bool { return o.Key == key }) {
			continue
		}
		n := ticket{TicketSeen: TicketSeen{Key: key, URL: t.URL, KeyOnly: t.KeyOnly}}
		switch {
		case t.KeyOnly:
			n.URL = ""
		case t.Unread != "":
			n.Unread = clip.Runes(w.plain(t.Unread), maxReason, "…")
		default:
			n.Title = clip.Runes(w.plain(t.Title), finding.MaxTitle*2, "…")
			n.kind, n.state = clip.Runes(w.plain(t.Type), maxTicketKey, "…"), clip.Runes(w.plain(t.State), maxTicketKey, "…")
			n.description = change.Cut(w.redact(change.TidyProse(t.Description)), 2*change.MaxProse)
			for _, c := range t.Criteria[:min(len(t.Criteria), domain.MaxCriteria)] {
				if c.Text = clip.Runes(w.plain(c.Text), maxCriterion, "…"); c.Text != "" && c.ID != "" {
					n.criteria = append(n.criteria, c)
				}
			}
			n.Criteria = len(n.criteria)
		}
		out = append(out, n)
	}
	return out
}

// plain is text from outside as one line, without secrets of the change and what nobody
// sees.
func (w *work) plain(s string) string {
	return change.OneLine(w.redact(change.TidyProse(strings.ToValidUTF8(s, ""))))
}

// judge says of each criterion of the tickets whether the head does it. No model that
// fails ends a review here: what nobody could judge is unclear, and says why. The error
// is the context's.
func (w *work) judge(ctx context.Context) error {
	list := w.tickets()
	var jobs []*hearing
	for _, t := range list {
		w.result.Tickets = append(w.result.Tickets, t.TicketSeen)
	}
	j := w.newJudge()
	w.result.CriterionChecks = nil
	var at []int // in the result, of each criterion that is due
	for i := range list {
		t := &list[i]
		var due []domain.Criterion
		for _, c := range t.criteria {
			check, kept := j.kept(ctx, t.Key, c)
			if !kept {
				check = domain.CriterionCheck{Ticket: t.Key, Criterion: c, Verdict: domain.CriterionUnclear, Reason: wording.English(wording.CriterionNoModel)}
				due = append(due, c)
				at = append(at, len(w.result.CriterionChecks))
			}
			w.result.CriterionChecks = append(w.result.CriterionChecks, check)
		}
		for part := range slices.Chunk(due, criteriaOfCall) {
			jobs = append(jobs, &hearing{ticket: t, criteria: part, at: at[:len(part)]})
			at = at[len(part):]
		}
	}
	route, ok := w.in.Models.Pick(ask.TierStrong)
	if !ok || len(jobs) == 0 {
		return ctx.Err()
	}
	w.ReportProgress("criteria", 0, len(jobs))
	for _, over := range jobs[min(len(jobs), criteriaCalls):] {
		w.unclear(over, wording.CriterionMany)
	}
	jobs = jobs[:min(len(jobs), criteriaCalls)]
	j.begin(ctx, route, len(jobs))
	return w.hearAll(ctx, j, jobs)
}

// hearAll has the conversations: the first alone, so that the others find what all begin
// with in the provider's cache.
func (w *work) hearAll(ctx context.Context, j *judge, jobs []*hearing) error {
	done := 0
	var mu sync.Mutex // guards done and the checks of the result
	one := func(h *hearing) {
		verdicts, err := j.hear(ctx, h)
		mu.Lock()
		defer mu.Unlock()
		done++
		for i, at := range h.at {
			check := &w.result.CriterionChecks[at]
			switch {
			case err != nil:
				check.Reason = wording.English(whyUnjudged(err))
			default:
				v := verdicts[i]
				check.Verdict, check.Reason, check.Places, check.Basis = v.Verdict, v.Reason, v.Places, v.Basis
			}
		}
		if err != nil && ctx.Err() == nil {
			w.deps.Logger.WarnContext(ctx, "criteria of a ticket not judged", slog.Int("criteria", len(h.criteria)), slog.String("class", ask.ErrorClass(err)))
		}
	}
	one(jobs[0])
	w.ReportProgress("criteria", done, len(jobs))
	var group errgroup.Group
	group.SetLimit(parallelCalls)
	for _, h := range jobs[1:] {
		group.Go(func() error {
			if ctx.Err() == nil {
				one(h)
			}
			return nil
		})
	}
	_ = group.Wait()
	w.ReportProgress("criteria", done, len(jobs))
	if ctx.Err() != nil {
		return fmt.Errorf("criteria: %w", ctx.Err())
	}
	return nil
}

// unclear says why criteria were not judged.
func (w *work) unclear(h *hearing, why wording.Key) {
	for _, at := range h.at {
		w.result.CriterionChecks[at].Reason = wording.English(why)
	}
}

// whyUnjudged is why a conversation has come to nothing.
func whyUnjudged(err error) wording.Key {
	switch {
	case errors.Is(err, ask.ErrBudget):
		return wording.CriterionBudget
	case errors.Is(err, ask.ErrTooLong):
		return wording.CriterionTooLong
	}
	return wording.CriterionNoAnswer
}

// CriteriaJudged is what [Engine.Criteria] has found.
type CriteriaJudged struct {
	Tickets []TicketSeen
	Checks  []domain.CriterionCheck
	// Redact replaces the secrets that the change holds by placeholders.
	Redact func(text string) string
}

// Criteria judges the criteria of the tickets alone, as a review does at its end, and
// reviews nothing. Input and errors are those of [Engine.Review], but that a model that
// fails is no error.
func (e *Engine) Criteria(ctx context.Context, in Input) (CriteriaJudged, error) {
	p, err := e.prepare(ctx, in)
	if err != nil {
		return CriteriaJudged{}, err
	}
	defer p.found.Close()
	if err := p.judge(ctx); err != nil {
		return CriteriaJudged{}, err
	}
	return CriteriaJudged{Tickets: p.result.Tickets, Checks: p.result.CriterionChecks, Redact: p.redact}, nil
}
