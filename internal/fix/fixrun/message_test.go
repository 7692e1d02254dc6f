package fixrun

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A category that this version does not know does not reach the message of a commit, in whose words hosts see orders.
func TestAMessageNamesKnownCategoriesAlone(t *testing.T) {
	t.Parallel()
	for c, want := range map[domain.Category]string{domain.CategoryBug: "bug", "closes #1": "finding", "": "finding"} {
		if got := known(c); got != want {
			t.Errorf("%q: %q, want %q", c, got, want)
		}
	}
}
