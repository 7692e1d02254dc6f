package azuredevops

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Config configures a [Host]. Owner is an organisation (or collection), or "organisation/project". If Entra is set, Token is the
// client secret.
type Config struct {
	wire.Config
	Entra Entra
}

// Host is one connection to one organisation. It implements [codehost.Host], [codehost.MarkedNotes] and [codehost.Connection], and is
// safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	instance wire.Instance
	sign     *signer
	people   *Host // the same host with the budget key for requests about people

	mu       sync.Mutex // guards the cached values below
	account  map[string]account
	versions []*version // of the most recently used pull requests
	groups   map[string]*projectGroups
}

var (
	_ codehost.Host          = (*Host)(nil)
	_ codehost.MarkedNotes   = (*Host)(nil)
	_ codehost.Connection    = (*Host)(nil)
	_ codehost.AccountFinder = (*Host)(nil)
	_ codehost.Resolver      = (*Host)(nil)
	_ codehost.Assigner      = (*Host)(nil)
	_ codehost.Labeler       = (*Host)(nil)
	_ codehost.Committer     = (*Host)(nil)
	_ codehost.CI            = (*Host)(nil)
	_ codehost.Messenger     = (*Host)(nil)
)

// New checks the configuration and returns a Host. It sends nothing.
func New(cfg Config) (*Host, error) {
	if cfg.Owner != "" && !validOwner(cfg.Owner) {
		return nil, errors.New("azure-devops: Owner must be an organisation, or organisation/project")
	}
	if err := cfg.Entra.check(); err != nil {
		return nil, err
	}
	cfg.Kind = domain.AzureDevOps
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	sign := newSigner(cfg.Entra, at)
	open := func(i wire.Instance) *Host {
		return &Host{instance: i, sign: sign, account: map[string]account{}, groups: map[string]*projectGroups{}}
	}
	h := open(at)
	h.people = open(at.WithBudget("people"))
	h.people.people = h.people
	return h, nil
}

// request is one request to the interface. Path is below the address of the instance, escaped.
type request struct {
	method  string // "" means GET
	root    string // address in place of the instance's, for identities
	path    string
	query   url.Values
	body    any    // nil without a body
	version string // of the interface; "" means [azure.Version]
}

// do sends a request as the call c and returns the body unchanged, and the headers.
func (h *Host) do(ctx context.Context, c *wire.Call, r request) ([]byte, http.Header, error) {
	h.sign.attach(c)
	if c.Key == "" {
		c.Key = h.instance.Key
	}
	q := r.query
	if q == nil {
		q = url.Values{}
	}
	q.Set("api-version", cmp.Or(r.version, azure.Version))
	address := cmp.Or(r.root, h.instance.Base) + r.path + "?" + q.Encode()
	out := wire.Request{Method: cmp.Or(r.method, http.MethodGet), Address: address}
	if r.body != nil {
		out = wire.JSON(out.Method, address, r.body)
	}
	return wire.Do(ctx, c, h.instance.Client, out, wire.UserAgent)
}

// read sends a request that reads, and decodes the answer.
func (h *Host) read(ctx context.Context, op string, r request, into any) error {
	return h.run(ctx, h.instance.Read(op), r, into)
}

// write sends a request that the gate counts as a write. into may be nil.
func (h *Host) write(ctx context.Context, op string, r request, into any) error {
	return h.run(ctx, h.instance.Write(op), r, into)
}

func (h *Host) run(ctx context.Context, c *wire.Call, r request, into any) error {
	body, _, err := h.do(ctx, c, r)
	if err != nil || into == nil {
		return err
	}
	return wire.Decode(c, body, into)
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities {
	return codehost.CapabilitiesOf(domain.AzureDevOps)
}

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.instance.Spare(ctx)
}
