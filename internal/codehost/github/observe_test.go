package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
)

// heard records the calls of an observer.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) ObserveExchange(_ context.Context, a codehost.Exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, fmt.Sprintf("%s %s of %s as app %v: %d %s", a.Host, a.Op, a.Installation, a.AsApp, a.Status, a.Class))
}

// The observer learns every sent request. The request for a token has the installation that the token is for.
func TestEveryRequestIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		want   []string
	}{
		"refused key": {401, []string{"github installation token of 7 as app true: 401 forbidden"}},
		"gone":        {404, []string{"github installation token of 7 as app true: 404 not_found"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := &heard{}
			h, err := New(Config{AppID: "1", PrivateKeyPEM: keyPEM(appKey()), Gate: &codehosttest.Gate{}, Observer: told,
				HTTP: &http.Client{Transport: status(c.status)}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.InstallationRepositories(t.Context(), "7"); err == nil {
				t.Error("a refusal is not observed")
			}
			if !slices.Equal(told.all, c.want) {
				t.Errorf("told %q, want %q", told.all, c.want)
			}
		})
	}
}

// status answers every request with one status.
type status int

func (s status) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(s), Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
