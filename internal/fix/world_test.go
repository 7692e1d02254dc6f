package fix

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// world is a change in memory, and what the models say about it.
type world struct {
	base, head enginetest.Tree
	links      []string // paths of the head that are links
	modules    []string // and submodules
	policy     domain.Policy
	rules      []check.Rule
	edits      []proposed   // of the first finding, in place of answers
	answers    []string     // of the model that proposes, by the order of the findings
	ruling     verdictGiven // of the verifier
	problems   []problem    // of the second look
	down       map[string]error
}

type tree struct {
	enginetest.Files
	modes map[string]uint32
}

// Entry implements [snapshot.Lister].
func (t tree) Entry(_ context.Context, side domain.Side, path string) (snapshot.Entry, error) {
	if m, ok := t.modes[path]; ok {
		return snapshot.Entry{Path: path, Mode: m}, nil
	}
	if _, ok := t.Files[string(side)+":"+path]; ok {
		return snapshot.Entry{Path: path, Mode: 0o100644}, nil
	}
	for name := range t.Files {
		if strings.HasPrefix(name, string(side)+":"+path+"/") {
			return snapshot.Entry{Path: path, Mode: snapshot.ModeFolder}, nil
		}
	}
	return snapshot.Entry{}, fs.ErrNotExist
}

// List implements [snapshot.Lister].
func (tree) List(context.Context, string, int) ([]snapshot.Entry, error) { return nil, nil }

func (w world) source() tree {
	t := tree{enginetest.Files{}, map[string]uint32{}}
	for p, s := range w.base {
		t.Files["LEFT:"+p] = s
	}
	for p, s := range enginetest.Merged(w.base, w.head) {
		t.Files["RIGHT:"+p] = s
	}
	for _, p := range w.links {
		t.modes[p] = diff.ModeSymlink
	}
	for _, p := range w.modules {
		t.modes[p] = diff.ModeSubmodule
	}
	return t
}

// diff writes the change.
func (w world) diff() []byte {
	var b strings.Builder
	var paths []string
	for p := range w.head {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		if w.base[p] == w.head[p] {
			continue
		}
		if before, ok := w.base[p]; ok {
			b.WriteString(enginetest.Unified(p, before, w.head[p]))
			continue
		}
		b.WriteString(strings.Replace(strings.Replace(enginetest.Unified(p, "", w.head[p]), "--- a/"+p, "new file mode 100644\n--- /dev/null", 1),
			"@@ -1,0", "@@ -0,0", 1))
	}
	return []byte(b.String())
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// models answers by the stage of a request.
func (w world) models(t *testing.T) (*ask.Models, *enginetest.Turns) {
	t.Helper()
	proposals := 0
	turns := &enginetest.Turns{Answer: func(_ int, r llm.Request) (llm.Response, error) {
		stage := strings.TrimPrefix(r.Schema.Name, "assay_")
		if err := w.down[stage]; err != nil {
			return llm.Response{}, err
		}
		switch stage {
		case "fix":
			text := marshal(t, answer{w.edits, "It mends the finding."})
			if proposals < len(w.answers) {
				text = w.answers[proposals]
				proposals++
			}
			return enginetest.Reply(text), nil
		case "fix-verify":
			return enginetest.Reply(marshal(t, w.ruling)), nil
		}
		if w.problems == nil {
			return enginetest.Reply(`{"problems": []}`), nil
		}
		return enginetest.Reply(marshal(t, map[string]any{"problems": w.problems})), nil
	}}
	return &ask.Models{Strong: ask.Route{Client: turns, Model: "strong", Tier: ask.TierStrong, Window: enginetest.LargeWindow}}, turns
}

// fixer makes a fixer with the real checks in this process.
func fixer(t *testing.T) *Fixer {
	t.Helper()
	s, err := enginetest.Scanner()
	if err != nil {
		t.Fatal(err)
	}
	return New(Deps{Checks: &check.Checker{Scanner: s}})
}

// run runs the fixes of findings.
func (w world) run(t *testing.T, findings ...domain.Finding) (Result, error) {
	t.Helper()
	models, _ := w.models(t)
	return fixer(t).Run(t.Context(), Input{Diff: w.diff(), Source: w.source(), Policy: w.policy, Rules: w.rules, Findings: findings, Models: models})
}

// findingAt makes a finding of a model about the lines of a quote.
func (w world) findingAt(t *testing.T, path, quote string) domain.Finding {
	t.Helper()
	text := enginetest.Merged(w.base, w.head)[path]
	before, _, ok := strings.Cut(text, quote)
	if !ok {
		t.Fatalf("%s has no %q", path, quote)
	}
	line := strings.Count(before, "\n") + 1
	return domain.Finding{ID: "fnd_" + path, Origin: domain.OriginModel, RuleID: "llm/bug/x", Category: domain.CategoryBug, Severity: domain.High,
		Title: "The code is wrong", Explanation: "It fails for some input.",
		Anchor: domain.Anchor{Path: path, Side: domain.Right, Level: domain.AnchorLine, StartLine: line,
			EndLine: line + strings.Count(quote, "\n"), Quote: quote}}
}
