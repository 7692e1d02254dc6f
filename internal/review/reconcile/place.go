package reconcile

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// Place is where an earlier finding is at the head.
type Place struct {
	domain.Anchor
	around domain.Around
	prints domain.Fingerprints // its names there, under its own rule; zero if it is not on a line
	Stands bool                // its quotation stands there
	edited bool                // it does not, and the lines of the anchor replaced it between the same neighbours

	first, last int             // the lines of the whole quotation; 0 if the anchor has them all
	apart       []domain.Anchor // places of quoted lines that have left the others
}

// extents lists the places of a candidate that can be the finding: all lines of its quotation, wherever they
// are.
func (p Place) extents() []domain.Anchor {
	a := p.Anchor
	if p.first > 0 && a.Level == domain.AnchorLine {
		a.StartLine, a.EndLine = min(a.StartLine, p.first), max(a.EndLine, p.last)
	}
	return append([]domain.Anchor{a}, p.apart...)
}

// standsAt finds an earlier finding at the head.
func (r *Reconciler) standsAt(ctx context.Context, k domain.Finding) Place {
	a := k.Anchor
	if a.Quote == "" {
		return Place{Anchor: a, Stands: r.Set.File(a.Path) != nil}
	}
	site, err := anchor.Find(ctx, a, k.Around, r.Set, r.Source, func(line int) bool { return r.fresh(a.Path, line) })
	if err != nil {
		r.Logger.WarnContext(ctx, "place of an earlier finding not looked for", slog.Any("error", err))
	}
	if site.Kind == anchor.SiteStands {
		a.StartLine, a.EndLine = site.First, site.Last
	}
	b := a
	res, err := anchor.Locate(ctx, &b, r.Set, r.Source)
	if err != nil || res.Kind == anchor.Dropped || res.Kind == anchor.PRLevel ||
		site.Kind == anchor.SiteEdited || site.Kind == anchor.SiteGone {
		if r.Unseen(a.Path) {
			return Place{Anchor: a, Stands: true}
		}
		p := r.moved(ctx, k)
		if !p.Stands {
			return r.scattered(ctx, k, site, p)
		}
		return p
	}
	if b.Symbol != a.Symbol && k.Around.Twins > 0 { // this may be a twin in another function, and its own code may be in another file
		if p := r.moved(ctx, k); p.Stands && p.Symbol == a.Symbol {
			return p
		}
	}
	b = r.whole(ctx, a, b)
	if res.Kind == anchor.Clamped { // a part of it is outside the diff now
		b.Quote = a.Quote
	}
	if b.Level != domain.AnchorLine { // outside the diff now: keep the words of the place
		b.Level = domain.AnchorFile
	}
	p := Place{Anchor: b, first: res.First, last: res.Last}
	if site.Kind == anchor.SiteStands && site.Until > 0 { // a copy of its line stands next to it
		p.first, p.last = min(res.First, site.From), max(res.Last, site.Until)
	}
	return r.found(ctx, k, p)
}

// found returns a place where the quotation of an earlier finding stands, with its names and neighbours there.
func (r *Reconciler) found(ctx context.Context, k domain.Finding, p Place) Place {
	p.Stands, p.around = true, r.Around(ctx, p.Anchor)
	if p.Level != domain.AnchorLine {
		return p
	}
	k.Anchor = p.Anchor
	var err error
	if p.prints, err = r.Prints.Of(ctx, &k); err != nil {
		r.Logger.WarnContext(ctx, "no fingerprint of a place", slog.String("rule", k.RuleID), slog.Any("error", err))
	}
	return p
}

// takes moves a finding to a place where it stands, although no candidate reports it there. It has the names
// of that place from now on.
func (p Place) takes(f *domain.Finding) {
	earlier := *f
	f.Anchor, f.Around = p.Anchor, p.around
	if p.prints.Exact != "" {
		f.Fingerprints = p.prints
	}
	if f.CodePrints = nil; change.StripSpace(f.Anchor.Quote) == change.StripSpace(earlier.Anchor.Quote) {
		f.KeepCodePrints(earlier)
	}
}

// Around returns the lines around an anchor at the head.
func (r *Reconciler) Around(ctx context.Context, a domain.Anchor) domain.Around {
	out, err := anchor.Around(ctx, a, r.Set, r.Source)
	if err != nil {
		r.Logger.WarnContext(ctx, "what stands around a place was not read", slog.Any("error", err))
	}
	return out
}

// fresh reports whether a line at the head is new since the last review.
func (r *Reconciler) fresh(path string, line int) bool {
	f := r.Set.File(path)
	if f == nil {
		return false
	}
	h, ok := f.Commentable(domain.Right, line)
	return ok && !r.ReviewedHunks[h.ID] && h.Changed(domain.Right, line, line)
}

// scattered returns the place of an earlier finding whose quotation is not whole anywhere: the lines between
// its neighbours, and the quoted lines that went elsewhere. The finding follows the line that its quotation
// begins with, because a brace that is left behind is not the subject.
func (r *Reconciler) scattered(ctx context.Context, k domain.Finding, site anchor.Site, gone Place) Place {
	stays, edited := r.instead(ctx, k, site)
	first, others := r.apart(ctx, k, stays)
	switch {
	case first != nil && edited:
		return r.found(ctx, k, Place{Anchor: *first, apart: append(others, stays.Anchor)})
	case first != nil:
		return r.found(ctx, k, Place{Anchor: *first, apart: others})
	case edited:
		stays.apart = others
		return stays
	}
	return gone
}

// instead returns the place of the lines that stand where those of an earlier finding were.
func (r *Reconciler) instead(ctx context.Context, k domain.Finding, site anchor.Site) (Place, bool) {
	b := k.Anchor
	f := r.Set.File(b.Path)
	if f == nil || site.Kind != anchor.SiteEdited {
		return Place{}, false
	}
	var err error
	b.StartLine, b.EndLine = site.First, site.Last
	if b.Quote, err = anchor.Lines(ctx, r.Source, f, site.First, site.Last); err != nil || b.Quote == "" {
		return Place{}, false
	}
	res, err := anchor.Locate(ctx, &b, r.Set, r.Source)
	return Place{Anchor: b, edited: true}, err == nil && res.Inline()
}

// whole widens a place to all of its quotation. Validation keeps the claimed lines, which are a part of it if
// a line was broken in two.
func (r *Reconciler) whole(ctx context.Context, a, b domain.Anchor) domain.Anchor {
	for range anchor.MaxLines {
		if b.Level != domain.AnchorLine || len(change.StripSpace(b.Quote)) >= len(change.StripSpace(a.Quote)) {
			break
		}
		c := a
		c.StartLine, c.EndLine = b.StartLine-1, b.StartLine-1 // a claim outside the quotation, so that all of it counts
		if res, err := anchor.Locate(ctx, &c, r.Set, r.Source); err != nil || !res.Inline() {
			break
		}
		b = c
	}
	return b
}
