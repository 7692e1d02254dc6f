// Package judge asks models what place and words do not tell: whether a finding
// and what is known of a change are the same defect, and whether the code bears out
// a finding that nothing known explains. What follows from the answers is counted
// by package score.
package judge

import (
	"context"
	"fmt"
	"sync"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// defaultCalls bounds the calls of a judge who is given no other bound.
const defaultCalls = 2000

// Answer is what one model said to one question.
type Answer struct {
	Says   string `json:"says"` // same, different, or a [score.Verdict]
	Reason string `json:"reason,omitempty"`
}

// Answers are known answers by the hash of model, effort, prompt and question. They
// are kept with a run, so that judging it again asks nothing that was answered.
// What no usable answer came to is not kept: it is asked again.
type Answers map[string]Answer

// Judge asks two models, or one. It may be used from several goroutines.
type Judge struct {
	first, second ask.Route
	seed          uint64
	maxCalls      int

	mu      sync.Mutex
	answers Answers
	cost    eval.Cost
	refused int // questions that the bound of calls left unasked
}

// Options are what a judge is made of.
type Options struct {
	// First answers every question, and breaks ties. Second answers whether pairs are
	// the same, and ought to be of another family of models; without a client First's
	// word decides.
	First, Second ask.Route
	Seed          uint64  // of the order of pairs, and of the two sides of each
	Answers       Answers // known ones; new ones are added; nil for none
	MaxCalls      int     // 0: [defaultCalls]
}

// New makes a judge. The error says that there is no first model.
func New(o Options) (*Judge, error) {
	if o.First.Client == nil {
		return nil, fmt.Errorf("a judge needs a model")
	}
	j := &Judge{first: o.First, second: o.Second, seed: o.Seed, answers: o.Answers, maxCalls: o.MaxCalls}
	if j.answers == nil {
		j.answers = Answers{}
	}
	if j.maxCalls <= 0 {
		j.maxCalls = defaultCalls
	}
	return j, nil
}

// Code reads the code of a head, from 0, as a model may see it: without secrets (see
// [check.RedactedSource]). nil where there is none at hand.
type Code func(head int) change.Source

// Outcome judges the published findings of one outcome. Errors are the context's,
// or that a model cannot be reached or refuses the key; what was answered before is
// kept. An answer that cannot be used is no error: what it was about is undecided.
func (j *Judge) Outcome(ctx context.Context, o eval.Outcome, code Code) (score.Judgement, error) {
	out := score.Judgement{Set: o.Case.Set, Case: o.Case.ID, Run: o.Run}
	pairs := pairsOf(o)
	out.Pairs = len(pairs)
	first, err := j.same(ctx, j.first, pairs)
	if err != nil {
		return out, err
	}
	decided := first
	if j.second.Client != nil {
		second, err := j.same(ctx, j.second, pairs)
		if err != nil {
			return out, err
		}
		if decided, err = j.settle(ctx, pairs, first, second, &out.Agreement); err != nil {
			return out, err
		}
	}
	explained := map[score.Ref]bool{}
	for i, p := range pairs {
		switch decided[i].Says {
		case saysSame:
			out.Same = append(out.Same, score.Same{Ref: p.ref, Golden: p.golden})
			explained[p.ref] = true
		case "":
			out.Undecided++
		}
	}
	return out, j.opinions(ctx, o, code, explained, &out)
}

// settle joins the answers of both judges: where they differ, the first is asked a
// third time, with both reasons.
func (j *Judge) settle(ctx context.Context, pairs []pair, first, second []Answer, count *score.Agreement) ([]Answer, error) {
	decided := make([]Answer, len(pairs))
	var ties []pair
	var at []int
	for i, p := range pairs {
		a, b := first[i].Says, second[i].Says
		switch {
		case a == "" || b == "":
			continue
		case a == b && a == saysSame:
			count.BothSame++
		case a == b:
			count.NeitherOne++
		case a == saysSame:
			count.FirstOnly++
		default:
			count.SecondOnly++
		}
		if a == b {
			decided[i] = first[i]
			continue
		}
		p.reasons = []string{first[i].Reason, second[i].Reason}
		ties, at = append(ties, p), append(at, i)
	}
	third, err := j.same(ctx, j.first, ties)
	for k, i := range at {
		decided[i] = third[k]
	}
	return decided, err
}

// Cost is what the judge's calls used so far; prices are not known here.
func (j *Judge) Cost() eval.Cost {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cost
}

// Unasked counts the questions that the bound of calls left unasked so far: what
// they were about is undecided.
func (j *Judge) Unasked() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.refused
}

// Answers returns a copy of what is known, to be kept with the run.
func (j *Judge) Answers() Answers {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make(Answers, len(j.answers))
	for k, a := range j.answers {
		out[k] = a
	}
	return out
}
