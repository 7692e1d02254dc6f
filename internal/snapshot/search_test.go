package snapshot

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// A search for words finds the same lines of source files as a search of all files, whether the word
// table was just made, exists, is damaged or cannot be written.
func TestASearchForWords(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	r := open(t, cache, u)
	name := filepath.Join(r.dir, tableName)
	for _, state := range []struct {
		name string
		make func()
	}{
		{"not made", func() {}},
		{"at hand", func() {}},
		{"cut", func() { b, _ := os.ReadFile(name); testkit.OK(t, os.WriteFile(name, b[:len(b)/2], 0o600)) }},
		{"mended", func() {}},
		{"another byte", func() {
			b, _ := os.ReadFile(name)
			b[len(b)/3] ^= 0x40
			testkit.OK(t, os.WriteFile(name, b, 0o600))
		}},
		{"something else", func() { testkit.OK(t, os.WriteFile(name, []byte(strings.Repeat("x", 5000)), 0o600)) }},
		{"too large", func() { testkit.OK(t, os.Truncate(name, maxTable+1)) }},
		{"a folder", func() { testkit.OK(t, os.Remove(name)); testkit.OK(t, os.Mkdir(name, 0o700)) }},
	} {
		t.Run(state.name, func(t *testing.T) {
			state.make()
			r := open(t, cache, u) // as another process would
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

// Files in the table are not read again. After a new commit, only its new files are read.
func TestTheTableOfWordsIsKept(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	q := words("beta")[0]
	first := open(t, cache, u)
	if _, err := first.Search(t.Context(), u.head, q, 10); err != nil {
		t.Fatal(err)
	}
	r := open(t, cache, u)
	r.cat.stop() // no blob can be read any more
	if got, err := r.Search(t.Context(), u.head, q, 10); err != nil || len(got) != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	if len(r.words.fresh) != 0 {
		t.Error("something was listed again")
	}
	write(t, u.dir, "b/new.go", "package b\n\nvar beta2 = beta\n")
	testkit.Git(t, u.dir, "add", "-A")
	testkit.Git(t, u.dir, "commit", "-qm", "more")
	u.head = testkit.Git(t, u.dir, "rev-parse", "HEAD")
	before := len(r.words.entries)
	r = open(t, cache, u)
	if got, err := r.Search(t.Context(), u.head, q, 10); err != nil || len(got) != 5 || len(r.words.entries) != before+1 {
		t.Errorf("%+v, %v, %d entries", got, err, len(r.words.entries)-before)
	}
}

// Processes that fill one table at the same time leave a valid table.
func TestTheTableOfWordsIsShared(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	var all []*Repo
	for range 8 {
		all = append(all, open(t, cache, u))
	}
	var group sync.WaitGroup
	for _, r := range all {
		group.Go(func() {
			if got, err := r.Search(t.Context(), u.head, words("beta")[0], 10); err != nil || len(got) != 4 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	group.Wait()
	raw, err := os.ReadFile(filepath.Join(all[0].dir, tableName))
	testkit.OK(t, err)
	if kept := readTable(all[0].dir); kept.size != len(raw) || len(kept.entries) != len(all[0].words.entries) {
		t.Errorf("%d of %d bytes check out, %d entries of %d", kept.size, len(raw), len(kept.entries), len(all[0].words.entries))
	}
}

// Files beyond the bounds of the table are still searched, and so is a word in more files than a table
// entry can name.
func TestBoundsOfTheTableOfWords(t *testing.T) {
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
	files["large.go"] = "package d\n\n" + strings.Repeat("// some line of a comment that is of no use\n", maxIndexed/40) + "\nvar last = 2\n"
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

// Files that were read before a search was cancelled are kept in the table.
func TestASearchThatEndsKeepsWhatItRead(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	cache := &Cache{Dir: t.TempDir()}
	r := open(t, cache, u)
	ctx, cancel := context.WithCancel(t.Context())
	files, err := r.sourceFiles(ctx, u.head)
	testkit.OK(t, err)
	r.words = readTable(r.dir)
	for _, f := range files[:3] {
		_, err := r.index(ctx, r.words, f)
		testkit.OK(t, err)
	}
	cancel()
	if _, err := r.index(ctx, r.words, files[3]); err == nil {
		t.Fatal("a file was read after the end")
	}
	testkit.OK(t, r.words.save(r.dir))
	if kept := readTable(r.dir); len(kept.entries) != 3 {
		t.Errorf("%d entries", len(kept.entries))
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

// A table that is half full keeps the entries of the current tree. A file without room for its entry
// may contain any word.
func TestTheTableOfWordsForgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	words := make([]uint32, maxWordsOf)
	for i := range words {
		words[i] = uint32(i)
	}
	oid := func(i int) string { return fmt.Sprintf("%040x", i) }
	full := readTable(dir)
	for i := range 2 * maxTable / (4 * maxWordsOf) {
		full.add(oid(i), words, true)
	}
	testkit.OK(t, full.save(dir))
	info, err := os.Stat(filepath.Join(dir, tableName))
	testkit.OK(t, err)
	if _, known := hashes(full.entries[oid(len(full.entries)-1)]); known || full.size > maxTable || info.Size() > maxTable {
		t.Errorf("%d bytes, on the disk %d", full.size, info.Size())
	}
	later := readTable(dir)
	later.dropOthers([]sourceFile{{oid: oid(1)}, {oid: oid(2)}, {oid: "none"}})
	later.add(oid(1<<20), words[:3], true)
	testkit.OK(t, later.save(dir))
	last := readTable(dir)
	if _, known := hashes(last.entries[oid(2)]); !known || len(last.entries) != 3 || last.size > 3*5*maxWordsOf {
		t.Errorf("%d entries of %d bytes", len(last.entries), last.size)
	}
}
