package bitbucketserver_test

import (
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/bitbucketserver"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestMain gives the tests the git client of the service.
func TestMain(m *testing.M) {
	bitbucketserver.ServiceGit = func(t testing.TB, at string, gate codehost.Gate) codehost.GitPusher {
		u, err := url.Parse(at)
		testkit.OK(t, err)
		port, err := strconv.Atoi(u.Port())
		testkit.OK(t, err)
		factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
		t.Cleanup(factory.Close)
		return &connect.Snapshots{Factory: factory, Gate: gate, Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler)}
	}
	os.Exit(m.Run())
}
