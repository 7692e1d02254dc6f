package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

func file(path string, class diff.Class, lines int) *diff.File {
	t := enginetest.TargetOf(path, lines)
	t.File.Class, t.File.Additions, t.File.Status = class, lines, diff.Modified
	return t.File
}

func TestDepth(t *testing.T) {
	t.Parallel()
	many := func(n int) (out []*diff.File) {
		for i := range n {
			out = append(out, file(strings.Repeat("x", i+1)+".go", diff.ClassSource, 1))
		}
		return out
	}
	for name, tt := range map[string]struct {
		files []*diff.File
		want  string
	}{
		"nothing":                 {nil, tierT0},
		"only ignored":            {[]*diff.File{file("go.sum", diff.ClassLock, 500), file("README.md", diff.ClassDocs, 5)}, tierT0},
		"ten lines":               {[]*diff.File{file("a.go", diff.ClassSource, 10)}, tierT1},
		"eleven lines":            {[]*diff.File{file("a.go", diff.ClassSource, 11)}, tierT2},
		"a hundred lines":         {[]*diff.File{file("a.go", diff.ClassSource, 100)}, tierT2},
		"more lines":              {[]*diff.File{file("a.go", diff.ClassSource, 101)}, tierT3},
		"many files":              {many(21), tierT3},
		"sensitive":               {[]*diff.File{file("internal/auth/login.go", diff.ClassSource, 1)}, tierT3},
		"huge":                    {[]*diff.File{file("a.go", diff.ClassSource, 1501)}, tierT4},
		"very many files":         {many(61), tierT4},
		"ignored lines count not": {[]*diff.File{file("a.go", diff.ClassSource, 5), file("go.sum", diff.ClassLock, 5000)}, tierT1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if p := triage(&diff.Set{Files: tt.files}, domain.DefaultPolicy(), nil, false, true); p.tier != tt.want {
				t.Errorf("tier %s (%s), want %s", p.tier, p.why, tt.want)
			}
		})
	}
}

// The depth depends on the hunks that are due: those that no earlier run has reviewed, and those that
// use a name that a new hunk declares.
func TestDepthOfDueHunks(t *testing.T) {
	t.Parallel()
	large := enginetest.TargetOf("a.go", 1600, 5).File
	large.Additions = 1605
	sensitive := enginetest.TargetOf("internal/auth/login.go", 8).File
	caller := enginetest.TargetOf("b.go", 200).File
	caller.Hunks[0].Lines[0].Text = "\tcompute(1)"
	set := &diff.Set{Files: []*diff.File{large, sensitive, caller}}
	for name, tt := range map[string]struct {
		reviewed []string
		text     string // of the first line of the small hunk
		full     bool
		want     string
		model    int // files
	}{
		"all of it":                     {nil, "", false, tierT4, 3},
		"a few lines":                   {[]string{"a.go#0", "internal/auth/login.go#0", "b.go#0"}, "", false, tierT1, 1},
		"a few lines, all asked for":    {[]string{"a.go#0", "internal/auth/login.go#0", "b.go#0"}, "", true, tierT4, 3},
		"a few lines and what they use": {[]string{"a.go#0", "internal/auth/login.go#0", "b.go#0"}, "func compute(n int) {", false, tierT3, 2},
		"a sensitive path":              {[]string{"a.go#0", "a.go#1", "b.go#0"}, "", false, tierT3, 1},
		"nothing":                       {[]string{"a.go#0", "a.go#1", "internal/auth/login.go#0", "b.go#0"}, "", false, tierT1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reviewed := map[string]bool{}
			for _, id := range tt.reviewed {
				reviewed[id] = true
			}
			large.Hunks[1].Lines[0].Text = tt.text + "x"
			p := triage(set, domain.DefaultPolicy(), reviewed, tt.full, true)
			if p.tier != tt.want || len(p.model)+len(p.skimmed) != tt.model {
				t.Errorf("tier %s (%s), want %s; %d files due", p.tier, p.why, tt.want, len(p.model)+len(p.skimmed))
			}
		})
	}
}

func TestEveryFileIsAccountedFor(t *testing.T) {
	t.Parallel()
	set := &diff.Set{Files: []*diff.File{
		file("a.go", diff.ClassSource, 2000), file("b.go", diff.ClassSource, 2000), file("internal/auth/x.go", diff.ClassSource, 100), file("go.sum", diff.ClassLock, 10),
		file("vendor/x.go", diff.ClassVendored, 10), file("x.png", diff.ClassBinary, 0), file("gen/y.go", diff.ClassSource, 10), file("docs/z.md", diff.ClassDocs, 3)}}
	policy := domain.DefaultPolicy()
	policy.Paths.Exclude = []string{"gen/"}
	p := triage(set, policy, nil, false, true)
	p.keep(selectedLines, whyNotSelected, nil)
	seen := map[string]int{}
	for _, m := range p.model {
		seen[m.File.Path]++
	}
	for _, l := range [][]FileNote{p.skimmed, p.skipped, p.unchanged} {
		for _, n := range l {
			seen[n.Path]++
		}
	}
	for _, f := range set.Files {
		if seen[f.Path] != 1 {
			t.Errorf("%s is in %d lists", f.Path, seen[f.Path])
		}
	}
	if p.tier != tierT4 || p.model[len(p.model)-1].File.Path != "internal/auth/x.go" {
		t.Errorf("tier %s; the sensitive file is not among those selected: %v", p.tier, p.skimmed)
	}
}

func TestMatchAny(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"*.go", "a/b/c.go", true}, {"*.go", "c.ts", false}, {"a/**", "a/b/c.go", true}, {"a/", "a/b.go", true}, {"/a/*.go", "a/b.go", true},
		{"/c.go", "c.go", true}, {"/c.go", "a/c.go", false}, {"/*.go", "a/c.go", false}, {"/a/", "a/b.go", true}, {"/", "a", false},
		{"a/*.go", "a/b/c.go", false}, {"[", "[", false}, {"**/test/**", "x/test/y", true}, {"", "a", false},
	} {
		if got := glob.Any([]string{tt.glob}, tt.path); got != tt.want {
			t.Errorf("glob.Any(%q, %q) = %v", tt.glob, tt.path, got)
		}
	}
}

func TestHunksThatUseAChangedSymbolAreFresh(t *testing.T) {
	t.Parallel()
	hunk := func(id, text string) *diff.Hunk {
		return &diff.Hunk{ID: id, Lines: []diff.Line{{Op: diff.Add, New: 1, Text: text}}}
	}
	set := &diff.Set{Files: []*diff.File{{Path: "a.go", Hunks: []*diff.Hunk{hunk("new", "func Charge(amount int) error {")}},
		{Path: "b.go", Hunks: []*diff.Hunk{hunk("caller", "	err := Charge(5)"), hunk("other", "	x := 1")}}}}
	fresh := freshHunks(set, map[string]bool{"caller": true, "other": true}, false)
	if !fresh["new"] || !fresh["caller"] || fresh["other"] {
		t.Errorf("fresh: %v", fresh)
	}
}

// Changed files that steer reviewers are named in a notice, and are not findings.
func TestChangedInstructionsAreANotice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		head enginetest.Tree
		want string // end of the notice
	}{
		"none":            {enginetest.Tree{"a.go": "package x\n"}, ""},
		"of agents":       {enginetest.Tree{"sub/AGENTS.md": "a\n"}, ": sub/AGENTS.md."},
		"of an editor":    {enginetest.Tree{".cursor/rules/x.mdc": "a\n", ".github/copilot-instructions.md": "a\n"}, ": .cursor/rules/x.mdc, .github/copilot-instructions.md."},
		"of this service": {enginetest.Tree{".assay.yaml": "a: 1\n"}, ": .assay.yaml."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.shows(enginetest.Tree{}, c.head, nil)
			res := review(t, in, Deps{})
			i := slices.IndexFunc(res.Notices, func(n string) bool {
				return strings.HasPrefix(n, "The change edits instructions for automatic reviewers")
			})
			if (i >= 0) != (c.want != "") || i >= 0 && !strings.HasSuffix(res.Notices[i], c.want) || len(res.Findings) > 0 {
				t.Errorf("notices %q, findings %v", res.Notices, res.Findings)
			}
		})
	}
}
