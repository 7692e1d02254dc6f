package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/wording"
)

// programs are analysers whose outcomes a test knows.
type programs struct {
	outcomes []analysers.Outcome
	asked    analysers.Request
	content  string // of a.go, as an analyser gets it
	patterns analysers.PatternRequest
	matched  analysers.PatternOutcome
}

func (p *programs) Run(ctx context.Context, q analysers.Request) ([]analysers.Outcome, error) {
	p.asked = q
	b, err := q.Read(ctx, "a.go")
	p.content = string(b)
	return p.outcomes, err
}

func (p *programs) Match(_ context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error) {
	p.patterns = q
	return p.matched, nil
}

func TestAnalysersOfThePolicyRun(t *testing.T) {
	t.Parallel()
	found := sarif.Run{Tool: "x", Version: "1.2", Successful: true, Results: []sarif.Result{
		{RuleID: "r1", Level: sarif.LevelError, Message: "The call fails always", Path: "a.go", StartLine: 3, EndLine: 3},
		{RuleID: "r2", Level: sarif.LevelError, Message: "It was there before", Path: "a.go", StartLine: 1, EndLine: 1}}}
	p := &programs{outcomes: []analysers.Outcome{
		{Name: "good", Version: "1.2", Document: sarif.Document{Runs: []sarif.Run{found}}, Foreign: 2,
			Left: []analysers.LeftOut{{Path: "b.go", Why: "larger than 2 MiB"}}},
		{Name: "slow", Failure: analysers.Time}, {Name: "absent", Failure: analysers.Absent}, {Name: "fails", Failure: analysers.Exit, Code: 7},
		{Name: "part", Failure: analysers.Exit, Code: 2, Document: sarif.Document{Runs: []sarif.Run{{Tool: "x", Notes: []string{"exit code 2"},
			Results: []sarif.Result{{RuleID: "r3", Level: sarif.LevelError, Message: "The value is never used", Path: "a.go", StartLine: 2, EndLine: 2}}}}}},
		{Name: "other", Failure: analysers.Version}, {Name: "boxless", Failure: analysers.Sandbox},
		{Name: "garbled", Failure: analysers.Report}, {Name: "large", Failure: analysers.Memory}, {Name: "loud", Failure: analysers.Output},
		{Name: "off", Off: []string{"a.go"}}, {Name: "whole", Failure: analysers.TreeBytes}}}
	in := sampleChange(t)
	in.shows(enginetest.Tree{"a.go": "package x //nolint\n"}, enginetest.Tree{"a.go": "package x //nolint\n\nvar A = call() //nolint:all\n"}, nil)
	in.Policy.Deterministic.Analysers = []string{"good", "slow", "absent", "fails", "other", "boxless"}
	in.Policy.AnalysersOff = []domain.AnalysersOff{{Paths: []string{"b/**"}, Names: []string{"good"}}}
	res := review(t, in, Deps{Analysers: p})
	if !p.asked.Off("good", "b/x.go") || p.asked.Off("good", "a.go") || p.asked.Off("slow", "b/x.go") {
		t.Error("an analyser is off for another folder")
	}
	if len(p.asked.Names) != 6 || len(p.asked.Files) != 1 || p.asked.Files[0].Language != "Go" {
		t.Errorf("asked for %q with %+v", p.asked.Names, p.asked.Files)
	}
	if p.asked.Tree != nil {
		t.Error("files in memory have a tree")
	}
	if p.content != "package x //nolint\n\nvar A = call() //xxxxxx:all\n" {
		t.Errorf("the analyser got %q", p.content)
	}
	if len(res.Findings) != 2 || res.Findings[1].RuleID != "sast/good/r1" || res.Findings[1].Anchor.StartLine != 3 ||
		res.Findings[0].RuleID != "sast/part/r3" {
		t.Errorf("findings %+v", res.Findings)
	}
	for _, want := range []string{wording.English(wording.NoticeProgramTime, "slow"), wording.English(wording.NoticeProgramAbsent, "absent"),
		wording.English(wording.NoticeProgramFailed, "fails (exit code 7)"), wording.English(wording.NoticeProgramVersion, "other"), wording.English(wording.NoticeProgramMemory, "large"),
		wording.English(wording.NoticeProgramReport, "garbled"), wording.English(wording.NoticeProgramLimit, "loud"),
		wording.English(wording.NoticeProgramSandbox, "boxless"), wording.English(wording.NoticeProgramFiles, 1, "good"),
		wording.English(wording.NoticeProgramOff, "off"), wording.English(wording.NoticeProgramTree, "whole (more than 256 MiB)"),
		wording.English(wording.NoticeAnalysersFailed, "part"), wording.English(wording.NoticeAnalysersLeft, 2, "good")} {
		if !slices.Contains(res.Notices, want) {
			t.Errorf("no notice %q in %q", want, res.Notices)
		}
	}
	failed := 0
	for _, a := range res.Analyses {
		if a.Failed {
			failed++
		}
	}
	if len(res.Analyses) != 11 || failed != 10 {
		t.Errorf("analyses %+v", res.Analyses)
	}
}

// Analysers run only where the policy names them and looks for what analysers find.
func TestAnalysersThatThePolicyDoesNotName(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Input){
		"none named": func(in *Input) {},
		"no static analysis": func(in *Input) {
			in.Policy.Deterministic.StaticAnalysis = false
			in.Policy.Deterministic.Analysers = []string{"x"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &programs{}
			in := sampleChange(t)
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": "package x\n"}, nil)
			change(&in)
			review(t, in, Deps{Analysers: p})
			if p.asked.Read != nil {
				t.Error("analysers ran")
			}
		})
	}
	in := sampleChange(t)
	in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": "package x\n"}, nil)
	in.Policy.Deterministic.Analysers = []string{"x"}
	if res := review(t, in, Deps{}); !strings.Contains(strings.Join(res.Notices, " "), wording.English(wording.NoticeProgramAbsent, "x")) {
		t.Errorf("an engine without analysers does not report it: %q", res.Notices)
	}
}

// A run of a document that cannot be read is counted as a run, not as a result.
func TestRunsOfDocumentsThatAreNotUsed(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": "package x\n"}, nil)
	elsewhere := sarif.Run{Tool: "lint", Results: []sarif.Result{{RuleID: "r", Level: sarif.LevelError, Message: "No file is named"}}}
	in.Analyses = []sast.Input{{Source: sast.SourceUpload, Name: "lint",
		Document: sarif.Document{Runs: []sarif.Run{elsewhere}, Broken: []int{1, 3}, CutRuns: 1}}}
	res := review(t, in, Deps{})
	for _, want := range []string{wording.English(wording.NoticeRunsLeft, 3, "lint"), wording.English(wording.NoticeAnalysersLeft, 1, "lint")} {
		if !slices.Contains(res.Notices, want) {
			t.Errorf("no notice %q in %q", want, res.Notices)
		}
	}
}
