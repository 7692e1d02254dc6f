package tickets

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Change is a pull request of which it is asked what it was meant to do.
type Change struct {
	Tenant      domain.Tenant
	Repository  store.Repository
	PullRequest string // its id
	Host        codehost.Reader
	Repo        codehost.Repo
	Now         codehost.PullRequest // as the host tells it
}

// look is what one look at a pull request knows.
type look struct {
	*Service
	Change
	audience    Audience
	connections []connection
}

// look finds out by what the issues of a pull request are judged; ok is false where the
// tenant has no tracker.
func (s *Service) look(ctx context.Context, c Change) (l *look, ok bool, err error) {
	all, err := s.connections(ctx, c.Tenant)
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	l = &look{Service: s, Change: c, connections: all}
	if l.audience, err = s.audience(ctx, c.Repository, c.Host, c.Repo, c.Now); err != nil {
		return nil, false, err
	}
	return l, true, nil
}

func (l *look) keyOnly(c connection) bool { return KeyOnly(l.audience, c.mapping.AllowOnPublic) }

// find brings the links of the pull request up to date and returns those that hold.
// within bounds what trackers are asked for it.
func (l *look) find(ctx, within context.Context) ([]store.TrackerLink, error) {
	there, err := l.Store.TrackerLinksOf(ctx, l.Tenant, l.PullRequest)
	if err != nil {
		return nil, err
	}
	linked := slices.DeleteFunc(l.ask(within, l.Tenant, l.connections, l.linked), func(f Found) bool { return l.ours(f, there) })
	places := make([]Place, len(l.connections))
	for i, c := range l.connections {
		places[i] = c.place
	}
	found := append(linked, Keys(Said{Branch: l.branch(), Title: l.Now.Title, Body: l.Now.Body, Commits: l.commits(ctx), Linked: l.hosts(ctx)}, places)...)
	return l.Store.SeeTrackerLinks(ctx, l.Tenant, l.PullRequest, stored(Surest(append(found, l.before(there)...)...)))
}

// ours reports whether a tracker links an issue to the pull request because we have told
// it to: a link that we wrote keeps no issue that nothing else names any more.
func (l *look) ours(f Found, there []store.TrackerLink) bool {
	c, _ := byID(l.connections, f.Connection)
	return c.mapping.LinkBack == linkBackLink && slices.ContainsFunc(there, func(k store.TrackerLink) bool {
		return k.Connection == f.Connection && k.IssueKey == f.Key && k.Written != "" && k.FoundIn != inTracker
	})
}

// before are the links of trackers that do not answer now, which stay as they are.
func (l *look) before(there []store.TrackerLink) (out []Found) {
	for _, k := range there {
		if c, ok := byID(l.connections, k.Connection); ok && c.failed != nil {
			out = append(out, Found{Connection: k.Connection, Kind: domain.ConnectionKind(k.Tracker), Key: k.IssueKey, In: k.FoundIn})
		}
	}
	return out
}

// branch is the name of the branch, which of a fork is its owner's to choose as the
// title is.
func (l *look) branch() string { return l.Now.HeadRef }

// commits are the messages of the commits, where the host has them at hand. A host
// that does not answer keeps nothing from being found elsewhere.
func (l *look) commits(ctx context.Context) []string {
	c, ok := codehost.MessengerOf(l.Host)
	if !ok {
		return nil
	}
	messages, err := c.Messages(ctx, l.Repo, l.Now.Number)
	if err != nil {
		l.Logger.WarnContext(ctx, "the messages of commits could not be read; issues that only they name are not found", "pull", l.PullRequest, "error", err)
	}
	return messages
}

// hosts are the keys of issues that the code host itself links, where it tells them.
func (l *look) hosts(ctx context.Context) []string {
	h, ok := codehost.IssueLinkerOf(l.Host)
	if !ok {
		return nil
	}
	keys, err := h.LinkedIssues(ctx, l.Repo, l.Now.Number)
	if err != nil {
		l.Logger.WarnContext(ctx, "the issues that the host links to a pull request could not be read; those that only it names are not found", "pull", l.PullRequest, "error", err)
	}
	return keys
}

// linked are the issues that a tracker itself links to the pull request. One of whose
// issues only the key may be known is not asked.
func (l *look) linked(ctx context.Context, c connection) (out []Found, err error) {
	if l.Now.URL == "" || l.keyOnly(c) || c.failed != nil {
		return nil, nil
	}
	tr, err := l.open(ctx, l.Tenant, c.TrackerConnection)
	var keys []string
	if err == nil {
		keys, err = tr.LinkedTo(ctx, l.Now.URL)
	}
	if err != nil {
		l.Logger.WarnContext(ctx, "an issue tracker did not tell which issues it links to a pull request", "connection", c.ID, "pull", l.PullRequest, "error", err)
		return nil, err
	}
	for _, k := range keys[:min(len(keys), tracker.MaxLinks)] {
		if key := Key(k, c.place); key != "" {
			out = append(out, Found{Connection: c.ID, Kind: c.place.Kind, Key: key, In: inTracker})
		}
	}
	return out, nil
}

func stored(found []Found) (out []store.FoundLink) {
	for _, f := range found {
		out = append(out, store.FoundLink{Connection: f.Connection, Tracker: string(f.Kind), IssueKey: f.Key, FoundIn: f.In})
	}
	return out
}

// surest orders links by how they were found, the surest first, at most
// [domain.MaxTickets] of them.
func surest(links []store.TrackerLink) []store.TrackerLink {
	rank := func(l store.TrackerLink) int { return slices.Index(sureness, l.FoundIn) }
	slices.SortStableFunc(links, func(a, b store.TrackerLink) int { return rank(a) - rank(b) })
	return links[:min(len(links), domain.MaxTickets)]
}
