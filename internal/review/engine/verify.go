package engine

import (
	"cmp"
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
	"github.com/assay-dev/assay/internal/llm"
)

const (
	batchSize    = 3  // claims of one call, in the same symbol
	maxBatches   = 30 // calls of one review; what is beyond stays unproven and is said
	verifyMargin = 60 // lines shown before and after a claim's place
)

// claim is one item with the code that the verifier sees.
type claim struct {
	ID    string    // c1, c2, … within a batch
	Text  string    // the whole block of the prompt
	shown []exhibit // code of the claimed file
	cited []exhibit // code of other files that was given as evidence
	it    *item
}

// verified is the outcome of the verification stage.
type verified struct {
	total, done int
	err         error
}

// verify lets a strong model check every item by itself: it sees the claim and
// the code, never the pull request's words or the generator's reasons. Items
// get their verdict; those without an answer are unproven. An error is fatal.
func (s *session) verify(ctx context.Context, r Route, items []*item, show func(context.Context, *item) claim) (verified, error) {
	batches := batch(items)
	out := verified{total: len(batches)}
	for _, it := range items {
		it.f.Verdict = domain.VerdictUnproven
	}
	if len(batches) > maxBatches {
		batches = batches[:maxBatches]
	}
	var mu sync.Mutex
	var stop error
	s.report("verify", 0, len(batches))
	var group errgroup.Group
	group.SetLimit(parallelCalls)
	finished := 0
	for _, b := range batches {
		group.Go(func() error {
			mu.Lock()
			stopped := stop
			mu.Unlock()
			if stopped != nil {
				return nil
			}
			err := s.verifyBatch(ctx, r, b, show)
			mu.Lock()
			defer mu.Unlock()
			finished++
			switch {
			case err == nil:
				out.done++
			case fatal(err) && stop == nil:
				stop = err
			default:
				out.err = err
				s.deps.Logger.WarnContext(ctx, "findings not verified", slog.Int("claims", len(b)), slog.Any("error", err))
			}
			s.report("verify", finished, len(batches))
			return nil
		})
	}
	_ = group.Wait()
	if stop != nil {
		return out, fmt.Errorf("verify: %w", stop)
	}
	return out, nil
}

// batch groups items of one symbol, at most batchSize each; the most serious
// groups come first.
func batch(items []*item) [][]*item {
	groups := map[string][]*item{}
	var order []string
	for _, it := range items {
		key := it.f.Anchor.Path + "\x00" + it.f.Anchor.Symbol
		if it.f.Anchor.Symbol == "" {
			key += "\x00" + it.f.Anchor.HunkID
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], it)
	}
	var out [][]*item
	for _, key := range order {
		for b := range slices.Chunk(groups[key], batchSize) {
			out = append(out, b)
		}
	}
	worst := func(b []*item) domain.Severity {
		return slices.MaxFunc(b, func(x, y *item) int { return cmp.Compare(x.f.Severity, y.f.Severity) }).f.Severity
	}
	slices.SortStableFunc(out, func(a, b []*item) int { return cmp.Compare(worst(b), worst(a)) })
	return out
}

type verifyKey struct{ Model, Effort, Tier, Language, Body string }

func (s *session) verifyBatch(ctx context.Context, r Route, items []*item, show func(context.Context, *item) claim) error {
	claims := make([]claim, len(items))
	var body strings.Builder
	for i, it := range items {
		c := show(ctx, it)
		c.ID, c.it = fmt.Sprintf("c%d", i+1), it
		claims[i] = c
		fmt.Fprintf(&body, "=== claim %s\n%s\n", c.ID, c.Text)
	}
	messages := []llm.Message{{Role: llm.User, Text: s.guard.wrap("claims and code", body.String())}}
	system := verifySystem(s.guard, s.in.Policy.Language)
	if len(items) > 1 && size(system, verdictSchema(), messages) > r.input() {
		return s.verifyEach(ctx, r, items, show)
	}
	key := verifyKey{r.Model, string(r.Effort), r.Tier, s.in.Policy.Language, body.String()}
	verdicts, err := stored(ctx, s, "verify", key, func() ([]verdict, error) {
		ans, err := s.ask(ctx, "verify", r, system, messages, verdictSchema())
		if err != nil {
			return nil, err
		}
		list, _, err := decodeList[verdict](ans.text, "verdicts")
		if err == nil {
			return list, nil
		}
		if !ans.truncated {
			repaired, again := s.repair(ctx, "verify", r, system, messages, ans, err, verdictSchema())
			if fatal(again) {
				return nil, again
			}
			if again == nil {
				if list, _, e := decodeList[verdict](repaired.text, "verdicts"); e == nil {
					return list, nil
				}
			}
		}
		if list = salvage[verdict](ans.text, "verdicts"); len(list) == 0 {
			return nil, fmt.Errorf("%w: %w", errAnswer, err)
		}
		return list, nil
	})
	if err != nil {
		if errors.Is(err, errTooLong) && len(items) > 1 {
			return s.verifyEach(ctx, r, items, show)
		}
		return err
	}
	for _, c := range claims {
		i := slices.IndexFunc(verdicts, func(v verdict) bool { return strings.TrimSpace(v.Claim) == c.ID })
		if i < 0 {
			c.it.f.VerdictWhy = "the verifier did not answer"
			continue
		}
		apply(c, verdicts[i])
	}
	return nil
}

// verifyEach verifies items one by one: together they are too long for the model.
func (s *session) verifyEach(ctx context.Context, r Route, items []*item, show func(context.Context, *item) claim) error {
	for _, it := range items {
		if err := s.verifyBatch(ctx, r, []*item{it}, show); err != nil {
			return err
		}
	}
	return nil
}

// apply takes a verdict over. Confirmed and refuted need a quote that proves it;
// without one the claim is unproven.
func apply(c claim, v verdict) {
	f := &c.it.f
	c.it.reach, c.it.senior = v.Reachable, v.WouldSeniorBlock
	switch v.Scope {
	case "introduced", "exacerbated", "pre_existing", "unrelated":
		f.Scope = v.Scope
	}
	switch domain.Verdict(v.Verdict) {
	case domain.VerdictConfirmed:
		i := slices.IndexFunc(v.ConfirmingQuotes, c.confirms)
		if i < 0 {
			f.Verdict, f.VerdictWhy = domain.VerdictUnproven, "confirmed without a quote of the code that is claimed"
			return
		}
		f.Verdict, f.VerdictWhy = domain.VerdictConfirmed, cut(oneLine(v.ConfirmingQuotes[i]), 300)
		if c.it.resolves { // an earlier finding keeps its words
			return
		}
		if sev, ok := domain.ParseSeverity(v.Severity); ok {
			f.Severity = min(f.Severity, sev) // models inflate severity: the lower view counts
		}
		if t := oneLine(StripInvisible(v.FinalTitle)); t != "" {
			f.Title = clip.Runes(t, maxTitle, "…")
		}
		if e := strings.TrimSpace(StripInvisible(v.FinalExplanation)); e != "" {
			f.Explanation = cut(e, maxExplanation)
		}
	case domain.VerdictRefuted:
		if !c.refutes(v.RefutationQuote) {
			f.Verdict, f.VerdictWhy = domain.VerdictUnproven, "refuted without a quote of code outside comments and strings"
			return
		}
		f.Verdict, f.VerdictWhy = domain.VerdictRefuted, cut(oneLine(v.RefutationQuote), 300)
	default:
		f.Verdict = domain.VerdictUnproven
	}
}
