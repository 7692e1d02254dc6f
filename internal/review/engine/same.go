package engine

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

// maxQuestions bounds the pairs of one review of which a model is asked whether
// they are one defect.
const maxQuestions = 10

// pair is a candidate and an earlier finding of which neither place nor rule nor words
// decide whether they are one.
type pair struct {
	earlier, now domain.Finding
	stands       int // line at which the code of the earlier one stands, where the candidate is about a copy of it; else 0
}

type sameAnswer struct {
	Pair string `json:"pair"`
	Same bool   `json:"same"`
}

func sameSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"pairs": ask.Array(ask.Object(ask.Schema{"pair": ask.String, "same": ask.Boolean}))}))
}

func sameSystem(g ask.Guard) string {
	return ask.SystemText("same", textOf("same"), g, "", sameSchema())
}

// question is a candidate and an earlier finding, by their indexes.
type question struct{ item, known int }

// questions lists what is to be asked of candidates that no agreement has
// recognised: first each with the earlier finding at its place whose words are the
// likest, then with the next one, maxQuestions in all.
func questions(items []*finding.Item, all []earlier, out []int, used []bool, having map[string][]int, w world) (asked []question) {
	near := map[int][]int{}
	for i, it := range items {
		if out[i] >= 0 || it.Deterministic() {
			continue
		}
		for _, k := range slices.Concat(having[ofPath(it)], having[ofContext(it)], having[ofCode(it)], having[ofHunk(it)]) {
			e := &all[k]
			if !used[k] && !slices.Contains(near[i], k) && (standing(it, e) && meets(it, e) || instead(it, e) || gone(it, e) && (beside(it, e) || likeWords(it, e)) || sameCode(it, e) ||
				(asItWas(it, e) || copied(it, e, w)) && (sameKey(it, e) || likeWords(it, e))) {
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

// askSame completes the names that match gives by asking of what a place alone
// does not decide.
func askSame(ctx context.Context, w world, items []*finding.Item, all []earlier, out []int, used []bool, having map[string][]int) error {
	asked := questions(items, all, out, used, having, w)
	if len(asked) == 0 {
		return nil
	}
	pairs := make([]pair, len(asked))
	for i, q := range asked {
		it, e := items[q.item], &all[q.known]
		pairs[i] = pair{earlier: e.Finding, now: it.Finding}
		if copied(it, e, w) {
			pairs[i].stands = e.place.StartLine
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

// same lets the fast model say which pairs are one defect. Where it cannot be
// asked, none is; the error is the context's or a rejected effort.
func (w *work) same(ctx context.Context, pairs []pair) ([]bool, error) {
	out := make([]bool, len(pairs))
	route, ok := w.in.Models.Pick(ask.TierFast)
	if !ok {
		return out, nil
	}
	if !w.TakeConversations(1) {
		return out, nil
	}
	w.asked += len(pairs)
	route.MaxOutputTokens /= 4 // the answer is short; the rest is room for what a model reasons
	answers, err := w.session.same(ctx, route, pairs)
	switch {
	case ask.IsEffortRefused(err) || ctx.Err() != nil:
		return out, fmt.Errorf("same: %w", err)
	case err != nil:
		w.deps.Logger.WarnContext(ctx, "findings at known places count as new", slog.Int("pairs", len(pairs)), slog.Any("error", err))
	}
	for _, a := range answers {
		for i := range pairs {
			if ask.Label("p", a.Pair) == pairLabel(i) {
				out[i] = a.Same
			}
		}
	}
	return out, nil
}

func pairLabel(i int) string { return fmt.Sprintf("p%d", i+1) }

type sameKeyed struct{ Model, Effort, Body string }

func (s *session) same(ctx context.Context, r ask.Route, pairs []pair) ([]sameAnswer, error) {
	s.ReportProgress("same", 0, 1)
	var b strings.Builder
	for i, p := range pairs {
		fmt.Fprintf(&b, "=== pair %s at %s\n", pairLabel(i), change.CleanPath(p.now.Anchor.Path))
		writeReport(&b, "earlier", p.earlier)
		writeReport(&b, "now", p.now)
		if p.stands > 0 {
			fmt.Fprintf(&b, "note: code like that of the first report still stands at line %d; the second report is about line %d, which is new\n", p.stands, p.now.Anchor.StartLine)
		}
	}
	return ask.Stored(ctx, s.Session, "same", sameKeyed{r.Model, string(r.Effort), b.String()}, func() ([]sameAnswer, error) {
		ans, err := s.Ask(ctx, "same", r, sameSystem(s.Guard), []llm.Message{{Role: llm.User, Text: s.Guard.Wrap("pairs of reports", b.String())}}, sameSchema())
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
	fmt.Fprintf(b, "%s\n", change.Cut(change.OneLine(change.StripInvisible(f.Explanation)), maxTrigger))
	fence := change.Fence(f.Anchor.Quote)
	fmt.Fprintf(b, "code:\n%s\n%s\n%s\n", fence, change.ShowLines(f.Anchor.Quote), fence)
}
