package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/change"
)

// confirms reports whether a quote confirms the claim. It must touch the claimed lines, the lines that took the
// place of removed ones, or the cited evidence. Any code confirms a claim that was reported before the code changed,
// because its place is of the past.
func (c claim) confirms(quote string) bool {
	near := !c.it.Resolves
	return change.Proven(slices.Concat(c.shown, c.now, c.citedNow(), c.lookedUp()), quote,
		func(e change.Exhibit, q string) bool { return e.Proves(q, e.Code, near) })
}

// citedNow is the cited code that counts: what the change removed does only for a claim about removed lines.
func (c claim) citedNow() []change.Exhibit {
	return slices.DeleteFunc(slices.Clone(c.cited), func(e change.Exhibit) bool { return !c.stands(e) })
}

// refutes reports whether a quote refutes the claim: code that was shown, outside comments and strings, which
// say what their author likes. Removed code refutes nothing. Code that was looked up counts if it has to do
// with the claim.
func (c claim) refutes(quote string) bool {
	return change.Proven(slices.Concat(c.shown, c.now, c.citedNow(), c.related()), quote,
		func(e change.Exhibit, q string) bool { return e.Proves(q, e.Bare, false) })
}

// proofPlaces describes, in one line of the prompt, which code can confirm the claim.
func (c claim) proofPlaces() string {
	if c.it.Resolves {
		return "any code shown here, and looked-up code of the claimed and the cited files"
	}
	var places []string
	add := func(path string, about []change.Span) {
		for _, s := range about {
			place := fmt.Sprintf("%s:%d-%d", change.CleanPath(path), s.First, s.Last)
			if s.First > 0 && !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	for _, e := range c.shown {
		add(c.it.Anchor.Path, e.About)
	}
	for _, e := range c.citedNow() {
		add(e.Path, e.About)
	}
	if len(c.now) > 0 {
		places = append(places, "the lines in its place now")
	}
	return change.OneLine(strings.Join(places, "; "))
}
