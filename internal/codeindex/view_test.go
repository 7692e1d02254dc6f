package codeindex

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// viewed is code in several languages.
var viewed = files{
	"shop/cart.go":  "package shop\n\n// Total is what a cart costs.\nfunc (c *Cart) Total() int {\n\treturn c.sum(rates)\n}\n\ntype Cart struct {\n\titems []int\n}\n",
	"shop/rates.go": "package shop\n\nvar rates = 3\n\nconst (\n\tfirst = iota\n\tsecond\n)\n",
	"web/cart.ts":   "export const total = (x: Cart) => x.total;\n\nclass Cart {\n  total(x: string) {\n    return rates$;\n  }\n}\n",
	"web/cart.php":  "<?php\nfunction total($rates) {\n    return $rates->sum;\n}\n",
	"py/cart.py":    "class Cart(Base):\n    def total(self):\n        return rates\n\nLIMIT = 3\n",
	"README.md":     "The Cart has a total.\n",
}

// sourceFiles lists the files as a review sees them.
func (f files) sourceFiles() (out []snapshot.SourceFile) {
	for _, path := range slices.Sorted(maps.Keys(f)) {
		if class, language := diff.Classify(path, nil); language != "" && !class.Ignored() {
			out = append(out, snapshot.SourceFile{Path: path, OID: oidOf(f[path]), Language: language})
		}
	}
	return out
}

// holdingBy reads whether a text holds one of the words of a query, or may define it.
func holdingBy(f snapshot.SourceFile, text string, q snapshot.Query) snapshot.Holding {
	out := snapshot.Absent
	for line := range bytes.Lines([]byte(text)) {
		snapshot.EachWord(f.Language, line, func(word []byte, mayDefine bool) {
			if slices.Contains(q.Words, string(word)) && (mayDefine || !q.Defined) {
				out = snapshot.Present
			}
		})
	}
	return out
}

func (b *bench) view() *View {
	b.t.Helper()
	v, err := b.View(bg, b.tenant, b.repo.ID)
	testkit.OK(b.t, err)
	return v
}

// A view says of each content of the index what reading it says, and knows nothing of others.
func TestViewAgreesWithReading(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		if _, err := b.View(bg, b.tenant, b.repo.ID); !errs.Is(err, errs.Conflict) {
			t.Errorf("without an index: %v", err)
		}
		b.index(viewed)
		head := maps.Clone(viewed)
		head["shop/cart.go"] += "\nfunc added() { other() }\n"  // changed
		head["shop/new.go"] = "package shop\n\nvar total = 1\n" // new
		head["moved/rates.go"] = head["shop/rates.go"]          // known by its content
		list, v := head.sourceFiles(), b.view()
		for _, names := range [][]string{{"Total"}, {"total"}, {"rates"}, {"rates$"}, {"$rates"}, {"Cart"}, {"first"}, {"second"}, {"sum"}, {"items"},
			{"LIMIT"}, {"nothing"}, {"total", "LIMIT"}, {"other"}} {
			for _, defined := range []bool{false, true} {
				q := snapshot.Query{Words: names, Defined: defined}
				for i, got := range v.Holding(bg, list, q) {
					f := list[i]
					want := holdingBy(f, head[f.Path], q)
					if f.Path == "shop/cart.go" || f.Path == "shop/new.go" {
						want = snapshot.Unlisted
					}
					if got != want {
						t.Errorf("%v, defined %v: %s is %d, want %d", names, defined, f.Path, got, want)
					}
				}
			}
		}
		for name, names := range map[string][]string{"one letter": {"c"}, "too long": {strings.Repeat("n", maxWord)}} {
			if got := v.Holding(bg, list, snapshot.Query{Words: names}); slices.Max(got) != snapshot.Unlisted {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// A file with more words than the index holds may hold any word.
func TestViewOfFilesBeyondTheBounds(t *testing.T) {
	t.Parallel()
	var wide, long strings.Builder
	for i := range maxWords {
		fmt.Fprintf(&wide, "w%d ", i)
		if i%50 == 0 {
			wide.WriteByte('\n')
		}
	}
	for i := range maxChunks + 50 {
		fmt.Fprintf(&long, "func f%d() {\n\treturn\n}\n\n", i)
	}
	tree := files{"wide.py": wide.String(), "long.go": "package p\n" + long.String(), "small.go": "package p\n"}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.index(tree)
		list := tree.sourceFiles()
		for i, got := range b.view().Holding(bg, list, snapshot.Query{Words: []string{"absent"}}) {
			if want := list[i].Path != "small.go"; (got == snapshot.Present) != want {
				t.Errorf("%s: %d", list[i].Path, got)
			}
		}
	})
}

// A view that is open while the index is updated, rebuilt or deleted says nothing wrong.
func TestViewOfAnIndexThatChanges(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.index(viewed)
		list, v := viewed.sourceFiles(), b.view()
		q := snapshot.Query{Words: []string{"total"}}
		want := v.Holding(bg, list, q)
		check := func(when string) {
			t.Helper()
			for i, got := range v.Holding(bg, list, q) {
				if got != want[i] && got != snapshot.Unlisted {
					t.Errorf("%s: %s is %d, was %d", when, list[i].Path, got, want[i])
				}
			}
		}
		tree := maps.Clone(viewed)
		for i := range 3 * maxSmall { // until segments are joined
			tree["shop/rates.go"] = fmt.Sprintf("package shop\n\nvar rates%d = 3\n", i)
			b.index(tree)
			check(fmt.Sprintf("after update %d", i))
		}
		testkit.OK(t, s.BeginCodeRebuild(bg, b.tenant, b.row().ID))
		check("while it is rebuilt")
		b.index(viewed)
		check("after the rebuild")
		if got := v.Holding(bg, list, q); slices.Contains(got, snapshot.Unlisted) {
			t.Errorf("after the rebuild: %v", got)
		}
		testkit.OK(t, s.ClearCodeIndex(bg, b.tenant, b.row().ID, "off"))
		if got := v.Holding(bg, list, q); slices.Max(got) != snapshot.Unlisted {
			t.Errorf("after its end: %v", got)
		}
		ended, cancel := context.WithCancel(bg)
		cancel()
		if got := v.Holding(ended, list, q); slices.Max(got) != snapshot.Unlisted {
			t.Errorf("after the end of the review: %v", got)
		}
	})
}
