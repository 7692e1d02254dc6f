package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxWeighed is how many findings of an answer are held against the change (design choice). One with more was not
// made with care: its part does not count as reviewed.
const maxWeighed = 50

// readFindings reads an answer to a pass. Where findings are lost by their form, the
// part was not reviewed, whatever else the answer says. The synopsis is that of the same answer.
func (w *work) readFindings(ctx context.Context, asked ask.Question, ans ask.Answer, ps pass, c change.Chunk) (part, error) {
	p := ps.room
	for _, t := range c.Targets {
		asked.Paths = append(asked.Paths, t.File.Path)
	}
	got, err := ask.ReadOrRepair(ctx, w.Session, asked, ans, "findings", func(i int, f *candidate) string {
		if i >= maxWeighed {
			return ""
		}
		if why := cmp.Or(f.fit(ctx, p.set, p.src), f.misquotes(ctx, p.set, p.src)); why != "" {
			return fmt.Sprintf("finding %d: %s", i+1, why)
		}
		return ""
	})
	if err != nil {
		return part{}, err
	}
	out := part{Hunks: c.HunkIDs(), Candidates: append(got.Items, got.Unfit...), Bad: got.Bad}
	switch {
	case got.Cut:
		out.lose(c, whyBrokeOff)
	case got.Lost():
		out.lose(c, whyForm)
	case len(out.Candidates) > maxWeighed:
		out.lose(c, whyMore)
	}
	if ps.describes {
		out.Synopsis = w.readSynopsis(got.Answer)
	}
	return out, nil
}

// lose notes that a chunk was not reviewed whole, so that the next run looks at it again.
func (p *part) lose(c change.Chunk, why string) {
	p.addMissed(pathsWith(c, why))
	p.Torn = p.Hunks
}

// atMost keeps so many findings of an answer: the gravest, and among equally grave ones those that the model
// is surest about. It reports whether an important one is left out: of medium or unknown severity or above,
// and not the same as one that is kept.
func (p *part) atMost(n int) (grave bool) {
	if len(p.Candidates) <= n {
		return false
	}
	weight := func(c candidate) int {
		if s, ok := readSeverity(c.Severity); ok {
			return int(s)
		}
		return -1
	}
	slices.SortStableFunc(p.Candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(a.SelfDoubt, b.SelfDoubt))
	})
	var kept []candidate
	for _, c := range p.Candidates {
		switch {
		case slices.ContainsFunc(kept, c.Same):
		case len(kept) < n:
			kept = append(kept, c)
		default:
			w := weight(c)
			grave = grave || w < 0 || w >= int(domain.Medium)
		}
	}
	p.Candidates, p.Over = kept, len(p.Candidates)-len(kept)
	return grave
}

// markRepeats notes which candidates repeat the words of a tool.
func markRepeats(o *ask.Servers, candidates []candidate) {
	for i := range candidates {
		c := &candidates[i]
		texts := []string{c.Title, c.Trigger, c.Explanation}
		for _, e := range c.Evidence {
			texts = append(texts, e.Note)
		}
		if c.Fix != nil {
			texts = append(texts, c.Fix.New)
		}
		c.Repeats = o.Repeated(texts...)
	}
}
