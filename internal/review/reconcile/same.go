package reconcile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxQuestions bounds the pairs that one review asks a model about.
const maxQuestions = 10

// Pair is a candidate and an earlier finding that neither place nor rule nor words can tell apart.
type Pair struct {
	Earlier, Now domain.Finding
	stands       int // line of the earlier code if the candidate is about a copy of it; else 0
}

type sameAnswer struct {
	Pair string `json:"pair"`
	Same bool   `json:"same"`
}

func SameSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"pairs": ask.Array(ask.Object(ask.Schema{"pair": ask.String, "same": ask.Boolean}))}))
}

func sameSystem(g ask.Guard) string {
	return ask.SystemText("same", textOf("same"), g)
}

// question is a candidate and an earlier finding, by their indexes.
type question struct{ item, known int }

// questions lists the pairs to ask about, at most maxQuestions, for candidates that no agreement has
// recognised: first each with the likest earlier finding at its place, then with the next one.
func questions(items []*finding.Item, all []earlier, out []int, used []bool, having map[string][]int, w world) (asked []question) {
	near := map[int][]int{}
	for i, it := range items {
		if out[i] >= 0 || it.Deterministic() {
			continue
		}
		for _, k := range slices.Concat(having[ofPath(it)], having[ofContext(it)], having[ofCode(it)], having[ofHunk(it)]) {
			e := &all[k]
			if !used[k] && !slices.Contains(near[i], k) && mayBe(it, e, w) {
				near[i] = append(near[i], k)
			}
		}
		slices.SortStableFunc(near[i], func(a, b int) int { return cmp.Compare(all[b].likeness(it), all[a].likeness(it)) })
	}
	for rank := 0; ; rank++ {
		before := len(asked)
		for i := range items {
			if rank >= len(near[i]) {
				continue
			}
			if len(asked) == maxQuestions {
				return asked
			}
			asked = append(asked, question{i, near[i][rank]})
		}
		if len(asked) == before {
			return asked
		}
	}
}

// mayBe reports whether a candidate may be an earlier finding that no agreement has recognised.
func mayBe(it *finding.Item, e *earlier, w world) bool {
	switch {
	case standing(it, e) && meets(it, e), instead(it, e), sameCode(it, e):
		return true
	case gone(it, e) && (beside(it, e) || likeWords(it, e)):
		return true
	}
	return (asItWas(it, e) || copied(it, e, w)) && (sameKey(it, e) || likeWords(it, e))
}

// askSame asks about pairs that agree by place alone, and adds the answers to those of match.
func askSame(ctx context.Context, w world, items []*finding.Item, all []earlier, out []int, used []bool, having map[string][]int) error {
	asked := questions(items, all, out, used, having, w)
	if len(asked) == 0 {
		return nil
	}
	pairs := make([]Pair, len(asked))
	for i, q := range asked {
		it, e := items[q.item], &all[q.known]
		pairs[i] = Pair{Earlier: e.Finding, Now: it.Finding}
		if copied(it, e, w) {
			pairs[i].stands = e.Place.StartLine
		}
	}
	same, err := w.same(ctx, pairs)
	for i, q := range asked {
		if i < len(same) && same[i] && out[q.item] < 0 && !used[q.known] {
			out[q.item], used[q.known] = q.known, true
		}
	}
	return err
}

// Asker asks the fast model whether two reports are one defect, for at most maxQuestions pairs in a review. It
// is not safe for concurrent use.
type Asker struct {
	Session *ask.Session
	Models  *ask.Models
	Logger  *slog.Logger

	asked int // pairs
}

// Left returns how many pairs the review may still ask about.
func (a *Asker) Left() int { return maxQuestions - a.asked }

// Same reports which pairs the fast model calls one defect. A pair is two if the model cannot be asked or does not answer, and
// beyond the bound of the review. The error is the context's or a rejected effort.
func (a *Asker) Same(ctx context.Context, pairs []Pair) ([]bool, error) {
	out := make([]bool, len(pairs))
	pairs = pairs[:min(len(pairs), a.Left())]
	route, ok := a.Models.Pick(ask.TierFast)
	if !ok || len(pairs) == 0 {
		return out, nil
	}
	if !a.Session.TakeConversations(1) {
		return out, nil
	}
	a.asked += len(pairs)
	route.MaxOutputTokens /= 4 // the answer is short; the rest is room for the model's reasoning
	answers, err := a.answers(ctx, route, pairs)
	switch {
	case ask.IsEffortRefused(err) || ctx.Err() != nil:
		return out, fmt.Errorf("same: %w", err)
	case err != nil:
		a.Logger.WarnContext(ctx, "findings at known places count as new", slog.Int("pairs", len(pairs)), slog.Any("error", err))
	}
	for _, said := range answers {
		for i := range pairs {
			if ask.Label("p", said.Pair) == pairLabel(i) {
				out[i] = said.Same
			}
		}
	}
	return out, nil
}

func pairLabel(i int) string { return fmt.Sprintf("p%d", i+1) }

type sameKeyed struct{ Model, Effort, Body string }

// answers asks about pairs in one call.
func (a *Asker) answers(ctx context.Context, r ask.Route, pairs []Pair) ([]sameAnswer, error) {
	s := a.Session
	s.ReportProgress("same", 0, 1)
	var b strings.Builder
	for i, p := range pairs {
		fmt.Fprintf(&b, "=== pair %s at %s\n", pairLabel(i), change.CleanPath(p.Now.Anchor.Path))
		writeReport(&b, "earlier", p.Earlier)
		writeReport(&b, "now", p.Now)
		if p.stands > 0 {
			fmt.Fprintf(&b, "note: code like that of the first report still stands at line %d; the second report is about line %d, which is new\n",
				p.stands, p.Now.Anchor.StartLine)
		}
	}
	return ask.Stored(ctx, s, "same", sameKeyed{r.Model, string(r.Effort), b.String()}, func() ([]sameAnswer, error) {
		messages := []llm.Message{{Role: llm.User, Text: s.Guard.Wrap("pairs of reports", b.String())}}
		ans, err := s.Ask(ctx, "same", r, sameSystem(s.Guard), messages, SameSchema())
		if err != nil {
			return nil, err
		}
		got, err := ask.ReadPart[sameAnswer](ans, "pairs")
		return got.Items, err
	})
}

// writeReport writes one report of a pair.
func writeReport(b *strings.Builder, which string, f domain.Finding) {
	fmt.Fprintf(b, "%s: %s\n", which, change.OneLine(change.StripInvisible(f.Title)))
	fmt.Fprintf(b, "%s\n", change.Cut(change.OneLine(change.StripInvisible(f.Explanation)), finding.MaxTrigger))
	fence := change.Fence(f.Anchor.Quote)
	fmt.Fprintf(b, "code:\n%s\n%s\n%s\n", fence, change.ShowLines(f.Anchor.Quote), fence)
}
