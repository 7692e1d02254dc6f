package suggestions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/testkit"
)

// mangledSeed makes the mangled suggestions; each of the four languages gets mangledEach.
const (
	mangledSeed = 34
	mangledEach = 500
)

// edit is a suggestion in good form.
type edit struct {
	start, end int
	old, text  string
}

// goodEdits are the edits of a file after which it still parses.
func (g grammar) goodEdits(t *testing.T) []edit {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(g.file, "\n"), "\n")
	var list []edit
	var after []string
	for i, l := range lines {
		in := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		for _, form := range g.edits {
			for n := range 2 {
				if strings.TrimSpace(l) == "" || i+n >= len(lines) || !fitting(lines[i:i+n+1], form) {
					continue
				}
				e := edit{i + 1, i + 1 + n, strings.Join(lines[i:i+1+n], "\n"), fmt.Sprintf(form+"%.0[3]s%.0[2]s%.0[1]s", in, strings.Join(lines[i:i+1+n], "\n"), strings.TrimSpace(l))}
				list = append(list, e)
				after = append(after, g.applied(e))
			}
		}
	}
	ok := g.valid(t, after)
	var out []edit
	for i, e := range list {
		if ok[i] {
			out = append(out, e)
		}
	}
	return out
}

// applied returns the file with an edit.
func (g grammar) applied(e edit) string {
	return string(anchor.Apply([]byte(g.file), domain.Suggestion{Start: e.start, End: e.end, New: e.text}))
}

// fitting reports whether a form is well indented in place of lines. The first or last line of a block
// cannot get a line after it or a block around it, and neither can several lines.
func fitting(lines []string, form string) bool {
	t := strings.TrimSpace(lines[0])
	if !strings.Contains(form, "\n") {
		return true
	}
	if strings.HasSuffix(form, "\n%[2]s") {
		return !strings.ContainsAny(t[:1], ")]}")
	}
	return len(lines) == 1 && !strings.ContainsAny(t[:1], ")]}") && !strings.ContainsAny(t[len(t)-1:], "([{:")
}

// mangles are the ways in which models, and programs between them and us, damage the form of a text.
var mangles = []struct {
	name   string
	mangle func(r *rand.Rand, text string) string
}{
	{"as it is", func(_ *rand.Rand, s string) string { return s }},
	{"no indentation", func(_ *rand.Rand, s string) string {
		return each(s, func(_ int, l string) string { return strings.TrimLeft(l, " \t") })
	}},
	{"less by a column", func(_ *rand.Rand, s string) string {
		return each(s, func(_ int, l string) string { return strings.TrimPrefix(strings.TrimPrefix(l, " "), "\t") })
	}},
	{"less by four", func(_ *rand.Rand, s string) string {
		return each(s, func(_ int, l string) string { return strings.TrimPrefix(l, "    ") })
	}},
	{"more", func(r *rand.Rand, s string) string {
		in := []string{"  ", "    ", "\t", " "}[r.IntN(4)]
		return each(s, func(_ int, l string) string { return in + l })
	}},
	{"moved to the margin", func(_ *rand.Rand, s string) string {
		in := s[:len(s)-len(strings.TrimLeft(s, " \t"))]
		return each(s, func(_ int, l string) string { return strings.TrimPrefix(l, in) })
	}},
	{"first line bare", func(_ *rand.Rand, s string) string { return strings.TrimLeft(s, " \t") }},
	{"only the first line indented", func(_ *rand.Rand, s string) string {
		return each(s, func(i int, l string) string {
			if i > 0 {
				return strings.TrimLeft(l, " \t")
			}
			return l
		})
	}},
	{"a line moved", func(r *rand.Rand, s string) string {
		at, in := r.IntN(strings.Count(s, "\n")+1), []string{"", " ", "    ", "\t"}[r.IntN(4)]
		return each(s, func(i int, l string) string {
			if i == at {
				return in + strings.TrimLeft(l, " \t")
			}
			return l
		})
	}},
	{"spaces for tabs", func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, "\t", "    ") }},
	{"tabs for spaces", func(_ *rand.Rand, s string) string {
		return each(s, func(_ int, l string) string {
			rest := strings.TrimLeft(l, " ")
			return strings.Repeat("\t", (len(l)-len(rest))/4) + rest
		})
	}},
	{"tabs for two spaces", func(_ *rand.Rand, s string) string {
		return each(s, func(_ int, l string) string {
			rest := strings.TrimLeft(l, " ")
			return strings.Repeat("\t", (len(l)-len(rest))/2) + rest
		})
	}},
	{"CRLF", func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, "\n", "\r\n") + "\r\n" }},
	{"newlines at the end", func(_ *rand.Rand, s string) string { return s + "\n\n" }},
	{"fenced", func(_ *rand.Rand, s string) string { return "```python\n" + s + "\n```" }},
	{"a fence at the end", func(_ *rand.Rand, s string) string { return s + "\n```\n" }},
	{"a fence at the beginning", func(_ *rand.Rand, s string) string { return "```suggestion\n" + s }},
	{"plus signs", func(_ *rand.Rand, s string) string { return each(s, func(_ int, l string) string { return "+" + l }) }},
	{"minus signs", func(_ *rand.Rand, s string) string { return each(s, func(_ int, l string) string { return "-" + l }) }},
	{"one plus sign", func(_ *rand.Rand, s string) string { return "+" + s }},
	{"a hunk", func(_ *rand.Rand, s string) string {
		return "@@ -1,2 +1,3 @@\n" + each(s, func(_ int, l string) string { return "+" + l })
	}},
	{"numbers of a prompt", func(r *rand.Rand, s string) string {
		from := 1 + r.IntN(40)
		return each(s, func(i int, l string) string { return fmt.Sprintf("%5d + %s", from+i, l) })
	}},
	{"numbers with colons", func(r *rand.Rand, s string) string {
		from := 1 + r.IntN(40)
		return each(s, func(i int, l string) string { return fmt.Sprintf("%d: %s", from+i, l) })
	}},
	{"numbers with tabs", func(r *rand.Rand, s string) string {
		from := 1 + r.IntN(40)
		return each(s, func(i int, l string) string { return fmt.Sprintf("%6d\t%s", from+i, l) })
	}},
	{"the last line lost", func(_ *rand.Rand, s string) string { return s[:max(strings.LastIndexByte(s, '\n'), 0)] }},
	{"cut off", func(r *rand.Rand, s string) string { return s[:r.IntN(len(s))] }},
	{"a bracket lost", func(_ *rand.Rand, s string) string {
		return strings.Replace(strings.Replace(s, ")", "", 1), "}", "", 1)
	}},
	{"a colon lost", func(_ *rand.Rand, s string) string { return strings.Replace(s, ":", "", 1) }},
	{"escaped breaks", func(_ *rand.Rand, s string) string { return strings.ReplaceAll(s, "\n", `\n`) }},
	{"a backslash at the end", func(_ *rand.Rand, s string) string { return s + ` \` }},
	{"a comment left open", func(_ *rand.Rand, s string) string { return s + " /*" }},
	{"a string left open", func(_ *rand.Rand, s string) string { return s + "\n'''" }},
}

// each changes the lines of a text.
func each(s string, change func(i int, l string) string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = change(i, l)
	}
	return strings.Join(lines, "\n")
}

// oneFile is a source with a single file.
type oneFile string

func (f oneFile) Blob(context.Context, domain.Side, string) ([]byte, error) { return []byte(f), nil }

// propose asks the engine whether a text may be offered in place of the lines of an edit.
func (g grammar) propose(t *testing.T, e edit, claimed, text string) domain.Suggestion {
	t.Helper()
	s := domain.Suggestion{Old: claimed, New: text}
	_, language := diff.Classify(g.path, nil)
	a := domain.Anchor{Path: g.path, Side: domain.Right, StartLine: e.start, EndLine: e.end, Level: domain.AnchorLine}
	_, err := anchor.Suggestion(t.Context(), &s, a, &diff.File{Path: g.path, Language: language}, oneFile(g.file))
	testkit.OK(t, err)
	return s
}

// Every offered suggestion leaves a file that parses, whatever its form, and a suggestion in good form
// is offered.
func TestMangledSuggestions(t *testing.T) {
	t.Parallel()
	for _, g := range grammars() {
		t.Run(g.path, func(t *testing.T) {
			t.Parallel()
			good := g.goodEdits(t)
			refused := 0
			for _, e := range good {
				if e.text != e.old && strings.Count(e.text, "\n") < anchor.MaxSuggestion && !g.propose(t, e, e.old, e.text).Applies {
					refused++
					t.Logf("a good suggestion is not offered: lines %d to %d\n%s", e.start, e.end, e.text)
				}
			}
			if refused*10 > len(good) {
				t.Errorf("%d of %d good suggestions are not offered", refused, len(good))
			}
			r := rand.New(rand.NewPCG(mangledSeed, uint64(len(g.path))))
			var names, texts []string
			offered := 0
			for i := range mangledEach {
				e, m := good[r.IntN(len(good))], mangles[i%len(mangles)]
				text := m.mangle(r, e.text)
				claimed := []string{e.old, "", strings.TrimLeft(e.old, " \t"), m.mangle(r, e.old)}[r.IntN(4)]
				s := g.propose(t, e, claimed, text)
				if !s.Applies {
					continue
				}
				offered++
				after := anchor.Apply([]byte(g.file), s)
				names = append(names, fmt.Sprintf("%s, parses %s: lines %d to %d, proposed:\n%s\napplied:\n%s", m.name, s.Parses, s.Start, s.End, text, s.New))
				texts = append(texts, string(after))
				if valid, known := check.ValidYAML(after); strings.HasSuffix(g.path, ".yml") && known && !valid {
					t.Errorf("not YAML: %s", names[len(names)-1])
				}
			}
			for i, ok := range g.valid(t, texts) {
				if !ok {
					t.Errorf("broken by a click: %s", names[i])
				}
			}
			t.Logf("%d of %d mangled suggestions are offered, %d good ones", offered, mangledEach, len(good))
			if offered < mangledEach/4 {
				t.Errorf("%d of %d are offered: the test shows little", offered, mangledEach)
			}
		})
	}
}
