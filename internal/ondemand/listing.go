package ondemand

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/domain"
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

// List reads the open pull requests of a repository from its host and stores the newest [run.MaxListed] of them that are not
// stored yet, without a review. Within 30 seconds the answer is the former one.
//
// Errors: [errs.Conflict] for a repository that is not connected; [errs.RateLimited] if the host limits the rate;
// [errs.NotFound] and [errs.Unavailable] if the host does not show the repository, or cannot be asked.
func (s *Service) List(ctx context.Context, t domain.Tenant, repository store.Repository) (Listing, error) {
	host, repo, err := s.reader(ctx, repository)
	if err != nil {
		return Listing{}, err
	}
	key := cache.Key{Tenant: t.ID, Kind: "open-pulls", ID: repository.ID}
	if kept, found, err := s.Cache.Get(ctx, key); err == nil && found {
		var out Listing
		if json.Unmarshal(kept, &out) == nil {
			return out, nil
		}
	}
	pulls, err := host.OpenPullRequests(ctx, repo)
	if err != nil {
		return Listing{}, refusal(err)
	}
	run.NewestFirst(pulls)
	listed := pulls[:min(len(pulls), run.MaxListed)]
	if err := s.Runs.StoreUnknown(ctx, t, repository.ID, listed); err != nil {
		return Listing{}, err
	}
	out := Listing{Open: len(pulls), Listed: len(listed), LeftOut: len(pulls) - len(listed)}
	if raw, err := json.Marshal(out); err == nil {
		_ = s.Cache.Set(ctx, key, raw, listingTime) // without it the next request asks the host again
	}
	return out, nil
}
