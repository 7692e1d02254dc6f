package review

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/tickets"
)

// meant are the issues that the change belongs to, as far as they may be known. Where a
// tracker does not answer, that is said; nothing of it keeps the run from going on.
func (w *work) meant(ctx context.Context, host codehost.Host, repo codehost.Repo, pr codehost.PullRequest) (tickets.Meant, error) {
	if w.Tickets == nil {
		return tickets.Meant{}, nil
	}
	row, err := w.Store.Repository(ctx, scope(w.run), w.run.Repository)
	if err != nil {
		return tickets.Meant{}, err
	}
	return w.Tickets.Read(ctx, tickets.Change{Tenant: scope(w.run), Repository: row, PullRequest: w.run.PullRequest, Host: host, Repo: repo, Now: pr})
}

// asked are the issues with the verdicts that earlier runs of the pull request came to.
func (w *work) asked(ctx context.Context) ([]domain.Ticket, []domain.CriterionCheck, error) {
	if len(w.tickets) == 0 {
		return nil, nil, nil
	}
	earlier, err := w.Tickets.Earlier(ctx, scope(w.run), w.run.PullRequest)
	return w.tickets, earlier, err
}

// keepVerdicts keeps what the run says of the acceptance criteria of its issues, in the
// transaction that freezes it.
func (w *work) keepVerdicts(ctx context.Context, checks []domain.CriterionCheck) error {
	if len(w.tickets) == 0 {
		return nil
	}
	return w.Tickets.Keep(ctx, scope(w.run), w.run, w.tickets, checks)
}

// tellIssues has the issues of the pull request told of it.
func (r *reflection) tellIssues(ctx context.Context) error {
	if r.Tickets == nil {
		return nil
	}
	return r.Tickets.Published(ctx, scope(r.run), r.run)
}
