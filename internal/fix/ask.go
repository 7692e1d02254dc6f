package fix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the conversations (design choices).
const (
	maxAnswer   = 256 << 10 // bytes of an answer that are read
	codeMargin  = 40        // lines shown around a place, beside its whole definition
	maxShown    = 1_200     // lines of one file that a model is shown
	maxProblems = 20        // problems of an answer that are read
)

// errLarge is the error of an answer that is too long to be read.
var errLarge = fmt.Errorf("%w: it is longer than any change that is allowed", ask.ErrAnswer)

// whyRefused returns the reason for a conversation without a usable answer.
func whyRefused(err error) Reason {
	_, isModel := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, ask.ErrBudget):
		return BudgetUsedUp
	case errors.Is(err, ask.ErrTooLong):
		return TooLong
	case errors.Is(err, ask.ErrFault):
		return NotCheckable
	case isModel:
		return ModelRefused
	}
	return BadAnswer
}

// talk is one conversation: the blocks of its message, each with a label.
type talk struct {
	stage  string
	schema json.RawMessage
	tools  *lookup.Toolbox // nil: none
	blocks [][2]string
}

// talkKey is everything that an answer depends on.
type talkKey struct {
	Model, Effort, Tier, Language string
	Tools                         bool
	Blocks                        [][2]string
}

// hear has a conversation and reads its answer. An answer that was stored by an earlier attempt is not asked for again. Errors
// are those of [ask.Session.Converse] and of read.
func hear[T any](ctx context.Context, r *run, t talk, read func(ask.Reply) (T, error)) (T, error) {
	bound := ""
	allowance := &ask.Allowance{}
	if t.tools != nil && t.tools.CallsLeft() > 0 {
		allowance = t.tools.ClaimAllowance()
		bound = fmt.Sprintf("%d calls in all", allowance.Calls)
	}
	key := talkKey{r.route.Model, string(r.route.Effort), r.route.Tier, r.in.Policy.Language, bound != "", t.blocks}
	return ask.Stored(ctx, r.Session, t.stage, key, func() (out T, err error) {
		question := func(bound string) ask.Question {
			var b strings.Builder
			for _, block := range t.blocks {
				b.WriteString(r.Guard.Wrap(block[0], block[1]) + "\n")
			}
			return ask.Question{Stage: t.stage, Route: r.route, Schema: t.schema,
				System:   system(r.Guard, t.stage, r.in.Policy.Language, bound),
				Messages: []llm.Message{{Role: llm.User, Text: b.String()}}}
		}
		c := ask.Talk{Question: question(bound), Bounds: allowance,
			Without: func(_ context.Context, q *ask.Question) { *q = question("") }}
		if bound != "" {
			c.Desk = t.tools
		}
		if ask.Size(c.System, c.Schema, c.Messages) > r.route.Input() {
			return out, ask.ErrTooLong
		}
		reply, err := r.Converse(ctx, c)
		switch {
		case err != nil:
			return out, err
		case len(reply.Answer.Text) > maxAnswer:
			return out, errLarge
		case reply.Truncated:
			return out, fmt.Errorf("%w: it breaks off", ask.ErrAnswer)
		}
		return read(reply)
	})
}

// toolbox returns the verifier's tools for a version of the head.
func (r *run) toolbox(set *diff.Set, src change.Source, bounds *change.BoundedSource) *lookup.Toolbox {
	h := &around.Head{Set: set, Source: src, Raw: bounds, Policy: r.in.Policy, Redact: r.redact, Logger: r.deps.Logger, Whole: true}
	h.Searcher = searcher(bounds.Source)
	return lookup.New(h)
}

// about returns the finding as models see it.
func (r *run) about(f domain.Finding) string {
	var b strings.Builder
	line := func(label, text string) {
		if text = change.OneLine(r.redact(change.TidyProse(strings.ToValidUTF8(text, "")))); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, change.Cut(text, change.MaxProse))
		}
	}
	line("rule", f.RuleID)
	line("severity", f.Severity.String())
	line("title", f.Title)
	line("explanation", f.Explanation)
	line("trigger", f.Trigger)
	fmt.Fprintf(&b, "place: %s:%d-%d\n", change.CleanPath(f.Anchor.Path), f.Anchor.StartLine, f.Anchor.EndLine)
	if f.Anchor.Quote != "" {
		quote := change.Cut(change.ShowLines(r.redact(f.Anchor.Quote)), change.MaxProse)
		fence := change.Fence(quote)
		fmt.Fprintf(&b, "quote:\n%s\n%s\n%s\n", fence, quote, fence)
	}
	return b.String()
}

// spans returns the lines of a document that a model is shown for some places: the definitions around them and a margin.
func spans(d *document, places []int, margin int) []change.Span {
	outline := structure.Read(d.language, d.raw)
	var out []change.Span
	for _, n := range places {
		s := change.Span{First: max(n-margin, 1), Last: min(n+margin, len(d.lines))}
		if symbol, ok := outline.Enclosing(n); ok && symbol.End-symbol.Start <= maxShown {
			s.First, s.Last = min(s.First, symbol.Start), min(max(s.Last, symbol.End), len(d.lines))
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b change.Span) int { return a.First - b.First })
	var joined []change.Span
	for _, s := range out {
		if k := len(joined) - 1; k >= 0 && s.First <= joined[k].Last+1 {
			joined[k].Last = max(joined[k].Last, s.Last)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// show writes lines of a document with their numbers, and a "+" before each of the marked lines. It names what it leaves out.
func show(d *document, list []change.Span, marked []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "file: %s\n", change.CleanPath(d.path))
	room := maxShown
	for _, s := range list {
		for n := s.First; n <= s.Last && n <= len(d.shown); n++ {
			if room--; room < 0 {
				fmt.Fprintf(&b, "(lines from %d on are not shown)\n", n)
				return b.String()
			}
			sign := " "
			if slices.Contains(marked, n) {
				sign = "+"
			}
			fmt.Fprintf(&b, "%5d %s %s\n", n, sign, change.ShowLine(d.shown[n-1]))
		}
		b.WriteString("…\n")
	}
	return b.String()
}

// answer is what the model proposes.
type answer struct {
	Edits   []proposed `json:"edits"`
	Summary string     `json:"summary"`
}

// propose asks for edits that mend a finding.
func (r *run) propose(ctx context.Context, f domain.Finding, d *document) (answer, error) {
	places := []int{1}
	if f.Anchor.StartLine > 0 {
		places = []int{1, f.Anchor.StartLine, max(f.Anchor.EndLine, f.Anchor.StartLine)}
	}
	if len(d.lines) <= maxShown/3 {
		places = append(places, len(d.lines)/2)
	}
	margin := codeMargin
	if len(d.lines) <= maxShown/3 {
		margin = len(d.lines)
	}
	blocks := [][2]string{{"finding", r.about(f)}, {"code at the head", show(d, spans(d, places, margin), nil)}}
	seen := map[string]bool{f.Anchor.Path: true}
	for _, e := range f.Evidence {
		if e.Path == "" || seen[e.Path] || len(seen) > MaxFiles {
			continue
		}
		seen[e.Path] = true
		if cited, why, err := r.open(ctx, e.Path, false); err != nil {
			return answer{}, err
		} else if why == "" {
			blocks = append(blocks, [2]string{"code that the finding cites", show(cited, spans(cited, []int{max(e.Start, 1)}, codeMargin), nil)})
		}
	}
	return hear(ctx, r, talk{"fix", fixSchema(), r.tools, blocks}, func(reply ask.Reply) (out answer, err error) {
		got, err := ask.ReadOrRepair(ctx, r.Session, reply.Question, reply.Answer, "edits", func(int, *proposed) string { return "" })
		if err != nil {
			return out, err
		}
		if got.Lost() || len(got.Answer.Text) > maxAnswer {
			return out, fmt.Errorf("%w: a part of the edits cannot be read", ask.ErrAnswer)
		}
		said, _ := ask.ReadObject[struct {
			Summary string `json:"summary"`
		}](got.Answer, "summary")
		out.Edits, out.Summary = got.Items[:min(len(got.Items), MaxEdits+1)], change.Cut(said.Summary, change.MaxProse)
		return out, nil
	})
}

// verify asks whether the changed code still has the defect, and weighs the answer by its quote.
func (r *run) verify(ctx context.Context, f domain.Finding, v *version) (Reason, string, error) {
	blocks := [][2]string{{"finding", r.about(f)}}
	var exhibits []change.Exhibit
	for _, p := range v.pairs {
		_, added := p.sides()
		marks := p.around()
		var b strings.Builder
		b.WriteString(show(p.after, spans(p.after, marks, codeMargin), added))
		b.WriteString(removedLines(p))
		blocks = append(blocks, [2]string{"code after the change", b.String()})
		var about []change.Span
		for _, n := range marks {
			about = append(about, change.Span{First: n, Last: n})
		}
		e := change.NewExhibit(p.after.language, p.after.shown, 0, 1, about...)
		e.Path = p.after.path
		exhibits = append(exhibits, e)
	}
	if !slices.ContainsFunc(v.pairs, func(p pair) bool { return p.after.path == f.Anchor.Path }) { // the change stands elsewhere
		if d, why, err := r.open(ctx, f.Anchor.Path, true); err != nil {
			return "", "", err
		} else if why == "" {
			blocks = append(blocks, [2]string{"code of the finding", show(d, spans(d, []int{max(f.Anchor.StartLine, 1)}, codeMargin), nil)})
		}
	}
	got, err := hear(ctx, r, talk{"fix-verify", verifySchema(), v.tools, blocks}, func(reply ask.Reply) (verdictGiven, error) {
		out, err := ask.ReadObject[verdictGiven](reply.Answer, "verdict")
		if err != nil {
			return out, fmt.Errorf("%w: %w", ask.ErrAnswer, err)
		}
		return out, nil
	})
	switch {
	case err != nil:
		return "", "", err
	case domain.Verdict(strings.ToLower(strings.TrimSpace(got.Verdict))) != domain.VerdictRefuted:
		return NotRefuted, got.Why, nil
	case !change.Proven(exhibits, got.Quote, func(e change.Exhibit, q string) bool { return e.Proves(q, e.Bare, true) }):
		return NotProven, got.Why, nil
	}
	return "", "", nil
}

// removedLines writes the removed lines of a file.
func removedLines(p pair) string {
	removed, _ := p.sides()
	var b strings.Builder
	for _, n := range removed[:min(len(removed), MaxLines)] {
		if n <= len(p.before.shown) {
			fmt.Fprintf(&b, "%5d - %s\n", n, change.ShowLine(p.before.shown[n-1]))
		}
	}
	return b.String()
}

// look asks for what the change makes worse in the whole definitions that it edits. The model is not told of the finding, so
// that words of the finding cannot excuse the change.
func (r *run) look(ctx context.Context, f domain.Finding, v *version) (Reason, string, error) {
	var blocks [][2]string
	for _, p := range v.pairs {
		removed, added := p.sides()
		old := removed
		for _, h := range p.hunks {
			old = append(old, firstOld(h))
		}
		blocks = append(blocks,
			[2]string{"before the change", show(p.before, spans(p.before, old, codeMargin/4), removed)},
			[2]string{"after the change", show(p.after, spans(p.after, p.around(), codeMargin/4), added)})
	}
	got, err := hear(ctx, r, talk{"fix-look", lookSchema(), v.tools, blocks}, func(reply ask.Reply) ([]problem, error) {
		got, err := ask.ReadOrRepair(ctx, r.Session, reply.Question, reply.Answer, "problems", func(int, *problem) string { return "" })
		if err == nil && got.Lost() {
			err = fmt.Errorf("%w: a part of the problems cannot be read", ask.ErrAnswer)
		}
		return got.Items[:min(len(got.Items), maxProblems)], err
	})
	if err != nil {
		return "", "", err
	}
	for _, p := range got {
		if s, known := domain.ParseSeverity(strings.TrimSpace(p.Severity)); !known || s >= min(f.Severity, domain.Medium) {
			return MakesWorse, p.Why, nil
		}
	}
	return "", "", nil
}

// tally counts the calls of a run beside its recorder.
type tally struct {
	ask.Recorder
	mu    sync.Mutex
	usage Usage
}

// After implements [ask.Recorder].
func (t *tally) After(ctx context.Context, id string, o ask.Outcome) {
	t.mu.Lock()
	t.usage.Calls++
	t.usage.InputTokens += o.Usage.InputTokens
	t.usage.OutputTokens += o.Usage.OutputTokens
	t.mu.Unlock()
	t.Recorder.After(ctx, id, o)
}

func (t *tally) total() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.usage
}
