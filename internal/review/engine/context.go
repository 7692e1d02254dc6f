package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the context of a chunk: a share of the diff's tokens, with a floor
// for small changes and a hard cap.
const (
	contextShare  = 0.4
	contextFloor  = 3_000
	contextCap    = 8_000
	leftShare     = 0.3 // of that, for what is left behind: one look at it is enough
	linesBefore   = 8   // where no enclosing symbol is known
	linesAfter    = 2
	maxSymbolSize = 120 // lines of an enclosing symbol that are shown
)

// prompts holds what the generation prompts of one review are made of.
type prompts struct {
	level   ContextLevel
	set     *diff.Set     // redacted
	src     change.Source // redacted
	rules   []Rule
	pr      PullRequest // cleaned and redacted
	all     []change.Chunk
	earlier []earlierFinding
	related around.Around
	rooms   rooms
	symbol  func(ctx context.Context, path string, line int) (name string, first, last int)
}

// body writes a chunk's diff.
func (p prompts) body(ctx context.Context, c change.Chunk) string {
	var b strings.Builder
	for _, t := range c.Targets {
		change.WriteTarget(&b, t, func(h *diff.Hunk) string {
			name, _, _ := p.symbol(ctx, t.File.Path, change.FirstChanged(h))
			return name
		}, func(h *diff.Hunk) ([]string, int) { return p.continued(ctx, t, h) })
	}
	return b.String()
}

// index names the declarations that change outside the chunk, one line per file.
func (p prompts) index(c change.Chunk) string {
	if len(p.all) < 2 {
		return ""
	}
	inside := map[*diff.Hunk]bool{}
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			inside[h] = true
		}
	}
	var b strings.Builder
	for _, other := range p.all {
		for _, t := range other.Targets {
			var names []string
			for _, h := range t.Hunks {
				if inside[h] {
					continue
				}
				for _, n := range change.DeclaredNames(h) {
					if len(names) < 20 && !slices.Contains(names, n) {
						names = append(names, n)
					}
				}
			}
			if len(names) > 0 {
				fmt.Fprintf(&b, "%s: %s\n", change.CleanPath(t.File.Path), strings.Join(names, ", "))
			}
		}
	}
	return change.Cut(b.String(), p.rooms.index*7/2)
}

// around writes the code around a chunk's hunks, up to the chunk's budget and in this order: uses of removed
// code, the rest of the enclosing symbols or a few lines, definitions of the used names in the changed files
// and then in others, callers of code with another effect, methods like the changed ones, and tests.
func (p prompts) around(ctx context.Context, c change.Chunk) string {
	if p.level == ContextNone {
		return ""
	}
	b := &contextBuilder{budget: p.rooms.around(c.Tokens), shown: map[string]map[int]bool{}}
	blobs := map[string][]byte{}
	for _, t := range c.Targets {
		mine := map[int]bool{}
		b.shown[t.File.Path] = mine
		for _, h := range t.Hunks {
			for _, l := range h.Lines {
				mine[l.New] = true
			}
		}
	}
	symbols := p.symbols(c)
	b.write(p.related.StillUsed(ctx, p.src, symbols), int(leftShare*float64(b.budget)))
	for _, t := range c.Targets {
		blob, err := p.src.Blob(ctx, domain.Right, t.File.Path)
		if err != nil {
			continue
		}
		blobs[t.File.Path] = blob
		lines := strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
		for _, h := range t.Hunks {
			text := p.enclosing(ctx, t.File.Path, h, lines, b.shown[t.File.Path])
			if !b.fits(len(text), b.budget) {
				return b.String()
			}
			b.WriteString(text)
		}
		b.write(excerptsOf(structure.Definitions(t.File.Path, t.File.Language, blob, change.UsedWords(t), b.room())), b.budget)
	}
	for _, t := range c.Targets {
		if blob, read := blobs[t.File.Path]; read && b.room() > 0 {
			b.write(excerptsOf(p.related.Of(ctx, t, blob, p.src, b.room())), b.budget)
		}
	}
	for _, more := range []func(context.Context, change.Source, []*around.Symbol) []around.Excerpt{p.related.Callers,
		p.related.Siblings, p.related.TestsOf} {
		if b.room() > 0 {
			b.write(more(ctx, p.src, symbols), b.budget)
		}
	}
	if text := p.related.NamedUses(symbols, b.shown); b.fits(len(text), b.budget) {
		b.WriteString(text)
	}
	return b.String()
}

// contextBuilder writes the context of a chunk up to its budget.
type contextBuilder struct {
	strings.Builder
	budget int                     // tokens
	shown  map[string]map[int]bool // by path, lines of the head
}

// fits reports whether so many bytes more are within a number of tokens.
func (b *contextBuilder) fits(n, tokens int) bool { return llm.EstimateTokens(b.Len()+n) <= tokens }

// room is how many bytes of code there is room for: its numbers need room, too.
func (b *contextBuilder) room() int { return 3 * (b.budget - llm.EstimateTokens(b.Len())) }

func excerptsOf(pieces []structure.Piece) []around.Excerpt {
	out := make([]around.Excerpt, len(pieces))
	for i, p := range pieces {
		out[i].Piece = p
	}
	return out
}

// write writes pieces whose beginning was not shown yet, within a number of tokens. A piece with a note is
// shown for one line, and left out if all its lines were shown.
func (b *contextBuilder) write(pieces []around.Excerpt, tokens int) {
	for _, p := range pieces {
		shown := b.shown[p.Path]
		if p.Note == "" && shown[p.Start] || p.Note != "" && allShown(shown, p.Start, p.End) {
			continue
		}
		var one strings.Builder
		fmt.Fprintf(&one, "--- %s %s", change.CleanPath(p.Path), change.ShowInvisible(p.Symbol))
		if p.Note != "" {
			fmt.Fprintf(&one, " (%s)", p.Note)
		}
		one.WriteByte('\n')
		n := p.Start
		for l := range strings.Lines(p.Text) {
			fmt.Fprintf(&one, "%5d   %s\n", n, change.ShowLine(strings.TrimRight(l, "\r\n")))
			n++
		}
		if !b.fits(one.Len(), tokens) {
			continue
		}
		b.WriteString(one.String())
		if shown == nil {
			shown = map[int]bool{}
			b.shown[p.Path] = shown
		}
		for line := p.Start; line < n; line++ {
			shown[line] = true
		}
	}
}

// allShown reports whether all lines of a range are in a set.
func allShown(set map[int]bool, from, to int) bool {
	for n := from; n <= to; n++ {
		if !set[n] {
			return false
		}
	}
	return true
}

// enclosing writes the lines around one hunk that were not shown yet.
func (p prompts) enclosing(ctx context.Context, path string, h *diff.Hunk, lines []string, shown map[int]bool) string {
	first, last, ok := h.Range(domain.Right)
	if !ok {
		first, last = max(h.NewStart, 1), max(h.NewStart, 1)
	}
	name, from, to := p.symbol(ctx, path, change.FirstChanged(h))
	var b strings.Builder
	previous := 0
	show := func(from, to int) {
		for n := max(from, 1); n <= min(to, len(lines)); n++ {
			if shown[n] {
				continue
			}
			shown[n] = true
			if b.Len() == 0 {
				fmt.Fprintf(&b, "--- %s %s\n", change.CleanPath(path), change.ShowInvisible(name))
			} else if n != previous+1 {
				b.WriteString("      …\n")
			}
			previous = n
			fmt.Fprintf(&b, "%5d   %s\n", n, change.ShowLine(strings.TrimSuffix(lines[n-1], "\r")))
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
