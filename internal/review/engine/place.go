package engine

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// place is where an earlier finding is at the head.
type place struct {
	domain.Anchor
	around domain.Around
	prints domain.Fingerprints // its names there, under its own rule; none where it is on no line
	there  bool                // its quotation stands there
	edited bool                // it does not: the lines of the anchor took its place between the same neighbours

	first, last int             // the lines of the whole quotation, of which the anchor may be a part; 0 where it is the whole
	apart       []domain.Anchor // where lines of its quotation stand that have left the others
}

// extents are where a candidate may be it: all lines of its quotation, wherever they are.
func (p place) extents() []domain.Anchor {
	a := p.Anchor
	if p.first > 0 && a.Level == domain.AnchorLine {
		a.StartLine, a.EndLine = min(a.StartLine, p.first), max(a.EndLine, p.last)
	}
	return append([]domain.Anchor{a}, p.apart...)
}

// standsAt finds an earlier finding at the head.
func (w *work) standsAt(ctx context.Context, k domain.Finding) place {
	a := k.Anchor
	if a.Quote == "" {
		return place{Anchor: a, there: w.set.File(a.Path) != nil}
	}
	site, err := anchor.Find(ctx, a, k.Around, w.set, w.src, func(line int) bool { return w.fresh(a.Path, line) })
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "place of an earlier finding not looked for", slog.Any("error", err))
	}
	if site.Kind == anchor.SiteStands {
		a.StartLine, a.EndLine = site.First, site.Last
	}
	b := a
	res, err := anchor.Locate(ctx, &b, w.set, w.src)
	if err != nil || res.Kind == anchor.Dropped || res.Kind == anchor.PRLevel || site.Kind == anchor.SiteEdited || site.Kind == anchor.SiteGone {
		if w.unseen(a.Path) {
			return place{Anchor: a, there: true}
		}
		p := w.moved(ctx, k)
		if !p.there {
			return w.scattered(ctx, k, site, p)
		}
		return p
	}
	if b.Symbol != a.Symbol && k.Around.Twins > 0 { // it may be the twin in another function, while its own has gone to another file
		if p := w.moved(ctx, k); p.there && p.Symbol == a.Symbol {
			return p
		}
	}
	b = w.whole(ctx, a, b)
	if res.Kind == anchor.Clamped { // a part of it is outside the diff now
		b.Quote = a.Quote
	}
	if b.Level != domain.AnchorLine { // outside the diff now: keep the words of the place
		b.Level = domain.AnchorFile
	}
	p := place{Anchor: b, first: res.First, last: res.Last}
	if site.Kind == anchor.SiteStands && site.Until > 0 { // a copy of its line stands next to it
		p.first, p.last = min(res.First, site.From), max(res.Last, site.Until)
	}
	return w.found(ctx, k, p)
}

// found is a place at which the quotation of an earlier finding stands.
func (w *work) found(ctx context.Context, k domain.Finding, p place) place {
	p.there, p.around = true, w.around(ctx, p.Anchor)
	if p.Level != domain.AnchorLine {
		return p
	}
	k.Anchor = p.Anchor
	var err error
	if p.prints, err = w.prints.Of(ctx, &k); err != nil {
		w.deps.Logger.WarnContext(ctx, "no fingerprint of a place", slog.String("rule", k.RuleID), slog.Any("error", err))
	}
	return p
}

// takes moves a finding to a place where it stands, although nobody says a word of it
// there: it has its names there from now on, as if it had been reported.
func (p place) takes(f *domain.Finding) {
	f.Anchor, f.Around = p.Anchor, p.around
	if p.prints.Exact != "" {
		f.Fingerprints = p.prints
	}
}

// around reads what stands around an anchor at the head.
func (w *work) around(ctx context.Context, a domain.Anchor) domain.Around {
	out, err := anchor.Around(ctx, a, w.set, w.src)
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "what stands around a place was not read", slog.Any("error", err))
	}
	return out
}

// fresh reports whether a line at the head is new since the last review.
func (w *work) fresh(path string, line int) bool {
	f := w.set.File(path)
	if f == nil {
		return false
	}
	h, ok := f.Commentable(domain.Right, line)
	return ok && !w.in.ReviewedHunks[h.ID] && h.Changed(domain.Right, line, line)
}

// scattered is the place of an earlier finding whose quotation stands nowhere as a
// whole: what stands between its neighbours, and what of it went elsewhere. It goes with
// the line that it begins with: what that left behind, a brace, is not what it is about.
func (w *work) scattered(ctx context.Context, k domain.Finding, site anchor.Site, gone place) place {
	stays, edited := w.instead(ctx, k, site)
	first, others := w.apart(ctx, k, stays)
	switch {
	case first != nil && edited:
		return w.found(ctx, k, place{Anchor: *first, apart: append(others, stays.Anchor)})
	case first != nil:
		return w.found(ctx, k, place{Anchor: *first, apart: others})
	case edited:
		stays.apart = others
		return stays
	}
	return gone
}

// instead is the place of lines that stand where those of an earlier finding were.
func (w *work) instead(ctx context.Context, k domain.Finding, site anchor.Site) (place, bool) {
	b := k.Anchor
	f := w.set.File(b.Path)
	if f == nil || site.Kind != anchor.SiteEdited {
		return place{}, false
	}
	var err error
	b.StartLine, b.EndLine = site.First, site.Last
	if b.Quote, err = anchor.Lines(ctx, w.src, f, site.First, site.Last); err != nil || b.Quote == "" {
		return place{}, false
	}
	res, err := anchor.Locate(ctx, &b, w.set, w.src)
	return place{Anchor: b, edited: true}, err == nil && res.Inline()
}

// whole widens a place to all of its quotation: validation keeps the lines that
// were claimed, which are a part of it once a line was broken in two.
func (w *work) whole(ctx context.Context, a, b domain.Anchor) domain.Anchor {
	for range anchor.MaxLines {
		if b.Level != domain.AnchorLine || len(change.StripSpace(b.Quote)) >= len(change.StripSpace(a.Quote)) {
			break
		}
		c := a
		c.StartLine, c.EndLine = b.StartLine-1, b.StartLine-1 // a claim outside the quotation: all of it counts
		if res, err := anchor.Locate(ctx, &c, w.set, w.src); err != nil || !res.Inline() {
			break
		}
		b = c
	}
	return b
}
