package lookup

import (
	"context"
	"slices"

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
		return t.lines(ctx, n.base, out)
	case len(places) > toolHits:
		out.say(sayMore)
	}
	return ""
}

// symbolsAt returns the symbols that pieces of the head define under the used name.
func (t *Toolbox) symbolsAt(ctx context.Context, pieces []structure.Piece, name string) (out []*around.Symbol) {
	for _, p := range pieces[:min(len(pieces), maxGuessed)] {
		if s := t.symbolAt(ctx, p); s != nil && s.UsedName == name {
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

// lines shows the lines that contain a word. It is for names without known uses.
func (t *Toolbox) lines(ctx context.Context, name string, out *sheet) string {
	whole := regexp.MustCompile("(?:^|[^A-Za-z0-9_$])" + regexp.QuoteMeta(name) + "(?:[^A-Za-z0-9_$]|$)")
	q := wordQuery(name)
	q.Path, q.Line = t.within(nil), whole.MatchString
	hits, err := t.search.Search(ctx, q, maxRaw)
	if err != nil {
		return t.sentence(ctx, err, sayNone)
	}
	return t.places(ctx, hits, q.Line, "[no use is known by its place; these lines hold the word, and may mean something else]", out)
}

// wordQuery returns the query for lines that contain a name as a word, in files of any kind.
func wordQuery(name string) snapshot.Query {
	return snapshot.Query{Expressions: around.Expressions([]string{around.WordForm}, around.QuoteNames([]string{name}))}
}
