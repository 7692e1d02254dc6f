package bitbucketcloud

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// cloudAddress is the web address of Bitbucket Cloud, and cloudAPI that of its interface. Another BaseURL, such as that of a
// simulated host, has its interface below /2.0.
const (
	cloudAddress = "https://bitbucket.org"
	cloudAPI     = "https://api.bitbucket.org/2.0"
)

// Config configures a [Host]. Owner is the slug of a workspace. Username decides what Token is: see [credential].
type Config struct {
	wire.Config
	Username string
}

// Host is one connection to one workspace. It implements [codehost.Host], [codehost.MarkedNotes] and [codehost.Connection], and is
// safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	client wire.Client
	auth   *credential
	people *Host // the same host with the budget key for requests about people
	known  *known
}

// known holds what answers have shown. Copies of a host share it.
type known struct {
	mu      sync.Mutex // guards the values below
	account account
	asked   bool              // the host was asked for the account, and refused to name it
	commits map[string]string // full ids of commits by repository and short id
	counts  map[string]counts // of changes, by repository, head and base
	places  []*places         // of the most recently used diffs
}

var (
	_ codehost.Host          = (*Host)(nil)
	_ codehost.Connection    = (*Host)(nil)
	_ codehost.AccountFinder = (*Host)(nil)
	_ codehost.Resolver      = (*Host)(nil)
)

// New checks the configuration and returns a Host. It sends nothing. Errors name the field.
func New(cfg Config) (*Host, error) {
	cfg.Kind = domain.BitbucketCloud
	if cfg.BaseURL == "" {
		cfg.BaseURL = cloudAddress
	}
	if cfg.Owner != "" && !wire.ValidName(cfg.Owner) {
		return nil, errors.New("bitbucket-cloud: Owner must be the slug of a workspace")
	}
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	h := &Host{client: wire.Client{Instance: at, Root: at.Base + "/2.0"}, known: &known{}}
	if at.Base == cloudAddress {
		h.client.Root = cloudAPI
	}
	if h.auth, err = newCredential(h, cfg); err != nil {
		return nil, err
	}
	h.client.Authorize = h.auth.attach
	people := *h
	people.client.Instance = at.WithBudget("people")
	h.people = &people
	return h, nil
}

// withOwner returns a copy of the host with another owner.
func (h *Host) withOwner(owner string) *Host {
	out := *h
	out.client.Owner = owner
	return &out
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities {
	return codehost.CapabilitiesOf(domain.BitbucketCloud)
}

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.client.Spare(ctx)
}

// pageSize is the number of entries requested per page: the most that most lists allow
// (developer.atlassian.com/cloud/bitbucket/rest/intro, "Pagination"). Lists of pull requests allow 50.
const pageSize = 100

// page is one page of a list. Next is the address of the following one, "" at the end. A client must not make that address itself.
type page[S any] struct {
	Values []S    `json:"values"`
	Next   string `json:"next"`
	Size   *int   `json:"size"`
}

// list reads the pages that begin at a path by [wire.List]. It follows addresses of the interface only.
func list[S, T any](ctx context.Context, h *Host, op, path string, most int, keep func(S) (T, bool)) (out []T, whole bool, err error) {
	next := h.client.Root + path
	return wire.List(ctx, op, most, func(ctx context.Context, _ int) (part []S, more bool, err error) {
		var p page[S]
		c := &wire.Call{Op: op, Entries: maxPage}
		if _, err := h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: next}, &p); err != nil {
			return nil, false, err
		}
		if p.Next == "" {
			return p.Values, false, nil
		}
		to, ok := wire.SameOrigin(h.client.Root, p.Next)
		if !ok {
			return nil, false, wire.Unexpected(c, "the next page is at another host")
		}
		if to == next {
			return nil, false, wire.Unexpected(c, "the next page is the same page")
		}
		next = to
		return p.Values, true, nil
	}, keep)
}

// maxPage is the most entries of a page that are read, whatever was requested: lists of changed files have up to 500.
const maxPage = 500

// all is [list] for a list that must be read completely. things names the entries in the error.
func all[S, T any](ctx context.Context, h *Host, op, path, things string, most int, keep func(S) (T, bool)) ([]T, error) {
	out, whole, err := list(ctx, h, op, path, most, keep)
	if err == nil && !whole {
		err = wire.TooMany(op, most, things)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// at returns the path of a repository in the interface.
func at(r codehost.Repo) string {
	return "/repositories/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name)
}

// braced returns an id as the UUID that the host writes in paths.
func braced(id domain.HostID) string { return url.PathEscape("{" + string(id) + "}") }

// hostID returns a UUID of the host as an id, without braces.
func hostID(uuid string) domain.HostID {
	id := strings.TrimSuffix(strings.TrimPrefix(uuid, "{"), "}")
	if !uuidForm.MatchString(id) {
		return ""
	}
	return domain.HostID(id)
}
