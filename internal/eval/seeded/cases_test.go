package seeded

import (
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/structure"
)

// load reads the set.
func load(t *testing.T) *Set {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// programs reads the programs as they are written.
func programs(t *testing.T) []program {
	t.Helper()
	entries, err := embedded.ReadDir("programs")
	if err != nil {
		t.Fatal(err)
	}
	var out []program
	for _, e := range entries {
		raw, err := embedded.ReadFile("programs/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		p, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestNumbers(t *testing.T) {
	s := load(t)
	languages, clean, kept, repositories := map[string]int{}, 0, 0, map[string]bool{}
	heldLanguages := map[string]bool{}
	for _, c := range s.cases {
		languages[c.Language]++
		repositories[c.Repository] = true
		if c.Kind == eval.Clean {
			clean++
		}
		if c.Held {
			kept++
			heldLanguages[c.Language] = true
		}
		if (c.Kind == eval.Clean) != (len(c.Golden) == 0) {
			t.Errorf("%s: the kind %s does not fit its golden places", c.ID, c.Kind)
		}
	}
	all := len(s.cases)
	t.Logf("%d cases of %d programs, %d clean, %d kept back, by language %v", all, len(repositories), clean, kept, languages)
	if all < 120 {
		t.Errorf("there are %d cases, not 120", all)
	}
	if share := 100 * clean / all; share < 45 || share > 55 {
		t.Errorf("%d %% are clean, not half", share)
	}
	if share := 100 * kept / all; share < 25 || share > 41 {
		t.Errorf("%d %% are kept back, not a third", share)
	}
	for _, l := range []string{"Go", "TypeScript", "Python", "Java"} {
		if languages[l] < 20 || !heldLanguages[l] {
			t.Errorf("%s has %d cases, not 20, or none that is kept back", l, languages[l])
		}
	}
	if !slices.IsSortedFunc(s.cases, func(a, b eval.Case) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the cases are not in the order of their ids")
	}
}

// TestOtherFiles counts the defects that cannot be seen without another file.
func TestOtherFiles(t *testing.T) {
	defects, need := 0, 0
	for _, p := range programs(t) {
		for _, c := range p.changes {
			made, err := c.apply(p.base)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.defects) == 0 {
				if len(c.needs) > 0 {
					t.Errorf("%s-%s: a clean change must not need a file", p.name, c.name)
				}
				continue
			}
			defects++
			if len(c.needs) > 0 {
				need++
			}
			for _, n := range c.needs {
				if slices.ContainsFunc(made.golden, func(g eval.Golden) bool { return g.Path == n.path }) {
					t.Errorf("%s-%s: %s is the file of the defect, not another one", p.name, c.name, n.path)
				}
			}
		}
	}
	t.Logf("%d of %d changes with defects need another file", need, defects)
	if 4*need < defects {
		t.Errorf("%d of %d changes with defects need another file, not a quarter", need, defects)
	}
}

// TestGoldenLinesAreChanged compares git's diffs with the golden lines.
func TestGoldenLinesAreChanged(t *testing.T) {
	s := load(t)
	for group := range chunks(s.cases) {
		t.Run(group[0].Repository, func(t *testing.T) {
			t.Parallel()
			versions := []cases.Files{s.versions[group[0].ID].base}
			for _, c := range group {
				versions = append(versions, s.versions[c.ID].head)
			}
			heads, done, err := cases.OpenFiles(t.Context(), versions...)
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			for i, c := range group {
				t.Run(c.ID, func(t *testing.T) { checkDiff(t, c, heads[i], s.versions[c.ID]) })
			}
		})
	}
}

// chunks yields the cases of each program together, because they share a repository.
func chunks(list []eval.Case) iter.Seq[[]eval.Case] {
	return func(yield func([]eval.Case) bool) {
		for len(list) > 0 {
			n := slices.IndexFunc(list, func(c eval.Case) bool { return c.Repository != list[0].Repository })
			if n < 0 {
				n = len(list)
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

func checkDiff(t *testing.T, c eval.Case, head eval.Change, v versions) {
	t.Helper()
	set, err := diff.Parse(head.Diff)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range v.head {
		if v.base[path] == text {
			continue
		}
		if got, err := head.Source.Blob(t.Context(), domain.Right, path); err != nil || string(got) != text {
			t.Errorf("%s at the head differs from the written file: %v", path, err)
		}
		if f := set.File(path); f == nil || f.Class != diff.ClassSource || f.Language != c.Language {
			t.Errorf("%s is not changed, or no source code in %s: %+v", path, c.Language, f)
		}
	}
	if n := set.Lines(); n < 3 || n > 110 {
		t.Errorf("%d lines are changed", n)
	}
	for _, g := range c.Golden {
		f := set.File(g.Path)
		for line := g.StartLine; line <= g.EndLine; line++ {
			if f == nil || !changed(f, g.Side, line) {
				t.Errorf("%s %s line %d is not changed", g.Path, g.Side, line)
			}
		}
		if g.EndLine-g.StartLine > 5 {
			t.Errorf("%s lines %d to %d: no single place", g.Path, g.StartLine, g.EndLine)
		}
	}
	for _, d := range c.Definitions {
		if f := set.File(d.Path); f != nil && changed(f, domain.Right, d.Line) {
			t.Errorf("the change already shows %s", d.Name)
		}
	}
}

func changed(f *diff.File, side domain.Side, line int) bool {
	return slices.ContainsFunc(f.Hunks, func(h *diff.Hunk) bool { return h.Changed(side, line, line) })
}

// TestNothingGivesItAway looks for words that distinguish the kinds of cases.
func TestNothingGivesItAway(t *testing.T) {
	s := load(t)
	word := regexp.MustCompile(`[a-z]{3,}`)
	counts := map[string]map[eval.Kind]int{}
	for _, c := range s.cases {
		seen := map[string]bool{}
		for _, w := range word.FindAllString(strings.ToLower(c.Title), -1) {
			if !seen[w] {
				seen[w] = true
				if counts[w] == nil {
					counts[w] = map[eval.Kind]int{}
				}
				counts[w][c.Kind]++
			}
		}
	}
	for w, n := range counts {
		if one, other := n[eval.Defect], n[eval.Clean]; max(one, other) > max(4, 4*min(one, other)) {
			t.Errorf("%q stands in titles of one kind: %v", w, n)
		}
	}
	telling := regexp.MustCompile(`(?i)\b(bug|defect|todo|fixme|hack|vulnerab\w*|unsafe|wrong\w*|oops|injection|insecure|broken)\b`)
	for _, c := range s.cases {
		v := s.versions[c.ID]
		for path, text := range v.head {
			if v.base[path] != text && c.Kind == eval.Defect {
				for line := range strings.Lines(text) {
					if telling.MatchString(line) && !strings.Contains(v.base[path], line) {
						t.Errorf("%s: %s gives the defect away: %s", c.ID, path, strings.TrimSpace(line))
					}
				}
			}
		}
	}
}

// TestTextIsPlain looks for text that a scanner or a parser cannot handle.
func TestTextIsPlain(t *testing.T) {
	scanner, err := check.NewScanner()
	if err != nil {
		t.Fatal(err)
	}
	s := load(t)
	seen := map[string]bool{}
	for _, c := range s.cases {
		v := s.versions[c.ID]
		for _, files := range []cases.Files{v.base, v.head} {
			for _, path := range slices.Sorted(maps.Keys(files)) {
				text := files[path]
				if seen[path+text] {
					continue
				}
				seen[path+text] = true
				plain(t, c.ID+": "+path, path, text)
				found, err := scanner.ScanText(t.Context(), text)
				if err != nil || len(found) > 0 {
					t.Errorf("%s: %s: a scanner finds %v: %v", c.ID, path, found, err)
				}
			}
		}
	}
}

func plain(t *testing.T, where, path, text string) {
	t.Helper()
	if unmark.Replace(text) != text || !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		t.Errorf("%s has a marker, or does not end with one line feed", where)
	}
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, " \t\n") != strings.TrimSuffix(line, "\n") || len(line) > 180 {
			t.Errorf("%s: a line is too long or ends with a space: %q", where, line)
		}
	}
	if language := diff.Language(path); language != "Go Module" {
		if open := unbalanced(language, text); open != "" {
			t.Errorf("%s: brackets are not balanced: %s", where, open)
		}
		named := false
		outline := structure.Read(language, []byte(text))
		for line := range strings.Count(text, "\n") {
			_, ok := outline.Enclosing(line + 1)
			named = named || ok
		}
		if !named && strings.Count(text, "\n") > 15 {
			t.Errorf("%s: no symbol is found", where)
		}
	}
}

// literals matches comments and strings of the four languages, except strings that contain code: the content
// of ${} in a template is checked with its brackets.
var literals = map[string]*regexp.Regexp{
	"Go":         regexp.MustCompile("(?s)//[^\n]*|\"(?:[^\"\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\n]|\\\\.)+'|`[^`]*`"),
	"Java":       regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'`),
	"TypeScript": regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|/(?:[^/\\\n *]|\\.)(?:[^/\\\n]|\\.)*/g?`),
	"Python":     regexp.MustCompile(`(?s)""".*?"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`),
}

// unbalanced returns the first bracket without a partner, or "".
func unbalanced(language, text string) string {
	var open []rune
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for _, r := range literals[language].ReplaceAllString(text, "") {
		switch r {
		case '(', '[', '{':
			open = append(open, r)
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != pairs[r] {
				return string(r)
			}
			open = open[:len(open)-1]
		}
	}
	return string(open)
}
