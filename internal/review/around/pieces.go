package around

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

// Bounds of the excerpts about a chunk's symbols.
const (
	linesAbove    = 4  // above a use
	linesBelow    = 8  // below a use, where its result is handled
	maxPieceLines = 30 // lines of one excerpt
	maxUsesOf     = 5  // places of a symbol that are shown
	maxUsesShown  = 12 // places in total
	maxUsesNamed  = 10 // further places of a symbol that are named
	maxNamedIn    = 6  // symbols that the heading of a piece names
	maxCallersOf  = 2  // callers of a symbol with a changed body alone
	maxCallers    = 6
	maxLike       = 2 // similar methods of one symbol
	maxLikeShown  = 4
	maxTests      = 2 // tests of a symbol
	maxTestsShown = 6
)

// Why says why code beside a change was chosen.
type Why string

// The reasons.
const (
	WhyLeftBehind   Why = "left-behind"  // it still uses a symbol that the change removes or renames
	WhySurroundings Why = "surroundings" // it stands around a hunk
	WhyDefinition   Why = "definition"   // it defines a name that lines of a hunk use
	WhyCaller       Why = "caller"       // it uses a symbol that the change alters
	WhySibling      Why = "sibling"      // the same method of another type
	WhySimilar      Why = "similar"      // a method of the same type with a similar name
	WhyTest         Why = "test"         // it tests a symbol or a file
	WhyManifest     Why = "manifest"     // it names the packages that the file may import
)

// Whys returns the reasons in the order in which people see them.
func Whys() []Why {
	return []Why{WhyLeftBehind, WhyDefinition, WhyCaller, WhySibling, WhySimilar, WhyTest, WhyManifest, WhySurroundings}
}

// Excerpt is a piece of code with a note on its relation to the change. The note is "" if the heading
// explains it.
type Excerpt struct {
	structure.Piece
	Note string
	Why  Why
}

// SymbolsOf returns the symbols that a chunk changes. The first chunk also gets those of deleted files,
// which are in no chunk.
func (r Relations) SymbolsOf(c change.Chunk, first bool) (out []*Symbol) {
	lines := map[string][2]map[int]bool{}
	for _, t := range c.Targets {
		lines[t.File.Path] = bothSides(t.Hunks)
	}
	for _, s := range r.Symbols {
		changed, here := lines[s.File.Path]
		if here && s.in(changed) || first && s.File.Status == diff.Deleted {
			out = append(out, s)
		}
	}
	return out
}

// pieces reads the code around places, each once, at most each places of a symbol and all in total. Files
// are read through src, which redacts them. note returns the words about a symbol.
func (r Relations) pieces(ctx context.Context, src change.Source, symbols []*Symbol, places map[*Symbol][]Place, each, all int, why Why,
	note func(*Symbol) (label, name string),
) (out []Excerpt) {
	texts := map[string]*shownFile{}
	for _, s := range symbols {
		label, name := note(s)
		n := 0
		for _, m := range places[s] {
			if n == each {
				break
			}
			f := texts[m.Path]
			if f == nil && len(out) < all {
				f = readShown(ctx, src, m.Path)
				texts[m.Path] = f
			}
			if f == nil || m.Line > len(f.lines) {
				continue
			}
			if at, taken := f.taken[m.Line]; taken {
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
			out = append(out, Excerpt{p, label + ": " + name, why})
			n++
		}
	}
	return out
}

// also adds another symbol with the same relation to the excerpt.
func (n *Excerpt) also(label, name string) {
	names, same := strings.CutPrefix(n.Note, label+": ")
	if list := strings.Split(names, ", "); same && len(list) < maxNamedIn && !slices.Contains(list, name) {
		n.Note += ", " + name
	}
}

// shownFile is a file whose excerpts are shown.
type shownFile struct {
	lines   []string
	outline *structure.Outline
	taken   map[int]int // line to the index of the excerpt that shows it
}

// readShown reads a file. An unreadable file has no lines.
func readShown(ctx context.Context, src change.Source, path string) *shownFile {
	blob, err := src.Blob(ctx, domain.Right, path)
	if err != nil || len(blob) == 0 || isOutput(path, blob) {
		return &shownFile{}
	}
	return readFile(path, blob)
}

// readFile splits a file.
func readFile(path string, blob []byte) *shownFile {
	lines := strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
	return &shownFile{lines, structure.Read(diff.Language(path), blob), map[int]int{}}
}

// piece returns the code around a place: its symbol if that is short, else some lines of it. A definition
// begins its piece.
func (f *shownFile) piece(m Place) structure.Piece {
	p := structure.Piece{Path: m.Path, Start: max(m.Line-linesAbove, 1), End: min(m.Line+linesBelow, len(f.lines))}
	if s, ok := f.outline.Enclosing(m.Line); ok {
		if s.Start == m.Line {
			return f.from(m.Path, s)
		}
		p.Symbol, p.Start, p.End = s.Name, max(p.Start, s.Start), max(min(p.End, s.End), m.Line)
	}
	p.Text = strings.Join(f.lines[p.Start-1:p.End], "\n") + "\n"
	return p
}

// from returns the first lines of a symbol.
func (f *shownFile) from(path string, s structure.Symbol) structure.Piece {
	p := structure.Piece{Path: path, Symbol: s.Name, Start: s.Start, End: max(min(s.End, s.Start+maxPieceLines-1, len(f.lines)), s.Start)}
	p.Text = strings.Join(f.lines[p.Start-1:p.End], "\n") + "\n"
	return p
}

// StillUsed returns the places that still use symbols that the change removed or renamed.
func (r Relations) StillUsed(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	return r.pieces(ctx, src, only(symbols, (*Symbol).gone), r.Uses, maxUsesOf, maxUsesShown, WhyLeftBehind, func(s *Symbol) (_, _ string) {
		if s.Effect == renamed {
			return "still used here, renamed by this change", s.UsedName + " (now " + (structure.Symbol{Name: s.to}).Base() + ")"
		}
		return "still used here, removed by this change", s.UsedName
	})
}

// GoneFrom returns the symbols that lines of the base define and the change removes or renames.
func (r Relations) GoneFrom(f *diff.File, first, last int) (out []*Symbol) {
	for _, s := range r.Symbols {
		if base := s.Lines[0]; f != nil && s.gone() && s.File == f && base.Start <= last && first <= base.End {
			out = append(out, s)
		}
	}
	return out
}

// Callers returns the places that use symbols whose behaviour the change alters.
func (r Relations) Callers(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	changed := only(symbols, func(s *Symbol) bool { return s.Effect > NoEffect && !s.gone() })
	return r.pieces(ctx, src, changed, r.Uses, maxUsesOf, maxUsesShown, WhyCaller, func(s *Symbol) (string, string) {
		return "used here; this change alters " + s.Effect.alters(), s.UsedName
	})
}

// CallersOfBodies returns places that use functions whose body alone the change alters.
func (r Relations) CallersOfBodies(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	return r.pieces(ctx, src, symbols, r.callers, maxCallersOf, maxCallers, WhyCaller, func(s *Symbol) (string, string) {
		return "used here; this change alters the body of", s.UsedName
	})
}

// Stems returns methods of the same type with similar names.
func (r Relations) Stems(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	return r.pieces(ctx, src, symbols, r.stems, maxLike, maxLikeShown, WhySimilar, func(s *Symbol) (string, string) {
		return "of the same type, beside the changed", s.Name
	})
}

// Siblings returns the same methods of other types.
func (r Relations) Siblings(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	return r.pieces(ctx, src, symbols, r.siblings, maxLike, maxLikeShown, WhySibling, func(s *Symbol) (string, string) {
		return "the same of another type, beside the changed", s.Name
	})
}

// TestsOf returns places of tests that name the symbols.
func (r Relations) TestsOf(ctx context.Context, src change.Source, symbols []*Symbol) []Excerpt {
	return r.pieces(ctx, src, symbols, r.tests, maxTests, maxTestsShown, WhyTest, func(s *Symbol) (string, string) {
		return "a test of", s.UsedName
	})
}

// only returns the symbols for which keep is true.
func only(symbols []*Symbol, keep func(*Symbol) bool) []*Symbol {
	return slices.DeleteFunc(slices.Clone(symbols), func(s *Symbol) bool { return !keep(s) })
}

// NamedUses lists the uses that are not shown, in a line for each symbol.
func (r Relations) NamedUses(symbols []*Symbol, shown map[string]map[int]bool) string {
	var b strings.Builder
	for _, s := range symbols {
		var names []string
		more := 0
		for _, m := range r.Uses[s] {
			switch {
			case shown[m.Path][m.Line]:
			case len(names) < maxUsesNamed:
				names = append(names, fmt.Sprintf("%s:%d", change.CleanPath(m.Path), m.Line))
			default:
				more++
			}
		}
		if len(names) == 0 {
			continue
		}
		fmt.Fprintf(&b, "further uses of %s: %s", s.UsedName, strings.Join(names, ", "))
		if more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
