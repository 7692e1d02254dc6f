package bootstrap_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/bootstrap"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// linked is an instance whose configuration names a connection.
type linked struct {
	*world
	host     *featuretest.Connections
	features featuretest.Features
	mu       sync.Mutex
	asked    []string // the tokens that the host received
	says     error
}

func eachLinked(t *testing.T, body func(w *linked)) {
	t.Helper()
	each(t, func(w *world) {
		l := &linked{world: w, host: &featuretest.Connections{}}
		w.config.GitHub = config.BootstrapGitHub{}
		w.config.Connection = config.BootstrapConnection{Kind: "gitea", BaseURL: "https://git.example.com", Owner: "acme", Token: secret.New("token-" + "one"), Repositories: []string{"all"}, RegisterWebhooks: true}
		l.features = featuretest.New(w.T, w.store, func(o *featuretest.Options) { o.Keyring, o.Code = w.keyring, l.host })
		l.host.Probe = func(_ context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Probed, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.asked = append(l.asked, token.Reveal())
			return codehost.Probed{Login: "assay-bot", ID: "7", Owner: codehost.RepoOwner{ID: "3", Login: c.Owner, Organization: true}}, l.says
		}
		body(l)
	})
}

// connects starts the instance once, and applies its connection.
func (l *linked) connects() (bootstrap.Result, error) {
	b := l.boot()
	b.Connections = l.features.Tracking
	r, err := b.Apply(bg)
	if err == nil {
		err = b.Connect(bg, r)
	}
	return r, err
}

// start calls connects, which must succeed, and returns the tenant's connections.
func (l *linked) start() []store.ProviderConnection {
	l.Helper()
	r, err := l.connects()
	testkit.OK(l.T, err)
	return l.rows(r)
}

func (l *linked) rows(r bootstrap.Result) []store.ProviderConnection {
	l.Helper()
	rows, err := l.store.ProviderConnections(bg, domain.Tenant{ID: r.Tenant}, store.Cursor{}, 50)
	testkit.OK(l.T, err)
	return rows
}

// one calls start, which must leave the tenant with one connection, and returns it.
func (l *linked) one() store.ProviderConnection {
	l.Helper()
	rows := l.start()
	testkit.Require(l.T, "connections", len(rows), 1)
	return rows[0]
}

// The configuration makes the same connection as the interface would, with its job. A second start changes
// nothing and sends no request.
func TestAConnectionIsMadeOnce(t *testing.T) {
	eachLinked(t, func(l *linked) {
		c := l.one()
		if c.Kind != "gitea" || c.Name != "Gitea" || c.BaseURL != "https://git.example.com" || c.Owner != "acme" || !c.AllRepositories || !c.RegisterWebhooks || !c.Enabled || c.State != domain.ConnectionActive {
			l.Errorf("it is %+v", c)
		}
		jobs, err := l.store.JobsOf(bg, c.ID)
		testkit.OK(l.T, err)
		if len(jobs) != 1 || jobs[0].Kind != domain.KindSync {
			l.Errorf("jobs %+v", jobs)
		}
		again := l.one()
		testkit.Equal(l.T, "version after the second start", again.Version, c.Version)
		testkit.Equal(l.T, "requests to the host", strings.Join(l.asked, " "), "token-one")
	})
}

// A changed value is applied, and the token again if the connection now leads elsewhere. Values that an
// administrator entered in between stay.
func TestAConnectionFollowsTheConfiguration(t *testing.T) {
	eachLinked(t, func(l *linked) {
		c := l.one()
		t := domain.Tenant{ID: c.Tenant}
		_, err := l.features.Tracking.UpdateProvider(bg, t, c.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](l.T, `{"name":"renamed","repositories":["shop"]}`))
		testkit.OK(l.T, err)
		l.config.Connection.Token = secret.New("token-" + "two")
		if c = l.one(); c.Name != "renamed" || c.AllRepositories {
			l.Errorf("after a new token: %+v", c)
		}
		l.config.Connection.Owner = "acme-labs"
		if c = l.one(); c.Owner != "acme-labs" || c.Name != "renamed" {
			l.Errorf("after a new owner: %+v", c)
		}
		l.config.Connection.Repositories, l.config.Connection.RegisterWebhooks = []string{"shop", "till"}, false
		if c = l.one(); c.Repositories != `["shop","till"]` || c.RegisterWebhooks {
			l.Errorf("after new repositories: %+v", c)
		}
		testkit.Equal(l.T, "requests to the host", strings.Join(l.asked, " "), "token-one token-two token-two")
		version := c.Version
		testkit.Equal(l.T, "version after one more start", l.one().Version, version)
	})
}

// A deleted connection stays deleted until a value changes. A connection that a person made under its name is
// adopted.
func TestAConnectionThatWasDeleted(t *testing.T) {
	eachLinked(t, func(l *linked) {
		c := l.one()
		testkit.OK(l.T, l.features.Tracking.DeleteProvider(bg, domain.Tenant{ID: c.Tenant}, c.ID))
		testkit.Equal(l.T, "connections", len(l.start()), 0)
		l.config.Connection.Owner = "acme-labs"
		if back := l.one(); back.Owner != "acme-labs" || back.ID == c.ID || back.BaseURL != "https://git.example.com" {
			l.Errorf("it is %+v", back)
		}
	})
	eachLinked(t, func(l *linked) {
		l.config.Connection.Kind, l.config.Connection.BaseURL = "", ""
		r, err := l.connects()
		testkit.OK(l.T, err)
		l.config.Connection.Kind, l.config.Connection.BaseURL = "gitea", "https://git.example.com"
		made, err := l.features.Tracking.CreateProvider(bg, domain.Tenant{ID: r.Tenant}, tracking.ProviderConnectionCreate{Kind: "gitea", Name: "Gitea", BaseURL: "https://other.example.com", Owner: "acme", Token: "by-an-admin",
			Repositories: tracking.Repositories{All: true}})
		testkit.OK(l.T, err)
		if c := l.one(); c.ID != made.ID || c.BaseURL != "https://other.example.com" {
			l.Errorf("it is %+v", c)
		}
	})
}

// A refusal by the host ends the start and names the setting. A host that does not answer does not end the
// start.
func TestAConnectionThatDoesNotWork(t *testing.T) {
	for name, tc := range map[string]struct {
		says   error
		change func(c *config.BootstrapConnection)
		want   string
	}{
		"token refused": {&codehost.Error{Class: codehost.ClassForbidden, Op: "probe", Status: 401, Message: "no: token-one"}, nil, "ASSAY_BOOTSTRAP_CONNECTION_TOKEN (bootstrap.connection.token) is refused"},
		"no such owner": {&codehost.Error{Class: codehost.ClassNotFound, Op: "probe", Status: 404}, nil, "ASSAY_BOOTSTRAP_CONNECTION_OWNER (bootstrap.connection.owner) is not there"},
		"private host":  {nil, func(c *config.BootstrapConnection) { c.BaseURL = "http://10.1.2.3" }, "ASSAY_BOOTSTRAP_CONNECTION_BASE_URL"},
		"bad name":      {nil, func(c *config.BootstrapConnection) { c.Repositories = []string{"a", "../b"} }, "ASSAY_BOOTSTRAP_CONNECTION_REPOSITORIES"},
	} {
		t.Run(name, func(t *testing.T) {
			eachLinked(t, func(l *linked) {
				l.says = tc.says
				if tc.change != nil {
					tc.change(&l.config.Connection)
				}
				r, err := l.connects()
				if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "token-one") {
					l.Errorf("the start says %v", err)
				}
				testkit.Equal(l.T, "connections", len(l.rows(r)), 0)
			})
		})
	}
	t.Run("no answer", func(t *testing.T) {
		eachLinked(t, func(l *linked) {
			l.says = errors.New("connection refused")
			if c := l.one(); c.State != domain.ConnectionBroken || !strings.Contains(c.Message, "does not answer") {
				l.Errorf("it is %+v", c)
			}
			l.one()
			testkit.Equal(l.T, "requests to the host", len(l.asked), 1)
		})
	})
}

// Processes that start at once make one connection.
func TestAConnectionOfProcessesThatStartAtOnce(t *testing.T) {
	eachLinked(t, func(l *linked) {
		for _, owner := range []string{"acme", "acme-labs"} {
			l.config.Connection.Owner = owner
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if _, err := l.connects(); err != nil {
						l.Errorf("start: %v", err)
					}
				})
			}
			all.Wait()
			if c := l.one(); c.Owner != owner {
				l.Errorf("it is %+v", c)
			}
		}
	})
}

// The configuration accepts every kind of connection whose profile is built, except GitHub, and refuses the
// others.
func TestKindsOfConnections(t *testing.T) {
	for _, p := range codehost.Profiles() {
		c := config.Default()
		c.Bootstrap.Tenant = "acme"
		c.Bootstrap.Connection.Kind, c.Bootstrap.Connection.BaseURL, c.Bootstrap.Connection.Owner, c.Bootstrap.Connection.Token = string(p.Kind), "https://git.example.com", "acme", secret.New("x")
		if err := c.Validate(); (err == nil) != (p.Built && p.Kind != codehost.GitHub) {
			t.Errorf("%s: %v", p.Kind, err)
		}
	}
}
