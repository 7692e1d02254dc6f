package azuredevops

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/secret"
)

// Branches, builds and commits of a pull request have pages that only a header names; the host ignores $skip there.
func TestPagesThatAHeaderNames(t *testing.T) {
	t.Parallel()
	const wanted = "0123456789012345678901234567890123456789"
	var asked []string
	loop := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := r.URL.Query().Get("continuationToken")
		asked = append(asked, at)
		name, n := "other", 100
		switch {
		case at == "" || loop:
			w.Header().Set("X-Ms-Continuationtoken", "a b/2")
		case at == "a b/2":
			name, n = "topic", 1
		default:
			t.Errorf("asked for %q", at)
		}
		var list []string
		for i := range n {
			branch := name
			if name == "other" {
				branch = fmt.Sprintf("topic-%d", i)
			}
			list = append(list, fmt.Sprintf(`{"name":"refs/heads/%s","objectId":"%s"}`, branch, wanted))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"value":[%s]}`, strings.Join(list, ","))
	}))
	t.Cleanup(srv.Close)
	h, err := New(Config{Config: wire.Config{BaseURL: srv.URL, Owner: "acme", Token: secret.New("a-token"), Connection: "c1",
		HTTP: srv.Client(), Gate: &codehosttest.Gate{}}})
	if err != nil {
		t.Fatal(err)
	}
	repo := codehost.Repo{Owner: "acme/Shop", Name: "demo"}
	if head, err := h.BranchHead(t.Context(), repo, "topic"); err != nil || head != wanted || len(asked) != 2 {
		t.Errorf("%q, %v, pages %q", head, err, asked)
	}
	loop = true
	if _, err := h.BranchHead(t.Context(), repo, "topic"); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("a list that leads to itself: %v", err)
	}
}
