package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the context of a chunk: a share of the diff's tokens, with a floor
// for small changes and a hard cap.
const (
	contextShare  = 0.4
	contextFloor  = 3_000
	contextCap    = 8_000
	linesBefore   = 8 // where no enclosing symbol is known
	linesAfter    = 2
	maxSymbolSize = 120 // lines of an enclosing symbol that are shown
)

// prompts holds what the generation prompts of one review are made of.
type prompts struct {
	level     ContextLevel
	set       *diff.Set // redacted
	src       Source    // redacted
	rules     []Rule
	pr        PullRequest // cleaned and redacted
	all       []chunk
	earlier   []listed
	elsewhere elsewhere
	symbol    func(ctx context.Context, path string, line int) (name string, first, last int)
}

// body writes a chunk's diff.
func (p prompts) body(ctx context.Context, c chunk) string {
	var b strings.Builder
	for _, t := range c.targets {
		writeTarget(&b, t, func(h *diff.Hunk) string {
			name, _, _ := p.symbol(ctx, t.file.Path, firstChanged(h))
			return name
		})
	}
	return b.String()
}

// firstChanged is the first added line of a hunk, or the line after its first
// removed one.
func firstChanged(h *diff.Hunk) int {
	last := h.NewStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Add:
			return l.New
		case diff.Delete:
			return max(last, 1)
		default:
			last = l.New
		}
	}
	return max(h.NewStart, 1)
}

// index names the declarations that change outside the chunk, one line per file.
func (p prompts) index(c chunk) string {
	if len(p.all) < 2 {
		return ""
	}
	inside := map[*diff.Hunk]bool{}
	for _, t := range c.targets {
		for _, h := range t.hunks {
			inside[h] = true
		}
	}
	var b strings.Builder
	for _, other := range p.all {
		for _, t := range other.targets {
			var names []string
			for _, h := range t.hunks {
				if inside[h] {
					continue
				}
				for _, n := range declared(h) {
					if len(names) < 20 && !slices.Contains(names, n) {
						names = append(names, n)
					}
				}
			}
			if len(names) > 0 {
				fmt.Fprintf(&b, "%s: %s\n", cleanPath(t.file.Path), strings.Join(names, ", "))
			}
		}
	}
	return cut(b.String(), 4_000)
}

// around writes the code around a chunk's hunks: the rest of the enclosing symbols
// or a few lines, then what the files themselves say of names that changed lines use,
// then what other files say of them. It ends at the chunk's budget.
func (p prompts) around(ctx context.Context, c chunk) string {
	if p.level == ContextNone {
		return ""
	}
	budget := min(max(int(contextShare*float64(c.tokens)), contextFloor), contextCap)
	var b strings.Builder
	room := func() int { return 3 * (budget - llm.EstimateTokens(b.Len())) } // bytes of code: its numbers need room, too
	shown := map[string]map[int]bool{}                                       // by path, lines of the head
	blobs := map[string][]byte{}
	for _, t := range c.targets {
		blob, err := p.src.Blob(ctx, domain.Right, t.file.Path)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
		mine := map[int]bool{}
		shown[t.file.Path], blobs[t.file.Path] = mine, blob
		for _, h := range t.hunks {
			for _, l := range h.Lines {
				mine[l.New] = true
			}
		}
		for _, h := range t.hunks {
			text := p.enclosing(ctx, t.file.Path, h, lines, mine)
			if llm.EstimateTokens(b.Len()+len(text)) > budget {
				return b.String()
			}
			b.WriteString(text)
		}
		writePieces(&b, structure.Definitions(t.file.Path, t.file.Language, blob, usedWords(t), room()), shown, budget)
	}
	for _, t := range c.targets {
		if blob, read := blobs[t.file.Path]; read && room() > 0 {
			writePieces(&b, p.elsewhere.of(ctx, t, blob, p.src, room()), shown, budget)
		}
	}
	return b.String()
}

// usedWords are the words of changed lines.
func usedWords(t *target) map[string]bool {
	names := map[string]bool{}
	for _, h := range t.hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context {
				for _, w := range word.FindAllString(l.Text, -1) {
					names[w] = true
				}
			}
		}
	}
	return names
}

// writePieces writes pieces whose beginning was not shown yet, as far as the budget
// of tokens allows.
func writePieces(b *strings.Builder, pieces []structure.Piece, shown map[string]map[int]bool, budget int) {
	for _, p := range pieces {
		if shown[p.Path][p.Start] {
			continue
		}
		var one strings.Builder
		fmt.Fprintf(&one, "--- %s %s\n", cleanPath(p.Path), ShowInvisible(p.Symbol))
		n := p.Start
		for l := range strings.Lines(p.Text) {
			fmt.Fprintf(&one, "%5d   %s\n", n, ShowInvisible(strings.TrimRight(l, "\r\n")))
			n++
		}
		if llm.EstimateTokens(b.Len()+one.Len()) > budget {
			continue
		}
		b.WriteString(one.String())
		if shown[p.Path] == nil {
			shown[p.Path] = map[int]bool{}
		}
		for line := p.Start; line < n; line++ {
			shown[p.Path][line] = true
		}
	}
}

// enclosing writes the lines around one hunk that were not shown yet.
func (p prompts) enclosing(ctx context.Context, path string, h *diff.Hunk, lines []string, shown map[int]bool) string {
	first, last, ok := h.Range(domain.Right)
	if !ok {
		first, last = max(h.NewStart, 1), max(h.NewStart, 1)
	}
	name, from, to := p.symbol(ctx, path, firstChanged(h))
	var b strings.Builder
	previous := 0
	show := func(from, to int) {
		for n := max(from, 1); n <= min(to, len(lines)); n++ {
			if shown[n] {
				continue
			}
			shown[n] = true
			if b.Len() == 0 {
				fmt.Fprintf(&b, "--- %s %s\n", cleanPath(path), ShowInvisible(name))
			} else if n != previous+1 {
				b.WriteString("      …\n")
			}
			previous = n
			fmt.Fprintf(&b, "%5d   %s\n", n, ShowInvisible(strings.TrimSuffix(lines[n-1], "\r")))
		}
	}
	if from == 0 || to-from > maxSymbolSize { // of a large one its first line says what it is
		if from > 0 {
			show(from, from)
		}
		from, to = first-linesBefore, last+linesAfter
	}
	show(min(from, first-linesAfter), max(to, last+linesAfter))
	return b.String()
}
