package snapshot

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// tried are lines of files for searches.
var tried = []string{
	"func Total(items []Item) int {", "\treturn a[i] + b*c", "x := \"a.b\"", "if a ^ b == -1 {", "naïve = 'Grüße'", "日本語のテキスト", "\tPrice $12.50", `path \d+ \\ back`,
	"TOTAL total ToTaL", "end]", "a-b_c", "aaaa", "ab", "{}", "tail of a line", "windows\r", "K kelvin", "a|b", "(parens)", "?!", "[.x.] [=y=] [:z:]", "colours", "xyz", "get_name", "getname",
}

// Git finds exactly the lines that match an expression of RE2.
func TestExpressionsOfRE2(t *testing.T) {
	t.Parallel()
	s, err := NewScratch(t.Context(), "")
	testkit.OK(t, err)
	t.Cleanup(func() { _ = s.Close() })
	commits, err := s.Commit(t.Context(), Version{Files: map[string]string{"a/lines.txt": strings.Join(tried, "\n") + "\n", "b.txt": "nothing\n"}})
	testkit.OK(t, err)
	for _, e := range []string{
		`func \w+\(`, `\bTotal\b`, `total`, `(?i)total`, `(?i)grüße`, `a\[i\]`, `b\*c`, `\$\d+\.\d{2}`, `^\t`, `line$`, `s$`, `^windows$`, `[\]}]`, `[-^]`, `[^a-z\s]`, `[]^-]`, `[^\x00-\x7f]+`, `\p{Han}`,
		`ï`, `a{4}`, `a{2,3}b?`, `(a|b|)c`, `a\|b`, `\\d`, `(?:x|y|z).*[0-9]`, `a+?b`, `^.{2}$`, `^.{1,4}$`, `[[:alpha:]]_`, `\.`, `^\{\}$`, `[.[]x`, `\(p.*s\)`, `\?!`, `(?i)[k]elvin`, `-1`, `[=.:]`, `(Total|TOTAL)(\s+|\()`,
		`((a*)*)*b`, `(x+x+)+y`, `colou(r|)s`, `x(y|)z`, `get(\b|_)name`, `get(_|)*name`, `x(?:(?:y|\b|)z)+`,
	} {
		t.Run(e, func(t *testing.T) {
			t.Parallel()
			q, err := Matching(e)
			testkit.OK(t, err)
			found, err := s.Search(t.Context(), commits[0], q, 100)
			testkit.OK(t, err)
			var got, want []int
			for _, m := range found {
				got = append(got, m.Line)
			}
			re := regexp.MustCompile(e)
			for i, l := range tried {
				if re.MatchString(strings.TrimSuffix(l, "\r")) {
					want = append(want, i+1)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("lines %v, want %v (git is asked for %q)", got, want, q.Expressions)
			}
		})
	}
	for _, text := range []string{"a[i]", "b*c", "$12.50", `\\`, "(items []Item)", "日本", "a|b", "?!", "^ b", "{}", "end]", "\tP", "[=y="} {
		t.Run("text "+text, func(t *testing.T) {
			t.Parallel()
			q, err := Containing(text)
			testkit.OK(t, err)
			found, err := s.Search(t.Context(), commits[0], q, 100)
			testkit.OK(t, err)
			want := 0
			for _, l := range tried {
				if strings.Contains(l, text) {
					want++
				}
			}
			if len(found) != want || want == 0 {
				t.Errorf("%d lines, want %d: %+v", len(found), want, found)
			}
		})
	}
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		q, err := Containing("t")
		testkit.OK(t, err)
		q.Path = func(p string) bool { return p == "b.txt" }
		if found, err := s.Search(t.Context(), commits[0], q, 1); err != nil || len(found) != 1 || found[0].Path != "b.txt" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// Invalid searches are refused before git is called.
func TestSearchesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]string{
		"empty": "", "long": strings.Repeat("x", maxExpression+1), "no expression": "(", "a look ahead": "(?=x)", "back": `(a)\1`, "every line": "a*", "an empty branch": "a|", "a boundary": `\b`,
		"no line": `[^\x00-\x{10FFFF}]`, "two lines": "a\\nb", "zero": `a\x00`, "many repetitions": "((a{100}){100}){100}", "too long for git": "(?i)" + strings.Repeat("x", 190),
		"nested": strings.Repeat("(", 199), "repeated a thousand times": "z(?:|" + strings.Repeat(".?", 80) + "){1000}y$",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Matching(e); !errs.Is(err, errs.Malformed) {
				t.Errorf("%v", err)
			}
		})
	}
	for name, text := range map[string]string{"empty": "", "long": strings.Repeat("x", maxExpression+1), "two lines": "a\nb", "zero": "a\x00"} {
		t.Run("text "+name, func(t *testing.T) {
			t.Parallel()
			if _, err := Containing(text); !errs.Is(err, errs.Malformed) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Entry describes the object at a path, and List the objects in a folder.
func TestEntries(t *testing.T) {
	t.Parallel()
	u := servedFiles(t, sources)
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	tree, err := r.Tree(t.Context(), u.head)
	testkit.OK(t, err)
	for _, want := range tree {
		if got, err := r.Entry(t.Context(), u.head, want.Path); err != nil || got != want {
			t.Errorf("%+v, want %+v: %v", got, want, err)
		}
	}
	if e, err := r.Entry(t.Context(), u.head, "b"); err != nil || e.Mode != ModeFolder || e.Size != -1 {
		t.Errorf("a folder: %+v, %v", e, err)
	}
	for _, p := range []string{"", "nowhere", "../b", "/b", ".git/config", "b/", "*", ":(glob)**", "b/nowhere"} {
		if e, err := r.Entry(t.Context(), u.head, p); err == nil {
			t.Errorf("%q: %+v", p, e)
		}
	}
	top, err := r.List(t.Context(), u.head, "", 1000)
	testkit.OK(t, err)
	seen := map[string]bool{}
	for _, e := range top {
		seen[e.Path] = true
	}
	for _, e := range tree {
		first, _, _ := strings.Cut(e.Path, "/")
		if !seen[first] {
			t.Errorf("%s is not listed at the top: %+v", first, top)
		}
	}
	in, err := r.List(t.Context(), u.head, "b", 1000)
	if err != nil || len(in) == 0 || !strings.HasPrefix(in[0].Path, "b/") {
		t.Errorf("%+v, %v", in, err)
	}
	if some, err := r.List(t.Context(), u.head, "", 1); err != nil || len(some) != 1 {
		t.Errorf("%d entries, %v", len(some), err)
	}
	for _, p := range []string{"nowhere", "../b", "/", ".git", in[0].Path} {
		if list, err := r.List(t.Context(), u.head, p, 10); err == nil {
			t.Errorf("%q: %+v", p, list)
		}
	}
}
