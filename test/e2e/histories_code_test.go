package e2e

import (
	"fmt"
	"slices"
	"strings"
)

// shape is a kind of defect: one statement, and a model's texts about it. Shapes have different rules,
// because many findings of one rule in a change are shown as one.
type shape struct {
	lang string
	// bad is the statement, {V} its variable, {K} a number that edits change. It may be broken at "|".
	// good is the repaired statement.
	bad, good string
	// key is the rule. neighbour is another rule of its family, family a rule of another family with
	// the same category ("" if there is no such rule), and foreign a rule of another category.
	key, neighbour, family, foreign string
	says                            []string // titles, worded differently
}

var shapes = []shape{
	{"go", "{V} := (total + {K}) / |len(items)", "{V} := ratio(total, {K}, items)", "division-by-zero", "wrong-operator", "panic-reachable", "n-plus-one-query",
		[]string{"{V} divides by zero for no items", "An empty list crashes {F}", "The quotient has no guard"}},
	{"go", "{V} := items[|len(items)-{K}]", "{V} := nth(items, {K})", "index-out-of-range", "off-by-one", "partial-write", "open-redirect",
		[]string{"{V} reads before the first item", "Short lists panic in {F}", "The position may be negative"}},
	{"go", "{V}, _ := readAll(|name, {K})", "{V}, err := readAll(name, {K})", "error-ignored", "error-swallowed", "missing-case", "blocking-call",
		[]string{"The error of reading {V} is dropped", "{F} goes on after a failed read", "A missing file looks empty"}},
	{"go", "{V} := owner(|lookup(total, {K}).next)", "{V} := owner(safe(total, {K}))", "nil-deref", "bad-default", "retry-unsafe", "missing-authorisation",
		[]string{"{V} follows a missing entry", "{F} panics for an unknown total", "Nothing checks that the lookup found one"}},
	{"ts", "const {V} = (total + {K}) / |items.length;", "const {V} = ratio(total, {K}, items);", "precision-loss", "integer-overflow", "missing-cleanup", "unbounded-growth",
		[]string{"{V} is infinite for no items", "{F} returns NaN for an empty list", "The quotient has no guard"}},
	{"ts", "const {V} = db.query(|\"SELECT * FROM t{K} WHERE name = '\" + name + \"'\");", "const {V} = db.find({K}, name);", "sql-injection", "input-not-validated", "", "quadratic-work",
		[]string{"{V} is a query made of user input", "Names reach the database of {F} unescaped", "Strangers can change the statement"}},
	{"ts", "const {V} = saveAll(|items, {K});", "const {V} = await saveAll(items, {K});", "missing-await", "check-then-act", "", "sensitive-data-exposure",
		[]string{"{V} is not awaited", "{F} answers before the items are saved", "A failure of saving is lost"}},
}

// plant is a defect at its place in the code.
type plant struct {
	id              int
	shape           int
	v               string
	k               int
	gone            bool
	broken, wrapped bool
	apart           int // lines between it and the next statement, besides the one that uses it
}

// block is a function.
type block struct {
	name   string
	number int // written in its first line, unique to the block
	extra  int // meaningless lines at its end
	plants []plant
}

// source is a file of the pull request. before is its text on the base branch, after which the pull
// request adds lines.
type source struct {
	path, lang string
	tight      bool // formatted otherwise
	onBase     string
	blocks     []block
}

// code is the content of a head.
type code struct{ files []source }

func (c code) clone() code {
	files := slices.Clone(c.files)
	for i := range files {
		files[i].blocks = slices.Clone(files[i].blocks)
		for j := range files[i].blocks {
			files[i].blocks[j].plants = slices.Clone(files[i].blocks[j].plants)
		}
	}
	return code{files}
}

// place is the place of a defect in a head.
type place struct {
	path, block, unit string
	first, last       int // lines, from 1
	lines             []string
}

// text is one file of a head, with the places of its defects.
type text struct {
	lines  []string
	path   string
	places map[int]place
}

func (t *text) add(lines ...string) { t.lines = append(t.lines, lines...) }

// render writes a file: the lines of the base branch, then the functions. prologue is the number of
// lines at the head of the base branch's file.
func (s source) render(prologue int) text {
	t := text{path: s.path, places: map[int]place{}}
	t.add(s.base(prologue)...)
	for _, b := range s.blocks {
		s.function(&t, b)
	}
	return t
}

// base returns the base branch's lines of a file.
func (s source) base(prologue int) []string {
	comment := "// Package shop is a part of the shop."
	out := []string{comment, "package shop", ""}
	if s.lang == "ts" {
		out = []string{"// A part of the shop.", "import { db, ratio, saveAll, use } from \"./lib\";", ""}
	}
	if s.onBase == "" {
		return out
	}
	for i := range prologue + 1 {
		out = append(out, fmt.Sprintf("// Step %d of the preface.", i))
	}
	if s.lang == "ts" {
		return append(out, "", "export function first(items: number[]): number {", "  return items.length > 0 ? items[0] : 0;", "}", "")
	}
	return append(out, "", "func first(items []int) int {", "\tfor _, n := range items {", "\t\treturn n", "\t}", "\treturn 0", "}", "")
}

func (s source) indent() string {
	switch {
	case s.lang == "go":
		return "\t"
	case s.tight:
		return "    "
	}
	return "  "
}

func (s source) function(t *text, b block) {
	in := s.indent()
	if s.lang == "go" {
		t.add(fmt.Sprintf("// %s is step %d.", b.name, b.number), fmt.Sprintf("func %s(name string, total int, items []int) int {", b.name), fmt.Sprintf("%scount := %d", in, b.number))
	} else {
		t.add(fmt.Sprintf("// %s is step %d.", b.name, b.number), fmt.Sprintf("export async function %s(name: string, total: number, items: number[]) {", b.name), fmt.Sprintf("%slet count = %d;", in, b.number))
	}
	for _, p := range b.plants {
		s.statement(t, b, p)
		t.add(in + s.end("count += use("+p.v+")"))
		for i := range p.apart {
			t.add(in + s.end(fmt.Sprintf("note(%s, %d)", p.v, i)))
		}
	}
	for i := range b.extra {
		t.add(in + s.end(fmt.Sprintf("trace(%d, %d)", b.number, i)))
	}
	t.add(in+s.end("return count"), "}", "")
}

func (s source) end(line string) string {
	if s.lang == "ts" {
		return line + ";"
	}
	return line
}

// statement writes a defect, or its repair.
func (s source) statement(t *text, b block, p plant) {
	in, said := s.indent(), shapes[p.shape].bad
	if p.gone {
		said = shapes[p.shape].good
	}
	said = strings.NewReplacer("{V}", p.v, "{K}", fmt.Sprint(p.k)).Replace(said)
	if s.tight {
		said = strings.NewReplacer(" / ", "/", " + ", "+", ", ", ",").Replace(said)
	}
	if p.wrapped {
		t.add(in + map[string]string{"go": "if count > 0 {", "ts": "if (count > 0) {"}[s.lang])
		in += s.indent()
	}
	lines := []string{in + strings.ReplaceAll(said, "|", "")}
	if head, tail, ok := strings.Cut(said, "|"); ok && p.broken {
		lines = []string{in + strings.TrimRight(head, " "), in + s.indent() + tail}
	}
	if !p.gone {
		t.places[p.id] = place{path: s.path, block: b.name, first: len(t.lines) + 1, last: len(t.lines) + len(lines), lines: lines}
	}
	t.add(lines...)
	if p.wrapped {
		t.add(s.indent() + "}")
	}
}
