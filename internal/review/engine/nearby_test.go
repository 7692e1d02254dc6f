package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A new report beside an earlier finding, or on a copy of its line, is another finding, also under the
// same rule.
func TestANewDefectBesideAnEarlierOne(t *testing.T) {
	t.Parallel()
	const old, alike, fresh = "The time for fields grows with the square", "The time for guests grows with the square", "Nobody is told of the failure"
	text := func(body ...string) string {
		return "package x\n\nfunc first(all []Field) {\n\t" + strings.Join(body, "\n\t") + "\n}\n"
	}
	lines := []string{"prepare(all)", "sort(all)", "fields = append(fields, all...)", "count(fields)", "publish(fields)", "leave(all)"}
	before := text(lines...)
	line := lines[2]
	for name, c := range map[string]struct {
		quote, by string // by is put before its line; "": a line is put behind it
		second    []report
		at        int // where the earlier finding is afterwards
	}{
		"quoting its line, too":                {line, "warn(all)", []report{{"x.go", 6, "warn(all)\n\t" + line, "quadratic-work", fresh}, {"x.go", 7, line + "\n\tcount(fields)", "quadratic-work", old}}, 7},
		"quoting its line, while not repeated": {line, "warn(all)", []report{{"x.go", 6, "warn(all)\n\t" + line, "quadratic-work", fresh}}, 7},
		"between its lines":                    {line + "\n\tcount(fields)", "", []report{{"x.go", 7, "warn(all)\n\tcount(fields)", "quadratic-work", fresh}}, 6},
		"between its lines, alone":             {line + "\n\tcount(fields)", "", []report{{"x.go", 7, "warn(all)", "quadratic-work", fresh}}, 6},
		"in like words, quoting its line, too": {line, "warn(all)", []report{{"x.go", 6, "warn(all)\n\t" + line, "quadratic-work", alike}}, 7},
		"in like words, between its lines":     {line + "\n\tcount(fields)", "", []report{{"x.go", 7, "warn(all)", "quadratic-work", alike}}, 6},
		"an equal line":                        {line, line, []report{{"x.go", 6, line, "error-ignored", fresh}, {"x.go", 7, line, "unbounded-growth", old}}, 7},
		"an equal line below it ":              {line, line, []report{{"x.go", 7, line, "error-ignored", fresh}, {"x.go", 6, line, "unbounded-growth", old}}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks, in.Models = map[string]bool{}, models(telling("", report{"x.go", 6, c.quote, "quadratic-work", old}))
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": before}, nil)
			res := review(t, in, Deps{})
			if len(res.Open()) != 1 {
				t.Fatalf("first: %+v", res.Findings)
			}
			id := res.Open()[0].ID
			in.publish(res)
			in.Models = models(telling(line, c.second...))
			after := slices.Insert(slices.Clone(lines), 3, "warn(all)")
			if c.by != "" {
				after = slices.Insert(slices.Clone(lines), 2, c.by)
			}
			in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": text(after...)}, nil)
			res = review(t, in, Deps{})
			open := res.Open()
			if len(open) != 2 || len(res.Resolved) > 0 {
				t.Fatalf("%+v, resolved %v", open, res.Resolved)
			}
			for _, f := range open {
				if is := f.ID == id; is != (f.Title == old) || is && f.Anchor.StartLine != c.at {
					t.Errorf("%s %q at %d", f.ID, f.Title, f.Anchor.StartLine)
				}
			}
		})
	}
}
