package around

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// stems returns the methods of a symbol's own type whose names share a stem with it, as readShort and readLong do, nearest
// first.
func (r *Resolver) stems(ctx context.Context, s *Symbol) (out []Place) {
	got := r.read(ctx, s.File.Path)
	if got == nil {
		return nil
	}
	var found []structure.Contract
	for _, c := range got.contracts {
		if c.Owner() == s.owner && c.Kind == structure.KindFunc && c.Base() != s.UsedName && shareStem(c.Base(), s.UsedName) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b structure.Contract) int {
		return cmp.Compare(max(a.Start-s.Start, s.Start-a.Start), max(b.Start-s.Start, s.Start-b.Start))
	})
	for _, c := range found[:min(len(found), maxLike)] {
		out = append(out, Place{s.File.Path, c.Start})
	}
	return out
}

// shareStem reports whether two names are the same but for one word: at least half of the words of the longer one, and four
// letters, are at the beginning or the end of both.
func shareStem(a, b string) bool {
	x, y := anchor.NameParts(a), anchor.NameParts(b)
	from := 0
	for from < min(len(x), len(y)) && x[from] == y[from] {
		from++
	}
	to := 0
	for to < min(len(x), len(y))-from && x[len(x)-1-to] == y[len(y)-1-to] {
		to++
	}
	letters := len(strings.Join(x[:from], "")) + len(strings.Join(x[len(x)-to:], ""))
	return letters >= minLetters && 2*(from+to) >= max(len(x), len(y))
}

// UnitTests returns the tests of a target's file that have the most words of its changed lines. The test's file is found by
// its name.
func (a Around) UnitTests(ctx context.Context, t *change.Target, src change.Source) (out []Excerpt) {
	if !a.searched || t.File.Class == diff.ClassTest || t.File.Status == diff.Added {
		return nil
	}
	words := a.Words(t)
	for _, p := range testPaths(t.File.Path) {
		if change.Hides(a.policy, p) {
			continue
		}
		blob, err := src.Blob(ctx, domain.Right, p)
		if err != nil || isOutput(p, blob) {
			continue
		}
		for _, test := range bestTests(p, blob, words) {
			out = append(out, Excerpt{test, "a test of this file", WhyTest})
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// testPaths returns the usual paths of the tests of a file.
func testPaths(file string) (out []string) {
	dir, ext := path.Dir(file), path.Ext(file)
	stem := stemOf(file)
	join := func(folder string, names ...string) {
		for _, n := range names {
			out = append(out, path.Join(folder, n+ext))
		}
	}
	switch language := diff.Language(file); {
	case language == "Go":
		join(dir, stem+"_test")
	case language == "Python":
		for _, folder := range []string{dir, path.Join(dir, "tests"), "tests", path.Join(path.Dir(dir), "tests"), "test"} {
			join(folder, "test_"+stem, stem+"_test")
		}
	case language == "Ruby":
		join(strings.Replace("/"+dir, "/lib", "/spec", 1)[1:], stem+"_spec")
		join(strings.Replace("/"+dir, "/app", "/spec", 1)[1:], stem+"_spec")
		join("test", "test_"+stem, stem+"_test")
	case structure.IsScript(language):
		for _, folder := range []string{dir, path.Join(dir, "__tests__"), "test", "tests"} {
			join(folder, stem+".test", stem+".spec", stem)
		}
	case language == "PHP":
		join("tests/Unit", stem+"Test")
		join("tests", stem+"Test")
	case folders[language]:
		join(strings.Replace(dir, "src/main/", "src/test/", 1), stem+"Test", stem+"Tests", "Test"+stem)
	}
	return slices.DeleteFunc(out, func(p string) bool { return p == file })
}
