package tickets

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// The ways in which a connection writes at issues.
const (
	linkBackComment = "comment"
	linkBackLink    = "link"
)

// connection is an enabled connection of a tenant with its parsed mapping.
type connection struct {
	store.TrackerConnection
	place   issuePlace
	mapping mapping
	failed  error // why its tracker did not list its projects or linked issues; earlier links then stay

	reader codehost.IssueReader // of [hostConnection], which is the code host itself; nil for trackers
	repo   codehost.Repo        // as above: the repository of the pull request
}

// mapping is the part of a connection's stored mapping that this package reads.
type mapping struct {
	AcceptanceCriteria *criteriaPlace `json:"acceptanceCriteria"` // nil: criteria are not read
	DoneStates         []string       `json:"doneStates"`
	LinkBack           string         `json:"linkBack"`
	AllowOnPublic      bool           `json:"allowOnPublic"`
}

// criteriaPlace is where the acceptance criteria of an issue stand.
type criteriaPlace struct {
	Field   string `json:"field"`
	Heading string `json:"heading"`
}

// maxConnections is how many connections of a tenant are read. It equals the most that a tenant may have.
const maxConnections = 20

// connections returns the enabled connections of a tenant, oldest first. Connections that read every
// project come without their projects; see fillProjects.
func (s *Service) connections(ctx context.Context, t domain.Tenant) (out []connection, err error) {
	rows, err := s.Store.TrackerConnections(ctx, t, store.Cursor{}, maxConnections)
	slices.Reverse(rows)
	for _, row := range rows {
		if !row.Enabled {
			continue
		}
		c := connection{TrackerConnection: row, mapping: store.FromJSON[mapping](row.Mapping)}
		c.place = issuePlace{Connection: row.ID, Kind: domain.ConnectionKind(row.Kind), BaseURL: row.BaseURL,
			Projects: store.FromJSON[[]string](row.Projects)}
		out = append(out, c)
	}
	return out, err
}

// projectsAge is how long a tracker's list of projects is cached (design choice).
const projectsAge = 10 * time.Minute

// projectsKind is the kind of these cache entries.
const projectsKind = "tracker-projects"

// fillProjects fills in the projects of a connection that reads every project. If the tracker does not answer,
// the list stays empty, no key counts as one of its issues, and failed holds the reason.
func (s *Service) fillProjects(ctx context.Context, t domain.Tenant, c connection) connection {
	if len(c.place.Projects) > 0 || c.place.Kind == domain.AzureBoards || c.reader != nil { // work items are found by number
		return c
	}
	key := cache.Key{Tenant: t.ID, Kind: projectsKind, ID: c.ID, Version: time.UnixMicro(c.UpdatedUS).UTC().Format(time.RFC3339Nano)}
	// a cache that is down is a miss
	if kept, found, err := s.Cache.Get(ctx, key); err == nil && found && json.Unmarshal(kept, &c.place.Projects) == nil {
		return c
	}
	tr, err := s.open(ctx, t, c.TrackerConnection)
	var projects []tracker.Project
	if err == nil {
		projects, err = tr.Projects(ctx)
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "the projects of an issue tracker are not known, so that no keys of its issues are either",
			"connection", c.ID, "error", err)
		c.failed = err
		return c
	}
	for _, p := range projects {
		c.place.Projects = append(c.place.Projects, p.Key)
	}
	if raw, err := json.Marshal(c.place.Projects); err == nil {
		_ = s.Cache.Set(ctx, key, raw, projectsAge) // without the entry the next call asks again
	}
	return c
}

// projectShare is the divisor of [Config.ReadTime] for listing projects and linked issues; the rest of the time is
// for reading issues (design choice).
const projectShare = 2

// findLinked asks the trackers of all connections for their projects and, by linked, for the issues that they link
// to the pull request. The calls run in parallel, so that a slow tracker takes no time from another.
func (s *Service) findLinked(ctx context.Context, t domain.Tenant, all []connection,
	linked func(context.Context, connection) ([]foundIssue, error)) (found []foundIssue) {
	ctx, cancel := context.WithTimeout(ctx, s.ReadTime/projectShare)
	defer cancel()
	told := make([][]foundIssue, len(all))
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			err := ask.Contained(func() (err error) {
				all[i] = s.fillProjects(ctx, t, all[i])
				told[i], err = linked(ctx, all[i])
				return err
			})
			if err != nil && all[i].failed == nil {
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

// byID returns the connection with an id, and false if the list lacks it.
func byID(all []connection, id string) (connection, bool) {
	i := slices.IndexFunc(all, func(c connection) bool { return c.ID == id })
	if i < 0 {
		return connection{}, false
	}
	return all[i], true
}
