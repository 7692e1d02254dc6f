package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/review/change"
)

// confirms reports whether a quote confirms the claim: it touches the claimed lines or the cited evidence. A
// claim that cites other files needs a quote from there. Any code confirms a claim that was reported before
// the code changed, because its place is of the past.
func (c claim) confirms(quote string) bool {
	near, exhibits, cited := !c.it.Resolves, slices.Concat(c.shown, c.seenAt(c.it.Anchor.Path)), c.citedNow()
	if near && slices.ContainsFunc(cited, func(e change.Exhibit) bool { return e.Code[len(e.Text)] >= change.MinProof }) {
		exhibits = slices.Clone(cited)
		for _, e := range c.it.Evidence {
			if e.Path != c.it.Anchor.Path {
				exhibits = append(exhibits, c.seenAt(e.Path)...)
			}
		}
	}
	return change.Proven(exhibits, quote, func(e change.Exhibit, q string) bool { return e.Proves(q, e.Code, near) })
}

// citedNow is the cited code of other files that counts: what the change removed from
// them does only for a claim about removed lines.
func (c claim) citedNow() []change.Exhibit {
	return slices.DeleteFunc(slices.Clone(c.cited), func(e change.Exhibit) bool { return !c.stands(e) })
}

// refutes reports whether a quote refutes the claim: code that was shown, outside comments and strings, which
// say what their author likes. Removed code refutes nothing. Code that was looked up counts if it has to do
// with the claim.
func (c claim) refutes(quote string) bool {
	return change.Proven(slices.Concat(c.shown, c.citedNow(), c.related()), quote,
		func(e change.Exhibit, q string) bool { return e.Proves(q, e.Bare, false) })
}
