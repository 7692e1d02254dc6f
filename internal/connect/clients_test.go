package connect_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// Two tenants with connections to one host share no network connection. The requests of one tenant share
// theirs.
func TestConnectionsOfTenantsShareNoClient(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo, domain.GitLab} {
		var mu sync.Mutex
		var from []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			from = append(from, r.RemoteAddr)
			w.WriteHeader(http.StatusBadGateway)
		}))
		t.Cleanup(server.Close)
		at, err := url.Parse(server.URL)
		testkit.OK(t, err)
		port, err := strconv.Atoi(at.Port())
		testkit.OK(t, err)
		factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
		t.Cleanup(factory.Close)
		hosts := &connect.Hosts{Factory: factory, Gate: &codehosttest.Gate{}, Logger: telemetry.Discard()}
		for _, tenant := range []string{"ten_a", "ten_b"} {
			row := store.ProviderConnection{ID: "pcn_" + tenant, Tenant: tenant, Kind: string(kind), BaseURL: server.URL, Owner: "acme"}
			host, err := hosts.Connection(bg, row, secret.New("a-token"+"-of-a-test"))
			testkit.OK(t, err)
			for range 2 {
				_, _ = host.Repositories(bg) // the request fails
			}
		}
		if len(from) != 4 || from[0] != from[1] || from[2] != from[3] || len(slices.Compact(slices.Clone(from))) != 2 {
			t.Errorf("%s: requests came from %q", kind, from)
		}
	}
}
