package repofile

import (
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/testkit"
)

// Names beyond the bound of messages cost no search for the nearest known one.
func TestManyUnknownNames(t *testing.T) {
	t.Parallel()
	r := &reader{}
	searches := 0
	for range 6000 {
		message := r.unknown("profil", fileNames())
		if message != "" {
			searches++
		}
		r.refuse(policy.Place{}, message)
	}
	testkit.Equal(t, "searches", searches, maxNotes-1)
	testkit.Equal(t, "left out", r.more, 6000-maxNotes+1)
}
