package httpapi

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A tag that a proxy weakened still names the same version.
func TestATagThatAProxyWeakened(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]int64{``: 0, `*`: 0, `"v0"`: store.NeverStored, `W/"v0"`: store.NeverStored, `"v7"`: 7, `W/"v7"`: 7} {
		got, err := Guard{IfMatch: tag}.version()
		testkit.OK(t, err)
		testkit.Equal(t, "version of "+tag, got, want)
	}
	for _, tag := range []string{`w/"v7"`, `W/"x"`, `W/W/"v7"`, `W/`, `"v-1"`, `W/*`} {
		if v, err := (Guard{IfMatch: tag}).version(); err == nil {
			t.Errorf("%s is version %d", tag, v)
		}
	}
}
