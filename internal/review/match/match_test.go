package match_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/testkit"
)

func compiled(t testing.TB, s match.Spec) *match.Pattern {
	t.Helper()
	p, err := match.Compile(s)
	testkit.OK(t, err)
	return p
}

func inGo(t testing.TB, pattern, code string) string {
	t.Helper()
	hits, err := compiled(t, match.Spec{Kind: match.AST, Pattern: pattern, Language: "Go"}).Hits(t.Context(), match.NewFile([]byte(code)))
	testkit.OK(t, err)
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%d-%d %s", h.First, h.Last, h.About))
	}
	return strings.Join(out, "; ")
}

const program = `package p

import "fmt"

var limit, other = 3, 4

var (
	debug = true
	quiet bool
)

func (s *server) run(a int, b ...string) error {
	fmt.Println(a)
	fmt.Println("a", /* why */ b)
	if err := s.open(a); err != nil {
		return err
	}
	if (err != nil) {
		panic(err)
	}
	x = x
	y = x
	for {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	return fmt.Errorf("a: %v",
		err)
}

func empty() {}
`

func TestSyntaxPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		`fmt.Println($$$)`:                     `13-13 fmt.Println(); 14-14 fmt.Println()`,
		`fmt.Println($A)`:                      `13-13 fmt.Println(a)`,
		`fmt.Println("a", $_)`:                 `14-14 fmt.Println("a", /* why */ b)`,
		`$X.mu.$M()`:                           `24-24 s.mu.Lock(); 25-25 s.mu.Unlock()`,
		`$A = $A`:                              `21-21 x = x`,
		`$A = $B`:                              `21-21 x = x; 22-22 y = x`,
		`err != nil`:                           `15-15 err != nil; 18-18 err != nil`,
		`fmt.Errorf($$$F, err)`:                `27-28 fmt.Errorf(, err)`,
		`if err != nil { panic($E) }`:          `18-20 if (err != nil) { panic(err) }`,
		`if err := $F($$$); $C { return err }`: `15-17 if err := s.open(); err != nil { return err }`,
		"$L.Lock()\ndefer $L.Unlock()":         `24-25 s.mu.Lock() defer s.mu.Unlock()`,
		`for { $$$ }`:                          `23-26 for { }`,
		`func $F() {}`:                         `31-31 func empty() {}`,
		`func ($R $T) $F($$$) error { $$$ }`:   `12-29 func (s *server) run() error { }`,
		`func $F($$$P) $$$R { $$$ }`:           `31-31 func empty() {}`,
		`var debug = $V`:                       `8-8 debug = true`,
		`var $N bool`:                          `9-9 quiet bool`,
		`var $$$N = 3, 4`:                      `5-5 = 3, 4`,
		`"a"`:                                  `14-14 "a"`,
		`"$A"`:                                 ``,
		`$F($$$A, b)`:                          `14-14 fmt.Println(, /* why */ b)`,
		"fmt.Println(a)\n$$$\nx = x":           `13-21 fmt.Println(a) x = x`,
		`func ($R *server) run($A int, $B ...string) $E { $$$BODY }`: `12-29 func (s *server) run(a int, b ...string) error { }`,
	} {
		if got := inGo(t, pattern, program); got != want {
			t.Errorf("%s\n got: %s\nwant: %s", pattern, got, want)
		}
	}
}

func TestWrongPatterns(t *testing.T) {
	for name, c := range map[string]struct {
		spec  match.Spec
		field string
		at    int
	}{
		"kind":                          {match.Spec{Kind: "glob", Pattern: "a"}, "kind", 0},
		"empty":                         {match.Spec{Kind: "regex", Pattern: " "}, "pattern", 0},
		"too long":                      {match.Spec{Kind: "regex", Pattern: strings.Repeat("ä", 1001)}, "pattern", 0},
		"parenthesis":                   {match.Spec{Kind: "regex", Pattern: `ä[)](b(c)`}, "pattern", 5},
		"escaped parenthesis":           {match.Spec{Kind: "regex", Pattern: `\(\Q(\E[^)(]a)`}, "pattern", 14},
		"bracket":                       {match.Spec{Kind: "regex", Pattern: `ab[c`}, "pattern", 3},
		"repetition":                    {match.Spec{Kind: "regex", Pattern: `äa**`}, "pattern", 3},
		"look-ahead":                    {match.Spec{Kind: "regex", Pattern: `a(?=b)`}, "pattern", 2},
		"backslash":                     {match.Spec{Kind: "regex", Pattern: `ab\`}, "pattern", 3},
		"back reference":                {match.Spec{Kind: "regex", Pattern: `(a)\1`}, "pattern", 4},
		"large":                         {match.Spec{Kind: "regex", Pattern: strings.Repeat(`\pL{900}`, 10)}, "pattern", 0},
		"every line":                    {match.Spec{Kind: "regex", Pattern: `a*`}, "pattern", 0},
		"every line with text":          {match.Spec{Kind: "regex", Pattern: `.`}, "pattern", 0},
		"every line with a sign":        {match.Spec{Kind: "regex", Pattern: `[^\s]+`}, "pattern", 0},
		"another language":              {match.Spec{Kind: "ast", Pattern: `f($A)`, Language: "cobol"}, "language", 0},
		"any code":                      {match.Spec{Kind: "ast", Pattern: `$A.$B($$$)`, Language: "python"}, "pattern", 0},
		"no language":                   {match.Spec{Kind: "ast", Pattern: `f($A)`}, "language", 0},
		"code":                          {match.Spec{Kind: "ast", Pattern: `f($A`, Language: "go"}, "pattern", 3},
		"code behind a string":          {match.Spec{Kind: "ast", Pattern: `f("$ä") +* $AB + ] 2`, Language: "go"}, "pattern", 18},
		"small letters":                 {match.Spec{Kind: "ast", Pattern: `f("ä", $a)`, Language: "go"}, "pattern", 8},
		"all code":                      {match.Spec{Kind: "ast", Pattern: `$A`, Language: "go"}, "pattern", 0},
		"all statements":                {match.Spec{Kind: "ast", Pattern: "$A\n$$$B", Language: "go"}, "pattern", 0},
		"a line break in an expression": {match.Spec{Kind: "regex", Pattern: "ä\nb"}, "pattern", 2},
		"any statements at the end":     {match.Spec{Kind: "ast", Pattern: "a()\n$$$", Language: "go"}, "pattern", 0},
		"any statements at the start":   {match.Spec{Kind: "ast", Pattern: "$$$A\na()", Language: "go"}, "pattern", 0},
		"two declarations":              {match.Spec{Kind: "ast", Pattern: "func a() {}\nfunc b() {}", Language: "go"}, "pattern", 6},
		"the letter of wildcards":       {match.Spec{Kind: "ast", Pattern: "f(ʘA)", Language: "go"}, "pattern", 3},
		"a comment only":                {match.Spec{Kind: "ast", Pattern: "// a", Language: "go"}, "pattern", 0},
		"an end of the function around": {match.Spec{Kind: "ast", Pattern: "a()\n}\nfunc b() {", Language: "go"}, "pattern", 0},
	} {
		_, err := match.Compile(c.spec)
		wrong, ok := errors.AsType[*match.Error](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if wrong.Field != c.field || wrong.At != c.at || len(c.spec.Pattern) > 4 && strings.Contains(wrong.Error(), c.spec.Pattern) {
			t.Errorf("%s: %s at %d: %v", name, wrong.Field, wrong.At, wrong)
		}
	}
}

func TestLines(t *testing.T) {
	p := compiled(t, match.Spec{Kind: match.Regex, Pattern: `\bTODO\b`})
	hits, err := p.Hits(t.Context(), match.NewFile([]byte("a\r\n  TODO\tx\r\n//TODOS\nTODO")))
	testkit.OK(t, err)
	testkit.Equal(t, "hits", fmt.Sprint(hits), "[{2 2 TODO x} {4 4 TODO}]")
	testkit.Equal(t, "syntax", p.IsSyntax(), false)
	end := compiled(t, match.Spec{Kind: match.Regex, Pattern: `\s$`})
	testkit.Equal(t, "a return is the end of a line", end.MatchesLine("a"), false)
	hits, err = end.Hits(t.Context(), match.NewFile([]byte("a\r\nb \r\n")))
	testkit.OK(t, err)
	testkit.Equal(t, "spaces", len(hits), 1)
}

func TestBoundsOfMatching(t *testing.T) {
	todo := compiled(t, match.Spec{Kind: match.Regex, Pattern: `TODO`})
	hits, err := todo.Hits(t.Context(), match.NewFile([]byte(strings.Repeat("TODO\n", match.MaxHits))))
	testkit.Equal(t, "as many hits as there may be", fmt.Sprint(len(hits), err), fmt.Sprint(match.MaxHits, nil))
	hits, err = todo.Hits(t.Context(), match.NewFile([]byte(strings.Repeat("TODO\n", match.MaxHits+1))))
	testkit.Equal(t, "more", fmt.Sprint(len(hits), err), fmt.Sprint(match.MaxHits, match.ErrMore))
	hits, err = todo.Hits(t.Context(), match.NewFile([]byte(strings.Repeat("x", match.MaxLine)+"TODO\nTODO")))
	testkit.Equal(t, "a long line", fmt.Sprint(len(hits), err), fmt.Sprint(1, match.ErrMore))
	over, stop := context.WithCancel(t.Context())
	stop()
	_, err = todo.Hits(over, match.NewFile([]byte(strings.Repeat("x\n", 100))))
	testkit.Equal(t, "time", errors.Is(err, context.Canceled), true)

	call := compiled(t, match.Spec{Kind: match.AST, Pattern: `f($$$)`, Language: "go"})
	many := "package p\nfunc a() {\n" + strings.Repeat("f(1)\n", match.MaxHits+1) + "}"
	hits, err = call.Hits(t.Context(), match.NewFile([]byte(many)))
	testkit.Equal(t, "more calls", fmt.Sprint(len(hits), err), fmt.Sprint(match.MaxHits, match.ErrMore))
	_, err = call.Hits(over, match.NewFile([]byte(many)))
	testkit.Equal(t, "time of calls", errors.Is(err, context.Canceled), true)
	_, err = call.Hits(t.Context(), match.NewFile([]byte("package p\nfunc a() { f( }")))
	testkit.Equal(t, "broken", err, match.ErrBroken)

	// lists with many wildcards could be divided in very many ways
	hard := compiled(t, match.Spec{Kind: match.AST, Pattern: "f(" + strings.Repeat("$$$, ", 40) + "b)", Language: "go"})
	began := time.Now()
	_, err = hard.Hits(t.Context(), match.NewFile([]byte("package p\nvar a = f("+strings.Repeat("a, ", 5000)+"c)")))
	testkit.Equal(t, "too many ways", err, match.ErrMore)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a hostile pattern took %v", took)
	}
}

// A list may fit a pattern in one way only, with other ways to fit its beginning.
func TestListsThatFitInOneWay(t *testing.T) {
	const program = "package p\nvar x = f(z, y, y, z)\n"
	testkit.Equal(t, "the first and the last", inGo(t, `f($$$, $A, $$$B, $A)`, program), `2-2 f(z, , z)`)
	testkit.Equal(t, "with one between", inGo(t, `f($$$, $A, $$$, y, $A)`, program), `2-2 f(z, , y, z)`)
	testkit.Equal(t, "two equal halves", inGo(t, `f($$$A, $$$A)`, "package p\nvar x = f(z, y, z, y)\n"), `2-2 f(, )`)
}

// Work that grows faster than the file ends with the context, and a single line soon enough.
func TestTimeOfMatching(t *testing.T) {
	statements := "package p\nfunc f() {\n" + strings.Repeat("a()\n", 80_000) + "}"
	arguments := "package p\nvar x = f(" + strings.Repeat("a, ", 150_000) + "c)"
	lines := strings.Repeat(strings.Repeat("a", 2000)+"\n", 100)
	for name, c := range map[string]struct {
		spec match.Spec
		file string
	}{
		"arguments":            {match.Spec{Kind: match.AST, Pattern: `f($$$A, $$$A, $$$B, b)`, Language: "go"}, arguments},
		"statements":           {match.Spec{Kind: match.AST, Pattern: "a()\n$$$A\n$$$B\n$$$A\nb()", Language: "go"}, statements},
		"a list with one gap":  {match.Spec{Kind: match.AST, Pattern: `f($$$, b)`, Language: "go"}, arguments},
		"lines":                {match.Spec{Kind: match.Regex, Pattern: strings.Repeat(`(\pL{30}|.{30})`, 60) + "$"}, lines},
		"optional repetitions": {match.Spec{Kind: match.Regex, Pattern: `(?i)(\p{L}?){1000}z`}, lines},
	} {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		began := time.Now()
		_, err := compiled(t, c.spec).Hits(ctx, match.NewFile([]byte(c.file)))
		stop()
		if took := time.Since(began); took > 10*time.Second || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
	large := compiled(t, match.Spec{Kind: match.Regex, Pattern: `(?i)(\p{L}?){1000}z`})
	testkit.Equal(t, "a large expression does not read long lines", large.TooLong(strings.Repeat("a", 5000)), true)
	small := compiled(t, match.Spec{Kind: match.Regex, Pattern: `a{100}`})
	testkit.Equal(t, "others do", small.TooLong(strings.Repeat("a", match.MaxLine)), false)
	testkit.Equal(t, "up to a bound", small.TooLong(strings.Repeat("a", match.MaxLine+1)), true)
}

// The text of a large hit is short, and still differs from that of another one.
func TestLongHitsAreShortened(t *testing.T) {
	p := compiled(t, match.Spec{Kind: match.AST, Pattern: `$A + $B`, Language: "go"})
	text := func(last string) string {
		hits, err := p.Hits(t.Context(), match.NewFile([]byte("package p\nvar a = \""+strings.Repeat("x", 5000)+"\" + "+last)))
		testkit.OK(t, err)
		testkit.Equal(t, "hits", len(hits), 1)
		return hits[0].About
	}
	a, b := text("a"), text("b")
	if a == b || len(a) > 1200 {
		t.Errorf("%d bytes, equal: %v", len(a), a == b)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`f($A, $$$B)`, `(a|b)+\d{3}`, "if $X { $$$ }", `"$A" + ʘ`, `\Q(`, `$$$`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		for _, kind := range []string{match.Regex, match.AST} {
			p, err := match.Compile(match.Spec{Kind: kind, Pattern: pattern, Language: "go"})
			if wrong, ok := errors.AsType[*match.Error](err); err != nil && (!ok || wrong.At < 0 || wrong.At > len([]rune(pattern))+1) {
				t.Fatalf("%q: %v", pattern, err)
			}
			if err == nil {
				_, _ = p.Hits(t.Context(), match.NewFile([]byte(program)))
			}
		}
	})
}

func TestPatternsThatNeedAProgram(t *testing.T) {
	t.Parallel()
	for language, reads := range map[string]string{"Python": "Python", "javascript": "react", "TYPESCRIPT": "TypeScript", "java": "Java"} {
		p := compiled(t, match.Spec{Kind: match.AST, Pattern: "$A = $A", Language: language})
		testkit.Equal(t, language, fmt.Sprint(p.NeedsProgram(), p.IsSyntax(), p.Reads(reads), p.Reads("Go")), "true true true false")
		hits, err := p.Hits(t.Context(), match.NewFile([]byte("a = a\n")))
		testkit.OK(t, err)
		testkit.Equal(t, language+" without the program", len(hits), 0)
	}
	testkit.Equal(t, "go", compiled(t, match.Spec{Kind: match.AST, Pattern: "f()", Language: "Go"}).NeedsProgram(), false)
	testkit.Equal(t, "regex", match.Spec{Kind: match.Regex, Pattern: "f", Language: "python"}.NeedsProgram(), false)
}
