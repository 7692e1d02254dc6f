package seeded

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/snapshot"
)

const sample = `Language: Go
-- a.go --
package a

func one() int {
	return 1
}
-- b.go --
package a

func two() int { return one() }
-- change/x --
Title: Count on
Defect: off-by-one low: It counts one too many.
Needs: two b.go func two(

@@ a.go
	⟦return 1⟧
==>
	n := two()
	⟦n++
	return n⟧
@@ + c.go
package a

// Three is more.
const Three = 3
`

func TestApply(t *testing.T) {
	p, err := parse("sample", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.changes[0].apply(p.base)
	if err != nil {
		t.Fatal(err)
	}
	if want := "package a\n\nfunc one() int {\n\tn := two()\n\tn++\n\treturn n\n}\n"; got.head["a.go"] != want {
		t.Errorf("a.go became %q", got.head["a.go"])
	}
	if !strings.HasPrefix(got.head["c.go"], "package a\n\n// Three") || got.head["b.go"] != p.base["b.go"] {
		t.Error("the other files differ from the written ones")
	}
	golden := eval.Golden{Path: "a.go", Side: domain.Left, StartLine: 4, EndLine: 4, Defect: "off-by-one", Category: "off-by-one", Severity: "low", Text: "It counts one too many."}
	right := golden
	right.Side, right.StartLine, right.EndLine = domain.Right, 5, 6
	if want := []eval.Golden{golden, right}; !reflect.DeepEqual(got.golden, want) {
		t.Errorf("golden places %+v", got.golden)
	}
	if want := []eval.Definition{{Name: "two", Path: "b.go", Line: 3}}; !reflect.DeepEqual(got.definitions, want) {
		t.Errorf("definitions %+v", got.definitions)
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string][2]string{
		"missing old text":           {"⟦return 1⟧\n==>", "⟦return 3⟧\n==>"},
		"duplicate old text":         {"-- b.go --", "\treturn 1\n-- b.go --"},
		"part of a line":             {"\t⟦return 1⟧\n==>", "⟦return 1⟧\n==>"},
		"existing new file":          {"@@ + c.go", "@@ + b.go"},
		"mark that does not end":     {"return n⟧", "return n"},
		"mark of no defect":          {"⟦n++\n\treturn n⟧", "⟪n++⟫\n\treturn n"},
		"defect without a place":     {"low: It counts one too many.", "low: It counts.\nDefect: nil-deref low: It does."},
		"missing needed file":        {"func two(\n", "func three(\n"},
		"no title":                   {"Title: Count on\n", ""},
		"unknown field":              {"Title:", "Titel:"},
		"edit without a second part": {"==>\n", ""},
		"no language":                {"Language: Go\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sample, change[0], change[1], 1)
			if text == sample {
				t.Fatal("nothing was changed")
			}
			p, err := parse("sample", []byte(text))
			if err == nil {
				_, err = p.changes[0].apply(p.base)
			}
			if err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestOpen(t *testing.T) {
	s := load(t)
	c := s.cases[0]
	heads, done, err := s.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	src, ok := heads[0].Source.(snapshot.Searcher)
	if !ok {
		t.Fatal("the source cannot search")
	}
	unchanged := ""
	for path, text := range s.versions[c.ID].base {
		if s.versions[c.ID].head[path] == text {
			unchanged = path
		}
	}
	hits, err := src.Search(t.Context(), snapshot.Query{Expressions: []string{"^[a-z]"}}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, h := range hits {
		found = found || h.Path == unchanged
	}
	if !found {
		t.Errorf("%s is not searched", unchanged)
	}
	if _, _, err := s.Open(t.Context(), eval.Case{ID: "another"}); !errors.Is(err, eval.ErrNoCode) {
		t.Errorf("a case of another set: %v", err)
	}
}

func TestExport(t *testing.T) {
	s := load(t)
	dir := t.TempDir()
	if err := s.Export(dir); err != nil {
		t.Fatal(err)
	}
	got, err := cases.Folder(dir).Cases(t.Context())
	if err != nil || len(got) != len(s.cases) {
		t.Fatalf("%d of %d cases read back: %v", len(got), len(s.cases), err)
	}
	for i, want := range s.cases {
		want.Heads, got[i].Set = 1, want.Set
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("%s reads back as %+v", want.ID, got[i])
		}
	}
	first := got[0]
	heads, done, err := cases.Folder(dir).Open(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for path, text := range s.versions[first.ID].head {
		if raw, err := heads[0].Source.Blob(t.Context(), domain.Right, path); err != nil || string(raw) != text {
			t.Errorf("%s differs from the written file: %v", path, err)
		}
	}
	if err := s.Export(dir); err == nil {
		t.Error("an existing file is overwritten")
	}
}

// TestTheSame checks that the set and its held-back part are the same in every run and on every machine.
func TestTheSame(t *testing.T) {
	one, other := load(t), load(t)
	if !reflect.DeepEqual(one, other) {
		t.Error("two readings differ")
	}
	for program, want := range map[string]bool{"courier": true, "catalog": true, "ledger": false, "payroll": false} {
		if isHeld(program) != want {
			t.Errorf("%s: kept back is %t, want %t", program, isHeld(program), want)
		}
	}
}
