package ondemand

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// listingTime is how long the host of a repository is not asked again for its open pull requests (design choice). Events and
// sweeps bring what is newer.
const listingTime = 30 * time.Second

// Listing counts the open pull requests of a repository on its host.
type Listing struct {
	Open    int `json:"open" doc:"Open pull requests that the code host has"`
	Listed  int `json:"listed" doc:"The newest of them, which are listed here; at most 100"`
	LeftOut int `json:"leftOut" doc:"Older ones that are not listed; a review of them is requested by number"`
}

// Limits of lists (design choices). They keep readers from using up the requests that reviews need.
const (
	refusedTime   = 10 * time.Second // how long a host that failed is not asked again
	listTime      = 20 * time.Second // for all requests of a list
	listPatience  = 2 * time.Second  // for the share of sweeps
	listsPerHour  = 300              // of a tenant, in each process
	listsAtOnce   = 60               // of a tenant that listed nothing for some time
	listsUnderWay = 2                // of a tenant
	maxTenants    = 20_000           // whose lists are counted; the least recent one starts again
)

// answer is kept of a list: the listing, or the reason for its failure.
type answer struct {
	Listing Listing
	Refused *refused `json:",omitempty"`
}

type refused struct {
	Kind          errs.Kind
	Code, Message string
	RetryAfter    time.Duration
}

func (a answer) result() (Listing, error) {
	if r := a.Refused; r != nil {
		return Listing{}, &errs.Error{Kind: r.Kind, Code: r.Code, Message: r.Message, RetryAfter: r.RetryAfter}
	}
	return a.Listing, nil
}

// List reads the open pull requests of a repository from its host and stores the newest [run.MaxListed] of them that are not
// stored yet, without a review. Within 30 seconds the answer is the former one, and within 10 seconds after a failure the former
// failure. Concurrent calls for a repository share one answer. The requests count in the share of sweeps.
//
// Errors: [errs.Conflict] for a repository that is not connected, a host that forbids to read it, or too many open pull requests;
// [errs.RateLimited] if the host limits the rate, and beyond 300 lists per hour and tenant or two at once;
// [errs.NotFound] and [errs.Unavailable] if the host does not show the repository, or cannot be asked.
func (s *Service) List(ctx context.Context, t domain.Tenant, repository store.Repository) (Listing, error) {
	host, repo, err := s.reader(ctx, repository)
	if err != nil {
		return Listing{}, err
	}
	done := s.listing.DoChan(t.ID+" "+repository.ID, func() (any, error) {
		ctx, cancel := context.WithTimeout(codehost.WithSweep(context.WithoutCancel(ctx), listPatience), listTime)
		defer cancel()
		return s.list(ctx, t, repository, host, repo)
	})
	select {
	case got := <-done:
		out, _ := got.Val.(Listing)
		return out, got.Err
	case <-ctx.Done():
		return Listing{}, ctx.Err()
	}
}

// list is [Service.List] for all callers that ask at the same time.
func (s *Service) list(ctx context.Context, t domain.Tenant, repository store.Repository, host codehost.Reader,
	repo codehost.Repo) (Listing, error) {
	key := cache.Key{Tenant: t.ID, Kind: "open-pulls", ID: repository.ID, Version: "2"}
	if kept, found, err := s.Cache.Get(ctx, key); err == nil && found {
		var out answer
		if json.Unmarshal(kept, &out) == nil {
			return out.result()
		}
	}
	leave, err := s.lists.enter(t.ID)
	if err != nil {
		return Listing{}, err
	}
	defer leave()
	keep := func(a answer, ttl time.Duration) {
		if raw, err := json.Marshal(a); err == nil {
			_ = s.Cache.Set(context.WithoutCancel(ctx), key, raw, ttl) // without it the next request asks the host again
		}
	}
	// The limit of lists holds here, so that a list takes no place of the tests of administrators.
	pulls, err := host.OpenPullRequests(outbound.WithGate(ctx, func() error { return nil }), repo)
	if err != nil {
		err = refusal(err)
		if e, ok := errors.AsType[*errs.Error](err); ok {
			keep(answer{Refused: &refused{e.Kind, e.StableCode(), e.Message, e.RetryAfter}}, refusedTime)
		}
		return Listing{}, err
	}
	run.NewestFirst(pulls)
	listed := pulls[:min(len(pulls), run.MaxListed)]
	if err := s.Runs.StoreUnknown(ctx, t, repository.ID, listed); err != nil {
		return Listing{}, err
	}
	out := Listing{Open: len(pulls), Listed: len(listed), LeftOut: len(pulls) - len(listed)}
	keep(answer{Listing: out}, listingTime)
	return out, nil
}

// listLimits counts the lists of tenants. It is safe for concurrent use.
type listLimits struct {
	mu       sync.Mutex
	rates    *lru.Cache[string, *rate.Limiter] // by tenant
	underWay map[string]int
}

func newListLimits() *listLimits {
	rates, _ := lru.New[string, *rate.Limiter](maxTenants) // fails only for a size below 1
	return &listLimits{rates: rates, underWay: map[string]int{}}
}

// enter counts a list of a tenant, or refuses it with [errs.RateLimited]. Call leave after each accepted one.
func (l *listLimits) enter(tenant string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter, known := l.rates.Get(tenant)
	if !known {
		limiter = rate.NewLimiter(rate.Every(time.Hour/listsPerHour), listsAtOnce)
		l.rates.Add(tenant, limiter)
	}
	if l.underWay[tenant] >= listsUnderWay || !limiter.Allow() {
		return nil, &errs.Error{Kind: errs.RateLimited, Code: "listed_too_often", Message: "The open pull requests of this tenant's " +
			"repositories are read from the code host too often. Events and sweeps still bring new ones. The header Retry-After says when " +
			"to ask again.", RetryAfter: time.Hour / listsPerHour}
	}
	l.underWay[tenant]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.underWay[tenant]--; l.underWay[tenant] == 0 {
			delete(l.underWay, tenant)
		}
	}, nil
}
