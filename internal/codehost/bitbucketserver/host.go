package bitbucketserver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Config configures a [Host]. Owner is the key of a project, "~" and the slug of a person, or
// [codehost.WholeInstance]. Git makes commits; without it, the host refuses them.
type Config struct {
	wire.Config
	Git codehost.GitPusher
}

// Host is one connection to one instance. It implements [codehost.Host], [codehost.NoteByNote] and
// [codehost.Connection], and is safe for concurrent use.
type Host struct {
	codehost.NoDrafts
	client wire.Client
	git    codehost.GitPusher // may be nil
	people *Host              // the same host with the budget key for requests about people
	known  *known
}

// known holds what answers have shown. Copies of a host share it.
type known struct {
	mu      sync.Mutex // guards the values below
	account account
	pending *bool // the host keeps comments pending; nil until the first one shows it
	diffs   []*parsedDiff
}

var (
	_ codehost.Host          = (*Host)(nil)
	_ codehost.NoteByNote    = (*Host)(nil)
	_ codehost.Connection    = (*Host)(nil)
	_ codehost.AccountFinder = (*Host)(nil)
	_ codehost.Resolver      = (*Host)(nil)
)

// New checks the configuration and returns a Host. It sends nothing. Errors name the field.
func New(cfg Config) (*Host, error) {
	if cfg.Owner != "" && cfg.Owner != codehost.WholeInstance && !validOwner(cfg.Owner) {
		return nil, errors.New("bitbucket-data-center: Owner must be the key of a project, ~ and the login of a person, or a star")
	}
	cfg.Kind = domain.BitbucketDataCenter
	at, err := cfg.Open(rules)
	if err != nil {
		return nil, err
	}
	h := &Host{git: cfg.Git, known: &known{}}
	h.client = wire.Client{Instance: at, Root: at.Base, Authorize: func(c *wire.Call) { c.Authorize = h.authorize }}
	people := *h
	people.client.Instance = at.WithBudget("people")
	h.people = &people
	return h, nil
}

// Capabilities implements [codehost.Publisher].
func (h *Host) Capabilities() codehost.Capabilities {
	return codehost.CapabilitiesOf(domain.BitbucketDataCenter)
}

// Spare implements [codehost.Publisher].
func (h *Host) Spare(ctx context.Context, _ codehost.Repo) (bool, error) {
	return h.client.Spare(ctx)
}

// authorize returns the header with the token. Only this function and [Host.Clone] reveal the token. Since
// 8.9.22, 8.19.12 and 9.3.2, tokens of projects and repositories work as a bearer only
// (support.atlassian.com/bitbucket-data-center/kb).
func (h *Host) authorize(context.Context) (string, error) {
	return "Bearer " + h.client.Token.Reveal(), nil
}

// Roots of the interface.
const (
	api      = "/rest/api/latest"
	insights = "/rest/insights/latest"
	builds   = "/rest/build-status/latest"
)

// raw reads a path whose answer is text.
func (h *Host) raw(ctx context.Context, op, path string) (out []byte, err error) {
	c := h.client.Read(op)
	c.Raw = true
	_, err = h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: path}, &out)
	return out, err
}

// pageSize is the most entries of a page, the default bound of the host (page.max.* of the host's
// properties are between 100 and 1000).
const pageSize = 100

// page is one page of a list.
type page[S any] struct {
	Values []S  `json:"values"`
	Last   bool `json:"isLastPage"`
	Next   *int `json:"nextPageStart"`
}

// list reads the pages that begin at a path by [wire.List].
func list[S, T any](ctx context.Context, h *Host, op, path string, most int, keep func(S) (T, bool)) (out []T, whole bool, err error) {
	return listWhile(ctx, h, op, path, most, keep, func(page[S]) bool { return true })
}

// listWhile is [list] that ends after the first page for which more returns false. more gets every page.
func listWhile[S, T any](ctx context.Context, h *Host, op, path string, most int, keep func(S) (T, bool),
	more func(page[S]) bool) (out []T, whole bool, err error) {
	start, sep := 0, "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return wire.List(ctx, op, most, func(ctx context.Context, _ int) (part []S, goesOn bool, err error) {
		var p page[S]
		c := h.client.Read(op)
		c.Entries = pageSize
		address := path + sep + "limit=" + itoa(pageSize) + "&start=" + itoa(start)
		if _, err := h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: address}, &p); err != nil {
			return nil, false, err
		}
		if !more(p) || p.Last || p.Next == nil {
			return p.Values, false, nil
		}
		if *p.Next <= start {
			return nil, false, wire.Unexpected(c, "the next page is not after this one")
		}
		start = *p.Next
		return p.Values, true, nil
	}, keep)
}

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
