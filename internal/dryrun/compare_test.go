package dryrun

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// Two findings with one fingerprint are the same only if it is a fingerprint of their own. Outside the diff their words decide.
func TestSamePrint(t *testing.T) {
	t.Parallel()
	at := func(level domain.AnchorLevel, quote, title string) domain.Finding {
		return domain.Finding{Origin: domain.OriginModel, Title: title, Fingerprints: domain.Fingerprints{Exact: "print"},
			Anchor: domain.Anchor{Path: "a.go", Level: level, Quote: quote}}
	}
	const closed, price = "Reader is closed twice", "Cancelled order keeps its price"
	for name, c := range map[string]struct {
		a, b domain.Finding
		want bool
	}{
		"on a line, other words":          {at(domain.AnchorLine, "x", closed), at(domain.AnchorLine, "x", price), true},
		"outside the diff, other words":   {at(domain.AnchorFile, "x", closed), at(domain.AnchorFile, "x", price), false},
		"outside the diff, like words":    {at(domain.AnchorFile, "x", closed), at(domain.AnchorFile, "x", "The reader is closed twice"), true},
		"without code, other words":       {at(domain.AnchorFile, "", closed), at(domain.AnchorFile, "", price), false},
		"without code, like words":        {at(domain.AnchorFile, "", closed), at(domain.AnchorFile, "", "The reader is closed twice"), true},
		"one on a line, one outside":      {at(domain.AnchorLine, "x", closed), at(domain.AnchorFile, "x", price), false},
		"of a check, outside, no quote":   {ofCheck(at(domain.AnchorFile, "", closed)), ofCheck(at(domain.AnchorFile, "", price)), true},
		"another fingerprint, like words": {at(domain.AnchorLine, "x", closed), domain.Finding{Title: closed}, false},
	} {
		if got := samePrint(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func ofCheck(f domain.Finding) domain.Finding {
	f.Origin = domain.OriginStatic
	return f
}
