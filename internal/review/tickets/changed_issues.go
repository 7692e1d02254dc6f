package tickets

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// LinkPullRequest finds and reads the issues of an open pull request as a run does. It serves pull requests
// that were there before the tracker was connected. It returns how many issues of the connection the pull
// request belongs to. Errors are those of the database and the code host, and [*tracker.Error]s if the
// tracker of this connection failed to answer. Failures of other trackers are not returned.
func (s *Service) LinkPullRequest(ctx context.Context, t domain.Tenant, connection string, repository store.Repository,
	pull store.PullRequest) (found int, err error) {
	host, repo, err := s.Hosts.Repository(ctx, repository)
	if err != nil {
		return 0, err
	}
	pr, err := host.PullRequest(ctx, repo, pull.Number)
	if err != nil {
		return 0, err
	}
	meant, err := s.Read(ctx, Change{Tenant: t, Repository: repository, PullRequest: pull.ID, Host: host, Repo: repo, Now: pr})
	if err == nil {
		err = meant.failed[connection]
	}
	if err != nil {
		return 0, err
	}
	links, err := s.Store.TrackerLinksOf(ctx, t, pull.ID)
	for _, l := range links {
		if l.Connection == connection {
			found++
		}
	}
	return found, err
}

// IssueChanged reads a changed issue again and stores its new state, if open pull requests belong to it and
// more than its key may be known. If the issue is gone, the earlier reading stays. Errors of the tracker
// are [*tracker.Error]s.
func (s *Service) IssueChanged(ctx context.Context, t domain.Tenant, connectionID, key string) error {
	links, err := s.Store.TrackerLinksTo(ctx, t, connectionID, key)
	for _, l := range links {
		if err == nil && !l.Looked() { // the job decides whether the issue may be read
			err = s.readSoon(ctx, t, l, "changed")
		}
	}
	links = slices.DeleteFunc(links, func(l store.TrackerLink) bool { return l.KeyOnly || !l.Looked() })
	if err != nil || len(links) == 0 {
		return err
	}
	all, err := s.connections(ctx, t)
	if err != nil {
		return err
	}
	c, ok := byID(all, connectionID)
	if !ok {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, s.ReadTime)
	defer cancel()
	issue, err := s.issue(within, c, key)
	if tracker.ClassOf(err) == tracker.ClassNotFound || err == nil && !c.reads(issue.Project) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, l := range links {
		repository, err := s.Store.Repository(ctx, t, l.Repository)
		if err != nil {
			return err
		}
		if KeyOnly(Audience{Public: s.visible(ctx, repository).Open(), Fork: l.Stranger}, c.mapping.AllowOnPublic) {
			continue // it became key-only since; the link is about to be emptied
		}
		k := s.ticket(c, l, issue)
		l.Unread, l.Title, l.URL, l.State, l.Type, l.Done = "", k.Title, k.URL, k.State, k.Type, issue.DoneBy(c.mapping.DoneStates)
		if err := s.Store.SetTicketFacts(ctx, t, l); err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
		if err := s.scheduleRecheck(ctx, t, l, k.Criteria); err != nil {
			return err
		}
	}
	return nil
}

// Earlier returns the newest verdicts about the criteria of a pull request, for the engine.
func (s *Service) Earlier(ctx context.Context, t domain.Tenant, pull string) (out []domain.CriterionCheck, err error) {
	rows, err := s.Store.LastACChecks(ctx, t, pull)
	for _, r := range rows {
		out = append(out, Check(r))
	}
	return out, err
}

// Check converts a stored verdict.
func Check(r store.ACCheck) domain.CriterionCheck {
	return domain.CriterionCheck{Ticket: r.IssueKey, Criterion: domain.Criterion{ID: r.CriterionID, Text: r.Criterion},
		Verdict: r.Verdict, Reason: r.Reason,
		Places: placesOf(r.Evidence), Kept: r.Kept, Basis: r.Basis}
}

// Keep stores a run's verdicts on the criteria of tickets, in the caller's transaction. Verdicts on tickets
// without a link are left out.
func (s *Service) Keep(ctx context.Context, t domain.Tenant, run store.Run, tickets []domain.Ticket, checks []domain.CriterionCheck) error {
	links, err := s.Store.TrackerLinksOf(ctx, t, run.PullRequest)
	if err != nil {
		return err
	}
	for _, k := range tickets {
		at := slices.IndexFunc(links, func(l store.TrackerLink) bool { return l.ID == k.Link && !l.KeyOnly })
		if at < 0 || k.KeyOnly || k.Unread != "" {
			continue
		}
		var rows []store.ACCheck
		for _, c := range checks {
			if c.Ticket == k.Key {
				rows = append(rows, store.ACCheck{CriterionID: c.Criterion.ID, Criterion: s.Scan(c.Criterion.Text), Verdict: c.Verdict,
					Reason: s.Scan(c.Reason), Evidence: s.evidence(c.Places), Kept: c.Kept, Basis: c.Basis})
			}
		}
		if err := s.Store.PutACChecks(ctx, t, run.ID, links[at], rows); err != nil {
			return err
		}
		if err := s.Store.SetJudgedCriteria(ctx, t, k.Link, criteriaDigest(k.Criteria)); err != nil {
			return err
		}
	}
	return nil
}

// place is a place in the code, in the form of stored rows and of the interface.
type place struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Note      string `json:"note"`
}

func (s *Service) evidence(places []domain.Place) string {
	out := []place{}
	for _, p := range places {
		out = append(out, place{s.Scan(p.Path), p.StartLine, p.EndLine, s.Scan(p.Note)})
	}
	return store.JSON(out)
}

func placesOf(evidence string) (out []domain.Place) {
	for _, p := range store.FromJSON[[]place](evidence) {
		out = append(out, domain.Place(p))
	}
	return out
}
