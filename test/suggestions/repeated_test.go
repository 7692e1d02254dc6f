package suggestions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/anchor"
)

// enclosing returns the lines from the header of a block around a line to the block's end, by
// indentation. Both are counted from 0. last is below first if there is no such block.
func enclosing(lines []string, at, levels int) (first, last int) {
	in := func(i int) int { return len(lines[i]) - len(strings.TrimLeft(lines[i], " \t-")) }
	first = at
	for range levels {
		next := first - 1
		for next >= 0 && (strings.TrimSpace(lines[next]) == "" || in(next) >= in(first)) {
			next--
		}
		if next < 0 {
			break
		}
		first = next
	}
	if first == at {
		return 0, -1
	}
	last = at
	for last+1 < len(lines) && (strings.TrimSpace(lines[last+1]) == "" || in(last+1) > in(first)) {
		last++
	}
	if last+1 < len(lines) && in(last+1) == in(first) && strings.ContainsAny(strings.TrimSpace(lines[last+1])[:1], ")]}") {
		last++
	}
	for strings.TrimSpace(lines[last]) == "" {
		last--
	}
	return first, last
}

// edited changes a line of context a little, as a model does that fixes more than it reports. Very
// short lines stay, because a change would make them different lines.
func edited(r *rand.Rand, line string) string {
	if len(strings.TrimSpace(line)) < 14 {
		return line
	}
	for _, change := range r.Perm(4) {
		out := line
		switch change {
		case 0:
			out = strings.Replace(line, "items", "item", 1)
		case 1:
			out = strings.Replace(line, "(", "(x, ", 1)
		case 2:
			out = strings.Replace(line, "key", "keys", 1)
		case 3:
			out = strings.Replace(line, "total", "totals", 1)
		}
		if out != line {
			return out
		}
	}
	return line
}

// A suggestion that repeats the code around the replaced lines never leaves it there twice: the
// repetition is removed, or the suggestion is shown and not offered.
func TestRepeatedContext(t *testing.T) {
	t.Parallel()
	for _, g := range grammars() {
		t.Run(g.path, func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(strings.TrimSuffix(g.file, "\n"), "\n")
			good := slices.DeleteFunc(g.goodEdits(t), func(e edit) bool {
				return e.text == e.old || strings.TrimSpace(lines[e.start-1]) == "" || strings.TrimSpace(lines[e.end-1]) == "" || strings.Count(e.text, "\n") >= anchor.MaxSuggestion || !g.propose(t, e, e.old, e.text).Applies
			})
			r := rand.New(rand.NewPCG(mangledSeed, uint64(len(g.path))))
			kinds, offered := map[string]int{}, map[string]int{}
			for range mangledEach {
				e := good[r.IntN(len(good))]
				first, last, kind := e.start-1, e.end-1, ""
				switch r.IntN(5) {
				case 0:
					kind, first = "before", max(first-1-r.IntN(3), 0)
				case 1:
					kind, last = "after", min(last+1+r.IntN(3), len(lines)-1)
				case 2:
					kind, first, last = "both", max(first-1-r.IntN(2), 0), min(last+1+r.IntN(2), len(lines)-1)
				default:
					kind = "block"
					from, to := enclosing(lines, first, 1+r.IntN(3))
					if to < last {
						continue
					}
					first, last = from, to
				}
				before, after := slices.Clone(lines[first:e.start-1]), slices.Clone(lines[e.end:last+1])
				if strings.TrimSpace(strings.Join(before, "")+strings.Join(after, "")) == "" {
					continue
				}
				if r.IntN(3) == 0 {
					list := [][]string{before, after}[r.IntN(2)]
					if kind == "block" && len(before) > 0 && r.IntN(2) == 0 {
						list = before[:1] // the header
					}
					if len(list) == 0 {
						continue
					}
					i := r.IntN(len(list))
					was := list[i]
					if list[i] = edited(r, was); list[i] == was {
						continue
					}
					kind += ", edited"
				}
				text := strings.Join(slices.Concat(before, []string{e.text}, after), "\n")
				if r.IntN(4) == 0 {
					text = strings.TrimLeft(text, " \t")
				}
				kinds[kind]++
				s := g.propose(t, e, []string{e.old, ""}[r.IntN(2)], text)
				if !s.Applies {
					continue
				}
				offered[kind]++
				got, want := string(anchor.Apply([]byte(g.file), s)), g.applied(e)
				if got != want {
					t.Errorf("%s: lines %d to %d, proposed:\n%s\napplied:\n%s", kind, s.Start, s.End, text, s.New)
				}
			}
			t.Log(fmt.Sprint("proposed ", kinds, ", offered ", offered))
			for _, kind := range []string{"before", "after", "both", "block"} {
				if offered[kind]*2 < kinds[kind] {
					t.Errorf("%s: %d of %d are offered", kind, offered[kind], kinds[kind])
				}
			}
		})
	}
}
