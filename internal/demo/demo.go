// Package demo sets up a demonstration: a simulated code host with sample pull requests, a simulated issue
// tracker, a tool server and a scripted model as child processes, and the configuration of a service that is
// connected to them.
//
// The service itself runs like any other and does not know that it is a demo. The start of the service and the
// texts for people belong elsewhere.
package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/host/simapi"
	trackerclient "github.com/assay-dev/assay/sim/tracker/simclient"
)

// Options configures a demo.
type Options struct {
	// Config is the operator's configuration. The demo takes listeners, lanes and times from it, but not
	// storage, secrets, connections and outbound rules, so it touches nothing real.
	Config config.Config
	// Host is the kind of the simulated code host: GitHub, GitLab, either Bitbucket, Gitea, Forgejo or Azure DevOps; ""
	// means GitHub. Each has
	// its own data.
	Host domain.ConnectionKind
	// Keep continues with the data of the last demo of this host.
	Keep bool
	// FixedListen means that the operator chose the address of the API: the start fails if it is taken.
	FixedListen bool
	// Program is the assay program that runs the children; "" means the running one.
	Program string
	// ControlToken protects the simulators' control interface; "" makes a random one.
	ControlToken string
	Logger       *slog.Logger
}

// Demo is a running demo. [Start] makes it, [Demo.Close] ends it.
type Demo struct {
	Config config.Config // of the service
	Ports  []int         // of the children on loopback; the outbound guard must allow them
	Host   string        // name of the simulated host's software, for people

	kind    domain.ConnectionKind
	host    host
	tracker *trackerclient.Client
	tools   string // address of the tool server
	log     *slog.Logger
	kids    []*child
	died    chan *child // room for all of them
	lock    *os.File
}

// Pull is a sample pull request.
type Pull struct {
	Number     int
	Title, URL string
}

// Words are the simulated host's words for pull requests.
type Words struct {
	Noun string // singular, in lower case
	Sign string // before a number
}

// Words returns the words of the simulated host.
func (d *Demo) Words() Words {
	switch d.kind {
	case domain.GitLab:
		return Words{"merge request", "!"}
	case domain.AzureDevOps:
		return Words{"pull request", "!"}
	}
	return Words{"pull request", "#"}
}

// stored returns the name under which the service knows a repository of the sample.
func (d *Demo) stored(repository string) string {
	if d.kind == domain.AzureDevOps { // organisation and project have one name
		return demo.Owner + "/" + repository
	}
	return repository
}

// startTimeout is the time that a child gets to start.
const startTimeout = 30 * time.Second

// Start makes the data folder and starts the children. If it fails, it ends everything that it started.
func Start(ctx context.Context, o Options) (d *Demo, err error) {
	d = &Demo{log: o.Logger, died: make(chan *child, 4)}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if o.Host == "" {
		o.Host = codehost.GitHub
	}
	dir := filepath.Join(o.Config.DataDir, folderOf(o.Host))
	if d.lock, err = folder(dir, o.Keep); err != nil {
		return d, err
	}
	if o.FixedListen {
		if err := checkFree(o.Config.Listen); err != nil {
			return d, err
		}
	}
	if d.Config, err = demoConfig(o.Config, dir); err != nil {
		return d, err
	}
	if o.Program == "" {
		if o.Program, err = os.Executable(); err != nil {
			return d, fmt.Errorf("find the program to start the simulators with: %w", err)
		}
	}
	if o.ControlToken == "" {
		o.ControlToken = rand.Text()
	}
	if err := d.open(ctx, o, dir); err != nil {
		return d, err
	}
	if err := d.openTracker(ctx, o, dir); err != nil {
		return d, err
	}
	if d.tools, err = d.startKept(ctx, o, dir, "tool server", "tools"); err != nil {
		return d, err
	}
	model, err := d.start(ctx, o, "model", "model", "--script", "demo")
	if err != nil {
		return d, err
	}
	b := &d.Config.Bootstrap
	b.Tenant, b.TenantName, b.Admin = "demo", "Demo", "Demo admin"
	b.Model = config.BootstrapModel{Kind: "compatible", BaseURL: model, Fast: fastModel, Standard: standardModel, Strong: strongModel}
	return d, d.Config.Validate()
}

// open starts the simulated host and configures the service's connection to it.
func (d *Demo) open(ctx context.Context, o Options, dir string) error {
	switch o.Host {
	case codehost.GitHub:
		d.host = &gitHub{dir: dir, listen: d.Config.Listen}
	case domain.Gitea, domain.Forgejo:
		d.host = &tokenHost{dir: dir, kind: o.Host, log: o.Logger, args: giteaArguments(o.Host), dial: dialGitea}
	case domain.GitLab:
		d.host = &tokenHost{dir: dir, kind: o.Host, log: o.Logger, args: []string{"gitlab"}, dial: dialGitLab}
	case domain.AzureDevOps:
		d.host = &tokenHost{dir: dir, kind: o.Host, log: o.Logger, args: []string{"azure-devops"}, dial: dialAzure}
	case domain.BitbucketCloud:
		d.host = &tokenHost{dir: dir, kind: o.Host, log: o.Logger, args: []string{"bitbucket"}, dial: dialBitbucket}
	case domain.BitbucketDataCenter:
		d.host = &tokenHost{dir: dir, kind: o.Host, log: o.Logger, args: []string{"bitbucket", "--mode", "datacenter"}, dial: dialDataCenter}
	default:
		return fmt.Errorf("there is no simulated %q", o.Host)
	}
	d.Host, d.kind = codehost.NameOf(o.Host), o.Host
	args, err := d.host.arguments()
	if err != nil {
		return err
	}
	base, err := d.startKept(ctx, o, dir, string(o.Host), args...)
	if err != nil {
		return err
	}
	d.Config.Bootstrap, err = d.host.connect(ctx, base, o.ControlToken)
	return err
}

// host is the simulated code host of a demo.
type host interface {
	// arguments returns the simulator's arguments after "sim", without the address.
	arguments() ([]string, error)
	// connect is called once, when the host listens. It makes what the connection needs at the host, and
	// returns the service's configuration of it.
	connect(ctx context.Context, base, token string) (config.Bootstrap, error)
	// seed creates the missing parts of the sample; the service already listens.
	seed(ctx context.Context) error
	// number returns the number on the host of a pull request with a number of the sample.
	number(repository string, number int) int
	// page returns the address of a pull request with a number of the sample.
	page(repository string, number int) string
	// pull reports whether a pull request exists.
	pull(ctx context.Context, repository string, number int) bool
	// open opens the pull request of the second sample repository, which the service already knows.
	open(ctx context.Context) error
	// reviews lists the submitted reviews of a sample pull request.
	reviews(ctx context.Context, number int) ([]simapi.Review, error)
	// actions are those of people and of the CI.
	actions() actions
}

// startKept starts a simulator at its last address and records the new one, because stored data names the
// address.
func (d *Demo) startKept(ctx context.Context, o Options, dir, name string, args ...string) (string, error) {
	file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+"-address")
	base, err := d.start(ctx, o, name, append(args, "--addr", lastAddress(file))...)
	if err != nil {
		return "", err
	}
	return base, keepAddress(file, base)
}

// start starts a simulator and records its port.
func (d *Demo) start(ctx context.Context, o Options, name string, args ...string) (string, error) {
	kid, err := launch(o.Program, "the simulated "+name, append([]string{"sim"}, args...), "ASSAY_SIM_CONTROL_TOKEN="+o.ControlToken,
		d.died, d.log.With("component", "simulated "+name))
	if err != nil {
		return "", fmt.Errorf("the simulated %s does not start: %w", name, err)
	}
	d.kids = append(d.kids, kid)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	base, err := kid.await(ctx)
	if err != nil {
		return "", fmt.Errorf("the simulated %s does not start: %w", name, err)
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("the simulated %s names an address that cannot be read: %w", name, err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return "", fmt.Errorf("the simulated %s names no port", name)
	}
	d.Ports = append(d.Ports, port)
	return base, nil
}

// demoConfig returns the configuration of a demo: embedded storage in its own folder, listeners on loopback only,
// figures from the operator's configuration, and defaults for the rest.
func demoConfig(from config.Config, dir string) (config.Config, error) {
	c, standard := from, config.Default()
	c.DataDir, c.DatabaseURL, c.KVURL, c.InstanceKey = dir, secret.Secret{}, secret.Secret{}, secret.Secret{}
	c.Edition, c.PublicBaseURL, c.TrustProxyTLS, c.Outbound, c.Git.CacheDir = config.SelfHosted, "", false, standard.Outbound, ""
	var err error
	if c.Listen, err = loopbackAddress(c.Listen); err != nil {
		return c, err
	}
	if c.MetricsListen != "" {
		c.MetricsListen, err = loopbackAddress(c.MetricsListen)
	}
	if err != nil {
		return c, err
	}
	if err := c.EnsureDataDir(); err != nil {
		return c, err
	}
	_, err = c.EnsureInstanceKey()
	return c, err
}

// checkFree returns an error if another program listens at the loopback address of a listener.
func checkFree(listen string) error {
	at, err := onLoopback(listen)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return fmt.Errorf("ASSAY_LISTEN (listen): the demo cannot listen on %s: %w. Choose another port, or leave the setting out: "+
			"the demo then takes a free one", at, err)
	}
	return l.Close()
}

// onLoopback returns an address with the same port on loopback.
func onLoopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	if a, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !a.IsLoopback()) {
		host = "127.0.0.1" // because anyone with the demo's link is its admin
	}
	return net.JoinHostPort(host, port), nil
}

// loopbackAddress returns the address on loopback, with another port if it is taken.
func loopbackAddress(addr string) (string, error) {
	at, err := onLoopback(addr)
	if err != nil {
		return "", err
	}
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		if l, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err != nil {
			return "", fmt.Errorf("no free port on %s: %w", host, err)
		}
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return net.JoinHostPort(host, port), err
}

// Pulls lists the sample pull requests with their pages.
func (d *Demo) Pulls() (out []Pull) {
	for _, p := range demo.PullRequests() {
		out = append(out, Pull{p.Number, p.Title, d.host.page(demo.Repository, p.Number)})
	}
	return out
}

// Died waits until a child ends by itself and returns its error, or until ctx ends.
func (d *Demo) Died(ctx context.Context) error {
	select {
	case k := <-d.died:
		return fmt.Errorf("%s ended: %w", k.name, k.reason())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the children and unlocks the folder.
func (d *Demo) Close() error {
	for _, k := range d.kids {
		k.stop()
	}
	d.kids = nil
	if d.lock == nil {
		return nil
	}
	err := d.lock.Close()
	d.lock = nil
	return err
}
