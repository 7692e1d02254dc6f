package finding

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// AddPlaces lists further places of the defect, each once. It reports whether one was added.
func (it *Item) AddPlaces(places ...domain.Evidence) (added bool) {
	for _, p := range places {
		if !it.hasPlace(p) {
			it.Evidence = append(it.Evidence, p)
			added = true
		}
	}
	return added
}

// hasPlace reports whether the finding or one of its further places has all lines of a place.
func (it *Item) hasPlace(p domain.Evidence) bool {
	within := func(path string, start, end int) bool { return path == p.Path && start <= p.Start && p.End <= end }
	a := it.Anchor
	return a.Side != domain.Left && a.Level == domain.AnchorLine && within(a.Path, a.StartLine, a.EndLine) ||
		slices.ContainsFunc(it.AlsoAt(), func(o domain.Evidence) bool { return within(o.Path, o.Start, o.End) })
}

// HasPlaces reports whether the finding or its further places have all lines of some places.
func (it *Item) HasPlaces(places []domain.Evidence) bool {
	return !slices.ContainsFunc(places, func(p domain.Evidence) bool { return !it.hasPlace(p) })
}

// KeepPlaces leaves out the further places for which keep returns false, and returns how many these are. keep gets their index.
func (it *Item) KeepPlaces(keep func(i int) bool) (lost int) {
	i := -1
	it.Evidence = slices.DeleteFunc(slices.Clone(it.Evidence), func(e domain.Evidence) bool {
		if e.Kind != domain.EvidencePlace {
			return false
		}
		i++
		if keep(i) {
			return false
		}
		lost++
		return true
	})
	return lost
}

// PlaceAnchor is the anchor of a further place.
func PlaceAnchor(e domain.Evidence) domain.Anchor {
	return domain.Anchor{Path: e.Path, Side: domain.Right, Level: domain.AnchorLine, StartLine: e.Start, EndLine: e.End, Quote: e.Quote}
}

// DropOwnPlaces leaves out the further places on the finding's own lines.
func (it *Item) DropOwnPlaces() {
	places := it.AlsoAt()
	it.KeepPlaces(func(i int) bool {
		return places[i].Path != it.Anchor.Path || it.Anchor.Side == domain.Left || !Overlap(PlaceAnchor(places[i]), it.Anchor, 0)
	})
}

// At returns a report in the same words at another place alone. The caller fills in the fields that depend on the place.
func (it *Item) At(a domain.Anchor) *Item {
	out := *it
	out.Anchor, out.quoted = a, nil
	out.ID, out.SameAs, out.Hunks, out.Names, out.Suggestion = "", "", nil, nil, nil
	out.KeepPlaces(func(int) bool { return false })
	return &out
}
