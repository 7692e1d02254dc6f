package anchor

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// counted is a source that counts how often it is read.
type counted struct {
	Source
	n int
}

func (c *counted) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	c.n++
	return c.Source.Blob(ctx, side, path)
}

// However many findings a file has, it is split once and parsed once.
func TestFilesArePreparedOnce(t *testing.T) {
	t.Parallel()
	var text, body strings.Builder
	text.WriteString("package p\n\n")
	for i := range 200 {
		fmt.Fprintf(&text, "func f%d() {\n\tcall(%d)\n}\n", i, i)
	}
	for l := range strings.Lines(text.String()) {
		body.WriteString("+" + l)
	}
	set, err := diff.FromPatches([]diff.Patch{{Path: "a.go", Status: diff.Added, Text: fmt.Sprintf("@@ -0,0 +1,%d @@\n%s", strings.Count(text.String(), "\n"), body.String())}})
	if err != nil {
		t.Fatal(err)
	}
	reads := &counted{Source: files{"RIGHT:a.go": text.String()}}
	src := NewFiles(reads)
	prints := NewFingerprinter("repo", set, src)
	for i := range 200 {
		f := domain.Finding{Anchor: domain.Anchor{Path: "a.go", StartLine: 4 + 3*i, EndLine: 4 + 3*i, Quote: fmt.Sprintf("call(%d)", i)}}
		if out, err := Validate(t.Context(), &f.Anchor, set, src); err != nil || !out.Inline() || f.Anchor.Symbol != fmt.Sprintf("f%d", i) {
			t.Fatalf("%+v, %+v, %v", f.Anchor, out, err)
		}
		if _, err := prints.Of(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
	}
	if reads.n != 2 {
		t.Errorf("the file was read %d times: once for its text and once for its outline is right", reads.n)
	}
}

// The prepared text that is kept of a file is bounded by its lines and bytes.
func TestPreparedFilesAreBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		content string
		kept    int
	}{
		"short lines": {strings.Repeat("\n", maxKept/4), 3},
		"one line":    {strings.Repeat("x", 64*maxKept/8), 8},
		"small":       {"x\n", 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := files{}
			for i := range 5 {
				src[fmt.Sprintf("RIGHT:%d", i)] = tt.content
			}
			c := NewFiles(src)
			for i := range 5 {
				if _, err := c.text(t.Context(), domain.Right, fmt.Sprint(i)); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Outline(t.Context(), domain.Right, fmt.Sprint(i), "Python"); err != nil {
					t.Fatal(err)
				}
			}
			if got := len(c.texts) + len(c.outlines); got != tt.kept {
				t.Errorf("%d are kept, want %d", got, tt.kept)
			}
		})
	}
}

// Normalization drops comments and white space and keeps words and strings in every language.
func TestNormLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ language, text, want string }{
		{"Go", "a := \"b // c\" // d", "a : = \"b // c\""}, {"Go", "a /* b\nc */ d", "a|d"}, {"Go", "x := `a\n  // b`", "x : = `a|// b`"},
		{"Python", "a = 1 # b", "a = 1"}, {"Python", "\"\"\"a\n  # b\"\"\" # c", "\"\"\"a|# b\"\"\""}, {"Bash", "echo $# ${a#b} # c", "echo $ # $ { a # b }"},
		{"SQL", "a -- b\nc", "a|c"}, {"HTML", "<a> <!-- b\n --> c", "< a >||c"}, {"Rust", "fn f<'a>() // b", "fn f < ' a > ( )"},
		{"PHP", "$a = 1; // b", "$a = 1 ;"}, {"C", "it's // a", "it ' s"}, {"", "a  // b", "a // b"}, {"no such language", "a  b", "a b"}, {"Go", "größe  :=  1\r\n", "größe : = 1|"},
	} {
		want := strings.Split(tt.want, "|")
		if tt.text == "<a> <!-- b\n --> c" {
			want = []string{"< a >", "c"}
		}
		if got := normLines(tt.language, tt.text); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s %q: %q, want %q", tt.language, tt.text, got, want)
		}
	}
}

// signs are the marks that begin, end or escape something in a language.
var signs = []string{`"`, `'`, "`", `\`, "/*", "*/", "//", "#", "<!--", "-->", "--[[", "{-", "<#", "(*", `"""`, "'''", "\n", "(", "${", "<<A", "a", "a<b ", " "}

// The tokens of a text are in order and never overlap, and the work grows linearly with the text,
// whichever two or three signs fill it.
func TestTokensGoForward(t *testing.T) {
	t.Parallel()
	var units []string
	for _, a := range signs {
		for _, b := range signs {
			units = append(units, a+b)
		}
		for _, b := range signs[:4] {
			for _, c := range signs[:4] {
				units = append(units, a+b+c)
			}
		}
	}
	distinct := map[*syntax]string{}
	for language, syn := range syntaxes {
		distinct[syn] = language
	}
	for syn, language := range distinct {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			for _, unit := range units {
				goesForward(t, syn, strings.Repeat(unit, 100))
			}
		})
	}
}

// goesForward tokenizes a text and fails if tokens overlap, or if more bytes are read than a constant
// multiple of the text.
func goesForward(t *testing.T, syn *syntax, text string) {
	t.Helper()
	at := 0
	looked := syn.scanTokens(text, func(_ kind, from int, piece string) {
		if from < at || piece == "" || text[from:from+len(piece)] != piece {
			t.Fatalf("%q: a piece at %d after %d", text, from, at)
		}
		at = from + len(piece)
	})
	if most := 4 * len(text); looked > most {
		t.Errorf("%q: %d bytes were looked at, at most %d are right", text, looked, most)
	}
}

// FuzzTokens tokenizes arbitrary text in any language.
func FuzzTokens(f *testing.F) {
	languages := slices.Sorted(maps.Keys(syntaxes))
	for _, s := range []string{`\"\"\"`, "\"\\\n\" '", "/* */ // a", "<!-- \"", "`a", "--[[ ]]"} {
		f.Add(uint8(0), s)
	}
	f.Fuzz(func(t *testing.T, language uint8, text string) {
		syn := syntaxOf(languages[int(language)%len(languages)])
		goesForward(t, syn, text)
		goesForward(t, syn, strings.Repeat(text, 50))
	})
}

// A quotation mark without a closing mark is a plain sign. An escaped mark before it does not hide a
// string that begins after it.
func TestStringsWithoutEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"\"\" x`:            `"|\|"|\|"|x`,
		"\"\\\"\n\"a b\"":    "\"|\\|\"|\"a b\"",
		`'\' "a 'b"`:         `'\' "a '|b|"`,
		`'\" "a b" \'`:       `'|\|" "|a|b|"|\|'`,
		"\"\\\n\" \"a b\" '": "\"\\\n\"|\"a b\"|'",
	} {
		var got []string
		syntaxOf("C").scanTokens(text, func(_ kind, _ int, piece string) { got = append(got, piece) })
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, strings.Join(got, "|"), want)
		}
	}
}

// A line that is longer than a quotation is not copied for each line before it.
func TestLongLinesAreNotCopied(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	line := strings.Repeat("x", 1<<20)
	tx := newText([]byte(strings.Repeat(strings.Repeat("a\n", maxFuzzyRun)+line+"\n", 2)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tx.fuzzy(strings.Repeat("quoted ", 20), 1)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 32*uint64(len(line)) {
		t.Errorf("%d MiB were allocated for lines of %d MiB", took>>20, len(line)>>20)
	}
}

// If a quotation occurs at very many places, the one nearest to the claim is found, wherever it is.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	const n = 100_000
	tx := newText([]byte(strings.Repeat("a a a a\n", n)))
	for claim, want := range map[int]int{5: 4, 90_000: 89_999, n + 500: n - 1, 0: 1} {
		if m := tx.find("a a", claim, claim); !m.found || m.first != want {
			t.Errorf("claimed at %d: %+v", claim, m)
		}
	}
	tx = newText([]byte(strings.Repeat("xaa\n", 50_000) + "aa\n" + strings.Repeat("xaa\n", 1000)))
	if m := tx.find("aa", 50_500, 50_500); m.first != 50_001 {
		t.Errorf("among places inside of words: %+v", m)
	}
	if n := len(newText([]byte(strings.Repeat("\n", 2*maxTextLines))).lines); n != maxTextLines {
		t.Errorf("%d lines are kept", n)
	}
}

// The search that starts at the claim finds the same place as a search of all places.
func TestTheNearestPlace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // to be repeated
	words := []string{"a", "b", "ab", "\n", "\n", "é", " "}
	some := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))] + []string{"", " "}[r.IntN(2)])
		}
		return b.String()
	}
	for range 20_000 {
		tx, quote, first := newText([]byte(some(30))), normalizeQuote(some(4)), r.IntN(12)
		last := first + r.IntN(2)
		if letters(quote) < minQuote {
			continue
		}
		var want match
		for start := range tx.joined {
			if strings.HasPrefix(tx.joined[start:], quote) {
				if m := tx.matchAt(start, quote); m.found && (!want.found || distance(m, first, last) < distance(want, first, last)) {
					want = m
				}
			}
		}
		if got := tx.exact(quote, first, last); got != want {
			t.Fatalf("%q at %d to %d in %q: %+v, want %+v", quote, first, last, tx.joined, got, want)
		}
	}
}

func BenchmarkNormLines(b *testing.B) {
	text := strings.Repeat("a<b ", 16<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		normLines("Java", text)
	}
}
