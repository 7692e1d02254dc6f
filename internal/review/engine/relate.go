package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of what a part of a change is shown of the relations of its symbols.
const (
	linesAbove    = 4  // of a use
	linesBelow    = 8  // of a use: what is done with a result stands there
	maxPieceLines = 30 // of what is shown at once
	maxUsesOf     = 5  // places of a symbol that are shown
	maxUsesShown  = 12 // places in all
	maxUsesNamed  = 10 // further places of a symbol that are named
	maxNamedIn    = 6  // symbols that the heading of a piece names
	maxLike       = 2  // methods like one
	maxLikeShown  = 4
	maxTests      = 2 // tests of a symbol
	maxTestsShown = 6
)

// noted is a piece with what it has to do with the change, "" for what its heading
// says by itself.
type noted struct {
	structure.Piece
	note string
}

// concerns lists the symbols of a chunk: those that its lines change, and in the
// first chunk those of deleted files, of which no chunk has a line.
func (r relations) concerns(c change.Chunk, first bool) (out []*symbol) {
	lines := map[string][2]map[int]bool{}
	for _, t := range c.Targets {
		lines[t.File.Path] = bothSides(t.Hunks)
	}
	for _, s := range r.symbols {
		changed, here := lines[s.file.Path]
		if here && s.in(changed) || first && s.file.Status == diff.Deleted {
			out = append(out, s)
		}
	}
	return out
}

// pieces reads the code around places, each once, and at most so many of a symbol
// and in all. Files are read through src, which redacts them.
func (r relations) pieces(ctx context.Context, src change.Source, symbols []*symbol, places map[*symbol][]mention, each, all int, note func(*symbol) (label, name string)) (out []noted) {
	texts := map[string]*shownFile{}
	for _, s := range symbols {
		label, name := note(s)
		n := 0
		for _, m := range places[s] {
			if n == each {
				break
			}
			f := texts[m.path]
			if f == nil && len(out) < all {
				f = readShown(ctx, src, m.path)
				texts[m.path] = f
			}
			if f == nil || m.line > len(f.lines) {
				continue
			}
			if at, taken := f.taken[m.line]; taken {
				out[at].also(label, name)
				continue
			}
			if len(out) == all {
				continue
			}
			p := f.piece(m)
			for line := p.Start; line <= p.End; line++ {
				f.taken[line] = len(out)
			}
			out = append(out, noted{p, label + ": " + name})
			n++
		}
	}
	return out
}

// also notes that a piece concerns another symbol in the same way.
func (n *noted) also(label, name string) {
	names, same := strings.CutPrefix(n.note, label+": ")
	if list := strings.Split(names, ", "); same && len(list) < maxNamedIn && !slices.Contains(list, name) {
		n.note += ", " + name
	}
}

// shownFile is a file of which pieces are shown.
type shownFile struct {
	lines   []string
	outline *structure.Outline
	taken   map[int]int // line to the piece that shows it
}

// readShown reads a file; one that cannot be read has no lines.
func readShown(ctx context.Context, src change.Source, path string) *shownFile {
	blob, err := src.Blob(ctx, domain.Right, path)
	if err != nil || len(blob) == 0 {
		return &shownFile{}
	}
	return &shownFile{strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n"), structure.Read(diff.Language(path), blob), map[int]int{}}
}

// piece is the code around a place: the symbol that holds it where that is short,
// else some lines of it. A definition begins its piece.
func (f *shownFile) piece(m mention) structure.Piece {
	p := structure.Piece{Path: m.path, Start: max(m.line-linesAbove, 1), End: min(m.line+linesBelow, len(f.lines))}
	if s, ok := f.outline.Enclosing(m.line); ok {
		p.Symbol, p.Start, p.End = s.Name, max(p.Start, s.Start), max(min(p.End, s.End), m.line)
		if s.Start == m.line {
			p.End = min(s.End, s.Start+maxPieceLines-1, len(f.lines))
		}
	}
	p.Text = strings.Join(f.lines[p.Start-1:p.End], "\n") + "\n"
	return p
}

// leftBehind are the places that still use what the change removed or renamed.
func (r relations) leftBehind(ctx context.Context, src change.Source, symbols []*symbol) []noted {
	return r.pieces(ctx, src, only(symbols, (*symbol).gone), r.uses, maxUsesOf, maxUsesShown, func(s *symbol) (string, string) {
		if s.effect == renamed {
			return "still used here, renamed by this change", s.name + " (now " + (structure.Symbol{Name: s.to}).Base() + ")"
		}
		return "still used here, removed by this change", s.name
	})
}

// callers are the places that use what the change makes behave otherwise.
func (r relations) callers(ctx context.Context, src change.Source, symbols []*symbol) []noted {
	changed := only(symbols, func(s *symbol) bool { return s.effect > inside && !s.gone() })
	return r.pieces(ctx, src, changed, r.uses, maxUsesOf, maxUsesShown, func(s *symbol) (string, string) {
		return "used here; this change alters " + s.effect.alters(), s.name
	})
}

// siblings are the same methods of other types.
func (r relations) siblings(ctx context.Context, src change.Source, symbols []*symbol) []noted {
	return r.pieces(ctx, src, symbols, r.like, maxLike, maxLikeShown, func(s *symbol) (string, string) { return "the same of another type, beside the changed", s.Name })
}

// testsOf are places of tests that name the symbols.
func (r relations) testsOf(ctx context.Context, src change.Source, symbols []*symbol) []noted {
	return r.pieces(ctx, src, symbols, r.tests, maxTests, maxTestsShown, func(s *symbol) (string, string) { return "a test of", s.name })
}

func only(symbols []*symbol, keep func(*symbol) bool) []*symbol {
	return slices.DeleteFunc(slices.Clone(symbols), func(s *symbol) bool { return !keep(s) })
}

// further names the places beyond those that were shown, in a line for each symbol.
func (r relations) further(symbols []*symbol, shown map[string]map[int]bool) string {
	var b strings.Builder
	for _, s := range symbols {
		var names []string
		more := 0
		for _, m := range r.uses[s] {
			switch {
			case shown[m.path][m.line]:
			case len(names) < maxUsesNamed:
				names = append(names, fmt.Sprintf("%s:%d", change.CleanPath(m.path), m.line))
			default:
				more++
			}
		}
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(&b, "further uses of %s: %s", s.name, strings.Join(names, ", "))
		if more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
