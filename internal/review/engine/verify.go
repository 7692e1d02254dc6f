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
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/lookup"
)

const (
	batchSize    = 3                            // claims of one call, in the same symbol
	maxBatches   = lookup.MaxClaims / batchSize // conversations of one review; what is beyond stays unproven and is said
	verifyMargin = lookup.ClaimMargin           // lines shown before and after a claim's place
)

// claim is one item with the code that the verifier sees.
type claim struct {
	ID    string           // c1, c2, … within a batch
	Text  string           // the whole block of the prompt
	shown []change.Exhibit // code of the claimed file
	now   []change.Exhibit // code of the new version in the place of removed lines
	cited []change.Exhibit // code of other files that was given as evidence
	seen  []change.Exhibit // code that was looked up
	it    *finding.Item
	set   *diff.Set   // the change
	place change.Span // its lines
	notes []string    // prompt files about lines of its text that few claims have
	// further holds the labels of the further places that it shows
	further []string
	unread  bool // a further place is not shown: its file cannot be read now, or there is no room
}

// verified is the outcome of the verification stage.
type verified struct {
	total, done int
	err         error
}

// verifyItems lets a strong model check every item by itself: it sees the claim and
// the code, the author's title and description, never the generator's reasons. Items
// get their verdict; those without an answer are unproven. An error is fatal, and none of a model
// where [Input.WithoutVerifier] is set.
func (w *work) verifyItems(ctx context.Context, k checker, items []*finding.Item) (verified, error) {
	batches := fitBatches(batch(items), min(k.maxConversations, w.ConversationsLeft()))
	out := verified{total: len(batches)}
	for _, it := range items {
		it.Verdict = domain.VerdictUnproven
	}
	batches = batches[:min(len(batches), k.maxConversations, w.ConversationsLeft())]
	w.SpendConversations(len(batches))
	k.share = k.desk.CallsLeft() / max(len(batches), 1) // fixed now, so that the order of the batches does not matter
	var mu sync.Mutex
	var stop error
	w.ReportProgress("verify", 0, len(batches))
	var group errgroup.Group
	group.SetLimit(ask.ParallelCalls)
	finished := 0
	for _, b := range batches {
		group.Go(func() error {
			mu.Lock()
			stopped := stop
			mu.Unlock()
			if stopped != nil {
				return nil
			}
			err := ask.Contained(func() error { return w.verifyBatch(ctx, k, b) })
			mu.Lock()
			defer mu.Unlock()
			finished++
			switch {
			case err == nil:
				out.done++
			case ask.IsFatal(err) && stop == nil:
				stop = err
			default:
				out.err = err
				w.deps.Logger.WarnContext(ctx, "findings not verified", slog.Int("claims", len(b)), slog.Any("error", err))
			}
			w.ReportProgress("verify", finished, len(batches))
			return nil
		})
	}
	_ = group.Wait()
	if down, isModel := errors.AsType[*llm.Error](stop); isModel && w.in.WithoutVerifier {
		out.err = down
		return out, nil
	}
	if stop != nil {
		return out, fmt.Errorf("%w: %w", ErrVerifier, stop)
	}
	return out, nil
}

// ErrVerifier is wrapped by errors of the verification: what was found before is known.
var ErrVerifier = errors.New("verify")

// batch groups items of one symbol, at most batchSize each; the most serious
// groups come first.
func batch(items []*finding.Item) [][]*finding.Item {
	groups := map[string][]*finding.Item{}
	var order []string
	for _, it := range items {
		key := it.Anchor.Path + "\x00" + it.Anchor.Symbol
		if it.Anchor.Symbol == "" {
			key += "\x00" + it.Anchor.HunkID
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], it)
	}
	var out [][]*finding.Item
	for _, key := range order {
		for b := range slices.Chunk(groups[key], batchSize) {
			out = append(out, b)
		}
	}
	worst := func(b []*finding.Item) domain.Severity {
		return slices.MaxFunc(b, func(x, y *finding.Item) int { return cmp.Compare(x.Severity, y.Severity) }).Severity
	}
	slices.SortStableFunc(out, func(a, b []*finding.Item) int { return cmp.Compare(worst(b), worst(a)) })
	return out
}

// verifyKey is what the verdicts on a batch depend on.
type verifyKey struct{ Model, Effort, Tier, Language, Prompt, Tools, Body, Author string }

func (w *work) verifyBatch(ctx context.Context, k checker, items []*finding.Item) error {
	claims, fits := w.showClaims(ctx, k, items)
	if len(items) > 1 && !fits {
		return w.verifyEach(ctx, k, items)
	}
	key := verifyKey{k.route.Model, string(k.route.Effort), k.route.Tier, w.in.Policy.Language, k.prompt, k.toolNames(), claimsText(claims),
		w.authorWords()}
	verdicts, err := ask.Stored(ctx, w.Session, "verify", key, func() ([]verdict, error) {
		h, err := w.Converse(ctx, w.claimTalk(k, claims))
		if err != nil {
			return nil, err
		}
		return w.judged(ctx, k, h, claims)
	})
	if err != nil {
		if errors.Is(err, ask.ErrTooLong) && len(items) > 1 {
			return w.verifyEach(ctx, k, items)
		}
		return err
	}
	err = nil
	var applied []verdict
	for n, c := range claims {
		i := slices.IndexFunc(verdicts, func(v verdict) bool { return claimIndex(claims, v) == n })
		if i < 0 {
			c.it.VerdictWhy = "the verifier did not answer"
			continue
		}
		if verdicts[i].Verdict == unread {
			c.it.VerdictWhy = "the verifier's answer could not be read"
			err = fmt.Errorf("%w: verdicts are not as the schema asks", ask.ErrAnswer)
			continue
		}
		apply(c, verdicts[i])
		applied = append(applied, verdicts[i])
	}
	w.linkTwins(claims, applied)
	return err
}

// unread is the verdict about a claim whose verdict the model gave in a form that cannot
// be read.
const unread = "unread"

// readVerdicts reads an answer. A claim whose verdict is lost by its form, or that the
// answer leaves out, has [unread].
func (w *work) readVerdicts(ctx context.Context, h ask.Reply, claims []claim) ([]verdict, error) {
	got, err := ask.ReadOrRepair(ctx, w.Session, h.Question, h.Answer, "verdicts", func(_ int, v *verdict) string {
		if v.Claim = ask.Label("c", v.Claim); v.Claim == "" && len(claims) == 1 {
			v.Claim = claims[0].ID
		}
		word := ask.Meaning(verdictWords, v.Verdict)
		switch {
		case claimIndex(claims, *v) < 0:
			return "no claim has the label that a verdict has in claim"
		case word == "":
			return "the verdict about claim " + v.Claim + " must be confirmed, refuted or unproven"
		}
		v.Verdict, v.Scope, v.Reachable = string(word), ask.Meaning(scopeWords, v.Scope), ask.Meaning(reachWords, v.Reachable)
		v.Intended, v.SameAs = ask.Meaning(reachWords, v.Intended), strings.ToLower(strings.TrimSpace(v.SameAs))
		return ""
	})
	if err != nil {
		return got.Items, err
	}
	if got.Unclear { // which of its lists counts is not known
		got.Items = nil
	}
	for _, c := range claims {
		if !slices.ContainsFunc(got.Items, func(v verdict) bool { return v.Claim == c.ID }) {
			got.Items = append(got.Items, verdict{Claim: c.ID, Verdict: unread})
		}
	}
	return got.Items, nil
}

// verifyEach verifies items one by one: together they are too long for the model.
func (w *work) verifyEach(ctx context.Context, k checker, items []*finding.Item) error {
	if !w.TakeConversations(len(items) - 1) { // the first is the conversation that was too long
		return ask.ErrTooLong
	}
	k.share /= len(items)
	for _, it := range items {
		if err := w.verifyBatch(ctx, k, []*finding.Item{it}); err != nil {
			return err
		}
	}
	return nil
}

// maxQuotes is how many quotes of a verdict are read.
const maxQuotes = 10

// weigh returns a verdict as far as it is proved. Confirmed and refuted need a quote that proves it, and the
// first such quote is kept. Without one the claim is unproven.
func (c claim) weigh(v verdict) verdict {
	v.Why, v.Said = "", v.Verdict
	switch domain.Verdict(v.Verdict) {
	case unread:
		return v
	case domain.VerdictConfirmed:
		v.ConfirmingQuotes = v.ConfirmingQuotes[:min(len(v.ConfirmingQuotes), maxQuotes)]
		if i := slices.IndexFunc(v.ConfirmingQuotes, c.confirms); i >= 0 {
			v.ConfirmingQuotes = v.ConfirmingQuotes[i : i+1]
			return v
		}
		v.Why = "confirmed without a quote of the code that is claimed"
	case domain.VerdictRefuted:
		if c.refutes(v.RefutationQuote) {
			return v
		}
		v.Why = "refuted without a quote of code outside comments and strings"
	}
	v.Verdict = string(domain.VerdictUnproven)
	return v
}

// quotation returns a quotation with its lines and their indentation, without empty lines around it.
func quotation(s string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\r\n"), "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	return strings.Join(lines[max(first, 0):], "\n")
}

// apply takes a verdict over that was weighed.
func apply(c claim, v verdict) {
	f := &c.it.Finding
	c.it.Judged, c.it.Reachable, c.it.WouldBlock = true, v.Reachable, v.WouldSeniorBlock
	c.it.Check = finding.Check{Said: domain.Verdict(v.Said), Reason: v.Reason, RepeatsTool: v.Repeats, Looked: v.Looked,
		AlsoAt:      c.confirmedPlaces(v),
		Unread:      c.unread,
		Trigger:     tidyTrigger(v.FinalTrigger),
		Title:       clip.Runes(change.OneLine(change.StripInvisible(v.FinalTitle)), finding.MaxTitle, "…"),
		Explanation: change.Cut(strings.TrimSpace(change.StripInvisible(v.FinalExplanation)), finding.MaxExplanation)}
	switch v.Scope {
	case "introduced", "exacerbated", "pre_existing", "unrelated":
		f.Scope = v.Scope
	}
	switch domain.Verdict(v.Verdict) {
	case domain.VerdictConfirmed:
		f.Verdict, f.VerdictWhy = domain.VerdictConfirmed, change.Cut(quotation(v.ConfirmingQuotes[0]), 300)
		if c.it.Resolves { // an earlier finding keeps its words
			return
		}
		if sev, ok := readSeverity(v.Severity); ok {
			f.Severity = min(f.Severity, sev) // models inflate severity: the lower view counts
		}
		takeWords(c.it, c.it.Check)
		f.Evidence = append(f.WithoutDocuments(), v.documents()...)
		c.it.Intended, c.it.MeantBy = v.Intended == "yes", v.IntendedQuote
	case domain.VerdictRefuted:
		f.Verdict, f.VerdictWhy = domain.VerdictRefuted, change.Cut(quotation(v.RefutationQuote), 300)
	default:
		f.Verdict = domain.VerdictUnproven
		if v.Why != "" {
			f.VerdictWhy = v.Why
		}
	}
}

// takeWords gives a finding the words of the verifier that confirms it.
func takeWords(it *finding.Item, c finding.Check) {
	it.RepeatsTool = it.RepeatsTool || c.RepeatsTool
	if c.Title != "" {
		it.Title = c.Title
	}
	if c.Explanation != "" {
		it.Explanation = c.Explanation
	}
	if c.Trigger != "" {
		it.Trigger = c.Trigger
	}
}
