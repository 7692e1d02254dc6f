package lookup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the lookups for a claim without a model.
const (
	MaxClaims      = 90                  // claims of a review
	maxBesideLines = 40                  // lines of a claim whose names are looked up
	besideMargin   = 20                  // lines before and after it, in the same symbol, whose names are looked up too
	besideHead     = 3                   // first lines of the symbol, which name the types of its parameters
	besideTokens   = ClaimTokens * 3 / 5 // for definitions
	besideUses     = 5                   // places that use a name
	besideNames    = 8                   // names whose uses are searched
)

// ClaimMargin is how many lines a claim shows before and after its place.
const ClaimMargin = 60

// sayRest ends an incomplete list.
const sayRest = "[further ones are left out]"

// sayNotBeside replaces a lookup beyond the bounds.
const sayNotBeside = "[not looked up: the bounds of this review are reached]\n"

// Beside returns, for a model without tools, the definitions of the names on the lines of an anchor, and
// the uses of those names and of the symbol around them. It leaves out the [ClaimMargin] around the lines.
// text is "" if there is nothing to show.
func (t *Toolbox) Beside(ctx context.Context, a domain.Anchor) (text string, seen []change.Exhibit) {
	if t == nil || a.Path == "" {
		return "", nil
	}
	if !t.oneMore() {
		return sayNotBeside, nil
	}
	out := newSheet(ClaimTokens)
	b := t.claimed(ctx, a)
	if b.target == nil {
		return "", nil
	}
	found := b.definitions(ctx, out)
	b.references(ctx, found, out)
	return t.Redact(out.String()), out.seen
}

// oneMore takes one of the review's claims, and returns false if they are used up.
func (t *Toolbox) oneMore() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims--
	return t.claims >= 0
}

// claimed is a claim whose names are looked up.
type claimed struct {
	*Toolbox
	target *change.Target // its lines; nil if it has no lines
	near   *change.Target // the lines around them
	window change.Span    // lines of its file at the head that the claim shows itself
	around structure.Piece
}

// claimed reads the lines of a claim.
func (t *Toolbox) claimed(ctx context.Context, a domain.Anchor) claimed {
	side := a.Side
	if side == "" {
		side = domain.Right
	}
	file := t.file(a.Path)
	path := file.Path
	if side == domain.Left {
		path = file.BasePath()
	}
	inner, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	f, why := t.Open(inner, side, path)
	if why != "" {
		return claimed{}
	}
	place := change.Span{First: a.StartLine, Last: a.EndLine}
	if place.First < 1 {
		place = change.FindLine(f.Lines, a.Quote)
	}
	place.Last = min(max(place.Last, place.First), place.First+maxBesideLines-1)
	c := claimed{Toolbox: t, target: &change.Target{File: file, Hunks: f.hunk(side, place.First, place.Last)}}
	around := change.Span{First: max(place.First-besideMargin, 1), Last: place.Last + besideMargin}
	s, ok := f.outline.Enclosing(place.First)
	if ok { // code outside the symbol does not matter
		around = change.Span{First: max(around.First, s.Start), Last: min(around.Last, max(s.End, place.Last))}
	}
	c.near = &change.Target{File: file, Hunks: f.hunk(side, around.First, around.Last)}
	if ok && s.Start < around.First {
		c.near.Hunks = append(f.hunk(side, s.Start, min(s.Start+besideHead, around.First)-1), c.near.Hunks...)
	}
	if side == domain.Right {
		c.window = change.Span{First: place.First - ClaimMargin, Last: place.Last + ClaimMargin}
		if ok {
			c.around = structure.Piece{Path: path, Symbol: s.Name, Start: s.Start, End: s.End}
		}
	}
	return c
}

// hunk returns lines of a version of a file as if a change had added or removed them.
func (f *File) hunk(side domain.Side, first, last int) []*diff.Hunk {
	var h diff.Hunk
	for n := max(first, 1); n <= min(last, len(f.Lines)); n++ {
		l := diff.Line{Op: diff.Add, New: n, Text: structure.Code(f.language, f.Lines[n-1])}
		if side == domain.Left {
			l.Op, l.New, l.Old = diff.Delete, 0, n
		}
		h.Lines = append(h.Lines, l)
	}
	return []*diff.Hunk{&h}
}

// definitions shows the definitions of the names, those on the claimed lines first. It returns all that it
// found, including those that the claim shows itself.
func (c claimed) definitions(ctx context.Context, out *sheet) (all []structure.Piece) {
	found, whole := c.defined(ctx)
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	part := newSheet(besideTokens)
	part.alone = true
	shown := map[string]int{} // path and symbol to the last line shown
	for _, p := range found {
		key := p.Path + ":" + p.Symbol
		if shown[key] >= p.End {
			continue
		}
		shown[key] = p.End
		all = append(all, p)
		if p.Path != c.target.File.Path || p.Start < c.window.First || p.Start > c.window.Last {
			c.showPieces(ctx, []structure.Piece{p}, "", part)
		}
	}
	if part.hits > 0 {
		out.put("definitions of names on these lines and around them:")
		out.add(part)
	}
	if !whole {
		out.put(sayPart)
	}
	return all
}

// defined finds the definitions of the names on the claimed lines, in other files and then in their own,
// and then of the names around the lines. It returns false if not all names were searched.
func (c claimed) defined(ctx context.Context) (all []structure.Piece, whole bool) {
	e, l, targets := around.NewDefinitions(), c.lookup(), []*change.Target{c.target, c.near}
	if c.search != nil {
		inner, cancel := context.WithTimeout(ctx, c.patience)
		c.FindDefinitions(inner, l, targets, &e)
		cancel()
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	f := c.target.File
	blob, err := c.Source.Blob(ctx, domain.Right, f.Path)
	if err != nil { // the file is gone at the head
		if blob, err = c.Source.Blob(ctx, domain.Left, f.BasePath()); err != nil {
			return nil, false
		}
	}
	for _, u := range targets {
		all = append(all, e.InOthers(ctx, u, blob, c.Source, shownBytes)...)
		all = append(all, structure.Definitions(f.Path, f.Language, blob, change.UsedWords(u), shownBytes)...)
	}
	var unknown []string
	for _, n := range slices.Concat(around.UsesOf(c.target), around.UsesOf(c.near)) {
		known := slices.ContainsFunc(all, func(p structure.Piece) bool { return (structure.Symbol{Name: p.Symbol}).Base() == n.Name })
		if n.Call && !known && !slices.Contains(unknown, n.Name) {
			unknown = append(unknown, n.Name)
		}
	}
	return append(all, c.members(ctx, f, unknown)...), !l.Cut && ctx.Err() == nil
}

// references shows the uses of the symbol around the claim and of the found definitions.
func (c claimed) references(ctx context.Context, found []structure.Piece, out *sheet) {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	if c.around.Symbol != "" {
		found = append([]structure.Piece{c.around}, found...)
	}
	var symbols []*around.Symbol
	asked := map[string]bool{}
	for _, p := range found {
		if s := c.symbolAt(ctx, p); s != nil && !asked[s.Name] && len(symbols) < besideNames {
			asked[s.Name] = true
			symbols = append(symbols, s)
		}
	}
	r := c.searched(ctx, symbols)
	for _, s := range symbols {
		heading := "uses of " + change.ShowInvisible(s.Name) + ":"
		part := newSheet(ClaimTokens)
		part.room = out.room - len(heading) - len(sayCut)
		places := c.outside(users(ctx, r, s))
		c.showMentions(ctx, places, besideUses, part)
		if part.hits == 0 || !out.put(heading) {
			continue
		}
		out.add(part)
		if len(places) > besideUses {
			out.put(fmt.Sprintf("[%d in all]", len(places)))
		}
	}
}

// outside returns the places that the claim does not show itself.
func (c claimed) outside(places []around.Place) (out []around.Place) {
	for _, m := range places {
		if m.Path != c.target.File.Path || m.Line < c.window.First || m.Line > c.window.Last {
			out = append(out, m)
		}
	}
	return out
}

// add appends another sheet.
func (s *sheet) add(part *sheet) {
	text := strings.TrimSuffix(part.String(), sayCut)
	s.room -= len(text)
	s.hits += part.hits
	s.seen = append(s.seen, part.seen...)
	s.WriteString(text)
	if part.full {
		s.put(sayRest)
	}
}
