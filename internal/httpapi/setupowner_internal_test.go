package httpapi

import (
	"net/url"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// An owner in the address is taken from it, unless the form names one.
func TestOwnerInTheAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ kind, address, owner, wantAddress, wantOwner string }{
		{"forgejo", "https://git.example.com/acme/", "", "https://git.example.com", "acme"},
		{"forgejo", "https://git.example.com/acme?", "", "https://git.example.com", "acme"},
		{"gitea", "https://example.com/git/acme", "", "https://example.com/git/acme", ""},
		{"gitea", "https://git.example.com/acme/storefront", "", "https://git.example.com/acme/storefront", ""},
		{"gitlab", "https://gitlab.com/acme/shops/-/issues", "", "https://gitlab.com", "acme/shops"},
		{"gitlab", "https://gitlab.com/acme/shops", "", "https://gitlab.com", "acme/shops"},
		{"gitlab", "https://gitlab.com/groups/acme/shops", "", "https://gitlab.com", "acme/shops"},
		{"forgejo", "https://git.example.com/acme", "other", "https://git.example.com/acme", "other"},
		{"forgejo", "https://git.example.com/", "", "https://git.example.com/", ""},
		{"forgejo", "git.example.com/acme", "", "git.example.com/acme", ""},
		{"forgejo", "https://git.example.com/login?to=acme", "", "https://git.example.com/login?to=acme", ""},
		{"forgejo", "http://[::1", "", "http://[::1", ""},
	} {
		got := withOwner(url.Values{"kind": {tc.kind}, "baseUrl": {tc.address}, "owner": {tc.owner}})
		testkit.Equal(t, tc.address, got.Get("baseUrl")+" "+got.Get("owner"), tc.wantAddress+" "+tc.wantOwner)
	}
}
