package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review/finding"
)

// The captions of the tiers name the limits by which the engine chooses between them.
func TestCaptionsOfTiersNameTheBorder(t *testing.T) {
	t.Parallel()
	tiers := catalog.Tiers()
	use := func(id string) string {
		return tiers[slices.IndexFunc(tiers, func(t catalog.Tier) bool { return t.ID == id })].Use
	}
	if border := fmt.Sprintf("up to %d lines in up to %d files", trivialLines, fewFiles); !strings.Contains(use("standard"), border) {
		t.Errorf("standard is for %q, and reviews alone changes of %s", use("standard"), border)
	}
	if !strings.HasPrefix(use("strong"), "Larger changes and sensitive paths") {
		t.Errorf("strong is for %q, and reviews every larger change", use("strong"))
	}
}

func TestAQuotationKeepsItsLines(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                             "",
		" \n\t\n":                      "",
		"return x":                     "return x",
		"\n\n\tif a {\n\t\tb()\n\t}\n": "\tif a {\n\t\tb()\n\t}",
		"a\r\n  b\r\n":                 "a\n  b",
		"a\n\nb \n ":                   "a\n\nb",
	} {
		if got := quotation(given); got != want {
			t.Errorf("%q is quoted as %q, want %q", given, got, want)
		}
	}
	two := "a()\n\tb()"
	for verdict, v := range map[string]verdict{"confirmed": {ConfirmingQuotes: []string{two}}, "refuted": {RefutationQuote: two}} {
		c := claim{it: &finding.Item{}, set: &diff.Set{}}
		v.Verdict = verdict
		if apply(c, v); c.it.VerdictWhy != two {
			t.Errorf("%s by %q", verdict, c.it.VerdictWhy)
		}
	}
}
