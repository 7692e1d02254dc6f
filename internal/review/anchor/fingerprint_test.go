package anchor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// printsOf validates a quotation in a new version of a file and fingerprints it.
func printsOf(t *testing.T, path, oldPath, content, quote string, near int) domain.Fingerprints {
	t.Helper()
	status := diff.Added
	if oldPath != "" {
		status = diff.Renamed
	}
	n := strings.Count(content, "\n")
	body := "+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+")
	set, err := diff.FromPatches([]diff.Patch{{Path: path, OldPath: oldPath, Status: status, Text: strings.Join([]string{"@@ -0,0 +1,", itoa(n), " @@\n", body}, "")}})
	if err != nil {
		t.Fatal(err)
	}
	src := files{"RIGHT:" + path: content}
	f := domain.Finding{RuleID: "llm/correctness/nil-deref", Category: domain.CategoryBug,
		Anchor: domain.Anchor{Path: path, StartLine: near, EndLine: near, Quote: quote}}
	if out, err := Validate(t.Context(), &f.Anchor, set, src); err != nil || !out.Inline() {
		t.Fatalf("%+v %v", out, err)
	}
	p, err := NewFingerprinter("repo_1", set, src).Of(t.Context(), &f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestFingerprints(t *testing.T) {
	t.Parallel()
	const base = "package p\n\nfunc F(a, b int) int {\n\tx := a / b // ratio\n\tuse(x)\n\tx = a / c\n\tuse(x)\n\treturn x\n}\n"
	want := printsOf(t, "a.go", "", base, "x := a / b", 4)
	if !strings.HasPrefix(want.Exact, "v1:") || len(want.Exact) != 67 || want.Exact == want.Context {
		t.Fatalf("%+v", want)
	}
	for _, tt := range []struct {
		name                 string
		path, oldPath        string
		content, quote       string
		near                 int
		sameExact, sameScope bool
	}{
		{"lines moved down", "a.go", "", "package p\n\nimport \"os\"\n\nvar _ = os.Args\n" + base[9:], "x := a / b", 7, true, true},
		{"reformatted, other comment", "a.go", "", strings.Replace(base, "\tx := a / b // ratio", "    x  :=  a / b /* q */", 1), "x  :=  a / b", 4, true, true},
		{"CRLF", "a.go", "", strings.ReplaceAll(base, "\n", "\r\n"), "x := a / b", 4, true, true},
		{"renamed file", "b.go", "a.go", base, "x := a / b", 4, true, true},
		{"other file", "b.go", "", base, "x := a / b", 4, false, false},
		{"other code", "a.go", "", strings.Replace(base, "a / b", "a / d", 1), "x := a / d", 4, false, true},
		{"other literal", "a.go", "", strings.Replace(base, "a / b", "a / 2", 1), "x := a / 2", 4, false, true},
		{"other function", "a.go", "", strings.Replace(base, "func F", "func G", 1), "x := a / b", 4, false, false},
		{"equal line in an earlier function", "a.go", "", "package p\n\nfunc E(a, b int) {\n\tx := a / b\n}\n" + base[9:], "x := a / b", 8, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := printsOf(t, tt.path, tt.oldPath, tt.content, tt.quote, tt.near)
			if (got.Exact == want.Exact) != tt.sameExact || (got.Context == want.Context) != tt.sameScope {
				t.Errorf("exact equal %v, context equal %v", got.Exact == want.Exact, got.Context == want.Context)
			}
		})
	}
	if first, second := printsOf(t, "a.go", "", base, "use(x)", 5), printsOf(t, "a.go", "", base, "use(x)", 7); first.Exact == second.Exact || first.Context != second.Context {
		t.Error("equal lines of one function must differ by their ordinal only")
	}
}

func TestFingerprintOfFileAndPullRequest(t *testing.T) {
	t.Parallel()
	set, src := fixture(t)
	p := NewFingerprinter("repo_1", set, src)
	file, err1 := p.Of(t.Context(), &domain.Finding{RuleID: "r", Anchor: domain.Anchor{Path: "new.go", Level: domain.AnchorFile}})
	pr, err2 := p.Of(t.Context(), &domain.Finding{RuleID: "r", Anchor: domain.Anchor{Path: "elsewhere.go", Level: domain.AnchorPR}})
	if err1 != nil || err2 != nil || file.Exact == pr.Exact {
		t.Errorf("%v %v", err1, err2)
	}
	for level, path := range map[domain.AnchorLevel]string{domain.AnchorFile: "new.go", domain.AnchorPR: "elsewhere.go"} {
		seen := map[string]string{}
		for quote, want := range map[string]string{"": "", "x := a / b": "b", "x :=  a / b": "b", "x := a / c": "c", "\t\n": "", "// d": "d"} {
			prints, err := p.Of(t.Context(), &domain.Finding{RuleID: "r", Anchor: domain.Anchor{Path: path, Level: level, Quote: quote}})
			if before, is := seen[want]; err != nil || is && before != prints.Exact {
				t.Errorf("%s %q: %v", level, quote, err)
			}
			seen[want] = prints.Exact
		}
		if seen[""] == seen["b"] || seen["b"] == seen["c"] || seen["c"] == seen["d"] || seen["d"] == seen[""] {
			t.Errorf("%s: %q", level, seen)
		}
	}
}

func TestLevenshtein(t *testing.T) {
	t.Parallel()
	naive := func(a, b []rune) int {
		prev := make([]int, len(b)+1)
		for j := range prev {
			prev[j] = j
		}
		for i := range a {
			row := append([]int{i + 1}, make([]int, len(b))...)
			for j := range b {
				c := 1
				if a[i] == b[j] {
					c = 0
				}
				row[j+1] = min(prev[j]+c, prev[j+1]+1, row[j]+1)
			}
			prev = row
		}
		return prev[len(b)]
	}
	words := []string{"", "a", "ab", "ba", "kitten", "sitting", "abcabcabc", "cabcabcab", "xabcdex", "abcde", "ünï→", "uni>", "aaaaab", "baaaaa"}
	for _, a := range words {
		for _, b := range words {
			want := naive([]rune(a), []rune(b))
			for limit := range 8 {
				if got := levenshtein([]rune(a), []rune(b), limit); got != min(want, limit+1) {
					t.Errorf("%q, %q, limit %d: %d, want %d", a, b, limit, got, min(want, limit+1))
				}
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add(newGo, "if x >= 0 {\n return 1", 6)
	f.Add("a\r\n\r\nb c", "b  c", 1)
	f.Fuzz(func(t *testing.T, content, quote string, line int) {
		tx := newText([]byte(content))
		for _, q := range variants(quote) {
			m := tx.find(q, line, line)
			if m.found && (m.first < 1 || m.last < m.first || m.last > len(tx.lines)) && m.first != line {
				t.Errorf("%+v of %d lines", m, len(tx.lines))
			}
		}
		if n := len(normLines("Go", content)); n != strings.Count(strings.ReplaceAll(content, "\r\n", "\n"), "\n")+1 {
			t.Errorf("%d normalised lines", n)
		}
	})
}

// Lines without tokens have their text in the fingerprint, because comments can be directives or hide something.
func TestLinesWithoutTokensDifferByTheirText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, a, b string
		same       bool
	}{
		{"a.go", "//go:embed a", "//go:embed b", false},
		{"a.go", "// x \u202eflow\u202c", "/* \u202e } \u2066if (isAdmin)\u2069 */", false},
		{"a.go", "// a comment", "  //   a comment", true},
		{"a.go", "x := 1 // a", "x := 1 // b", true},
		{"a.php", "#[Route('/a')]", "#[Route('/b')]", false},
		{"a.php", "#[Route('/a')] # x", "#[Route('/a')] # y", true},
		{"a.php", "# a comment", "# another", false},
		{"a.sh", "#!/bin/sh", "#!/bin/bash", false},
		{"Dockerfile", "# syntax=docker/dockerfile:1", "# syntax=example.com/other", false},
		{"a.py", "# type: ignore", "# type: ignore[attr]", false},
		{"a.ts", "// @ts-ignore", "// @ts-nocheck", false},
	} {
		a := printsOf(t, tt.path, "", "k\n"+tt.a+"\nm\n", tt.a, 2)
		b := printsOf(t, tt.path, "", "k\n"+tt.b+"\nm\n", tt.b, 2)
		if (a.Exact == b.Exact) != tt.same {
			t.Errorf("%s: %q and %q: equal %v", tt.path, tt.a, tt.b, a.Exact == b.Exact)
		}
	}
}
