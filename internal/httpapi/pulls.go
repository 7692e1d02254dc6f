package httpapi

import (
	"context"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// ListedPull is a pull request of a repository. Title and author are text from outside.
type ListedPull struct {
	PullRequest
	HeadSHA      string `json:"headSha" doc:"As it was known last"`
	BaseRef      string `json:"baseRef" doc:"The branch it goes to" example:"main"`
	Draft        bool   `json:"draft"`
	Paused       bool   `json:"paused" doc:"A person stopped its reviews by a command"`
	ReviewedHead string `json:"reviewedHead,omitempty" doc:"The head that was reviewed last; absent for none"`
	OpenFindings int64  `json:"openFindings" doc:"Shown by a published review, and open now"`
	// OpenBySeverity has the sum OpenFindings.
	OpenBySeverity domain.SeverityCounts `json:"openBySeverity" doc:"The open findings by severity"`
	LastRun        *ReviewRun            `json:"lastRun,omitempty" doc:"The newest run; absent without runs"`
	Unchecked      *time.Time            `json:"uncheckedSince,omitempty" doc:"Since when its head lacks its check; absent for none"`
	CreatedAt      time.Time             `json:"createdAt" doc:"When the service first stored it"`
	UpdatedAt      time.Time             `json:"updatedAt"`
}

// PullRequestsInput is the input of GET R/pull-requests.
type PullRequestsInput struct {
	InRepository
	Page
	State string `query:"state" enum:"open,closed,merged" doc:"Only those in this state, as the code host said last"`
}

func (s *server) pullRequests(ctx context.Context, in *PullRequestsInput) (*Listed[ListedPull], error) {
	below, err := ordinalCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.PullRequests(ctx, c.tenant, c.repository.ID,
		store.PullFilter{State: in.State, Below: int(below), Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	out := &Listed[ListedPull]{List[ListedPull]{Items: []ListedPull{}}}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		out.Body.NextCursor = writeCursor(strconv.Itoa(rows[in.Limit-1].Number))
	}
	items, err := s.listedPulls(ctx, c, rows)
	out.Body.Items = append(out.Body.Items, items...)
	return out, err
}

// listedPulls reads the further facts of pull requests of the caller's repository with a constant number of queries.
func (s *server) listedPulls(ctx context.Context, c *caller, rows []store.PullRow) ([]ListedPull, error) {
	var last, ids []string
	for _, v := range rows {
		ids = append(ids, v.ID)
		if v.LastRun != "" {
			last = append(last, v.LastRun)
		}
	}
	runs, err := s.runsByID(ctx, c.tenant, last)
	if err != nil {
		return nil, err
	}
	counts, err := s.Store.PullSeverities(ctx, c.tenant, ids)
	if err != nil {
		return nil, err
	}
	p, _, err := policy.Effective(ctx, s.Store, c.tenant, c.repository.ID)
	if err != nil {
		return nil, err
	}
	var out []ListedPull
	for _, v := range rows {
		if !showsChecks(p) {
			v.UncheckedUS = 0
		}
		out = append(out, ListedPull{PullRequest: PullRequest{Number: v.Number, Title: v.Title, Author: v.Author, State: v.State},
			HeadSHA: v.HeadSHA, BaseRef: v.BaseRef, Draft: v.Draft, Paused: v.Paused, ReviewedHead: v.ReviewedHead,
			OpenFindings: v.OpenFindings, OpenBySeverity: counts[v.ID], LastRun: runs[v.LastRun], Unchecked: store.TimeOrNil(v.UncheckedUS),
			CreatedAt: store.Time(v.CreatedUS), UpdatedAt: store.Time(v.UpdatedUS)})
	}
	return out, nil
}

// InPullRequest is the path of a pull request's routes.
type InPullRequest struct {
	InRepository
	Number string `path:"number" maxLength:"10" doc:"Of the pull request" example:"7"`
}

// number returns the number, and [errs.NotFound] if no pull request can have it.
func (in InPullRequest) number() (int, error) {
	number, err := strconv.ParseInt(in.Number, 10, 32)
	if err != nil || number < 1 {
		return 0, errs.Absent()
	}
	return int(number), nil
}

// reviewPull starts a review that a person requested.
func (s *server) reviewPull(ctx context.Context, in *InPullRequest) (*AcceptedRun, error) {
	c := callerFrom(ctx)
	number, err := in.number()
	if err != nil {
		return nil, err
	}
	made, err := s.OnDemand.Review(ctx, c.tenant, c.repository, number)
	if err != nil {
		return nil, err
	}
	pr, err := s.Store.PullRequest(ctx, c.tenant, made.PullRequest)
	if err != nil {
		return nil, err
	}
	return &AcceptedRun{Location: runPath(made), Body: reviewRun(made, pr)}, nil
}

// refreshPulls lists the pull requests that are open on the host.
func (s *server) refreshPulls(ctx context.Context, _ *InRepository) (*Read[ondemand.Listing], error) {
	c := callerFrom(ctx)
	return read(s.OnDemand.List(ctx, c.tenant, c.repository))
}
