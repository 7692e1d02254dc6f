package review_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// report is a report that the scripted model makes wherever its quote stands.
type report struct {
	quote, key string
	category   domain.Category
	title      string // "" for the usual one
	other      bool   // it is about another defect than the usual one
}

// rule is a rule as the scripted model reads it from a reply.
type rule struct{ title, instruction, quote string }

const usual = "Average divides by zero for no items"

// history is a pull request that appends text to a file, and a model that reports by the text.
type history struct {
	mu      sync.Mutex
	texts   map[string]string // head to the text that it appends
	reports []report
	others  map[string]bool // titles about another defect
	silent  bool            // the verifier says nothing
	severe  string          // severity that finder and verifier give every defect; "high" if ""
	intent  string          // of every reply
	unclear int             // next answers about replies that are not usable
	mend    string          // the suggestion for the lines of every report; "" for none
	states  rule            // what every reply states in general
	onSort  func()          // runs once while a reply is sorted; may be nil
	verdict string          // about claims with a reply; "confirmed" if ""
	replies int             // claims with a reply that were checked
	*reviewtest.Fixture
}

func newHistory(f *reviewtest.Fixture) *history {
	h := &history{Fixture: f, texts: map[string]string{}, others: map[string]bool{}}
	f.Service.Snapshots, f.Service.Models = historySnapshots{h}, historyModels{h}
	f.Host.Roles = map[string]string{"mona": "write"}
	return h
}

const shop = "package shop\n\nfunc Total(items []int) int {\n\tsum := 0\n\tfor _, n := range items {\n\t\tsum += n\n\t}\n\treturn sum\n}\n"

// appended is the change of one head.
type appended string

func (a appended) Diff(context.Context) ([]byte, error) {
	old, lines := strings.Split(strings.TrimSuffix(shop, "\n"), "\n"), strings.Split(strings.TrimSuffix(string(a), "\n"), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/shop.go b/shop.go\nindex 1111111..2222222 100644\n--- a/shop.go\n+++ b/shop.go\n@@ -%d,3 +%d,%d @@\n", len(old)-2, len(old)-2, 3+len(lines))
	for _, l := range old[len(old)-3:] {
		b.WriteString(" " + l + "\n")
	}
	for _, l := range lines {
		b.WriteString("+" + l + "\n")
	}
	return []byte(b.String()), nil
}

func (appended) Notice() string { return "" }

func (a appended) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	switch {
	case path != "shop.go":
		return nil, fs.ErrNotExist
	case side == domain.Left:
		return []byte(shop), nil
	}
	return []byte(shop + string(a)), nil
}

func (appended) Close() error { return nil }

// open is the change of a head.
func (h *history) open(head string) appended {
	h.mu.Lock()
	defer h.mu.Unlock()
	return appended(h.texts[head])
}

type historySnapshots struct{ *history }

// Open implements review.Snapshots.
func (h historySnapshots) Open(_ context.Context, _ codehost.Reader, _ codehost.Repo, _ int, _, head string, _ ...string) (review.Snapshot, error) {
	return historySnapshot{h.open(head), h.history}, nil
}

// historySnapshot is a head with the others that were pushed before.
type historySnapshot struct {
	appended
	*history
}

// At implements review.Snapshot.
func (s historySnapshot) At(commit string) guideline.Tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, there := s.texts[commit]
	if !there {
		return nil
	}
	return historyTree(text)
}

// historyTree is the text of a head.
type historyTree string

func (historyTree) List(context.Context, ...string) ([]snapshot.Entry, error) {
	return nil, guideline.ErrNoList
}

func (t historyTree) Blob(ctx context.Context, path string) ([]byte, error) {
	return appended(t).Blob(ctx, domain.Right, path)
}

type historyModels struct{ *history }

// Open implements review.Models.
func (h historyModels) Open(_ context.Context, run store.Run, _ func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	r := ask.Route{Client: historyClient{h.history, run.HeadSHA}, Model: "scripted"}
	return &ask.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

type historyClient struct {
	*history
	head string
}

func (historyClient) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

var compared = regexp.MustCompile(`(?m)^=== pair (\w+) at .*\nearlier: (.*)(?s:.*?)^now: (.*)$`)

var claimed = regexp.MustCompile("(?s)=== claim (\\w+)\n.*?quote:\n(`+)\n(.*?)\n`+")

// Complete implements llm.Client: it reports the defects of the text, confirms every claim with the
// claim's own quote, and decides which titles are about one defect.
func (c historyClient) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	var user string
	for _, m := range r.Messages {
		user += m.Text
	}
	list := []map[string]any{}
	switch {
	case strings.HasPrefix(r.System, "stage: generate"):
		for _, p := range c.script() {
			list = append(list, c.candidates(p)...)
		}
		return answer(map[string]any{"findings": list})
	case strings.HasPrefix(r.System, "stage: verify") && c.mute():
		return answer(map[string]any{"verdicts": list})
	case strings.HasPrefix(r.System, "stage: verify"):
		for _, m := range claimed.FindAllStringSubmatch(user, -1) {
			if strings.Contains(user, "\nreply of a person:\n") {
				list = append(list, c.onReply(m[1], m[3]))
				continue
			}
			list = append(list, map[string]any{"claim": m[1], "verdict": "confirmed", "scope": "introduced", "reachable": "yes", "severity": c.severity(),
				"refutation_quote": "", "confirming_quotes": []string{m[3]}, "would_senior_block": true, "final_title": "", "final_explanation": ""})
		}
		return answer(map[string]any{"verdicts": list})
	case strings.HasPrefix(r.System, "stage: same"):
		for _, m := range compared.FindAllStringSubmatch(user, -1) {
			list = append(list, map[string]any{"pair": m[1], "same": c.other(m[2]) == c.other(m[3])})
		}
		return answer(map[string]any{"pairs": list})
	}
	h := c.history
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.onSort; f != nil {
		h.onSort = nil
		f()
	}
	if h.unclear > 0 {
		h.unclear--
		return answer(map[string]any{"intent": "perhaps"})
	}
	return answer(map[string]any{"intent": h.intent, "rule": h.states.instruction, "rule_title": h.states.title, "rule_quote": h.states.quote})
}

// onReply is the verdict about a claim with a reply.
func (h *history) onReply(claim, quote string) map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replies++
	out := map[string]any{"claim": claim, "verdict": cmp.Or(h.verdict, "confirmed"), "scope": "introduced", "reachable": "yes", "severity": "high",
		"refutation_quote": "", "confirming_quotes": []string{}, "would_senior_block": true, "final_title": "", "final_explanation": "Nothing checks the length."}
	switch out["verdict"] {
	case "confirmed":
		out["confirming_quotes"] = []string{quote}
	case "refuted":
		out["refutation_quote"] = "for _, n := range items {"
	}
	return out
}

func (h *history) script() []report {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reports {
		h.others[r.title] = r.other
	}
	return slices.Clone(h.reports)
}

// other reports whether a title is about another defect than the usual one.
func (h *history) other(title string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.others[title]
}

func (h *history) mute() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.silent
}

// calls changes the severity of every defect.
func (h *history) calls(severity string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.severe = severity
}

func (h *history) severity() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cmp.Or(h.severe, "high")
}

// candidates returns the finding of a report at a head, or no finding.
func (c historyClient) candidates(p report) []map[string]any {
	before, _, there := strings.Cut(shop+string(c.open(c.head)), p.quote)
	if !there {
		return nil
	}
	start := strings.Count(before, "\n") + 1
	title, category := p.title, p.category
	if title == "" {
		title = usual
	}
	if category == "" {
		category = domain.CategoryBug
	}
	var fix any
	if c.mend != "" {
		fix = map[string]any{"old": p.quote, "new": c.mend}
	}
	return []map[string]any{{"path": "shop.go", "side": "RIGHT", "start": start, "end": start + strings.Count(p.quote, "\n"), "quote": p.quote, "category": category,
		"rule_key": p.key, "severity": c.severity(), "title": title, "trigger": "no items", "explanation": title + ": it panics.", "evidence": []any{}, "fix": fix, "self_doubt": 0.1}}
}

func answer(v any) (llm.Response, error) {
	b, err := json.Marshal(v)
	return llm.Response{Text: string(b), StopReason: llm.StopEnd}, err
}

// prepare sets the text of a head and the reports of the model from now on.
func (h *history) prepare(head, text string, reports ...report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.texts[storetest.SHA(head)], h.reports = text, reports
}

// push brings a head with a text and sets the reports of the model from now on.
func (h *history) push(head, text string, reports ...report) {
	h.T.Helper()
	h.prepare(head, text, reports...)
	action := "synchronize"
	if len(h.Runs()) == 0 {
		action = "opened"
	}
	h.Deliver(h.Event(action, head))
	h.completed()
}

// rerun reviews the current head again with new reports of the model.
func (h *history) rerun(reports ...report) {
	h.T.Helper()
	h.mu.Lock()
	h.reports = reports
	h.mu.Unlock()
	runs := h.Runs()
	_, err := h.Service.Runs.Rerun(bg, runs[len(runs)-1], fmt.Sprint(len(runs)), domain.Asker{})
	testkit.OK(h.T, err)
	h.Settle()
	h.completed()
}

// completed fails unless every run was published, with one review each.
func (h *history) completed() {
	h.T.Helper()
	for _, r := range h.Runs() {
		if r.State != domain.RunCompleted {
			jobs, err := h.Store.JobsOf(bg, r.ID)
			testkit.OK(h.T, err)
			h.T.Fatalf("run %s of %s: %s (%s), jobs %+v", r.ID, r.HeadSHA[:7], r.State, r.Reason, jobs)
		}
	}
	testkit.Equal(h.T, "visible reviews", len(h.Host.Visible()), len(h.Runs()))
}

func (h *history) known() []store.KnownFinding {
	h.T.Helper()
	known, err := h.Store.KnownFindings(bg, h.World.Tenant, h.Runs()[0].PullRequest)
	testkit.OK(h.T, err)
	return known
}

// outcomes returns the kinds of the outcomes of a known finding, in the order of their names.
func (h *history) outcomes(i int) string {
	h.T.Helper()
	all, err := h.Store.OutcomesOfFinding(bg, h.World.Tenant, h.known()[i].ID)
	testkit.OK(h.T, err)
	var out []string
	for _, o := range all {
		out = append(out, strings.TrimSpace(string(o.Kind)+" "+o.Name))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (h *history) last() string {
	all := h.Host.Visible()
	return all[len(all)-1]
}

func (h *history) conclusion() string {
	h.T.Helper()
	runs := h.Runs()
	return concluded(h.Fixture, runs[len(runs)-1].ID)
}
