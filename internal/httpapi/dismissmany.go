package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// FindingDismissals dismisses findings of one or more repositories for one reason.
type FindingDismissals struct {
	FindingIDs []string `json:"findingIds" minItems:"1" maxItems:"100" doc:"Each once" example:"[\"fnd_example\"]"`
	Reason     string   `json:"reason" enum:"wrong,accepted_risk,intended,out_of_scope,other"`
	Note       string   `json:"note,omitempty" maxLength:"400" doc:"One line; required with other" example:"The caller checks it"`
}

// FindingReopenings takes dismissals of findings of one or more repositories back.
type FindingReopenings struct {
	FindingIDs []string `json:"findingIds" minItems:"1" maxItems:"100" doc:"Each once" example:"[\"fnd_example\"]"`
}

// DismissalResults says what became of each finding.
type DismissalResults struct {
	Dismissed int               `json:"dismissed" doc:"How many are dismissed now, with those that were before"`
	Items     []DismissalResult `json:"items" doc:"In the order of the request"`
}

// ReopeningResults says what became of each finding.
type ReopeningResults struct {
	Reopened int               `json:"reopened" doc:"How many are open now, with those that were before"`
	Items    []DismissalResult `json:"items" doc:"In the order of the request"`
}

// DismissalResult is what became of a finding.
type DismissalResult struct {
	FindingID string `json:"findingId"`
	Outcome   string `json:"outcome" enum:"dismissed,already_dismissed,reopened,already_open,refused"`
	Code      string `json:"code,omitempty" doc:"Why it was refused, as the code of a problem" example:"own_pull_request"`
	Detail    string `json:"detail,omitempty" doc:"The same in a sentence"`
}

// The paths of [server.dismissFindings] and [server.reopenFindings].
const (
	findingDismissals = ten + "/findings/dismissals"
	findingReopenings = ten + "/findings/reopenings"
)

// dismissFindings dismisses findings one by one, each as [server.dismissFinding] does.
func (s *server) dismissFindings(ctx context.Context, in *struct {
	InTenant
	Body FindingDismissals
}) (*Read[DismissalResults], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	text := domain.DismissalReason(in.Body.Reason).Text(in.Body.Note)
	act := findingAct{route: findingDismissals, done: "dismissed", before: "already_dismissed", code: "finding_dismissed",
		decide: func(repository store.Repository, id string) error {
			_, err := s.Approvals.Dismiss(ctx, callerFrom(ctx).tenant, repository, dismissalOf(ctx, id, text))
			return err
		}}
	n, items, err := s.decideFindings(ctx, in.Body.FindingIDs, act)
	if err != nil {
		return nil, err
	}
	return read(DismissalResults{Dismissed: n, Items: items}, nil)
}

// reopenFindings takes dismissals back one by one, each as [server.reopenFinding] does.
func (s *server) reopenFindings(ctx context.Context, in *struct {
	InTenant
	Body FindingReopenings
}) (*Read[ReopeningResults], error) {
	var c field.Check
	checkFindingIDs(&c, in.Body.FindingIDs)
	if err := c.Err(); err != nil {
		return nil, err
	}
	act := findingAct{route: findingReopenings, done: "reopened", before: "already_open", code: "finding_open",
		decide: func(repository store.Repository, id string) error {
			_, err := s.Approvals.Reopen(ctx, callerFrom(ctx).tenant, repository, dismissalOf(ctx, id, ""))
			return err
		}}
	n, items, err := s.decideFindings(ctx, in.Body.FindingIDs, act)
	if err != nil {
		return nil, err
	}
	return read(ReopeningResults{Reopened: n, Items: items}, nil)
}

// findingAct is a decision on findings, with the names of its outcomes.
type findingAct struct {
	route        string
	done, before string // outcomes of a finding that is decided now, and of one that was before
	code         string // code of the error for a finding that was decided before
	decide       func(repository store.Repository, finding string) error
}

// decideFindings decides about findings one by one. A refusal of one does not keep the others from being decided. It is
// recorded like a refusal of the request. n counts those that have the wanted state now.
func (s *server) decideFindings(ctx context.Context, ids []string, act findingAct) (n int, items []DismissalResult, err error) {
	places, err := s.Store.FindingPlaces(ctx, callerFrom(ctx).tenant, ids)
	if err != nil {
		return 0, nil, err
	}
	at := map[string]string{}
	for _, p := range places {
		at[p.ID] = p.Repository
	}
	rooms := reviewable{s: s, c: callerFrom(ctx), known: map[string]reviewableRepository{}}
	items = []DismissalResult{}
	for _, id := range ids {
		repository, err := rooms.get(ctx, at[id])
		if err == nil {
			err = act.decide(repository, id)
		}
		s.handlerRefused(ctx, http.MethodPost+" "+act.route, err)
		result, err := act.result(id, err)
		if err != nil {
			return 0, nil, err
		}
		if result.Outcome != "refused" {
			n++
		}
		items = append(items, result)
	}
	return n, items, nil
}

func (b FindingDismissals) check() error {
	var c field.Check
	checkFindingIDs(&c, b.FindingIDs)
	if b.Note != "" {
		c.Name("/note", b.Note)
	}
	c.That(b.Note != "" || b.Reason != string(domain.DismissalOther), "/note", "must be present with the reason other")
	return c.Err()
}

func checkFindingIDs(c *field.Check, ids []string) {
	c.Distinct("/findingIds", ids)
	for i, id := range ids {
		c.That(plausibleID(id), field.At("/findingIds", i), "must be the id of a finding")
	}
}

// result describes the end of one decision. It returns an error of the service itself.
func (a findingAct) result(id string, err error) (DismissalResult, error) {
	var e *errs.Error
	switch {
	case err == nil:
		return DismissalResult{FindingID: id, Outcome: a.done}, nil
	case !errors.As(err, &e) || e.Kind == errs.Internal, e.Kind == errs.Unavailable:
		return DismissalResult{}, fmt.Errorf("decide about %s: %w", id, err)
	case e.StableCode() == a.code:
		return DismissalResult{FindingID: id, Outcome: a.before}, nil
	}
	return DismissalResult{FindingID: id, Outcome: "refused", Code: e.StableCode(), Detail: e.Message}, nil
}

// reviewable finds the repositories in which the caller has review permission, and asks about each once.
type reviewable struct {
	s     *server
	c     *caller
	known map[string]reviewableRepository
}

type reviewableRepository struct {
	row store.Repository
	err error
}

// get returns a repository, and counts a refusal by role. Errors: [errs.NotFound] for "" and a repository that the caller
// cannot see, [errs.Forbidden] without review permission.
func (r *reviewable) get(ctx context.Context, id string) (store.Repository, error) {
	if id == "" {
		return store.Repository{}, errs.Absent()
	}
	one, known := r.known[id]
	if !known {
		one.row, one.err = r.ask(ctx, id)
		r.known[id] = one
	}
	if e, ok := errors.AsType[*errs.Error](one.err); ok && e.Kind == errs.Forbidden && r.s.Metrics != nil {
		r.s.Metrics.Refusal(e.Code, "user")
	}
	return one.row, one.err
}

func (r *reviewable) ask(ctx context.Context, id string) (store.Repository, error) {
	row, err := r.s.Store.Repository(ctx, r.c.tenant, id)
	if err != nil {
		return store.Repository{}, err
	}
	role, err := r.s.Auth.RepositoryRole(ctx, r.c.tenant, row, r.c.user.ID, r.c.Tenant, true)
	switch {
	case err != nil:
		return store.Repository{}, err
	case role == perm.RepoNone:
		return store.Repository{}, errs.Absent()
	case role < perm.RepoReviewer:
		return store.Repository{}, errs.New(errs.Forbidden, "forbidden", "Your role is too small for this.")
	}
	return row, nil
}
