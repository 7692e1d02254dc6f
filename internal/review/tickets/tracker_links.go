package tickets

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// TrackerLinkCreate states that a pull request belongs to an issue.
type TrackerLinkCreate struct {
	Number       int    `json:"number" minimum:"1" maximum:"2147483647" doc:"Of the pull request" example:"1"`
	Issue        string `json:"issue" minLength:"1" maxLength:"1000" doc:"Key of the issue, or its address at the tracker" example:"PAY-123"`
	ConnectionID string `json:"connectionId,omitempty" maxLength:"100" doc:"Of the tracker; absent: the oldest connection that has such an issue" example:"tcn_example"`
}

// TransformSchema implements [huma.SchemaTransformer]. It leaves the connection's id out of the example,
// because no example id would fit.
func (TrackerLinkCreate) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Examples = []any{map[string]any{"number": 1, "issue": "PAY-123"}}
	return s
}

// TrackerLink ties a pull request to an issue, as the interface shows it. Title, type and state are text
// from outside.
type TrackerLink struct {
	ID           string     `json:"id" audit:"ignore"`
	Number       int        `json:"number" audit:"track" doc:"Of the pull request"`
	Tracker      string     `json:"tracker" enum:"jira,linear,azure-boards,github,gitlab,gitea,forgejo" audit:"track"`
	ConnectionID string     `json:"connectionId,omitempty" audit:"ignore" doc:"Through which the issue is read; absent for issues of the code host and links of earlier versions"`
	IssueKey     string     `json:"issueKey" audit:"track"`
	KeyOnly      bool       `json:"keyOnly" audit:"ignore" doc:"Only the key is allowed to be shown: the repository is public, or a stranger's fork names the issue. If this is false and both readAt and unread are absent, the issue was not read yet"`
	Title        string     `json:"title" audit:"ignore"`
	URL          string     `json:"url" audit:"ignore"`
	Type         string     `json:"type" audit:"ignore" doc:"As the tracker names it"`
	State        string     `json:"state" audit:"ignore" doc:"As the tracker names it"`
	Done         bool       `json:"done" audit:"ignore"`
	Unread       string     `json:"unread,omitempty" audit:"ignore" doc:"Why the issue could not be read last"`
	Recheck      string     `json:"recheck,omitempty" audit:"ignore" doc:"Why the last edit of its acceptance criteria was not judged; absent if it was judged, or without an edit"`
	ReadAt       *time.Time `json:"readAt,omitempty" audit:"ignore" doc:"When it was read; absent: never"`
	FoundIn      string     `json:"foundIn" enum:"person,tracker,host,branch,title,body,commit" audit:"ignore"`
	AddedBy      string     `json:"addedBy,omitempty" audit:"ignore" doc:"Id of the person who said so"`
	CreatedAt    time.Time  `json:"createdAt" audit:"ignore"`
}

func (v TrackerLink) target() audit.Target {
	return audit.Target{Kind: "tracker-link", ID: v.ID, Name: v.IssueKey}
}

func asTrackerLink(v store.TrackerLink, keyOnly bool) TrackerLink {
	out := TrackerLink{ID: v.ID, Number: v.Number, Tracker: v.Tracker, ConnectionID: v.Connection, IssueKey: v.IssueKey,
		KeyOnly: keyOnly, FoundIn: v.FoundIn, AddedBy: v.AddedBy, CreatedAt: store.Time(v.CreatedUS)}
	if v.Connection == hostConnection {
		out.ConnectionID = ""
	}
	if !keyOnly {
		out.Title, out.URL, out.Type, out.State, out.Done, out.Unread = v.Title, v.URL, v.Type, v.State, v.Done, v.Unread
		out.Recheck = v.Recheck
		if v.ReadUS != 0 {
			out.ReadAt = new(store.Time(v.ReadUS))
		}
	}
	return out
}

// Page is a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// Links lists the valid links of a repository, newest first. An issue shows its key alone if that was
// decided when it was read, or if the present state of the repository and the connection requires it.
func (s *Service) Links(ctx context.Context, t domain.Tenant, repository store.Repository, p Page) ([]TrackerLink, error) {
	rows, err := s.Store.TrackerLinks(ctx, t, repository.ID, p.Before, p.Limit)
	if err != nil {
		return nil, err
	}
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return nil, err
	}
	return shownLinks(rows, hidden), nil
}

// OfPull lists the valid links of a pull request, oldest first, at most 200, as [Service.Links] shows them, and the verdicts of the
// newest review that judged each linked issue, in the order of the criteria, as [Service.Checks] shows them. It asks the host at most
// once who can read the repository.
func (s *Service) OfPull(ctx context.Context, t domain.Tenant, repository store.Repository,
	pull string) (links []TrackerLink, checks []store.ACCheck, err error) {
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.Store.TrackerLinksOf(ctx, t, pull)
	if err != nil {
		return nil, nil, err
	}
	if checks, err = s.lastChecks(ctx, t, pull); err != nil {
		return nil, nil, err
	}
	checks, err = s.shownChecks(ctx, t, checks, hidden)
	return shownLinks(rows, hidden), checks, err
}

// shownLinks returns links as people see them: only with the key where the rest of the issue is hidden.
func shownLinks(rows []store.TrackerLink, hidden isHidden) []TrackerLink {
	out := make([]TrackerLink, len(rows))
	for i, r := range rows {
		out[i] = asTrackerLink(r, r.KeyOnly || hidden(r.Connection, r.Stranger))
	}
	return out
}

// Checks lists the verdicts on acceptance criteria, newest first. Verdicts on issues whose key alone may be
// known come without the issue's words.
func (s *Service) Checks(ctx context.Context, t domain.Tenant, repository store.Repository, p Page) ([]store.ACCheck, error) {
	rows, err := s.Store.ACChecks(ctx, t, repository.ID, p.Before, p.Limit)
	if err != nil {
		return nil, err
	}
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return nil, err
	}
	return s.shownChecks(ctx, t, rows, hidden)
}

// lastChecks lists the verdicts of the newest review that judged each linked issue of a pull request, in the order of the criteria.
func (s *Service) lastChecks(ctx context.Context, t domain.Tenant, pull string) ([]store.ACCheck, error) {
	rows, err := s.Store.LastACChecks(ctx, t, pull)
	if err != nil {
		return nil, err
	}
	newest := map[[2]string]string{} // the run, by connection and key of the issue
	rows = slices.DeleteFunc(rows, func(c store.ACCheck) bool {
		issue := [2]string{c.Connection, c.IssueKey}
		if _, known := newest[issue]; !known {
			newest[issue] = c.Run
		}
		return newest[issue] != c.Run // an earlier version of the issue had this criterion
	})
	slices.SortStableFunc(rows, func(a, b store.ACCheck) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return rows, nil
}

// shownChecks removes the words of verdicts on hidden issues. It changes rows.
func (s *Service) shownChecks(ctx context.Context, t domain.Tenant, rows []store.ACCheck, hidden isHidden) ([]store.ACCheck, error) {
	stranger := s.strangers(ctx, t)
	for i := range rows {
		by, err := stranger(rows[i])
		if err != nil {
			return nil, err
		}
		if hidden(rows[i].Connection, by) {
			rows[i].Criterion, rows[i].Reason, rows[i].Evidence = "", "", "[]"
		}
	}
	return rows, nil
}

// OfLink reports whether a verdict is about the issue of a link.
func OfLink(v store.ACCheck, l TrackerLink) bool {
	return v.IssueKey == l.IssueKey && (v.Connection == l.ConnectionID || l.ConnectionID == "" && v.Connection == hostConnection)
}

// isHidden reports whether only the key of an issue may be known on a repository. It takes the connection of the issue and whether a
// stranger's fork names it.
type isHidden func(connection string, stranger bool) bool

// hiddenFunc builds the [isHidden] of a repository.
type hiddenFunc func(ctx context.Context, t domain.Tenant, repository store.Repository) (isHidden, error)

// hidden is a [hiddenFunc] that asks the host who can read the repository when the answer is first needed.
func (s *Service) hidden(ctx context.Context, t domain.Tenant, repository store.Repository) (isHidden, error) {
	return s.hiddenIn(ctx, t, sync.OnceValue(func() bool { return s.visible(ctx, repository).Open() }))
}

// hiddenNow is a [hiddenFunc] by the stored state of the repository.
func (s *Service) hiddenNow(ctx context.Context, t domain.Tenant, repository store.Repository) (isHidden, error) {
	return s.hiddenIn(ctx, t, repository.Open)
}

func (s *Service) hiddenIn(ctx context.Context, t domain.Tenant, open func() bool) (isHidden, error) {
	all, err := s.connections(ctx, t)
	return func(id string, stranger bool) bool {
		if id == hostConnection { // a link to an issue of another repository has its key alone
			return false
		}
		c, ok := byID(all, id)
		if allowed := ok && c.mapping.AllowOnPublic; allowed || stranger {
			return KeyOnly(Audience{Fork: stranger}, allowed)
		}
		return KeyOnly(Audience{Public: open()}, false)
	}, err
}

// strangers returns a function that reports whether a stranger's fork names the issue of a verdict.
func (s *Service) strangers(ctx context.Context, t domain.Tenant) func(r store.ACCheck) (bool, error) {
	known := map[string][]store.TrackerLink{}
	return func(r store.ACCheck) (bool, error) {
		links, ok := known[r.PullRequest]
		if !ok {
			var err error
			if links, err = s.Store.TrackerLinksOf(ctx, t, r.PullRequest); err != nil {
				return true, err
			}
			known[r.PullRequest] = links
		}
		return slices.ContainsFunc(links, func(l store.TrackerLink) bool {
			return l.Connection == r.Connection && l.IssueKey == r.IssueKey && (l.Stranger || l.KeyOnly)
		}), nil
	}
}

// Add stores a person's statement that a pull request belongs to an issue. A job then reads the issue as
// far as it may be known. Errors: [errs.NotFound] if the pull request does not exist, [errs.Invalid] if no
// connection has such an issue, [errs.Unavailable] if a tracker does not answer, [errs.Conflict] if the
// pull request has too many links.
func (s *Service) Add(ctx context.Context, t domain.Tenant, repository store.Repository, person string,
	in TrackerLinkCreate) (out TrackerLink, err error) {
	found, err := s.findNamed(ctx, t, in)
	if err != nil {
		return out, err
	}
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return out, err
	}
	hidden(found.Connection, false) // asks the host now, so that the transaction does not
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		pull, err := s.Store.PullRequestNumbered(ctx, t, repository.ID, in.Number)
		if err != nil {
			return audit.Act{}, err
		}
		there, err := s.Store.TrackerLinksOf(ctx, t, pull.ID)
		if err != nil {
			return audit.Act{}, err
		}
		mine := slices.DeleteFunc(there, func(l store.TrackerLink) bool { return l.AddedBy == "" || l.IssueKey == found.IssueKey })
		if len(mine) >= domain.MaxTickets {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached", "A pull request belongs to %d issues at most. Remove one first.",
				domain.MaxTickets)
		}
		row, err := s.Store.AddTrackerLinkByPerson(ctx, t, pull.ID, person, found)
		if err == nil && pull.State == "open" {
			err = s.readSoon(ctx, t, row, domain.NewID("say"))
		}
		out = asTrackerLink(row, row.KeyOnly || hidden(row.Connection, row.Stranger))
		return audit.Act{Tenant: t, Action: "tracker-link.create", Target: out.target(), After: out}, err
	})
	return out, err
}

// findNamed finds the connection of the issue that a person entered.
func (s *Service) findNamed(ctx context.Context, t domain.Tenant, in TrackerLinkCreate) (store.FoundLink, error) {
	var c field.Check
	c.Line("/issue", in.Issue)
	if err := c.Err(); err != nil {
		return store.FoundLink{}, err
	}
	all, err := s.connections(ctx, t)
	if err != nil {
		return store.FoundLink{}, err
	}
	within, cancel := context.WithTimeout(ctx, s.ReadTime)
	defer cancel()
	known := in.ConnectionID == ""
	if !known {
		all = slices.DeleteFunc(all, func(con connection) bool { return con.ID != in.ConnectionID })
		known = len(all) > 0
	}
	s.findLinked(within, t, all, func(context.Context, connection) ([]foundIssue, error) { return nil, nil })
	silent := false
	for _, con := range all {
		if key := normalizeKey(in.Issue, con.place); key != "" {
			return store.FoundLink{Connection: con.ID, Tracker: con.Kind, IssueKey: key, FoundIn: inPerson}, nil
		}
		silent = silent || con.failed != nil
	}
	if silent {
		return store.FoundLink{}, errs.New(errs.Unavailable, "tracker_silent",
			"An issue tracker does not say which projects it has, so that it is not known whether it has this issue. Try again later.")
	}
	c.That(known, "/connectionId", "must be the id of a connection to an issue tracker that is switched on")
	c.That(!known, "/issue", "must be the key or address of an issue of a project that a connection reads")
	return store.FoundLink{}, c.Err()
}

// Remove records a person's statement that a link is wrong. The link is not found again.
func (s *Service) Remove(ctx context.Context, t domain.Tenant, repository store.Repository, person, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.TrackerLink(ctx, t, repository.ID, id)
		if err != nil {
			return audit.Act{}, err
		}
		v := asTrackerLink(row, true)
		return audit.Act{Tenant: t, Action: "tracker-link.delete", Target: v.target(), Before: v},
			s.Store.RemoveTrackerLink(ctx, t, repository.ID, id, person)
	})
}
