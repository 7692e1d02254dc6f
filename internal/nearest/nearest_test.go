package nearest_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/nearest"
)

func TestName(t *testing.T) {
	t.Parallel()
	known := []string{"profile", "paths", "language", "rules", "listen"}
	for name, want := range map[string]string{"profil": "profile", "pahts": "paths", "lang": "", "rule": "rules", "Language": "language",
		"x": "", "": "", "somethingElse": "", "lsiten": "listen"} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
