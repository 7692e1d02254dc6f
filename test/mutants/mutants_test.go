package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// sample has mutants of every kind. Its test sees the limit, and nothing else.
const sample = `package calc

import "errors"

const limit = 3 + 4

type names struct {
	A string ` + "`json:\"a\"`" + `
}

type text string

var statement text = "SELECT 1 FROM t WHERE a = $1 AND b = $2"

func query() string {
	return ` + "`UPDATE t SET a = $1 WHERE id = $2 AND state IN ('a', 'b') AND x = $3 + 1\n\tAND gen = $4`" + `
}

func add(a, b int, s string) (string, error) {
	if a < 0 || b < 0 {
		return "", errors.New("below 0")
	}
	sum := a + b
	sum += next()
	if sum > limit {
		sum = limit
	}
	note(sum)
	for i := 0; i <= sum; i++ {
		s = s + "x"
	}
	return s, nil
}

func isLimit(n int) bool {
	switch {
	case n == limit:
		return true
	}
	return n+next() == limit
}

func next() int { return 0 }

func note(n int) {
	if n < -limit {
		panic(n)
	}
}
`

const sampleTest = `package calc

import "testing"

func TestAdd(t *testing.T) {
	if s, err := add(5, 5, ""); err != nil || len(s) != limit+1 {
		t.Fatal(s, err)
	}
}
`

// newTree makes a module with the sample as its one room, calc.
func newTree(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.OK(t, err)
	testkit.OK(t, os.MkdirAll(filepath.Join(dir, "internal", "calc"), 0o755))
	for name, text := range map[string]string{"go.mod": "module example.org/sample\n\ngo 1.26\n",
		"internal/calc/calc.go": sample, "internal/calc/calc_test.go": sampleTest} {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestEveryKindIsFound(t *testing.T) {
	t.Parallel()
	r, err := load(t.Context(), newTree(t), "calc")
	testkit.OK(t, err)
	all, err := r.candidates()
	testkit.OK(t, err)
	got := ""
	for _, m := range all {
		got += strings.TrimPrefix(m.String(), "internal/calc/calc.go:")
		if r.compile([]mutant{m}) != nil {
			got += " (does not compile)"
		}
		got += "\n"
	}
	testkit.Equal(t, "mutants", got, `13:56 sql: always true: AND b = $2 (does not compile)
16:48 sql: always true: AND state IN ('a', 'b')
17:6 sql: always true: AND gen = $4
22:14 error: return nil, not errors.New("below 0")
25:2 assignment: without sum += next()
29:2 call: without note(sum)
21:5 negate: ! a < 0 || b < 0
21:11 logic: a < 0 || b < 0 → &&
21:7 boundary: a < 0 → <=
21:16 boundary: b < 0 → <=
24:11 arithmetic: a + b → -
26:5 negate: ! sum > limit
26:9 boundary: sum > limit → >=
27:3 assignment: without sum = limit
30:16 boundary: i <= sum → <
31:3 assignment: without s = s + "x"
39:10 false: return false, not true
41:9 false: return false, not n+next() == limit
38:7 negate: ! n == limit
41:18 equality: n+next() == limit → !=
47:5 negate: ! n < -limit
47:7 boundary: n < -limit → <=
`)
}

func TestPickIsSpreadAndRepeatable(t *testing.T) {
	t.Parallel()
	var all []mutant
	for i := range 400 {
		kind := []string{kindCall, kindNegate, kindSQL, kindError}[i%4]
		all = append(all, mutant{File: fmt.Sprint("f", i/40), Line: i, Kind: kind, from: i % 40 * 10, to: i%40*10 + 15})
	}
	got := pick(all, 1, 20)
	testkit.Require(t, "mutants", len(got), 20)
	testkit.Equal(t, "of SQL", count(got, kindSQL), 8)
	testkit.Equal(t, "of calls", count(got, kindCall), 4)
	ids := func(mutants []mutant) (out string) {
		for _, m := range mutants {
			out += m.id() + "\n"
		}
		return out
	}
	testkit.Equal(t, "the same seed", ids(pick(all, 1, 20)), ids(got))
	if ids(pick(all, 2, 20)) == ids(got) {
		t.Error("another seed chooses the same mutants")
	}
	perFile := map[string]int{}
	for i, m := range got {
		perFile[m.File]++
		if i > 0 && got[i-1].File == m.File && m.from < got[i-1].to {
			t.Errorf("%s overlaps %s", m, got[i-1])
		}
	}
	testkit.Equal(t, "files", len(perFile), 10)
}

// TestSurvivorsAreReported runs the sample's tests with its mutants, and compares the
// report with an earlier one in which two mutants had another fate or another place.
func TestSurvivorsAreReported(t *testing.T) {
	t.Parallel()
	dir := newTree(t)
	file := filepath.Join(dir, "report.json")
	var out bytes.Buffer
	testkit.OK(t, run(t.Context(), []string{"-dir", dir, "-room", "calc", "-packages", "./...", "-json", file}, &out))
	rep, err := readReport(file)
	testkit.OK(t, err)
	testkit.Require(t, "rooms", len(rep.Rooms), 1)
	room := rep.Rooms[0]
	testkit.Require(t, "mutants", len(room.Mutants), 15)
	testkit.Equal(t, "dropped", room.Dropped, 1)
	for _, m := range room.Mutants {
		want := "not reached"
		switch m.Line {
		case 24, 26, 27, 30, 31, 47:
			want = "killed by TestAdd"
		case 21, 25, 29:
			want = "survived"
		}
		testkit.Equal(t, m.String(), m.fate(), want)
	}
	for _, want := range []string{"| calc | 15 | 6 | 9 | 5 | 1 |", "\n  internal/calc/calc.go:29:2 call: without note(sum) (survived)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the report:\n%s", want, out.String())
		}
	}

	before := report{Rooms: []outcome{{Mutants: slices.Clone(room.Mutants)}}}
	before.Rooms[0].Mutants[0].Killed, before.Rooms[0].Mutants[0].KilledBy = true, "TestGone"
	before.Rooms[0].Mutants[1].Column++
	out.Reset()
	rep.compare(&out, before)
	testkit.Equal(t, "differences", out.String(), `
Differences:
  `+room.Mutants[0].String()+`: was killed by TestGone, now not reached
  `+room.Mutants[1].String()+`: not in the earlier report
  13 mutants are as before
`)
}

func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tests")
	testkit.OK(t, os.WriteFile(file, []byte("#!/bin/sh\nexec sleep 600\n"), 0o755))
	by, err := (&testBinary{file: file, dir: "."}).run(t.Context(), 1, time.Second)
	testkit.OK(t, err)
	testkit.Equal(t, "killed by", by, "no end within 1 s")
}
