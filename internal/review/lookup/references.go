package lookup

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// references shows the uses of a name.
func references(ctx context.Context, t *Toolbox, arguments string, out *sheet) string {
	n, at, why := readName(arguments)
	if why != "" {
		return why
	}
	if !around.Searchable(n.base) {
		return sayShort
	}
	d, why := t.define(ctx, n, at)
	if why != "" {
		return why
	}
	symbols := t.symbolsAt(ctx, slices.Concat(d.pieces, d.others), n.base)
	r := t.searched(ctx, symbols)
	var places []around.Place
	for _, s := range symbols {
		places = append(places, users(ctx, r, s)...)
	}
	t.showMentions(ctx, places, toolHits, out)
	switch {
	case ctx.Err() != nil && out.hits == 0:
		return ask.ResultTooSlow
	case out.hits == 0:
		return t.lines(ctx, words{n.base, pathOf(at), sayWords, sayNone, toolHits}, out)
	case ctx.Err() != nil:
		out.say(sayTimed)
	case len(places) > toolHits:
		out.say(sayMore)
	}
	return ""
}

// symbolsAt returns the symbols that pieces of the head define under the used name.
func (t *Toolbox) symbolsAt(ctx context.Context, pieces []structure.Piece, name string) (out []*around.Symbol) {
	for _, p := range pieces[:min(len(pieces), maxGuessed)] {
		s := t.symbolAt(ctx, p)
		if s == nil {
			s = t.valueAt(p)
		}
		if s.UsedName == name {
			out = append(out, s)
		}
	}
	return out
}

// searched searches the lines with the names of symbols.
func (t *Toolbox) searched(ctx context.Context, symbols []*around.Symbol) *around.Resolver {
	r := around.NewResolver(t.Head)
	var names []string
	for _, s := range symbols {
		if around.Searchable(s.UsedName) && !slices.Contains(names, s.UsedName) {
			names = append(names, s.UsedName)
		}
	}
	if t.search != nil && len(names) > 0 {
		r.Search(ctx, t.lookup(), names)
	}
	return r
}

// users returns the places that use a symbol, tests last.
func users(ctx context.Context, r *around.Resolver, s *around.Symbol) []around.Place {
	return append(r.Uses(ctx, s), r.Tests(s)...)
}

// symbolAt returns the symbol that a piece of the head defines, or nil if its form is not understood.
func (t *Toolbox) symbolAt(ctx context.Context, p structure.Piece) *around.Symbol {
	raw, err := t.Raw.Blob(ctx, domain.Right, p.Path)
	if err != nil {
		return nil
	}
	f := t.file(p.Path)
	base := (structure.Symbol{Name: p.Symbol}).Base()
	for _, c := range structure.Contracts(f.Language, raw) {
		if c.Base() != base || !c.Contains(p.Start) && c.Start != p.Start {
			continue
		}
		s := &around.Symbol{Contract: c, File: f, Lines: [2]structure.Symbol{1: c.Symbol}}
		if f.Language == "Go" {
			s.Package = structure.GoPackage(raw)
		}
		s.NameCall()
		return s
	}
	return nil
}

// valueAt returns the symbol of a piece that defines a constant, a variable or a member.
func (t *Toolbox) valueAt(p structure.Piece) *around.Symbol {
	s := &around.Symbol{File: t.file(p.Path)}
	s.Symbol, s.Kind = structure.Symbol{Name: p.Symbol, Start: p.Start, End: p.End + p.Left}, structure.KindValue
	s.Lines[1] = s.Symbol
	s.NameCall()
	return s
}

// showMentions shows at most limit places, with a line before and after each.
func (t *Toolbox) showMentions(ctx context.Context, places []around.Place, limit int, out *sheet) {
	until := map[string]int{} // path to the last line shown
	before := out.hits
	for _, m := range places {
		if out.hits-before == limit || out.full {
			return
		}
		f, why := t.Open(ctx, domain.Right, m.Path)
		switch {
		case why != "" || m.Line > len(f.Lines):
		case m.Line <= until[m.Path]:
			out.hits++
		default:
			from := max(m.Line-1, until[m.Path]+1, 1)
			if last := out.show(f, f.symbol(m.Line), from, m.Line+1, toolWidth); last >= m.Line {
				until[m.Path] = last
				out.hits++
			}
		}
	}
}

// pathOf returns an optional path, or "".
func pathOf(at *string) string {
	if at == nil {
		return ""
	}
	return *at
}

// sayWords heads lines that hold a name whose uses are not known.
const sayWords = "[no use is known by its place; these lines hold the word, and may mean something else]"

// maxDocuments is the most places in configuration, and in documents, data and generated code, that a list of
// the lines with a name shows.
const maxDocuments = 4

// fileRank orders files by how likely a line of theirs is a use of a name.
type fileRank int

// The ranks.
const (
	rankCode fileRank = iota
	rankTest
	rankOther // configuration, scripts without a known language
	rankText  // documents, data, generated and vendored code
)

func rankOf(p string) fileRank {
	class, language := diff.Classify(p, nil)
	switch {
	case class.Ignored():
		return rankText
	case class == diff.ClassTest:
		return rankTest
	case language == "" || class == diff.ClassConfig || class == diff.ClassCI:
		return rankOther
	}
	return rankCode
}

// words is a list of the lines that hold a name.
type words struct {
	name, near    string // near is the path of the file that uses the name, or ""
	heading, none string // above the list, and in place of an empty one
	limit         int
}

// lines shows the lines that contain a word: code first, then tests, then other files, each searched apart and nearest
// first. Only few are documents. It is for names without known uses.
func (t *Toolbox) lines(ctx context.Context, w words, out *sheet) string {
	whole := regexp.MustCompile("(?:^|[^A-Za-z0-9_$])[$]?" + regexp.QuoteMeta(w.name) + "(?:[^A-Za-z0-9_$]|$)")
	list := placing{fits: whole.MatchString, heading: w.heading, margin: 1}
	little, more, room := t.readable() < maxToolFile, false, w.limit
	for r := rankCode; r <= rankText; r++ {
		if list.limit = room; r > rankTest {
			list.limit = min(room, maxDocuments)
		}
		if room <= 0 {
			more = true
			break
		}
		hits, err := t.linesIn(ctx, w, list.fits, r)
		if err != nil && len(hits) == 0 && out.hits == 0 {
			return t.sentence(ctx, err, sayNone)
		}
		shown, further := t.place(ctx, hits, list, out)
		more = more || further
		if room -= shown; shown > 0 {
			list.heading = ""
		}
	}
	return t.endPlaces(ctx, ending{more, little, w.none}, out)
}

// linesIn finds the lines that contain a word in files of a rank, nearest first. Lines come in the order of their paths, so
// code is first searched in the folder of the file that uses the name: files of other folders must not use up the bound.
func (t *Toolbox) linesIn(ctx context.Context, w words, fits func(string) bool, rank fileRank) (found []snapshot.Match, err error) {
	folders := []string{""}
	if folder := path.Dir(w.near); w.near != "" && folder != "." && rank <= rankTest {
		folders = []string{folder, ""}
	}
	for i, folder := range folders {
		q, within, last, is := wordQuery(w.name), t.within(nil), "", false
		q.Line, q.Under = fits, folder
		q.Path = func(p string) bool {
			if p != last {
				searched := i > 0 && strings.HasPrefix(p, folders[0]+"/")
				last, is = p, rankOf(p) == rank && !searched && within(p)
			}
			return is
		}
		part, failure := t.search.Search(ctx, q, maxRaw-len(found))
		if found, err = append(found, part...), failure; err != nil || len(found) == maxRaw {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b snapshot.Match) int {
		return cmp.Compare(around.Distance(a.Path, w.near), around.Distance(b.Path, w.near))
	})
	return found, err
}

// wordQuery returns the query for lines that contain a name as a word, in files of any kind.
func wordQuery(name string) snapshot.Query {
	return snapshot.Query{Expressions: around.Expressions([]string{around.WordForm}, around.QuoteNames([]string{name}))}
}
