// Package judge asks models about findings that places and words cannot decide: whether a finding and a
// known defect are the same, and whether the code supports an unexplained finding. Package score evaluates
// the answers.
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

// defaultCalls is the default bound of a judge's calls.
const defaultCalls = 2000

// Answer is one model's answer to one question.
type Answer struct {
	Says   string `json:"says"` // same, different, or a [score.Verdict]
	Reason string `json:"reason,omitempty"`
}

// Answers maps the hash of model, effort, prompt and question to a known answer. They are stored with a
// run, so that judging it again repeats no answered question. Unusable answers are not stored and are asked
// again.
type Answers map[string]Answer

// Judge asks one or two models. It is safe for concurrent use.
type Judge struct {
	first, second ask.Route
	seed          uint64
	maxCalls      int

	mu      sync.Mutex
	answers Answers
	cost    eval.Cost
	refused int // questions not asked because of the bound of calls
}

// Options configures a Judge.
type Options struct {
	// First answers every question, and breaks ties. Second also answers whether pairs are the same, and
	// should be of another family of models. Without a client for Second, First decides.
	First, Second ask.Route
	Seed          uint64  // seed of the order of pairs, and of the two sides of each
	Answers       Answers // known answers, to which new ones are added; may be nil
	MaxCalls      int     // 0 means [defaultCalls]
}

// New returns a Judge. It fails without a first model.
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

// Code returns the code of a head, from 0, without secrets (see [check.RedactedSource]), as models must not
// see them. It returns nil if the code is not available.
type Code func(head int) change.Source

// Outcome judges the published findings of one outcome. It fails with the context's error, or if a model is
// unavailable or refuses the key; it keeps the answers so far. An unusable answer is not an error: its pair
// or finding stays undecided.
func (j *Judge) Outcome(ctx context.Context, o eval.Outcome, code Code) (score.Judgement, error) {
	out := score.Judgement{Set: o.Case.Set, Case: o.Case.ID, Run: o.Run}
	pairs := pairsOf(o)
	out.Pairs = len(pairs)
	first, err := j.askPairs(ctx, j.first, pairs)
	if err != nil {
		return out, err
	}
	decided := first
	if j.second.Client != nil {
		second, err := j.askPairs(ctx, j.second, pairs)
		if err != nil {
			return out, err
		}
		if decided, err = j.breakTies(ctx, pairs, first, second, &out.Agreement); err != nil {
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

// breakTies joins the answers of both judges. If they differ, it asks the first one again with both reasons.
func (j *Judge) breakTies(ctx context.Context, pairs []pair, first, second []Answer, count *score.Agreement) ([]Answer, error) {
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
	third, err := j.askPairs(ctx, j.first, ties)
	for k, i := range at {
		decided[i] = third[k]
	}
	return decided, err
}

// Cost returns the judge's usage so far, without prices.
func (j *Judge) Cost() eval.Cost {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cost
}

// Unasked returns the number of questions not asked so far because of the bound of calls. Their pairs and
// findings stay undecided.
func (j *Judge) Unasked() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.refused
}

// Answers returns a copy of the known answers, to store with the run.
func (j *Judge) Answers() Answers {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make(Answers, len(j.answers))
	for k, a := range j.answers {
		out[k] = a
	}
	return out
}
