package tickets

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Change is a pull request whose issues are wanted.
type Change struct {
	Tenant      domain.Tenant
	Repository  store.Repository
	PullRequest string // the id of its row
	Host        codehost.Reader
	Repo        codehost.Repo
	Now         codehost.PullRequest // as the host reports it
}

// lookup is one reading of a pull request's issues.
type lookup struct {
	*Service
	Change
	audience    Audience
	connections []connection
}

// newLookup prepares the reading of a pull request's issues. ok is false if the tenant has no tracker and the policy of
// the repository does not use issues of the code host.
func (s *Service) newLookup(ctx context.Context, c Change) (l *lookup, ok bool, err error) {
	all, err := s.connections(ctx, c.Tenant)
	if err != nil {
		return nil, false, err
	}
	host, used, err := s.hostIssues(ctx, c)
	if used {
		all = append(all, host)
	}
	if err != nil || len(all) == 0 {
		return nil, false, err
	}
	l = &lookup{Service: s, Change: c, connections: all}
	if l.audience, err = s.audience(ctx, c.Repository, c.Host, c.Repo, c.Now); err != nil {
		return nil, false, err
	}
	return l, true, nil
}

func (l *lookup) keyOnly(c connection) bool { return KeyOnly(l.audience, c.mapping.AllowOnPublic) }

// find updates the stored links of the pull request and returns the valid ones. within bounds the calls to
// trackers.
func (l *lookup) find(ctx, within context.Context) ([]store.TrackerLink, error) {
	there, err := l.Store.TrackerLinksOf(ctx, l.Tenant, l.PullRequest)
	if err != nil {
		return nil, err
	}
	linked := slices.DeleteFunc(l.findLinked(within, l.Tenant, l.connections, l.linkedIssues),
		func(f foundIssue) bool { return l.isOurLink(f, there) })
	said := pullTexts{Branch: l.branch(), Title: l.Now.Title, Body: l.Now.Body, Commits: l.commits(ctx)}
	if slices.ContainsFunc(l.connections, func(c connection) bool { return c.reader == nil }) {
		said.Linked = l.hostKeys(ctx)
	}
	found := append(linked, l.findInTexts(ctx, said)...)
	return l.Store.ReplaceFoundLinks(ctx, l.Tenant, l.PullRequest, asFoundLinks(mergeFound(append(found, l.unansweredLinks(there)...)...)))
}

// findInTexts returns the issues that the texts of the pull request name. If a text reveals a fault of the program, every connection
// counts as failed, so that earlier links stay and the review goes on.
func (l *lookup) findInTexts(ctx context.Context, said pullTexts) (found []foundIssue) {
	err := ask.Contained(func() error {
		var places []issuePlace
		for _, c := range l.connections {
			if c.reader != nil {
				found = append(found, l.findHostIssues(said, c.place.Kind)...)
				continue
			}
			places = append(places, c.place)
		}
		found = append(found, findKeys(said, places)...)
		return nil
	})
	if err != nil {
		l.Logger.ErrorContext(ctx, "the texts of a pull request could not be searched for issues", "pull", l.PullRequest, "error", err)
		for i := range l.connections {
			l.connections[i].failed = err
		}
	}
	return found
}

// isOurLink reports whether a tracker links an issue to the pull request only because we wrote that link. Our
// link does not keep an issue that nothing else names any more.
func (l *lookup) isOurLink(f foundIssue, there []store.TrackerLink) bool {
	c, _ := byID(l.connections, f.Connection)
	return c.mapping.LinkBack == linkBackLink && slices.ContainsFunc(there, func(k store.TrackerLink) bool {
		return k.Connection == f.Connection && k.IssueKey == f.Key && k.Written != "" && k.FoundIn != inTracker
	})
}

// unansweredLinks returns the links of trackers that do not answer now. They stay as they are.
func (l *lookup) unansweredLinks(there []store.TrackerLink) (out []foundIssue) {
	for _, k := range there {
		if c, ok := byID(l.connections, k.Connection); ok && c.failed != nil {
			out = append(out, foundIssue{Connection: k.Connection, Kind: domain.ConnectionKind(k.Tracker), Key: k.IssueKey, In: k.FoundIn})
		}
	}
	return out
}

// branch returns the name of the branch. The owner of a fork chooses its branch name as freely as the
// title.
func (l *lookup) branch() string { return l.Now.HeadRef }

// commits returns the messages of the commits if the host can list them. An error is only logged, because
// issues may be found elsewhere.
func (l *lookup) commits(ctx context.Context) []string {
	c, ok := codehost.MessengerOf(l.Host)
	if !ok {
		return nil
	}
	messages, err := c.Messages(ctx, l.Repo, l.Now.Number)
	if err != nil {
		l.Logger.WarnContext(ctx, "the messages of commits could not be read; issues that only they name are not found", "pull",
			l.PullRequest, "error", err)
	}
	return messages
}

// hostKeys returns the keys of issues that the code host itself links, if it can list them. An error is only
// logged.
func (l *lookup) hostKeys(ctx context.Context) []string {
	h, ok := codehost.IssueLinkerOf(l.Host)
	if !ok {
		return nil
	}
	keys, err := h.LinkedIssues(ctx, l.Repo, l.Now.Number)
	if err != nil {
		l.Logger.WarnContext(ctx, "the issues that the host links to a pull request could not be read; those that only it names "+
			"are not found", "pull", l.PullRequest, "error", err)
	}
	return keys
}

// linkedIssues returns the issues that a tracker itself links to the pull request. A tracker is not asked if only
// the keys of its issues may be known.
func (l *lookup) linkedIssues(ctx context.Context, c connection) (out []foundIssue, err error) {
	if l.Now.URL == "" || l.keyOnly(c) || c.failed != nil || c.reader != nil {
		return nil, nil
	}
	tr, err := l.open(ctx, l.Tenant, c.TrackerConnection)
	var keys []string
	if err == nil {
		keys, err = tr.LinkedTo(ctx, l.Now.URL)
	}
	if err != nil {
		l.Logger.WarnContext(ctx, "an issue tracker did not tell which issues it links to a pull request", "connection", c.ID, "pull",
			l.PullRequest, "error", err)
		return nil, err
	}
	for _, k := range keys[:min(len(keys), tracker.MaxLinks)] {
		if key := normalizeKey(k, c.place); key != "" {
			out = append(out, foundIssue{Connection: c.ID, Kind: c.place.Kind, Key: key, In: inTracker})
		}
	}
	return out, nil
}

func asFoundLinks(found []foundIssue) (out []store.FoundLink) {
	for _, f := range found {
		out = append(out, store.FoundLink{Connection: f.Connection, Tracker: string(f.Kind), IssueKey: f.Key, FoundIn: f.In})
	}
	return out
}

// sortBySureness sorts links by how they were found, surest first, and returns at most [domain.MaxTickets] of them.
func sortBySureness(links []store.TrackerLink) []store.TrackerLink {
	rank := func(l store.TrackerLink) int { return slices.Index(foundOrder, l.FoundIn) }
	slices.SortStableFunc(links, func(a, b store.TrackerLink) int { return rank(a) - rank(b) })
	return links[:min(len(links), domain.MaxTickets)]
}
