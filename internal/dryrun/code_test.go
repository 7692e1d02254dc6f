package dryrun_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/store"
)

// defect is the scripted model's report about a function that the change adds. Each defect has its own file,
// and a line that quotes it.
type defect struct {
	path, name string
	category   domain.Category
	severity   string
	verdict    string // the verifier's verdict
	rule       string // the id of the violated rule, or ""
}

// defects has one defect of each kind that settings can distinguish.
var defects = []defect{
	{"a.go", "Alpha", domain.CategoryBug, "critical", "confirmed", ""},
	{"a.go", "Beta", domain.CategorySecurity, "high", "confirmed", ""},
	{"a.go", "Gamma", domain.CategoryPerformance, "medium", "confirmed", ""},
	{"lib/b.go", "Epsilon", domain.CategoryMaintainability, "low", "confirmed", ""},
	{"lib/b.go", "Zeta", domain.CategoryAPI, "high", "unproven", ""},
	{"lib/b.go", "Eta", domain.CategoryTest, "medium", "unproven", ""},
}

func (d defect) line() string { return "\treturn compute" + d.name + "(items) / len(items)" }

// code is a change that adds all files of the defects.
type code struct{}

// Open implements [review.Snapshots].
func (code) Open(context.Context, codehost.Reader, codehost.Repo, int, string, string, ...string) (review.Snapshot, error) {
	return code{}, nil
}

func (code) files() map[string]string {
	out := map[string]string{}
	for _, d := range defects {
		if out[d.path] == "" {
			out[d.path] = "package shop\n"
		}
		out[d.path] += "\nfunc " + d.name + "(items []int) int {\n" + d.line() + "\n}\n"
	}
	return out
}

func (c code) Diff(context.Context) ([]byte, error) {
	var b strings.Builder
	files := c.files()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		lines := strings.Split(strings.TrimSuffix(files[path], "\n"), "\n")
		fmt.Fprintf(&b, "diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..2222222\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n", path, path, path, len(lines), strings.Join(lines, "\n+"))
	}
	return []byte(b.String()), nil
}

func (c code) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if text, there := c.files()[path]; there && side == domain.Right {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (code) At(string) guideline.Tree { return nil }
func (code) Notice() string           { return "" }
func (code) Close() error             { return nil }

// script is a model whose answers are the defects.
type script struct{}

// Open implements [review.Models].
func (script) Open(context.Context, store.Run, func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	r := ask.Route{Client: script{}, Model: "scripted"}
	return &ask.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

// OpenFor implements [dryrun.Models].
func (s script) OpenFor(ctx context.Context, _ review.Caller) (*ask.Models, ask.Recorder, error) {
	return s.Open(ctx, store.Run{}, nil)
}

// ListModels implements [llm.Client].
func (script) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

var claim = regexp.MustCompile("(?s)=== claim (\\w+)\n.*?quote:\n(`+)\n(.*?)\n`+")

// Complete implements [llm.Client].
func (script) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	user := ""
	for _, m := range r.Messages {
		user += m.Text
	}
	var body map[string]any
	list := []any{}
	switch {
	case strings.HasPrefix(r.System, "stage: generate"):
		for _, d := range defects {
			before, _, _ := strings.Cut(code{}.files()[d.path], d.line())
			line := strings.Count(before, "\n") + 1
			if strings.Contains(user, strings.TrimSpace(d.line())) {
				list = append(list, map[string]any{"path": d.path, "side": "RIGHT", "start": line, "end": line, "quote": d.line(), "category": d.category, "rule_key": "division-by-zero", "severity": d.severity,
					"title": d.name + " divides by zero", "trigger": "no items", "explanation": d.name + " panics for no items.", "evidence": []any{}, "fix": nil, "self_doubt": 0.1})
			}
		}
		body = map[string]any{"findings": list}
	case strings.HasPrefix(r.System, "stage: verify"):
		for _, m := range claim.FindAllStringSubmatch(user, -1) {
			for _, d := range defects {
				if strings.Contains(m[3], d.line()) {
					list = append(list, map[string]any{"claim": m[1], "verdict": d.verdict, "scope": "introduced", "reachable": "yes", "severity": d.severity, "refutation_quote": "",
						"confirming_quotes": []string{m[3]}, "would_senior_block": d.severity == "critical", "final_title": "", "final_explanation": ""})
				}
			}
		}
		body = map[string]any{"verdicts": list}
	case strings.HasPrefix(r.System, "stage: same"):
		body = map[string]any{"pairs": list}
	default:
		body = map[string]any{"intent": ""}
	}
	text, err := json.Marshal(body)
	return llm.Response{Text: string(text), StopReason: llm.StopEnd}, err
}
