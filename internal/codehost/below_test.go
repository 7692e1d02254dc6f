package codehost_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ owner, name, of, want string }{
		{"acme", "api", "acme", "api"},
		{"Acme", "api", "acme", "api"},
		{"acme/backend", "api", "acme", "backend/api"},
		{"acme/backend", "api", "acme/backend", "api"},
		{"acmes", "api", "acme", "acmes/api"},
		{"other", "api", "acme", "other/api"},
		{"acme", "", "acme", "acme/"},
	} {
		if got := (codehost.RepoInfo{Owner: c.owner, Name: c.name}).NameWithin(c.of); got != c.want {
			t.Errorf("%s/%s below %s: %q, want %q", c.owner, c.name, c.of, got, c.want)
		}
	}
}
