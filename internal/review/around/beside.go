package around

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of manifests.
const (
	manifestLines = 120 // of a manifest that are shown
	maxManifestUp = 12  // folders that are searched for it, from a file upwards
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
	x, y := wordsIn(a), wordsIn(b)
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

// wordsIn splits a name at underscores and capital letters into words in lower case.
func wordsIn(name string) (out []string) {
	start := 0
	end := func(i int) {
		if w := strings.ToLower(strings.Trim(name[start:i], "_$")); w != "" {
			out = append(out, w)
		}
		start = i
	}
	for i, c := range name {
		if c == '_' || unicode.IsUpper(c) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			end(i)
		}
	}
	end(len(name))
	return out
}

// UnitTests returns the tests of a target's file that have the most words of its changed lines. The test's file is found by
// its name.
func (a Around) UnitTests(ctx context.Context, t *change.Target, src change.Source) (out []Excerpt) {
	if !a.searched || t.File.Class == diff.ClassTest || t.File.Status == diff.Added {
		return nil
	}
	words := a.Words(t)
	for _, p := range testPaths(t.File.Path) {
		if glob.Any(a.excluded, p) {
			continue
		}
		blob, err := src.Blob(ctx, domain.Right, p)
		if err != nil || isOutput(p, blob) {
			continue
		}
		for _, test := range bestTests(p, blob, words) {
			out = append(out, Excerpt{test, "a test of this file"})
		}
		return out
	}
	return nil
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

// manifests are the files that name the dependencies and files of a package, by language.
var manifests = map[string][]string{
	"Go": {"go.mod"}, "Python": {"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"}, "Rust": {"Cargo.toml"},
	"Java": {"pom.xml", "build.gradle", "build.gradle.kts"}, "Kotlin": {"build.gradle.kts", "build.gradle", "pom.xml"},
	"PHP": {"composer.json"}, "Ruby": {"Gemfile"}, "Elixir": {"mix.exs"}, "Swift": {"Package.swift"}, "Dart": {"pubspec.yaml"},
}

// Manifest returns the beginning of the nearest manifest above a file, if the change adds the file, or adds an import to it
// whose package the manifest lacks.
func (a Around) Manifest(ctx context.Context, t *change.Target, src change.Source) []Excerpt {
	names := manifests[t.File.Language]
	if structure.IsScript(t.File.Language) {
		names = []string{"package.json"}
	}
	packages := addedPackages(t)
	if !a.searched || len(names) == 0 || t.File.Class == diff.ClassTest || t.File.Status != diff.Added && len(packages) == 0 {
		return nil
	}
	for dir, up := path.Dir(t.File.Path), 0; up < maxManifestUp; dir, up = path.Dir(dir), up+1 {
		for _, n := range names {
			at := path.Join(dir, n)
			if glob.Any(a.excluded, at) {
				continue
			}
			blob, err := src.Blob(ctx, domain.Right, at)
			if err != nil {
				continue
			}
			if t.File.Status != diff.Added && !slices.ContainsFunc(packages, func(p string) bool { return !strings.Contains(string(blob), p) }) {
				return nil
			}
			f := readFile(at, blob)
			end := min(len(f.lines), manifestLines)
			return []Excerpt{{structure.Piece{Path: at, Start: 1, End: end, Text: strings.Join(f.lines[:end], "\n") + "\n"}, "the manifest"}}
		}
		if dir == "." {
			break
		}
	}
	return nil
}

// addedPackages returns the packages outside the repository that added lines of Go, JavaScript and TypeScript import.
func addedPackages(t *change.Target) (out []string) {
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			m := quoted.FindStringSubmatch(l.Text)
			if l.Op != diff.Add || len(l.Text) > change.MaxSearchedLine || m == nil || !importing.MatchString(l.Text) {
				continue
			}
			parts := strings.Split(m[1], "/")
			switch {
			case t.File.Language == "Go" && strings.Contains(parts[0], "."):
				out = append(out, path.Join(parts[:min(len(parts), 3)]...))
			case !structure.IsScript(t.File.Language) || parts[0] == "" || strings.ContainsAny(parts[0], ".~#:") || parts[0] == "@":
			case parts[0][0] == '@' && len(parts) > 1:
				out = append(out, parts[0]+"/"+parts[1])
			default:
				out = append(out, parts[0])
			}
		}
	}
	return out
}

var quoted = regexp.MustCompile(`["']([^"'\s]+)["']`)
