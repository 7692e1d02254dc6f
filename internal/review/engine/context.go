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

// Bounds of the context of a chunk: as many tokens as the diff has, with a floor for small changes and a hard cap. On changes
// with 200 to 800 lines, smaller bounds (40 % and at most 8,000 tokens, without a bound for surroundings) showed 16 of 66
// definitions in changed files and 6 of 76 in others.
const (
	contextFloor = 3_000
	contextCap   = 16_000
	leftShare    = 0.3 // of that, for places that use removed symbols
	aroundShare  = 0.4 // and for surroundings, as long as other pieces are wanted
	aroundFloor  = 2_000
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
	shown   *contextLog // of the review; nil: it is not kept
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

// around writes the code around a chunk's hunks, up to the chunk's budget and in this order: uses of removed code, the
// surroundings of the hunks, definitions of the used names in the changed files and then in others, callers of code with
// another effect, methods like the changed ones, tests, callers of changed bodies, and manifests. A piece that does not fit
// is left out, and smaller ones after it are not. Room that is left goes to surroundings that exceeded their share.
func (p prompts) around(ctx context.Context, c change.Chunk) string {
	if p.level == ContextNone {
		return ""
	}
	b := newContextBuilder(c, p.rooms.around(c.Tokens))
	symbols := p.symbols(c)
	b.write(p.related.StillUsed(ctx, p.src, symbols), b.part(leftShare))
	files := p.changedFiles(ctx, c)
	p.surround(ctx, b, files, max(b.part(aroundShare), b.used()+min(aroundFloor, b.budget-b.used())))
	here, elsewhere, called := make([][]around.Excerpt, len(files)), make([][]around.Excerpt, len(files)), make([][]around.Excerpt, len(files))
	for i, f := range files {
		if ctx.Err() != nil {
			break
		}
		room := bytesIn(b.budget)
		here[i] = excerptsOf(p.related.In(ctx, f.Target, p.src, f.File.Path, p.related.Words(f.Target), room))
		elsewhere[i] = excerptsOf(p.related.InOthers(ctx, f.Target, f.blob, p.src, room))
		called[i] = excerptsOf(p.related.Called(ctx, f.Target, f.blob, p.src, room))
	}
	b.share(here)
	b.share(elsewhere)
	b.share(called)
	for _, more := range []func(context.Context, change.Source, []*around.Symbol) []around.Excerpt{p.related.Callers,
		p.related.Siblings, p.related.TestsOf, p.related.Stems, p.related.CallersOfBodies} {
		if b.used() < b.budget {
			b.write(more(ctx, p.src, symbols), b.budget)
		}
	}
	for _, f := range files {
		b.write(p.related.UnitTests(ctx, f.Target, p.src), b.budget)
		b.write(p.related.Manifest(ctx, f.Target, p.src), b.budget)
	}
	if text := p.related.NamedUses(symbols, b.shown); b.fits(len(text), b.budget) {
		b.WriteString(text)
	}
	p.surround(ctx, b, files, b.budget)
	p.shown.add(b.items)
	return b.String()
}

// changedFile is a file of a chunk at the head.
type changedFile struct {
	*change.Target
	blob  []byte
	lines []string
}

// changedFiles reads the files of a chunk, without those that cannot be read.
func (p prompts) changedFiles(ctx context.Context, c change.Chunk) (out []changedFile) {
	for _, t := range c.Targets {
		if blob, err := p.src.Blob(ctx, domain.Right, t.File.Path); err == nil {
			out = append(out, changedFile{t, blob, strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")})
		}
	}
	return out
}

// contextBuilder writes the context of a chunk up to its budget.
type contextBuilder struct {
	strings.Builder
	budget int                     // tokens
	shown  map[string]map[int]bool // by path, lines of the head
	items  []ContextItem           // that were written
}

// newContextBuilder returns a builder that does not repeat the lines of the chunk.
func newContextBuilder(c change.Chunk, budget int) *contextBuilder {
	b := &contextBuilder{budget: budget, shown: map[string]map[int]bool{}}
	for _, t := range c.Targets {
		for _, h := range t.Hunks {
			for _, l := range h.Lines {
				b.markShown(t.File.Path, l.New, l.New)
			}
		}
	}
	return b
}

// fits reports whether so many bytes more are within a number of tokens.
func (b *contextBuilder) fits(n, tokens int) bool { return llm.EstimateTokens(b.Len()+n) <= tokens }

// used returns the tokens that are written.
func (b *contextBuilder) used() int { return llm.EstimateTokens(b.Len()) }

// part returns the tokens up to which a part with a share of the budget may write.
func (b *contextBuilder) part(share float64) int {
	return min(b.used()+int(share*float64(b.budget)), b.budget)
}

// bytesIn returns how many bytes of code fit into a number of tokens beside their line numbers.
func bytesIn(tokens int) int { return 3 * tokens }

// markShown records that lines are shown.
func (b *contextBuilder) markShown(path string, from, to int) {
	if b.shown[path] == nil {
		b.shown[path] = map[int]bool{}
	}
	for n := from; n <= to; n++ {
		b.shown[path][n] = true
	}
}

// share writes the pieces of several files. Each file gets an equal part of the budget, and then what others left.
func (b *contextBuilder) share(pieces [][]around.Excerpt) {
	for i := range pieces {
		b.write(pieces[i], b.used()+(b.budget-b.used())/(len(pieces)-i))
	}
	for i := range pieces {
		b.write(pieces[i], b.budget)
	}
}

func excerptsOf(pieces []structure.Piece) []around.Excerpt {
	out := make([]around.Excerpt, len(pieces))
	for i, p := range pieces {
		out[i].Piece, out[i].Why = p, around.WhyDefinition
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
		one.WriteString(strings.TrimRight("--- "+change.CleanPath(p.Path)+" "+change.ShowInvisible(p.Symbol), " "))
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
		b.markShown(p.Path, p.Start, n-1)
		_, about, _ := strings.Cut(p.Note, ": ")
		b.items = append(b.items, ContextItem{p.Path, p.Start, n - 1, p.Symbol, p.Why, about})
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
