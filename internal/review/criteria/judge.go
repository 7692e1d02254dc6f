// Package criteria judges the acceptance criteria of tickets by the code at the head of a change. It asks a
// model about each criterion, weighs the answer by code that stands at the head, and keeps earlier verdicts
// whose evidence is unchanged.
//
// Words of the author prove nothing here: comments, texts and names that speak of the criteria do not count as
// code. The package knows no host and no database, and reads the tickets that it is given.
package criteria

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

// Bounds of one review (design choices).
const (
	criteriaOfCall = 10     // criteria of one conversation
	criteriaCalls  = 12     // conversations; criteria beyond them stay unclear, with that reason
	criterionLooks = 4      // calls of tools for each criterion of a conversation
	criterionRoom  = 16_000 // tokens of their results in a conversation
	maxCriterion   = 1_000  // characters
	maxReason      = 300    // characters of the reason of a verdict
	maxBacking     = 5      // places of a verdict
	maxTicketKey   = 64     // characters
)

// Ticket is what a review may show of a ticket.
type Ticket struct {
	Key      string `json:"key"`
	URL      string `json:"url,omitempty"`
	Title    string `json:"title,omitempty"` // "" if only the key is shown
	KeyOnly  bool   `json:"keyOnly,omitempty"`
	Unread   string `json:"unread,omitempty"` // why it could not be read, one sentence
	Criteria int    `json:"criteria"`         // how many were read
}

// ticket is a ticket with texts that are fit for prompts.
type ticket struct {
	Ticket
	kind, state string
	description string
	criteria    []domain.Criterion
}

// Outcome holds the tickets and the verdicts about their criteria, in their order.
type Outcome struct {
	Tickets []Ticket
	Checks  []domain.CriterionCheck
}

// tickets returns the tickets of the change, each key once. Only the key of a ticket that is marked KeyOnly
// goes any further.
func (j *Judge) tickets() (out []ticket) {
	for _, t := range j.Tickets {
		key := clip.Runes(j.plain(t.Key), maxTicketKey, "…")
		if key == "" || len(out) == domain.MaxTickets || slices.ContainsFunc(out, func(o ticket) bool { return o.Key == key }) {
			continue
		}
		n := ticket{Ticket: Ticket{Key: key, URL: t.URL, KeyOnly: t.KeyOnly}}
		switch {
		case t.KeyOnly:
			n.URL = ""
		case t.Unread != "":
			n.Unread = clip.Runes(j.plain(t.Unread), maxReason, "…")
		default:
			n.Title = clip.Runes(j.plain(t.Title), finding.MaxTitle*2, "…")
			n.kind, n.state = clip.Runes(j.plain(t.Type), maxTicketKey, "…"), clip.Runes(j.plain(t.State), maxTicketKey, "…")
			n.description = change.Cut(j.Redact(change.TidyProse(t.Description)), 2*change.MaxProse)
			for _, c := range t.Criteria[:min(len(t.Criteria), domain.MaxCriteria)] {
				if c.Text = clip.Runes(j.plain(c.Text), maxCriterion, "…"); c.Text != "" && c.ID != "" {
					n.criteria = append(n.criteria, c)
				}
			}
			n.Criteria = len(n.criteria)
		}
		out = append(out, n)
	}
	return out
}

// plain returns a text from outside as one line, without secrets of the change and without invisible
// characters.
func (j *Judge) plain(s string) string {
	return change.OneLine(j.Redact(change.TidyProse(strings.ToValidUTF8(s, ""))))
}

// Verdicts judges each criterion of the tickets by the head. A model that fails ends no review: criteria
// without a verdict are unclear, with the reason. The error is the context's.
func (j *Judge) Verdicts(ctx context.Context) (Outcome, error) {
	list := j.tickets()
	var jobs []*hearing
	var out Outcome
	for _, t := range list {
		out.Tickets = append(out.Tickets, t.Ticket)
	}
	var at []int // in the result, of each criterion that is due
	for i := range list {
		t := &list[i]
		var due []domain.Criterion
		for _, c := range t.criteria {
			check, kept := j.kept(ctx, t.Key, c)
			if !kept {
				check = domain.CriterionCheck{Ticket: t.Key, Criterion: c, Verdict: domain.CriterionUnclear,
					Reason: wording.English(wording.CriterionNoModel)}
				due = append(due, c)
				at = append(at, len(out.Checks))
			}
			out.Checks = append(out.Checks, check)
		}
		for part := range slices.Chunk(due, criteriaOfCall) {
			jobs = append(jobs, &hearing{ticket: t, criteria: part, at: at[:len(part)]})
			at = at[len(part):]
		}
	}
	route, ok := j.Models.Pick(ask.TierStrong)
	if !ok || len(jobs) == 0 {
		return out, ctx.Err()
	}
	j.Session.ReportProgress("criteria", 0, len(jobs))
	for _, over := range jobs[min(len(jobs), criteriaCalls):] {
		leaveUnclear(out.Checks, over, wording.CriterionMany)
	}
	jobs = jobs[:min(len(jobs), criteriaCalls)]
	j.begin(ctx, route, len(jobs))
	return out, j.hearAll(ctx, out.Checks, jobs)
}

// hearAll has the conversations. The first one runs alone, so that the others find their common beginning in
// the provider's cache.
func (j *Judge) hearAll(ctx context.Context, checks []domain.CriterionCheck, jobs []*hearing) error {
	done := 0
	var mu sync.Mutex // guards done and checks
	one := func(h *hearing) {
		var verdicts []judgement
		err := ask.Contained(func() (err error) {
			verdicts, err = j.hear(ctx, h)
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		done++
		for i, at := range h.at {
			check := &checks[at]
			switch {
			case err != nil:
				check.Reason = wording.English(whyUnjudged(err))
			default:
				v := verdicts[i]
				check.Verdict, check.Reason, check.Places, check.Basis = v.Verdict, v.Reason, v.Places, v.Basis
			}
		}
		if err != nil && ctx.Err() == nil {
			j.Logger.WarnContext(ctx, "criteria of a ticket not judged", slog.Int("criteria", len(h.criteria)),
				slog.String("class", ask.ErrorClass(err)))
		}
	}
	one(jobs[0])
	j.Session.ReportProgress("criteria", done, len(jobs))
	var group errgroup.Group
	group.SetLimit(ask.ParallelCalls)
	for _, h := range jobs[1:] {
		group.Go(func() error {
			if ctx.Err() == nil {
				one(h)
			}
			return nil
		})
	}
	_ = group.Wait()
	j.Session.ReportProgress("criteria", done, len(jobs))
	if ctx.Err() != nil {
		return fmt.Errorf("criteria: %w", ctx.Err())
	}
	return nil
}

// leaveUnclear gives the criteria of a conversation that is not held a reason.
func leaveUnclear(checks []domain.CriterionCheck, h *hearing, why wording.Key) {
	for _, at := range h.at {
		checks[at].Reason = wording.English(why)
	}
}

// whyUnjudged returns the reason for a conversation without a result.
func whyUnjudged(err error) wording.Key {
	switch {
	case errors.Is(err, ask.ErrBudget):
		return wording.CriterionBudget
	case errors.Is(err, ask.ErrTooLong):
		return wording.CriterionTooLong
	}
	return wording.CriterionNoAnswer
}
