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

// DismissalResults says what became of each finding.
type DismissalResults struct {
	Dismissed int               `json:"dismissed" doc:"How many are dismissed now, with those that were before"`
	Items     []DismissalResult `json:"items" doc:"In the order of the request"`
}

// DismissalResult is what became of a finding.
type DismissalResult struct {
	FindingID string `json:"findingId"`
	Outcome   string `json:"outcome" enum:"dismissed,already_dismissed,refused"`
	Code      string `json:"code,omitempty" doc:"Why it was refused, as the code of a problem" example:"own_pull_request"`
	Detail    string `json:"detail,omitempty" doc:"The same in a sentence"`
}

// findingDismissals is the path of [server.dismissFindings].
const findingDismissals = ten + "/findings/dismissals"

// dismissFindings dismisses findings one by one, each as [server.dismissFinding] does. A refusal of one does not keep the
// others from being dismissed. It is recorded like a refusal of the request.
func (s *server) dismissFindings(ctx context.Context, in *struct {
	InTenant
	Body FindingDismissals
}) (*Read[DismissalResults], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	places, err := s.Store.FindingPlaces(ctx, callerFrom(ctx).tenant, in.Body.FindingIDs)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for _, p := range places {
		at[p.ID] = p.Repository
	}
	rooms := reviewable{s: s, c: callerFrom(ctx), known: map[string]reviewableRepository{}}
	text := domain.DismissalReason(in.Body.Reason).Text(in.Body.Note)
	out := DismissalResults{Items: []DismissalResult{}}
	for _, id := range in.Body.FindingIDs {
		repository, err := rooms.get(ctx, at[id])
		if err == nil {
			_, err = s.Approvals.Dismiss(ctx, callerFrom(ctx).tenant, repository, dismissalOf(ctx, id, text))
		}
		s.handlerRefused(ctx, http.MethodPost+" "+findingDismissals, err)
		result, err := dismissalResult(id, err)
		if err != nil {
			return nil, err
		}
		if result.Outcome != "refused" {
			out.Dismissed++
		}
		out.Items = append(out.Items, result)
	}
	return read(out, nil)
}

func (b FindingDismissals) check() error {
	var c field.Check
	c.Distinct("/findingIds", b.FindingIDs)
	for i, id := range b.FindingIDs {
		c.That(plausibleID(id), field.At("/findingIds", i), "must be the id of a finding")
	}
	if b.Note != "" {
		c.Name("/note", b.Note)
	}
	c.That(b.Note != "" || b.Reason != string(domain.DismissalOther), "/note", "must be present with the reason other")
	return c.Err()
}

// dismissalResult describes the end of one dismissal. It returns an error of the service itself.
func dismissalResult(id string, err error) (DismissalResult, error) {
	var e *errs.Error
	switch {
	case err == nil:
		return DismissalResult{FindingID: id, Outcome: "dismissed"}, nil
	case !errors.As(err, &e) || e.Kind == errs.Internal, e.Kind == errs.Unavailable:
		return DismissalResult{}, fmt.Errorf("dismiss %s: %w", id, err)
	case e.StableCode() == "finding_dismissed":
		return DismissalResult{FindingID: id, Outcome: "already_dismissed"}, nil
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
