package tickets

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// What a connection writes at issues.
const (
	linkBackComment = "comment"
	linkBackLink    = "link"
)

// connection is an enabled connection of a tenant, with what it says of itself.
type connection struct {
	store.TrackerConnection
	place   Place
	mapping mapping
	failed  error // why its tracker did not say which issues there are, or which it links: what was found before stays
}

// mapping is what this package reads of the stored mapping of a connection.
type mapping struct {
	AcceptanceCriteria *struct {
		Field   string `json:"field"`
		Heading string `json:"heading"`
	} `json:"acceptanceCriteria"` // nil: criteria are not read
	DoneStates    []string `json:"doneStates"`
	LinkBack      string   `json:"linkBack"`
	AllowOnPublic bool     `json:"allowOnPublic"`
}

// mostConnections bounds the connections of a tenant that are looked at: a tenant may
// have no more.
const mostConnections = 20

// connections are the enabled connections of a tenant, the oldest first, without the
// projects of those that read every one.
func (s *Service) connections(ctx context.Context, t domain.Tenant) (out []connection, err error) {
	rows, err := s.Store.TrackerConnections(ctx, t, store.Cursor{}, mostConnections)
	slices.Reverse(rows)
	for _, row := range rows {
		if !row.Enabled {
			continue
		}
		c := connection{TrackerConnection: row, mapping: store.FromJSON[mapping](row.Mapping)}
		c.place = Place{Connection: row.ID, Kind: domain.ConnectionKind(row.Kind), BaseURL: row.BaseURL, Projects: store.FromJSON[[]string](row.Projects)}
		out = append(out, c)
	}
	return out, err
}

// projectsAge is how long it is believed which projects a tracker has (design choice).
const projectsAge = 10 * time.Minute

// projectsKind names the entries in the cache.
const projectsKind = "tracker-projects"

// complete fills in the projects of a connection that reads every one of them. Where
// the tracker does not tell, none is known and no key is one of its issues: failed says
// why.
func (s *Service) complete(ctx context.Context, t domain.Tenant, c connection) connection {
	if len(c.place.Projects) > 0 || c.place.Kind == domain.AzureBoards { // work items of which are known by number
		return c
	}
	key := cache.Key{Tenant: t.ID, Kind: projectsKind, ID: c.ID, Version: time.UnixMicro(c.UpdatedUS).UTC().Format(time.RFC3339Nano)}
	if kept, found, err := s.Cache.Get(ctx, key); err == nil && found && json.Unmarshal(kept, &c.place.Projects) == nil { // a cache that is down is a miss
		return c
	}
	tr, err := s.open(ctx, t, c.TrackerConnection)
	var projects []tracker.Project
	if err == nil {
		projects, err = tr.Projects(ctx)
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the projects of an issue tracker are not known, so that no keys of its issues are either", "connection", c.ID, "error", err)
		c.failed = err
		return c
	}
	for _, p := range projects {
		c.place.Projects = append(c.place.Projects, p.Key)
	}
	if raw, err := json.Marshal(c.place.Projects); err == nil {
		_ = s.Cache.Set(ctx, key, raw, projectsAge) // the next one asks again
	}
	return c
}

// share is how much of the time for trackers is for asking them what there is; the rest
// is for reading issues (design choice).
const share = 2

// ask asks the trackers of all connections at once which projects they have and, by
// linked, which issues they link to the pull request. None takes time from another one.
func (s *Service) ask(ctx context.Context, t domain.Tenant, all []connection, linked func(context.Context, connection) ([]Found, error)) (found []Found) {
	ctx, cancel := context.WithTimeout(ctx, s.ReadTime/share)
	defer cancel()
	told := make([][]Found, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			all[i] = s.complete(ctx, t, all[i])
			var err error
			if told[i], err = linked(ctx, all[i]); err != nil && all[i].failed == nil {
				all[i].failed = err
			}
		})
	}
	group.Wait()
	return slices.Concat(told...)
}

// reads reports whether a connection reads the issues of a project.
func (c connection) reads(project string) bool {
	return len(c.place.Projects) == 0 || c.place.has(project)
}

// byID finds a connection.
func byID(all []connection, id string) (connection, bool) {
	i := slices.IndexFunc(all, func(c connection) bool { return c.ID == id })
	if i < 0 {
		return connection{}, false
	}
	return all[i], true
}
