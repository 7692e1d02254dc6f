package snapshot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// sources are files on which a search for words is compared with a search of all files.
var sources = map[string]string{
	"a.go":         "package a\n\n// Alpha is in a comment.\nfunc Alpha() int { return beta }\n\nvar beta = 1\n\nconst (\n\tgamma = iota\n\tdelta\n)\n\ntype Eps struct {\n\tzeta int\n}\n\nfunc (e *Eps) Eta(x Alpha) {\n\te.zeta = 2\n}\n",
	"b/c.go":       "package b\n\nvar x = a.Alpha() + 1\n\nfunc Eta() {}\n",
	"b/c.py":       "class Alpha(Base):\n    def eta(self):\n        return gamma\n",
	"b/d.ts":       "export const show$ = (x: Eps) => x;\n\nclass Delta {\n  eta(x: string) {\n    return show$(x);\n  }\n}\n",
	"b/e.java":     "class E {\n    public long eta(String s) {\r\n        return alpha(s);\n    }\n}\n",
	"b/f.php":      "<?php\nfunction alpha($beta) {\n    return $beta->eta();\n}\n",
	"b/g.txt":      "Alpha eta\n",
	"vendor/v.go":  "package v\n\nfunc Alpha() {}\n",
	"b/empty.go":   "",
	"b/ü name.go":  "package b\n\nvar ünï = Alpha\n",
	"b/noEnd.go":   "package b\n\nvar Alpha = 1",
	"b/binary.go":  "package b\n\x00 Alpha\n",
	"b/double.go":  "package b\n\nvar beta = 1 // the same\n",
	"b/double2.go": "package b\n\nvar beta = 1 // the same\n",
}

func servedFiles(t *testing.T, files map[string]string) *upstream {
	t.Helper()
	return served(t, func(dir string) (base, head string) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			write(t, dir, name, files[name])
		}
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", "head")
		head = testkit.Git(t, dir, "rev-parse", "HEAD")
		return head, head
	})
}

// words make queries for a name: lines with it, and lines that may define it.
func words(name string) []Query {
	escaped := strings.ReplaceAll(name, "$", "\\$")
	return []Query{
		{Expressions: []string{"(^|[^A-Za-z0-9_$])(" + escaped + ")([^A-Za-z0-9_$]|$)"}, Words: []string{name}},
		{Expressions: []string{"^(func (\\([^)]*\\) )?|type |var |const )(" + escaped + ")([^A-Za-z0-9_]|$)", "^\t(" + escaped + ")([ ]+[A-Za-z_*[][^ =:]*)?([ ]+(=|//|\\{).*)?$",
			"(^|[^A-Za-z0-9_])(class|interface|function|const|let|var|def)[ \t]+(" + escaped + ")([^A-Za-z0-9_]|$)",
			"^[ \t]+([A-Za-z_][A-Za-z0-9_<>,.]*[ \t]+)*(" + escaped + ")\\(.*\\{[ \t]*$"}, Words: []string{name}, Defined: true},
	}
}

// someIndex knows the words of some files, by their paths.
type someIndex struct {
	known func(path string) bool
	repo  *Repo
	asked int // files
}

func (x *someIndex) Holding(ctx context.Context, files []SourceFile, q Query) []Holding {
	out := make([]Holding, len(files))
	x.asked += len(files)
	for i, f := range files {
		if !x.known(f.Path) {
			continue
		}
		words, err := x.repo.listWords(ctx, f)
		switch {
		case err != nil:
		case newWanted(q).matchesAny(words):
			out[i] = Present
		default:
			out[i] = Absent
		}
	}
	return out
}

// A search for words finds the same lines of source files as a search of all files, whether an index knows all, some or none
// of them.
func TestASearchForWords(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	for name, known := range map[string]func(string) bool{"no index": nil, "an index without files": func(string) bool { return false },
		"an index of all": func(string) bool { return true }, "an index of some": func(path string) bool { return len(path)%2 == 0 }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, cache, u)
			if known != nil {
				r.UseIndex(&someIndex{known: known, repo: open(t, cache, u)})
			}
			found := 0
			for _, word := range []string{"Alpha", "alpha", "beta", "gamma", "delta", "Eps", "zeta", "Eta", "eta", "Delta", "show$", "nothing", "ret"} {
				for _, q := range words(word) {
					got, err := r.Search(t.Context(), u.head, q, 100)
					testkit.OK(t, err)
					all, err := r.grep(t.Context(), u.head, Query{Expressions: q.Expressions}, nil, 100)
					testkit.OK(t, err)
					all = slices.DeleteFunc(all, func(m Match) bool { return m.Path == "b/g.txt" || strings.HasPrefix(m.Path, "vendor/") })
					if !slices.Equal(got, all) {
						t.Errorf("%s, defined %v: %+v, want %+v", word, q.Defined, got, all)
					}
					found += len(got)
				}
			}
			if found < 30 {
				t.Errorf("only %d lines were compared", found)
			}
		})
	}
}

// A search for words looks only at the file or in the folder that the query names.
func TestASearchForWordsUnderAFolder(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	for under, want := range map[string]string{
		"": "a.go b/c.go b/c.py b/d.ts b/f.php", "b": "b/c.go b/c.py b/d.ts b/f.php", "b/": "b/c.go b/c.py b/d.ts b/f.php", "b/c.py": "b/c.py", "b/c": "", "a.go": "a.go",
		"nowhere": "", "vendor": "",
	} {
		q := Query{Expressions: []string{"(^|[^A-Za-z0-9_$])([eE](ta|ps))([^A-Za-z0-9_$]|$)"}, Words: []string{"eta", "Eta", "Eps"}, Under: under}
		got, err := r.Search(t.Context(), u.head, q, 100)
		testkit.OK(t, err)
		var paths []string
		for _, m := range got {
			if !slices.Contains(paths, m.Path) && m.Path != "b/e.java" {
				paths = append(paths, m.Path)
			}
		}
		testkit.Equal(t, under, strings.Join(paths, " "), want)
	}
}

// Files whose words are known are not read again: those of an index not at all, and others once while the store is open.
func TestFilesAreReadOnceForTheirWords(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	q := words("beta")[0]
	r := open(t, cache, u)
	x := &someIndex{known: func(path string) bool { return path != "a.go" && path != "b/c.go" }, repo: open(t, cache, u)}
	r.UseIndex(x)
	got, err := r.Search(t.Context(), u.head, q, 10)
	testkit.OK(t, err)
	if len(got) != 4 || len(r.words.of) != 2 {
		t.Errorf("%d lines, %d files were read", len(got), len(r.words.of))
	}
	r.cat.stop() // no blob can be read any more
	got, err = r.Search(t.Context(), u.head, words("Alpha")[0], 20)
	testkit.OK(t, err)
	if len(got) == 0 || x.asked == 0 {
		t.Errorf("%d lines, %d files were asked for", len(got), x.asked)
	}
}

// Files beyond the bounds of a list of words are still searched, and so is a word in more files than a command line
// can name.
func TestBoundsOfListsOfWords(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range maxHolders + 10 {
		files[fmt.Sprintf("d%d/f.go", i)] = fmt.Sprintf("package d\n\nvar everywhere = %d\n", i)
	}
	var many strings.Builder
	for i := range maxWordsOf + 10 {
		fmt.Fprintf(&many, "w%d\n", i)
	}
	files["many.go"] = "package d\n\n/*\n" + many.String() + "*/\n\nvar last = 1\n"
	files["large.go"] = "package d\n\n" + strings.Repeat("// some line of a comment that is of no use\n", maxListed/40) + "\nvar last = 2\n"
	u := servedFiles(t, files)
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	for range 2 {
		if got, err := r.Search(t.Context(), u.head, words("everywhere")[0], 5000); err != nil || len(got) != maxHolders+10 {
			t.Errorf("%d lines, %v", len(got), err)
		}
		if got, err := r.Search(t.Context(), u.head, words("last")[0], 100); err != nil || len(got) != 2 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A search with more matches than its limit returns the first ones. A long line is cut.
func TestASearchEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	line := "var word" + strings.Repeat("x", 200) + " = 1\n"
	u := servedFiles(t, map[string]string{"a.go": "package a\n\n" + strings.Repeat(line, 10_000), "b.go": "package a\n\nvar word = \"" + strings.Repeat("y", 5<<20) + "\"\nvar word2 = 1\n"})
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	for limit, want := range map[int]int{0: 0, 1: 1, 9_999: 9_999, 10_002: 10_002, 20_000: 10_002} {
		got, err := r.Search(t.Context(), u.head, Query{Expressions: []string{"word"}}, limit)
		if err != nil || len(got) != want {
			t.Errorf("limit %d: %d lines, %v", limit, len(got), err)
		}
		if len(got) > 10_000 && (len(got[10_000].Text) > maxMatch || got[10_001].Text != "var word2 = 1") {
			t.Errorf("%d characters, then %q", len(got[10_000].Text), got[10_001].Text)
		}
	}
}
