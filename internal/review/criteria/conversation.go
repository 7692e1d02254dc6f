package criteria

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// verdictGiven is a model's answer about one criterion. Nothing in it is trusted.
type verdictGiven struct {
	Criterion string       `json:"criterion"`
	Verdict   string       `json:"verdict"`
	Reason    string       `json:"reason"`
	Quotes    []proofGiven `json:"quotes"`
	Searched  []lookGiven  `json:"searched"`
}

// proofGiven is code that a model quotes.
type proofGiven struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	Quote string `json:"quote"`
	Note  string `json:"note"`
}

// lookGiven is a place where a model says that it has looked.
type lookGiven struct {
	Path  string `json:"path"`
	Query string `json:"query"`
	Note  string `json:"note"`
}

func Schema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"verdicts": ask.Array(ask.Object(ask.Schema{
		"criterion": ask.String,
		"verdict": ask.Enum(domain.CriterionMet, domain.CriterionPartly, domain.CriterionNotMet, domain.CriterionUnclear,
			domain.CriterionNotApplicable),
		"reason":   ask.String,
		"quotes":   ask.Array(ask.Object(ask.Schema{"path": ask.String, "start": ask.Integer, "quote": ask.String, "note": ask.String})),
		"searched": ask.Array(ask.Object(ask.Schema{"path": ask.String, "query": ask.String, "note": ask.String})),
	}))}))
}

// systemText returns the system text of a conversation about criteria: with tools within a bound, or without
// if the bound is "".
func systemText(g ask.Guard, language, bound string) string {
	said := textOf("criteria") + ask.LanguageRule(language)
	if bound != "" {
		said += "\n" + ask.PromptText("tools", "{bound}", bound)
	}
	return ask.SystemText("criteria", said, g)
}

// hearing is one conversation about criteria of one ticket.
type hearing struct {
	ticket   *ticket
	criteria []domain.Criterion
	at       []int // of each in the result
}

func (h *hearing) name(i int) string { return fmt.Sprintf("c%d", i+1) }

// list writes the criteria with their names.
func (h *hearing) list() string {
	var b strings.Builder
	for i, c := range h.criteria {
		fmt.Fprintf(&b, "%s: %s\n", h.name(i), c.Text)
	}
	return b.String()
}

// issue writes the ticket as a model sees it.
func (h *hearing) issue() string {
	t := h.ticket
	var b strings.Builder
	for _, l := range []struct{ label, text string }{{"key", t.Key}, {"type", t.kind}, {"state", t.state}, {"title", t.Title}} {
		if l.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", l.label, l.text)
		}
	}
	if t.description != "" {
		b.WriteString("description:\n" + t.description + "\n")
	}
	return b.String()
}

// Judge judges the acceptance criteria of tickets by the head of a change. A Judge is for one review.
type Judge struct {
	Session   *ask.Session
	Models    *ask.Models
	Logger    *slog.Logger
	Set       *diff.Set           // redacted
	Long      map[*diff.File]bool // files whose hunks are too long for a model
	Policy    domain.Policy
	MergeBase string
	Tickets   []domain.Ticket
	Earlier   []domain.CriterionCheck // the newest verdicts of earlier reviews
	Again     bool                    // no earlier verdict is kept
	Redact    func(text string) string
	Symbol    func(ctx context.Context, path string, line int) (name string, first, last int)
	Tools     *lookup.Toolbox // what a model may look at; nil: the change alone
	Reader    *lookup.Toolbox // reads the quoted files

	route  ask.Route
	share  int    // calls of tools of one conversation
	marked bool   // there are several conversations
	change string // the diff as it is shown
	shown  []change.Exhibit
	whole  bool // all of the diff is shown

	weighable sync.Map // file to a function that returns its prepared text
}

// begin prepares so many conversations with the model of a route.
func (j *Judge) begin(ctx context.Context, r ask.Route, n int) {
	j.route, j.share, j.marked = r, min(j.Tools.CallsLeft()/n, criteriaOfCall*criterionLooks), n > 1
	fixed := ask.Size(systemText(j.Session.Guard, j.Policy.Language, "x"), Schema(), nil) + ask.ToolSize(j.Tools.Specs()) + ask.MessageOverhead
	free := r.Input() - fixed - llm.EstimateTokens(2*change.MaxProse+criteriaOfCall*maxCriterion)
	j.change, j.shown, j.whole = j.diffWithin(ctx, min(change.ChunkTokens, free*2/3))
}

// maxLeft bounds the names of files that a model is not shown.
const maxLeft = 100

// diffWithin returns as many whole files of the change as fit into so many tokens, and the names of the
// others.
func (j *Judge) diffWithin(ctx context.Context, tokens int) (text string, shown []change.Exhibit, whole bool) {
	var b strings.Builder
	var left []string
	for _, f := range j.Set.Files {
		if f.Class.Ignored() && f.Class != diff.ClassDocs || change.Excluded(f, j.Policy) != "" {
			continue
		}
		var one strings.Builder
		change.WriteTarget(&one, &change.Target{File: f, Hunks: f.Hunks}, func(h *diff.Hunk) string {
			name, _, _ := j.Symbol(ctx, f.Path, change.FirstChanged(h))
			return name
		}, func(*diff.Hunk) ([]string, int) { return nil, 0 })
		if n := llm.EstimateTokens(one.Len()); f.Omitted == "" && !j.Long[f] && n <= tokens {
			tokens -= n
			b.WriteString(one.String())
			shown = append(shown, shownHunks(f)...)
			continue
		}
		left = append(left, change.CleanPath(f.Path))
	}
	if len(left) > 0 {
		if n := len(left) - maxLeft; n > 0 {
			left = append(left[:maxLeft], fmt.Sprintf("%d more", n))
		}
		b.WriteString("changed, and not shown here: " + strings.Join(left, ", ") + "\n")
	}
	return b.String(), shown, len(left) == 0
}

// shownHunks returns the lines of the head that the hunks of a file show.
func shownHunks(f *diff.File) (out []change.Exhibit) {
	for _, h := range f.Hunks {
		if h.NewLines > 0 {
			out = append(out, change.Exhibit{Path: f.Path, About: []change.Span{{First: h.NewStart, Last: h.NewStart + h.NewLines - 1}}})
		}
	}
	return out
}

// bound describes how many calls of tools there are, and is "" without tools.
func (j *Judge) bound(h *hearing) string {
	if j.share == 0 || len(j.Tools.Specs()) == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls in all", min(j.share, criterionLooks*len(h.criteria)))
}

// question returns the question of a conversation, for a model with tools within a bound or without.
func (j *Judge) question(h *hearing, bound string) ask.Question {
	g := j.Session.Guard
	shared := g.Wrap("change to review", j.change)
	m := llm.Message{Role: llm.User, Text: shared + "\n" + g.Wrap("issue of a tracker", h.issue()) + "\n" +
		g.Wrap("acceptance criteria", h.list())}
	if j.marked {
		m.Shared = len(shared)
	}
	return ask.Question{Stage: "criteria", Route: j.route, System: systemText(g, j.Policy.Language, bound), Schema: Schema(),
		Messages: []llm.Message{m}}
}

// conversationKey holds everything that the verdicts of a conversation depend on.
type conversationKey struct{ Model, Effort, Tier, Language, Tools, Change, Issue, Criteria string }

// hear has one conversation and returns a verdict about each of its criteria. Errors are those of
// [ask.Session.Converse].
func (j *Judge) hear(ctx context.Context, h *hearing) ([]judgement, error) {
	bound, tools := j.bound(h), ""
	if bound != "" {
		for _, spec := range j.Tools.Specs() {
			tools += spec.Name + " "
		}
	}
	key := conversationKey{j.route.Model, string(j.route.Effort), j.route.Tier, j.Policy.Language, tools + bound, j.change,
		h.issue(), h.list()}
	return ask.Stored(ctx, j.Session, "criteria", key, func() ([]judgement, error) {
		t := ask.Talk{Question: j.question(h, bound),
			Bounds: &ask.Allowance{Calls: min(j.share, criterionLooks*len(h.criteria)), Tokens: min(criterionRoom, j.route.Input()/3)},
			Quiet:  func(s string) string { return h.ticket.quiet(s) }, Without: func(_ context.Context, p *ask.Question) { *p = j.question(h, "") }}
		if bound != "" {
			t.Desk = j.Tools
		}
		if ask.Size(t.System, t.Schema, t.Messages) > j.route.Input() {
			return nil, ask.ErrTooLong
		}
		heard, err := j.Session.Converse(ctx, t)
		if err != nil {
			return nil, err
		}
		rulings, err := j.readRulings(ctx, heard)
		if err != nil {
			return nil, err
		}
		out := make([]judgement, len(h.criteria))
		for i, c := range h.criteria {
			n := slices.IndexFunc(rulings, func(r verdictGiven) bool { return strings.TrimSpace(r.Criterion) == h.name(i) })
			if n < 0 {
				out[i] = unjudged()
				continue
			}
			out[i] = j.weigh(ctx, h.ticket, c, rulings[n], heard)
		}
		return out, ctx.Err()
	})
}

// readRulings reads an answer.
func (j *Judge) readRulings(ctx context.Context, h ask.Reply) ([]verdictGiven, error) {
	got, err := ask.ReadOrRepair(ctx, j.Session, h.Question, h.Answer, "verdicts", func(_ int, v *verdictGiven) string {
		v.Criterion = ask.Label("c", v.Criterion)
		word := ask.Meaning(metWords, v.Verdict)
		if word == "" {
			return "a verdict is not one of those that the schema has"
		}
		v.Verdict = word
		return ""
	})
	if got.Unclear { // nothing tells which of its lists counts
		return nil, err
	}
	return got.Items, err
}

// metWords are the words for verdicts, with other words that models use for them.
var metWords = ask.WordTable(map[string]string{
	domain.CriterionMet:           "met yes satisfied fulfilled done true pass passed complete",
	domain.CriterionPartly:        "partly partial partially partiallymet partlymet",
	domain.CriterionNotMet:        "notmet unmet no missing false fail failed notsatisfied notfulfilled",
	domain.CriterionUnclear:       "unclear unknown unsure uncertain undetermined cannotverify",
	domain.CriterionNotApplicable: "notapplicable na irrelevant",
})
