package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
)

// PullRequestDetail is a pull request with the results of its reviews.
type PullRequestDetail struct {
	ListedPull
	HeadRef   string          `json:"headRef,omitempty" doc:"The branch of the change; absent where unknown" example:"topic"`
	HostURL   string          `json:"hostUrl,omitempty" doc:"Where the code host shows it; absent if unknown" example:"https://git.example/7"`
	MayReview bool            `json:"mayReview" doc:"It is open, and the signed-in person may request a review"`
	Rounds    int             `json:"rounds" doc:"Reviews in which a model took part and that were published" example:"2"`
	Checks    []HeadCheck     `json:"checks" doc:"Checks of the service on its head, at most 20"`
	Cost      PullRequestCost `json:"cost" doc:"Of all runs, so far"`
	// Awaiting counts the findings of the newest run, also those that an earlier review published.
	Awaiting *domain.SeverityCounts `json:"awaitingBySeverity,omitempty" doc:"Of the newest run; absent unless it waits for approval"`
}

// HeadCheck is the check of the service on the head of a pull request, as the host shows it.
type HeadCheck struct {
	RunID      string `json:"runId" doc:"The run that the check is about" example:"run_example"`
	Place      string `json:"place,omitempty" doc:"The branch, on hosts that keep a status for each" example:"topic"`
	Conclusion string `json:"conclusion" enum:"success,neutral,failure,skipped,pending,unknown" doc:"unknown: it is being written"`
}

func (s *server) pullRequest(ctx context.Context, in *InPullRequest) (*Read[PullRequestDetail], error) {
	c := callerFrom(ctx)
	row, err := s.pullRow(ctx, c, in)
	if err != nil {
		return nil, err
	}
	listed, err := s.listedPulls(ctx, c, []store.PullRow{row})
	if err != nil {
		return nil, err
	}
	out := PullRequestDetail{ListedPull: listed[0], HeadRef: row.HeadRef, MayReview: row.State == "open" && c.Allows(perm.RepoManage)}
	host, err := s.Store.HostOf(ctx, c.tenant, row.Repository)
	if err != nil {
		return nil, err
	}
	out.HostURL = webLink(codehost.PullRequestPage(domain.ConnectionKind(host.Kind), host.Web, c.repository.Owner, c.repository.Name,
		row.Number))
	if out.Rounds, err = s.Store.ReviewRounds(ctx, c.tenant, row.ID, ""); err != nil {
		return nil, err
	}
	checks, err := s.Store.HeadChecks(ctx, c.tenant, row.Repository, row.HeadSHA)
	if err != nil {
		return nil, err
	}
	out.Checks = headChecks(checks, row.HeadRef)
	if run := out.LastRun; run != nil && run.State == string(domain.RunAwaitingApproval) {
		counts, err := s.Store.RunSeverities(ctx, c.tenant, []string{run.ID})
		if err != nil {
			return nil, err
		}
		out.Awaiting = new(counts[run.ID])
	}
	out.Cost, err = s.pullRequestCost(ctx, c.tenant, row.Repository, row.ID)
	return read(out, err)
}

// pullRow reads the pull request of a path with the facts of lists.
func (s *server) pullRow(ctx context.Context, c *caller, in *InPullRequest) (store.PullRow, error) {
	number, err := in.number()
	if err != nil {
		return store.PullRow{}, err
	}
	rows, err := s.Store.PullRequests(ctx, c.tenant, c.repository.ID, store.PullFilter{Number: number, Limit: 1})
	if err == nil && len(rows) == 0 {
		err = errs.Absent()
	}
	if err != nil {
		return store.PullRow{}, err
	}
	return rows[0], nil
}

// headChecks converts the checks of a head that stand at a branch or at no branch.
func headChecks(rows []store.HeadCheck, branch string) []HeadCheck {
	out := []HeadCheck{}
	for _, v := range rows {
		if v.Place != "" && v.Place != branch {
			continue
		}
		conclusion, _, known := strings.Cut(v.Shown, ":")
		switch {
		case !known:
			conclusion = "unknown"
		case conclusion == "":
			conclusion = "pending"
		}
		out = append(out, HeadCheck{RunID: v.Run, Place: v.Place, Conclusion: conclusion})
	}
	return out
}

// PullRequestTicket is an issue of a pull request, with the criteria that the newest review of it judged.
type PullRequestTicket struct {
	tickets.TrackerLink
	Criteria []AcceptanceCheck `json:"criteria" doc:"Those that are not met first; empty where none was judged"`
}

// PullRequestTickets lists the issues of a pull request.
type PullRequestTickets struct {
	Issues []PullRequestTicket `json:"issues" doc:"The oldest link first, at most 200"`
}

func (s *server) pullTickets(ctx context.Context, in *InPullRequest) (*Read[PullRequestTickets], error) {
	c := callerFrom(ctx)
	row, err := s.pullRow(ctx, c, in)
	if err != nil {
		return nil, err
	}
	links, checks, err := s.Tickets.OfPull(ctx, c.tenant, c.repository, row.ID)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(checks, func(a, b store.ACCheck) int {
		return domain.CompareVerdicts(a.Verdict, b.Verdict)
	})
	out := PullRequestTickets{Issues: []PullRequestTicket{}}
	for _, l := range links {
		t := PullRequestTicket{TrackerLink: l, Criteria: []AcceptanceCheck{}}
		for _, v := range checks {
			if tickets.OfLink(v, l) {
				t.Criteria = append(t.Criteria, acceptanceCheck(v))
			}
		}
		out.Issues = append(out.Issues, t)
	}
	return read(out, nil)
}
