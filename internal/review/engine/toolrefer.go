package engine

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// references shows where a name is used.
func references(ctx context.Context, t *toolbox, arguments string, out *sheet) string {
	n, at, why := readName(arguments)
	if why != "" {
		return why
	}
	if !usable.MatchString(n.base) {
		return sayShort
	}
	d, why := t.define(ctx, n, at)
	if why != "" {
		return why
	}
	symbols := t.symbolsAt(ctx, slices.Concat(d.pieces, d.others), n.base)
	r := t.searched(ctx, symbols)
	var places []mention
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

// symbolsAt are the symbols that pieces of the head define and that are used by a name.
func (t *toolbox) symbolsAt(ctx context.Context, pieces []structure.Piece, name string) (out []*symbol) {
	for _, p := range pieces[:min(len(pieces), maxGuessed)] {
		if s := t.symbolAt(ctx, p); s != nil && s.name == name {
			out = append(out, s)
		}
	}
	return out
}

// searched looks for the lines with the names of symbols.
func (t *toolbox) searched(ctx context.Context, symbols []*symbol) *resolver {
	r := newResolver(t.w)
	var names []string
	for _, s := range symbols {
		if usable.MatchString(s.name) && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	if t.search != nil && len(names) > 0 {
		r.search(ctx, t.lookup(), names)
	}
	return r
}

// users are the places that use a symbol, those of tests last.
func users(ctx context.Context, r *resolver, s *symbol) []mention {
	return append(r.uses(ctx, s), r.tests(s)...)
}

// symbolAt is the symbol that a piece of the head defines; nil where its form is not
// understood.
func (t *toolbox) symbolAt(ctx context.Context, p structure.Piece) *symbol {
	raw, err := t.w.bounds.Blob(ctx, domain.Right, p.Path)
	if err != nil {
		return nil
	}
	f := t.file(p.Path)
	base := (structure.Symbol{Name: p.Symbol}).Base()
	for _, c := range structure.Contracts(f.Language, raw) {
		if c.Base() != base || !c.Contains(p.Start) && c.Start != p.Start {
			continue
		}
		s := &symbol{Contract: c, file: f, lines: [2]structure.Symbol{1: c.Symbol}}
		if f.Language == "Go" {
			s.pkg = structure.GoPackage(raw)
		}
		s.call()
		return s
	}
	return nil
}

// showMentions shows so many places with a line before and one after each.
func (t *toolbox) showMentions(ctx context.Context, places []mention, most int, out *sheet) {
	until := map[string]int{} // path to the last line shown
	before := out.hits
	for _, m := range places {
		if out.hits-before == most || out.full {
			return
		}
		f, why := t.open(ctx, domain.Right, m.path)
		switch {
		case why != "" || m.line > len(f.lines):
		case m.line <= until[m.path]:
			out.hits++
		default:
			from := max(m.line-1, until[m.path]+1, 1)
			if last := out.show(f, f.symbol(m.line), from, m.line+1, toolWidth); last >= m.line {
				until[m.path] = last
				out.hits++
			}
		}
	}
}

// lines shows the lines that hold a word, where no use of it is known by its place.
func (t *toolbox) lines(ctx context.Context, name string, out *sheet) string {
	whole := regexp.MustCompile("(?:^|[^A-Za-z0-9_$])" + regexp.QuoteMeta(name) + "(?:[^A-Za-z0-9_$]|$)")
	q := wordQuery(name)
	q.Path, q.Line = t.within(nil), whole.MatchString
	hits, err := t.search.Search(ctx, q, maxRaw)
	if err != nil {
		return t.sentence(ctx, err, sayNone)
	}
	return t.places(ctx, hits, q.Line, "[no use is known by its place; these lines hold the word, and may mean something else]", out)
}

// wordQuery is the query for lines that hold a name as a word, in files of any kind.
func wordQuery(name string) snapshot.Query {
	return snapshot.Query{Expressions: expressions([]string{wordForm}, escaped([]string{name}))}
}
