package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// withLarge refuses one path as too large, as a snapshot does.
type withLarge struct {
	enginetest.Files
	path string
}

func (r withLarge) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if path == r.path {
		return nil, errs.New(errs.TooLarge, "snapshot_too_large", "The file is larger than allowed.")
	}
	return r.Files.Blob(ctx, side, path)
}

// huge is the text of a Go file of more than 5 MiB.
func huge() string {
	return "package shop\n\n" + strings.Repeat("var _ = \"one of very many lines of a table that a program wrote\"\n", 90_000)
}

// A file beyond a bound is named, and the bug beside it is found.
func TestFilesBeyondABoundAreNamedAndTheRestIsReviewed(t *testing.T) {
	t.Parallel()
	const edited = "diff --git a/table.go b/table.go\n--- a/table.go\n+++ b/table.go\n@@ -7,3 +7,3 @@\n var a = 1\n-var b = 2\n+var b = 3\n var c = 4\n"
	const header = "diff --git a/table.go b/table.go\nindex 1111111..2222222 100644\n--- a/table.go\n+++ b/table.go\n"
	for name, tt := range map[string]struct {
		diff  string
		why   string
		state string
		shown bool // its lines are in a prompt
	}{
		"a new Go file of 5 MiB":     {enginetest.Unified("table.go", "", huge()), whyLargeChange, ModelPartial, false},
		"an edit of a Go file of it": {edited, change.WhyLargeFile, ModelComplete, true},
		"a change left out of it":    {string(diff.Omit([]byte(header), diff.OmittedLarge)), diff.OmittedLarge, ModelPartial, false},
		"one that the host hides":    {string(diff.Omit([]byte(header), diff.OmittedByHost)), diff.OmittedByHost, ModelPartial, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Diff, in.Source = append([]byte(tt.diff), in.Diff...), withLarge{in.Source.(enginetest.Files), "table.go"}
			m := &scripted{generate: findings(division()), verify: confirmAll}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if !slices.ContainsFunc(res.Findings, func(f domain.Finding) bool { return f.Title == division().Title }) {
				t.Errorf("the bug beside the large file was not found: %+v", res.Findings)
			}
			notes := append(res.Coverage.Skimmed, res.Coverage.Skipped...)
			if len(notes) != 1 || bare(notes[0]) != (FileNote{Path: "table.go", Why: tt.why}) || !notes[0].Bounded() {
				t.Errorf("coverage %+v", res.Coverage)
			}
			if len(res.Coverage.Reviewed) != 1 || res.Coverage.Reviewed[0].Path != "shop/shop.go" {
				t.Errorf("coverage %+v", res.Coverage)
			}
			if res.ModelState != tt.state {
				t.Errorf("model state %s (%s)", res.ModelState, res.ModelNote)
			}
			shown := false
			for _, r := range m.requests {
				_, user := enginetest.Prompt(r)
				shown = shown || strings.Contains(user, "=== table.go")
			}
			if shown != tt.shown {
				t.Errorf("the large file was in a prompt: %v", shown)
			}
		})
	}
}

// Without a model the large file is named too.
func TestFilesBeyondABoundAreNamedWithoutAModel(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Diff = append([]byte(enginetest.Unified("table.go", "package shop\n\nvar a = 1\n", "package shop\n\nvar a = 2\n")), in.Diff...)
	in.Source = withLarge{in.Source.(enginetest.Files), "table.go"}
	res := review(t, in, Deps{})
	if n := res.Coverage.Skimmed; len(n) != 2 || bare(n[0]) != (FileNote{Path: "table.go", Why: change.WhyLargeFile}) {
		t.Errorf("coverage %+v", res.Coverage)
	}
}

// Earlier findings of a file do not count as fixed because the file or its change is too large to be
// looked at now.
func TestFindingsOfFilesBeyondABoundStand(t *testing.T) {
	t.Parallel()
	first := sampleChange(t)
	first.Models = models(&scripted{generate: findings(division()), verify: confirmAll})
	known := review(t, first, Deps{}).Findings
	for i := range known {
		known[i].Known = true
	}
	static := domain.Finding{ID: "fnd_static", Origin: domain.OriginStatic, RuleID: "assay/go-syntax", Category: domain.CategoryBug, Severity: domain.High, Title: "The Go file does not parse",
		State: domain.FindingOpen, Route: domain.RouteInline, Known: true, Anchor: domain.Anchor{Path: "shop/shop.go", Side: domain.Right, Level: domain.AnchorFile}}
	known = append(known, static)
	for name, raw := range map[string]string{
		"omitted":   string(diff.Omit([]byte("diff --git a/shop/shop.go b/shop/shop.go\nindex 1111111..2222222 100644\n"), diff.OmittedLarge)),
		"too large": enginetest.Unified("shop/shop.go", "package shop\n", huge()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Known, in.Diff, in.Source = known, []byte(raw), withLarge{enginetest.Files{}, "shop/shop.go"}
			in.Models = models(&scripted{generate: findings(), verify: confirmAll})
			res := review(t, in, Deps{})
			if len(res.Resolved) != 0 || len(res.Findings) != len(known) {
				t.Errorf("resolved %v, findings %d of %d", res.Resolved, len(res.Findings), len(known))
			}
		})
	}
}

// A file that was not read because the number of requests to the host is limited is bounded, and its
// change is still shown.
func TestAFileBeyondWhatAHostIsAskedForIsBounded(t *testing.T) {
	t.Parallel()
	if note := (FileNote{Path: "b.go", Why: change.WhyManyFiles}); !note.Bounded() || note.unseen() {
		t.Errorf("the note is %+v", note)
	}
}

// Notices about a whole diff reach the review.
func TestALackOfTheWholeDiffIsSaid(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Diff = append(diff.Lacking("The host lists 3000 files only."), in.Diff...)
	in.Models = models(&scripted{generate: findings(), verify: confirmAll})
	if res := review(t, in, Deps{}); !slices.Contains(res.Notices, "The host lists 3000 files only.") || res.ModelState != ModelPartial {
		t.Errorf("notices %v, state %s", res.Notices, res.ModelState)
	}
}

// counted refuses to read more than a number of versions, as the files of a host do.
type counted struct {
	enginetest.Files
	left *int
	seen map[string]bool
}

func (c counted) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if key := string(side) + path; !c.seen[key] {
		if *c.left--; *c.left < 0 {
			return nil, errs.New(errs.TooLarge, snapshot.CodeReads, "The change has more files than are read.")
		}
		c.seen[key] = true
	}
	return c.Files.Blob(ctx, side, path)
}

// If only a limited number of file versions is read, the first files have both versions.
func TestBothVersionsOfTheFirstFilesAreRead(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	source := in.Source.(enginetest.Files)
	in.Diff = nil
	for i := range 6 {
		path := fmt.Sprintf("a%d.go", i)
		before, after := "package a\n\nvar x = 1\n", fmt.Sprintf("package a\n\nvar x = %d\n", i+2)
		source["LEFT:"+path], source["RIGHT:"+path] = before, after
		in.Diff = append(in.Diff, enginetest.Unified(path, before, after)...)
	}
	left := 1 + 2*4 // .gitattributes, and four files
	in.Source = counted{source, &left, map[string]bool{}}
	in.Models = models(&scripted{generate: findings()})
	res := review(t, in, Deps{})
	var cut []string
	for _, n := range res.Coverage.Skimmed {
		cut = append(cut, n.Path+": "+n.Why)
	}
	if want := []string{"a4.go: " + change.WhyManyFiles, "a5.go: " + change.WhyManyFiles}; !slices.Equal(cut, want) {
		t.Errorf("not read whole: %q, want %q", cut, want)
	}
}
