package fix

import (
	"testing"

	"github.com/assay-dev/assay/internal/wording"
)

// Every reason has a sentence of its own, and no other value has one.
func TestReasonsHaveSentences(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en", "de", "ja"} {
		seen := map[string]Reason{}
		for _, r := range Reasons() {
			text := r.Sentence(wording.In(tag)).String()
			if o, ok := seen[text]; ok || text == "" {
				t.Errorf("%s: %s and %s say %q", tag, r, o, text)
			}
			seen[text] = r
		}
	}
	for r, want := range map[Reason]string{
		PathCI: "Fixes never change definitions of CI.", AddsSecret: "The change adds a secret.", MakesWorse: "A second look at the edited " +
			"functions found a problem that the change brings.", "other": ""} {
		if got := r.Sentence(wording.In("en")).String(); got != want {
			t.Errorf("%s: %q", r, got)
		}
	}
}
