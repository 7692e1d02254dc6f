package review

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/render"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
)

// readIssues returns the issues of the change, as far as they may be known. If a tracker does not answer, the
// result records that and the run continues.
func (w *work) readIssues(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (tickets.Meant, error) {
	if w.Tickets == nil {
		return tickets.Meant{}, nil
	}
	row, err := w.Store.Repository(ctx, w.run.Owner(), w.run.Repository)
	if err != nil {
		return tickets.Meant{}, err
	}
	return w.Tickets.Read(ctx, tickets.Change{Tenant: w.run.Owner(), Repository: row, PullRequest: w.run.PullRequest, Host: host,
		Repo: repo, Now: pr})
}

// ticketsWithVerdicts returns the issues with the verdicts of earlier runs of the pull request.
func (w *work) ticketsWithVerdicts(ctx context.Context) ([]domain.Ticket, []domain.CriterionCheck, error) {
	if len(w.tickets) == 0 {
		return nil, nil, nil
	}
	earlier, err := w.Tickets.Earlier(ctx, w.run.Owner(), w.run.PullRequest)
	return w.tickets, earlier, err
}

// keepVerdicts stores the run's verdicts on acceptance criteria, without secrets of the change, in the
// transaction that freezes the run.
func (w *work) keepVerdicts(ctx context.Context, result engine.Result) error {
	if len(w.tickets) == 0 {
		return nil
	}
	return w.Tickets.Keep(ctx, w.run.Owner(), w.run, w.tickets, redactChecks(w.redactor(result), result.CriterionChecks))
}

// redactChecks returns checks without secrets.
func redactChecks(redact func(string) string, checks []domain.CriterionCheck) []domain.CriterionCheck {
	out := slices.Clone(checks)
	for i := range out {
		c := &out[i]
		c.Criterion.Text, c.Reason, c.Places = redact(c.Criterion.Text), redact(c.Reason), slices.Clone(c.Places)
		for n := range c.Places {
			c.Places[n].Path, c.Places[n].Note = redact(c.Places[n].Path), redact(c.Places[n].Note)
		}
	}
	return out
}

// issues returns the issues that the run has read, with the way in which they were read.
func (w *work) issues(ctx context.Context) (out []publish.Issue, err error) {
	if len(w.tickets) == 0 {
		return nil, nil
	}
	links, err := w.Store.TrackerLinksOf(ctx, w.run.Owner(), w.run.PullRequest)
	for _, k := range w.tickets {
		issue := publish.Issue{Key: k.Key, Link: k.Link}
		if at := slices.IndexFunc(links, func(l store.TrackerLink) bool { return l.ID == k.Link }); at >= 0 {
			issue.Connection, issue.Stranger, issue.Judged = links[at].Connection, links[at].Stranger, links[at].Judged
		}
		out = append(out, issue)
	}
	return out, err
}

// pieces converts the pieces of a summary into their published form.
func (d draft) pieces(p *render.Pieces) *publish.Issues {
	if p == nil {
		return nil
	}
	out := &publish.Issues{Before: p.Before, After: p.After, Most: p.Most, End: p.End,
		CheckTail: p.CheckTail, MostCheck: p.MostCheck, CheckEnd: p.CheckEnd}
	for _, t := range p.Tickets {
		issue := publish.Issue{Key: t.Key}
		if at := slices.IndexFunc(d.Issues, func(i publish.Issue) bool { return i.Key == t.Key }); at >= 0 {
			issue = d.Issues[at]
		}
		issue.URL, issue.Text = t.URL, t.Text
		out.Of = append(out.Of, issue)
	}
	return out
}

// withCurrentIssues returns a payload whose summary shows the present knowledge about issues, as far as it may be
// known now.
func (r *reflection) withCurrentIssues(ctx context.Context, p publish.Payload) (publish.Payload, error) {
	if p.Issues == nil || r.Tickets == nil {
		return p, nil
	}
	if err := r.Tickets.See(ctx, r.run.Owner(), r.run.Repository, r.host, r.repo, p); err != nil && !codehost.IsAccessLost(err) {
		return p, err
	}
	p, err := r.Tickets.Fit(ctx, r.run.Owner(), r.run.ID, p)
	if err != nil {
		return p, err
	}
	links, err := r.Store.TrackerLinksOf(ctx, r.run.Owner(), r.run.PullRequest)
	if err != nil {
		return p, err
	}
	rows, err := r.Store.RunACChecks(ctx, r.run.Owner(), r.run.PullRequest, r.run.ID)
	if err != nil {
		return p, err
	}
	var of []publish.Issue
	var result engine.Result
	frozen := map[string]bool{}
	for _, issue := range p.Issues.Of {
		at := slices.IndexFunc(links, func(l store.TrackerLink) bool {
			return l.ID == issue.Link || l.Connection == issue.Connection && l.IssueKey == issue.Key
		})
		if at < 0 {
			continue // it does not belong to the pull request any more
		}
		seen := criteria.Ticket{Key: issue.Key, URL: issue.URL}
		for _, row := range rows {
			if row.Connection == issue.Connection && row.IssueKey == issue.Key {
				result.CriterionChecks = append(result.CriterionChecks, tickets.Check(row))
				seen.Criteria++
			}
		}
		frozen[issue.Key] = seen.Criteria == 0 && links[at].Judged == issue.Judged
		result.Tickets, of = append(result.Tickets, seen), append(of, issue)
	}
	said := render.Tickets(render.Input{Result: result, Policy: domain.Policy{Language: p.Language}, Redact: r.Scan,
		Host: r.host.Capabilities(),
		LinkFor: func(path string, first, last int) string {
			return r.host.FileURL(r.repo, r.run.HeadSHA, path, first, last)
		}})
	for i := range of {
		at := slices.IndexFunc(said, func(t render.Ticket) bool { return t.Key == of[i].Key })
		if at >= 0 && !frozen[of[i].Key] {
			of[i].Text = said[at].Text
		}
	}
	return p.Saying(of), nil
}

// notifyIssues schedules the notes at the issues of the pull request.
func (r *reflection) notifyIssues(ctx context.Context) error {
	if r.Tickets == nil {
		return nil
	}
	return r.Tickets.Published(ctx, r.run.Owner(), r.run)
}

// recheckAgain schedules verdicts on criteria that were edited while the run was under way.
func (r *reflection) recheckAgain(ctx context.Context) error {
	if r.Tickets == nil {
		return nil
	}
	return r.Tickets.RecheckAgain(ctx, r.run.Owner(), r.run.PullRequest)
}
