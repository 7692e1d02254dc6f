package analysers

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// matching returns a runner with ast-grep.
func matching(t *testing.T) *Runner {
	t.Helper()
	all, err := Configure(Settings{Programs: []string{"ast-grep=" + testkit.AstGrep(t)}, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Launcher: launcher, Analysers: all}
	for _, e := range r.Examine(t.Context()) {
		if e.Failure == Sandbox {
			t.Skip("the kernel offers no sandbox for programs")
		}
	}
	return r
}

// match matches patterns, and returns the hits as "pattern path:first-last".
func match(t *testing.T, r *Runner, tree files, patterns ...Pattern) ([]string, PatternOutcome) {
	t.Helper()
	out, err := r.Match(t.Context(), PatternRequest{Patterns: patterns, Files: tree.request().Files, Read: tree.read, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var hits []string
	for _, h := range out.Hits {
		hits = append(hits, fmt.Sprintf("%d %s:%d-%d", h.Pattern, h.Path, h.First, h.Last))
	}
	slices.Sort(hits)
	return hits, out
}

func TestPatternsMatchEachLanguage(t *testing.T) {
	t.Parallel()
	tree := files{
		"now/1.py":   "def f():\n    print(1)\n    print('x',\n      file=a)\n",
		"now/2.ts":   "// ast-grep-ignore\nconst x = y as any;\nconsole.log(x);\n",
		"now/3.tsx":  "const v = <b onClick={() => console.log(1)}>x</b>;\n",
		"now/4.jsx":  "const v = <b>{console.log(1)}</b>; debugger;\n",
		"now/5.java": "class A { void f() {\n System.out.println(1); } }\n",
		"base/5.py":  "print(2\n",
	}
	got, out := match(t, matching(t), tree, Pattern{"python", "print($$$)"}, Pattern{"typescript", "console.log($$$ARGS)"},
		Pattern{"typescript", "$X as any"}, Pattern{"javascript", "debugger"}, Pattern{"java", "System.out.println($A)"},
		Pattern{"javascript", "console.log($A)"})
	want := []string{"0 now/1.py:2-2", "0 now/1.py:3-4", "1 now/2.ts:3-3", "1 now/3.tsx:1-1", "2 now/2.ts:2-2", "3 now/4.jsx:1-1",
		"4 now/5.java:2-2", "5 now/4.jsx:1-1"}
	if !slices.Equal(got, want) || len(out.Left) != 0 || slices.ContainsFunc(out.Failures, func(r Reason) bool { return r != "" }) {
		t.Errorf("%q, expected %q; %+v", got, want, out)
	}
	about := map[string]string{}
	for _, h := range out.Hits {
		about[fmt.Sprint(h.Path, h.First)] = h.About
	}
	if about["now/1.py2"] != about["now/1.py3"] || about["now/2.ts3"] == about["now/2.ts2"] {
		t.Errorf("code of $$$ must not count, and other code must: %q", about)
	}
}

// Patterns stay patterns, whatever they spell, and those that ast-grep refuses affect no other pattern.
func TestHostilePatterns(t *testing.T) {
	t.Parallel()
	tree := files{"now/1.ts": "stop();\nkind(a);\n", "now/2.tsx": "stop();\n", "now/3.py": "stop()\n"}
	r := matching(t)
	for name, tc := range map[string]struct {
		code    string
		refused bool
	}{
		"another key":    {"x\nkind: identifier", true},
		"quotes":         {"\"\nrule: {kind: identifier}\n#", true},
		"a flow mapping": {"{kind: identifier}", false},
		"a rule":         {"rule: {any: [{kind: identifier}]}", false},
		"a document":     {"a\n---\nid: p0-x\nlanguage: TypeScript\nrule: {kind: identifier}", true},
		"utils":          {"matches: is-call", false},
		"a transform":    {"transform: {A: {substring: {source: $B}}}", false},
		"an anchor":      {"*alias", true},
		"a tag":          {"!!binary", false},
		"line ends":      {"a\u2028b\u0085c", true},
		"zero":           {"a\x00b", true},
		"no code":        {"))((", true},
		"only $$$":       {"$$$", true},
		"several":        {"a; b", true},
		"deep":           {strings.Repeat("(", 990), true},
		"deep and right": {strings.Repeat("(", 499) + "a" + strings.Repeat(")", 499), false},
		"wildcards":      {"f(" + strings.Repeat("$$$,", 240) + "a)", false},
		"template":       {"`${" + strings.Repeat("[", 400) + "a" + strings.Repeat("]", 400) + "}`", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, out := match(t, r, tree, Pattern{"typescript", "stop()"}, Pattern{"typescript", tc.code}, Pattern{"python", "stop()"})
			if want := []string{"0 now/1.ts:1-1", "0 now/2.tsx:1-1", "2 now/3.py:1-1"}; !slices.Equal(got, want) {
				t.Errorf("%q, expected %q", got, want)
			}
			if (out.Failures[1] == Exit) != tc.refused || out.Failures[0] != "" || out.Failures[2] != "" {
				t.Errorf("failures: %q", out.Failures)
			}
		})
	}
}

func TestPatternsAreBounded(t *testing.T) {
	t.Parallel()
	none, out := match(t, &Runner{Launcher: launcher}, files{"now/1.py": "x()\n"}, Pattern{"python", "x()"})
	if len(none) != 0 || out.Failures[0] != Absent {
		t.Errorf("without ast-grep: %q, %+v", none, out)
	}
	r := matching(t)
	if !r.MatchesPatterns() || (*Runner)(nil).MatchesPatterns() {
		t.Error("MatchesPatterns")
	}
	many := files{"now/1.py": strings.Repeat("x()\n", maxPatternHits+1) + "y()\n"}
	if got, out := match(t, r, many, Pattern{"python", "x()"}, Pattern{"python", "y()"}); len(got) != 1 || out.Failures[0] != Output || out.Failures[1] != "" {
		t.Errorf("too many hits: %d, %q", len(got), out.Failures)
	}
	patterns := make([]Pattern, maxPatterns+1)
	for i := range patterns {
		patterns[i] = Pattern{"python", "y()"}
	}
	if got, out := match(t, r, many, patterns...); len(got) != maxPatterns || out.Failures[maxPatterns] != Output || out.Failures[0] != "" {
		t.Errorf("too many patterns: %d, %q", len(got), out.Failures)
	}
	q := PatternRequest{Patterns: patterns[:2], Files: many.request().Files, Read: many.read}
	if out, err := r.Match(t.Context(), q); err != nil || out.Failures[0] != Time || out.Failures[1] != Time {
		t.Errorf("no time: %+v, %v", out, err)
	}
	q.Time = time.Minute
	q.Read = func(context.Context, string) ([]byte, error) { return nil, fs.ErrNotExist }
	if out, err := r.Match(t.Context(), q); err != nil || len(out.Left) != 1 || len(out.Hits) != 0 {
		t.Errorf("a file that cannot be read: %+v, %v", out, err)
	}
	r = &Runner{Launcher: launcher, Analysers: []Analyser{fake(script(t, "kill -SEGV $$; exit 5"))}}
	r.Analysers[0].OwnRules = true
	if _, out := match(t, r, many, patterns[:2]...); out.Failures[0] == "" || out.Failures[1] == "" {
		t.Errorf("a program that crashes: %+v", out)
	}
}

func TestReportsOfMatches(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", "[1]", `{"ruleId":1}`, "\x00"} {
		if _, err := fromMatches([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	doc, err := fromMatches([]byte(`{"ruleId":"p0-python","file":"../x","text":"f(a)","range":{"byteOffset":{"start":9,"end":2}},` +
		`"metaVariables":{"multi":{"A":[{"range":{"byteOffset":{"start":-5,"end":99999999}}}]}}}`))
	if err != nil || len(doc.Runs[0].Results) != 1 || !doc.Runs[0].Results[0].Outside || len(doc.Runs[0].Results[0].Message) != 64 {
		t.Errorf("%+v, %v", doc, err)
	}
}

// A file that makes ast-grep fail is named, and the others are matched. A pattern that a file does not affect is matched there, too.
func TestFilesThatMakeTheProgramFail(t *testing.T) {
	t.Parallel()
	r := matching(t)
	r.maxHits = 50 // the bound of the service takes ast-grep seconds to reach
	nested := strings.Repeat("f(", 2500) + "a" + strings.Repeat(")", 2500) + "\nstop()\n"
	tree := files{"now/1.py": nested, "now/2.py": strings.Repeat("f(1)\n", r.maxHits+1)}
	want := []string{"1 now/1.py:2-2"}
	for i := range 9 {
		tree[fmt.Sprintf("now/%d.py", i+3)] = "f(1)\n"
		want = append(want, fmt.Sprintf("0 now/%d.py:1-1", i+3))
	}
	slices.Sort(want)
	got, out := match(t, r, tree, Pattern{"python", "f($$$)"}, Pattern{"python", "stop()"})
	var left []string
	for _, l := range out.Left {
		left = append(left, l.Path)
	}
	slices.Sort(left)
	if !slices.Equal(got, want) || fmt.Sprint(left) != "[now/1.py now/2.py]" || out.Failures[0] != "" || out.Failures[1] != "" {
		t.Errorf("hits %q, expected %q; left out %q, failures %q", got, want, left, out.Failures)
	}
}

// A program that hangs, dies or prints garbage for one file is matched against the others.
func TestProgramsThatFailForAFile(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"hang": "while :; do :; done", "die": "kill -SEGV $$; exit 5", "code": "exit 101", "garbage": "echo '{'"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &Runner{Launcher: launcher, Analysers: []Analyser{fake(script(t, `for f; do case "$f" in *7.py) `+end+` ;; *.py) printf '{"ruleId":"p0-python","file":"%s"}\n' "$f";; esac; done`))}}
			r.Analysers[0].OwnRules, r.Analysers[0].Time = true, 5*time.Second
			tree := files{}
			for i := range 8 {
				tree[fmt.Sprintf("now/%d.py", i)] = "x\n"
			}
			got, out := match(t, r, tree, Pattern{"python", "f()"})
			if out.Failures[0] == Sandbox {
				t.Skip("the kernel offers no sandbox for programs")
			}
			if len(got) != 7 || len(out.Left) != 1 || out.Left[0].Path != "now/7.py" || out.Failures[0] != "" {
				t.Errorf("%q, %+v", got, out)
			}
		})
	}
}
