package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

var update = flag.Bool("update", false, "write the golden files")

func sample() Report {
	code := []string{"package shop", "", "func Average(items []Item) int {", "\treturn Total(items) / len(items)", "}", "", "const esc = \"\x1b[31m\u202e\""}
	return Report{
		Version: "1.2.3", Base: "main", Head: "the working tree", BaseSHA: "0123456789abcdef", Duration: 1234 * time.Millisecond,
		Frames: map[string][]string{"shop/my shop.go": code},
		Result: engine.Result{
			Tier: "T2", ModelState: engine.ModelComplete, Synopsis: engine.Synopsis{Text: "Adds `Average`\x1b[2J to the shop."}, Blocking: []string{"fnd_2"},
			Coverage: engine.Coverage{Reviewed: []engine.FileNote{{Path: "shop/my shop.go"}}, Skimmed: []engine.FileNote{{Path: "README.md", Why: "docs"}}},
			Stats:    engine.Stats{Files: 2, Additions: 4, Calls: 2},
			Findings: []domain.Finding{
				{ID: "fnd_2", Origin: domain.OriginSecret, RuleID: "gitleaks/aws-access-token", Category: domain.CategorySecret, Severity: domain.Critical, Confidence: 1,
					Title: "AWS access token in the change", Explanation: "Revoke it.", State: domain.FindingOpen, Verdict: domain.VerdictSkipped, Route: domain.RouteInline,
					Anchor: domain.Anchor{Path: "shop/my shop.go", Side: domain.Right, StartLine: 7, EndLine: 7, Level: domain.AnchorLine}},
				{ID: "fnd_1", Origin: domain.OriginModel, RuleID: "llm/correctness/division-by-zero", Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.86,
					Title: "Average divides by zero\x1b[2J", Explanation: "`len(items)` is 0 when no item is given, and the division panics. " + strings.Repeat("More words that are wrapped. ", 6),
					Trigger: "Average(nil)", State: domain.FindingOpen, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline,
					Anchor:       domain.Anchor{Path: "shop/my shop.go", Side: domain.Right, StartLine: 4, EndLine: 4, Level: domain.AnchorLine, Quote: "return Total(items) / len(items)"},
					Fingerprints: domain.Fingerprints{Exact: "v1:aa", Context: "v1:bb"},
					Evidence:     []domain.Evidence{{Kind: "code", Path: "shop/my shop.go", Start: 3, End: 3, Quote: "func Average", Note: "nothing guards it"}},
					Suggestion:   &domain.Suggestion{Path: "shop/my shop.go", Start: 4, End: 4, Old: "\treturn Total(items) / len(items)", New: "\treturn Mean(items)", Applies: true, Parses: "yes"}},
				{ID: "fnd_3", Origin: domain.OriginModel, RuleID: "llm/docs/docs-contradict-code", Category: domain.CategoryDocs, Severity: domain.Low, Confidence: 0.6,
					Title: "Stored only", Explanation: "x", State: domain.FindingOpen, Verdict: domain.VerdictConfirmed, Route: domain.RouteStored},
			},
		},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	clean := sample()
	clean.Result.Findings, clean.Result.Blocking = nil, nil
	degraded := clean
	degraded.Result.ModelState, degraded.Result.ModelNote, degraded.Result.Synopsis.Text = engine.ModelNone, engine.NoteNotConfigured, ""
	empty := Report{Base: "main", Head: "the working tree"}
	for name, tt := range map[string]struct {
		r Report
		o Options
	}{
		"terminal.txt": {sample(), Options{Width: 80}}, "color.txt": {sample(), Options{Width: 80, Color: true}}, "all.txt": {sample(), Options{All: true}},
		"clean.txt": {clean, Options{}}, "degraded.txt": {degraded, Options{}}, "empty.txt": {empty, Options{}},
		"report.json": {sample(), Options{Format: "json"}}, "report.sarif": {sample(), Options{Format: "sarif"}}, "report.md": {sample(), Options{Format: "markdown"}},
		"clean.json": {clean, Options{Format: "json"}}, "clean.sarif": {clean, Options{Format: "sarif"}}, "clean.md": {clean, Options{Format: "markdown"}},
		"report.quality.json": {sample(), Options{Format: "code-quality"}}, "degraded.quality.json": {degraded, Options{Format: "code-quality"}},
		"report.agent": {sample(), Options{Format: "agent"}}, "clean.agent": {degraded, Options{Format: "agent"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got bytes.Buffer
			if err := Write(&got, tt.r, tt.o); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (run with -update to write it)", err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("differs from %s:\n%s", path, got.String())
			}
			if tt.o.Format != "" {
				return
			}
			body := got.String()
			if tt.o.Color {
				for _, code := range []string{"0", "1", "2", "31", "32", "33", "34", "36", "1;31", "1;32", "1;33"} {
					body = strings.ReplaceAll(body, "\x1b["+code+"m", "")
				}
			}
			if strings.ContainsAny(body, "\x1b\u202e\r") {
				t.Error("control characters of the code reach the terminal")
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	high, critical := domain.High, domain.Critical
	clean := sample()
	clean.Result.Findings = clean.Result.Findings[2:]
	unproven := sample()
	unproven.Result.Findings = []domain.Finding{unproven.Result.Findings[1]}
	unproven.Result.Findings[0].Verdict = domain.VerdictUnproven
	onlyBug := sample()
	onlyBug.Result.Findings = onlyBug.Result.Findings[1:2]
	partial := clean
	partial.Result.ModelState = engine.ModelPartial
	for name, tt := range map[string]struct {
		r    Report
		on   *domain.Severity
		want int
	}{
		"never": {sample(), nil, ExitClean}, "reached": {onlyBug, &high, ExitFindings}, "not reached": {onlyBug, &critical, ExitClean},
		"clean": {clean, &high, ExitClean}, "unproven": {unproven, &high, ExitClean}, "incomplete": {partial, &high, ExitError}, "secret": {sample(), &critical, ExitFindings},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.r.ExitCode(tt.on); got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMachineFormatsAreJSON(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "sarif", "code-quality"} {
		var b bytes.Buffer
		if err := Write(&b, sample(), Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := Write(&bytes.Buffer{}, sample(), Options{Format: "xml"}); err == nil || !strings.Contains(err.Error(), "sarif") {
		t.Errorf("an unknown format gives %v", err)
	}
}

// A change of only files whose kind no model sees names them.
func TestFilesOfLeftOutKindsAreNamed(t *testing.T) {
	t.Parallel()
	for _, state := range []string{engine.ModelNone, engine.ModelUnavailable, engine.ModelComplete} {
		r := Report{Base: "main", Head: "working tree", Result: engine.Result{ModelState: state, Coverage: engine.Coverage{
			Skimmed: []engine.FileNote{{Path: "go.sum", Why: "lock", Extent: engine.ExtentChecked}, {Path: "mocks/a_gen.go", Why: diff.NoteMarked, Extent: engine.ExtentChecked}, {Path: "a.go", Why: "deterministic checks only", Extent: engine.ExtentChecked}},
			Skipped: []engine.FileNote{{Path: "auth.js", Why: diff.NoteLFS, Extent: engine.ExtentUnread}},
		}}}
		for format, want := range map[string][]string{"terminal": {"go.sum", "mocks/a_gen.go", "auth.js"}, "markdown": {"go.sum", "mocks/a_gen.go", "auth.js"}, "agent": {"mocks/a_gen.go", "auth.js"}} {
			var b bytes.Buffer
			if err := Write(&b, r, Options{Format: format}); err != nil {
				t.Fatal(err)
			}
			for _, name := range want {
				if !strings.Contains(b.String(), name) {
					t.Errorf("%s, model %s: %s is not named in\n%s", format, state, name, b.String())
				}
			}
		}
	}
}
