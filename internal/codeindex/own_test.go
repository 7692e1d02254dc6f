package codeindex

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// ownTree reads the source files of this repository.
func ownTree(t testing.TB) files {
	t.Helper()
	root, out := testkit.Root(t), files{}
	for _, folder := range []string{"internal", "cmd", "web/src", "sim", "docs"} {
		testkit.OK(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if class, _ := diff.Classify(filepath.ToSlash(name), nil); ofClass(class) != "" {
				return nil
			}
			text, err := os.ReadFile(path)
			out[filepath.ToSlash(name)] = string(text)
			return err
		}))
	}
	return out
}

// sought is a definition that a query must find.
type sought struct{ query, path, symbol string }

// definitions samples definitions of a tree whose names are unique in it.
func definitions(tree files, every int) (out []sought) {
	seen, at := map[string]int{}, map[string]sought{}
	var names []string
	for path, text := range tree {
		class, language := diff.Classify(path, nil)
		if class != diff.ClassSource {
			continue
		}
		for _, d := range structure.Contracts(language, []byte(text)) {
			if seen[d.Name]++; len(d.Base()) > 4 && d.Kind != structure.KindValue {
				at[d.Name] = sought{d.Name, path, d.Name}
			}
		}
	}
	for name := range at {
		if seen[name] == 1 {
			names = append(names, name)
		}
	}
	sortByHash(names)
	for i := 0; i < len(names); i += every {
		out = append(out, at[names[i]])
	}
	return out
}

func sortByHash(names []string) {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(termOf("", a), termOf("", b)) })
}

// The definition of a name is among the first five places, for at least 95 of 100 names of this repository.
func TestOwnRepository(t *testing.T) {
	b := newBench(t, storetest.SQLite(t))
	tree := ownTree(t)
	b.index(tree)
	all := definitions(tree, 150)
	if len(all) < 60 {
		t.Fatalf("%d names are too few", len(all))
	}
	found := 0
	for _, d := range all {
		got, err := b.Search(bg, b.tenant, b.repo, Wanted{Text: d.query, Limit: 5})
		testkit.OK(t, err)
		hit := false
		for _, f := range got.Items {
			hit = hit || f.Path == d.path && f.Symbol != nil && f.Symbol.Name == d.symbol
		}
		if hit {
			found++
		} else {
			t.Logf("%s of %s is not among %s", d.query, d.path, strings.Join(b.found(d.query), ", "))
		}
	}
	t.Logf("%d of %d", found, len(all))
	if found*100 < len(all)*95 {
		t.Errorf("only %d of %d definitions are found", found, len(all))
	}
}
