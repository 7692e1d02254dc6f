// Package site sets up an installation for tests of whole processes: a simulated code host and a
// scripted model as separate processes, a storage, and the settings of a service that is connected to
// all of them. Expectations of such tests belong to the tests.
package site

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	azureclient "github.com/assay-dev/assay/sim/azuredevops/simclient"
	bitbucketclient "github.com/assay-dev/assay/sim/bitbucket/simclient"
	giteaclient "github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
	gitlabclient "github.com/assay-dev/assay/sim/gitlab/simclient"
	hostclient "github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/model/modelclient"
	trackerclient "github.com/assay-dev/assay/sim/tracker/simclient"
)

// Patience bounds every wait. It is generous, because the machine may be busy.
const Patience = 90 * time.Second

// Options configure a site.
type Options struct {
	Embedded bool   // SQLite and a queue in the process, otherwise PostgreSQL and Redis
	Owner    string // the account whose installation belongs to the tenant
	Secret   string // signs webhooks
	// Stoppable gives the site its own PostgreSQL server, which the test may stop, and whose database
	// has no schema. Without it the site has a database on the server that tests share.
	Stoppable bool
	// Empty leaves the database without a schema, as before a first start. Otherwise the schema exists,
	// so that no process has to create it.
	Empty bool
	// Kind is the code host that is simulated and connected: "" for GitHub, or [domain.GitLab],
	// [domain.BitbucketCloud], [domain.BitbucketDataCenter], [domain.Gitea] or [domain.Forgejo], for which the test creates the connection.
	Kind domain.ConnectionKind
	// HostURL is the address of a real host of that Kind, which the test has started. No host is
	// simulated then.
	HostURL string
	// Beside are further simulated hosts, to which the test creates connections. Each kind occurs once.
	Beside []domain.ConnectionKind
	// Tracker is the dialect of the simulated issue tracker in sim/tracker, "" for no tracker. The test
	// creates the connection.
	Tracker string
	// FirstIDs are the first ids of all simulated hosts, by the name of the numbered object, so that
	// objects of several hosts have the same ids. Without it each host uses its own first ids.
	FirstIDs map[string]int64
}

// Simulated holds the client of one simulated code host. The other clients are nil.
type Simulated struct {
	Host      *simclient.Client       // GitHub
	Gitea     *giteaclient.Client     // Gitea or Forgejo
	GitLab    *gitlabclient.Client    // GitLab
	Azure     *azureclient.Client     // Azure DevOps
	Bitbucket *bitbucketclient.Client // Bitbucket Cloud or Data Center
}

// Shared returns the interface that all simulated hosts have, or nil if none is simulated.
func (s Simulated) Shared() *hostclient.Client {
	switch {
	case s.Host != nil:
		return s.Host.Client
	case s.Gitea != nil:
		return s.Gitea.Client
	case s.GitLab != nil:
		return s.GitLab.Client
	case s.Azure != nil:
		return s.Azure.Client
	case s.Bitbucket != nil:
		return s.Bitbucket.Client
	}
	return nil
}

// Site is an installation whose surroundings run, but not the service. It belongs to the test's own
// goroutine.
type Site struct {
	Options
	Env        map[string]string                   // of the service's processes; may be changed before they start
	Data       string                              // the data folder
	Port       int                                 // of the API
	App        simapi.App                          // registered with GitHub, installed nowhere
	Simulated                                      // the host of the site's Kind
	Neighbours map[domain.ConnectionKind]Simulated // the hosts of Beside
	HostData   string                              // the data folder of the simulated code host
	Issues     *trackerclient.Client               // the simulated issue tracker; nil without one
	TrackerURL string
	Model      *modelclient.Client
	Database   string          // URL or path
	Postgres   *testkit.Server // nil unless Stoppable
	KV         *testkit.KVServer

	t     *testing.T
	procs int
	pool  *sql.DB // for queries on PostgreSQL; nil if embedded
}

// New starts the surroundings, which end with the test. The service has default settings and the
// bootstrap of a tenant for the owner's installation.
func New(ctx context.Context, t *testing.T, o Options) *Site {
	t.Helper()
	s := &Site{Options: o, Env: map[string]string{}, Neighbours: map[domain.ConnectionKind]Simulated{}, Port: testkit.FreePort(t), t: t}
	s.stores() // first, so that the database outlives the processes
	modelPort := testkit.FreePort(t)
	allowed, ghPort := fmt.Sprintf("127.0.0.1:%d", modelPort), 0
	if o.HostURL == "" {
		s.HostData = t.TempDir()
		s.Simulated, ghPort = s.host(o.Kind, s.HostData)
		allowed += fmt.Sprintf(",127.0.0.1:%d", ghPort)
	} else {
		allowed += "," + strings.TrimPrefix(o.HostURL, "http://")
	}
	for _, kind := range o.Beside {
		made, port := s.host(kind, t.TempDir())
		s.Neighbours[kind] = made
		allowed += fmt.Sprintf(",127.0.0.1:%d", port)
	}
	if o.Tracker != "" {
		port := testkit.FreePort(t)
		s.TrackerURL = fmt.Sprintf("http://127.0.0.1:%d", port)
		s.Issues = trackerclient.New(s.TrackerURL, s.simulate("tracker", port, "--dialect", o.Tracker, "--data", t.TempDir()))
		allowed += fmt.Sprintf(",127.0.0.1:%d", port)
	}
	s.Model = modelclient.New(fmt.Sprintf("http://127.0.0.1:%d", modelPort), s.simulate("model", modelPort), nil)
	maps.Copy(s.Env, map[string]string{
		"ASSAY_DATA_DIR": s.Data, "ASSAY_LISTEN": fmt.Sprintf("127.0.0.1:%d", s.Port), "ASSAY_METRICS_LISTEN": "off", "ASSAY_LOG_FORMAT": "text",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP":    "true",
		"ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS": allowed,
		"ASSAY_BOOTSTRAP_TENANT":               "acme", "ASSAY_BOOTSTRAP_MODEL_KIND": "compatible",
		"ASSAY_BOOTSTRAP_MODEL_BASE_URL": fmt.Sprintf("http://127.0.0.1:%d/v1", modelPort), "ASSAY_BOOTSTRAP_MODEL_STANDARD": "scripted",
	})
	if o.Kind == "" {
		s.register(ctx, ghPort)
	}
	return s
}

// host starts a simulated code host, and returns its client and its port.
func (s *Site) host(kind domain.ConnectionKind, data string) (out Simulated, port int) {
	s.t.Helper()
	if len(s.FirstIDs) > 0 { // as in the state of an earlier run that created and deleted objects
		raw, err := json.Marshal(map[string]any{"Version": 1, "NextID": s.FirstIDs, "TokenKey": []byte(rand.Text())})
		testkit.OK(s.t, err)
		testkit.OK(s.t, os.WriteFile(filepath.Join(data, "state.json"), raw, 0o600))
	}
	port = testkit.FreePort(s.t)
	at, args := fmt.Sprintf("http://127.0.0.1:%d", port), []string{"--data", data}
	switch kind {
	case "":
		out.Host = simclient.New(at, s.simulate("github", port, args...))
	case domain.GitLab:
		out.GitLab = gitlabclient.New(at, s.simulate("gitlab", port, args...))
	case domain.AzureDevOps:
		out.Azure = azureclient.New(at, s.simulate("azure-devops", port, args...))
	case domain.BitbucketCloud:
		out.Bitbucket = bitbucketclient.New(at, s.simulate("bitbucket", port, args...))
	case domain.BitbucketDataCenter:
		out.Bitbucket = bitbucketclient.New(at, s.simulate("bitbucket", port, append(args, "--mode", "datacenter")...))
	case domain.Forgejo:
		out.Gitea = giteaclient.New(at, s.simulate("gitea", port, append(args, "--forgejo")...))
	default:
		out.Gitea = giteaclient.New(at, s.simulate(string(kind), port, args...))
	}
	return out, port
}

// simulate starts a simulator and returns its control token.
func (s *Site) simulate(kind string, port int, args ...string) string {
	s.t.Helper()
	token := filepath.Join(s.t.TempDir(), "control")
	p := testkit.Start(s.t, testkit.Command{Path: testkit.Binary(s.t), Name: "sim-" + kind, Env: map[string]string{"GOGC": "400"}, // it is not under test, and lives for seconds
		Args: append([]string{"sim", kind, "--addr", fmt.Sprintf("127.0.0.1:%d", port), "--control-token-file", token}, args...)})
	testkit.Eventually(s.t, Patience, func() (bool, string) {
		if !p.Running() {
			s.t.Fatalf("sim %s ended: %s", kind, strings.Join(p.Lines(), "\n"))
		}
		b, err := os.ReadFile(token)
		return err == nil && len(strings.TrimSpace(string(b))) > 0, "the simulator has not written its control token"
	})
	b, err := os.ReadFile(token)
	testkit.OK(s.t, err)
	return strings.TrimSpace(string(b))
}

// register registers the app on the host, and sets the bootstrap of the service.
func (s *Site) register(ctx context.Context, ghPort int) {
	s.t.Helper()
	private, public := appKey()
	app, err := s.Host.RegisterApp(ctx, simapi.AppSpec{Slug: "assay", Owner: s.Owner, PublicKeyPEM: public, WebhookURL: s.URL("/webhooks/codehost"), WebhookSecret: s.Secret})
	testkit.OK(s.t, err)
	app.PrivateKeyPEM = string(private)
	s.App = app
	key := filepath.Join(s.Data, "app.pem")
	testkit.OK(s.t, os.WriteFile(key, private, 0o600))
	maps.Copy(s.Env, map[string]string{
		"ASSAY_BOOTSTRAP_GITHUB_BASE_URL": fmt.Sprintf("http://127.0.0.1:%d", ghPort), "ASSAY_BOOTSTRAP_GITHUB_APP_ID": fmt.Sprint(app.ID),
		"ASSAY_BOOTSTRAP_GITHUB_SLUG": "assay", "ASSAY_BOOTSTRAP_GITHUB_OWNER": s.Owner, "ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY_FILE": key,
		"ASSAY_BOOTSTRAP_GITHUB_WEBHOOK_SECRET": s.Secret,
	})
}

// appKey returns the key pair of the app in all sites of a test process, in PEM. Generating one takes
// longer than the start of a simulator.
var appKey = sync.OnceValues(func() (private []byte, public string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // the system has no random bytes
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err) // it was generated above
	}
	private = pem.EncodeToMemory(&pem.Block{Type: "RSA " + "PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return private, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
})

// DeliverAgain makes GitHub deliver again what the service did not accept within the host's ten seconds
// because the machine was busy. The service would find such deliveries itself, minutes later. It
// returns their number.
func (s *Site) DeliverAgain(ctx context.Context) (late int) {
	s.t.Helper()
	list, err := s.Host.Deliveries(ctx, false)
	testkit.OK(s.t, err)
	taken := map[string]bool{}
	for _, d := range list {
		taken[d.GUID] = taken[d.GUID] || d.StatusCode/100 == 2
	}
	for _, d := range list {
		if !taken[d.GUID] {
			taken[d.GUID] = true
			late++
			testkit.OK(s.t, s.Host.Redeliver(ctx, d.ID, 1))
		}
	}
	return late
}

// Quick returns the settings of a service that waits and retries faster than by default. It looks for
// due jobs less often, because many services share the machine.
func Quick() map[string]string {
	return map[string]string{
		"ASSAY_LOG_LEVEL": "debug", "ASSAY_JOBS_LEASE": "6s", "ASSAY_JOBS_HEARTBEAT": "2s", "ASSAY_JOBS_SWEEP": "1s", "ASSAY_JOBS_RELAY": "500ms",
		"ASSAY_JOBS_BACKOFF_FIRST": "1s", "ASSAY_JOBS_RECHECK_AFTER": "1s",
		"ASSAY_MODEL_WINDOW": "20s", "ASSAY_HTTP_WRITE_TIMEOUT": "4s", "ASSAY_GATE_LEASE": "6s", "ASSAY_GATE_QUARANTINE": "2s",
	}
}

// URL is the address of a path of the service.
func (s *Site) URL(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", s.Port, path) }

// Start starts one process of the service. env overrides the settings of the site.
func (s *Site) Start(name string, env map[string]string, args ...string) *testkit.Process {
	s.t.Helper()
	s.procs++
	all := maps.Clone(s.Env)
	maps.Copy(all, env)
	return testkit.Start(s.t, testkit.Command{Path: testkit.Binary(s.t), Name: fmt.Sprintf("%s-%d", name, s.procs), Args: args, Env: all})
}

// Serve starts the service in one process and waits until it is ready.
func (s *Site) Serve() *testkit.Process {
	s.t.Helper()
	p := s.Start("serve", nil, "serve")
	p.WaitReady(Patience, s.URL("/readyz"))
	return p
}
