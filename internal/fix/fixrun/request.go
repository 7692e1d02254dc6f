package fixrun

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// ReviewFixRequest requests fixes for findings of a review run.
type ReviewFixRequest struct {
	FindingIDs []string           `json:"findingIds" minItems:"1" maxItems:"20" example:"[\"fnd_example\"]"`
	Delivery   domain.FixDelivery `json:"delivery,omitempty" enum:"suggestions,branch,commit" doc:"Absent: the policy's"`
}

// Codes of refusals that a command can get.
const (
	codeOff         = "fixes_off"
	codeUnpublished = "fixes_not_published"
	codeNotReviewed = "head_not_reviewed"
	codeNothing     = "nothing_to_fix"
	codeLimit       = "too_many_fixes"
	codeUnderWay    = "fix_under_way"
)

// Create requests a fix run on behalf of the acting person. Errors: Invalid, by pointer, for a delivery that the policy does not
// allow, and for findings that do not belong to the run or are not open; Conflict for a repository without its host (disconnected), a
// policy without reviews (fixes_off), one that publishes no text without approval (fixes_not_published), a closed pull request
// (pull_request_closed), a moved or unfinished head (head_not_reviewed), a used-up budget ([store.CodeBudget]), and those of
// [store.Store.CreateFixRun].
func (s *Service) Create(ctx context.Context, t domain.Tenant, repository store.Repository, run store.Run,
	in ReviewFixRequest) (out store.FixRun, err error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repository.ID)
	if err != nil {
		return out, err
	}
	row, err := s.Store.PullRequest(ctx, t, run.PullRequest)
	if err != nil {
		return out, err
	}
	now, err := s.Store.FindingsNow(ctx, t, run.ID)
	if err != nil {
		return out, err
	}
	if in.Delivery == "" {
		in.Delivery = domain.FixDelivery(p.Fixes)
	}
	if err := check(p, now, in); err != nil {
		return out, err
	}
	if err := s.admits(ctx, repository, p, row, run); err != nil {
		return out, err
	}
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		who := audit.By(ctx)
		out, err = s.add(ctx, t, store.FixRun{Record: store.Record{Repository: repository.ID}, Run: run.ID, Delivery: in.Delivery,
			CreatedBy: who.UserID, AskedName: who.Name}, row, in.FindingIDs)
		return err
	})
	return out, err
}

// check checks the fields of a request.
func check(p domain.Policy, now []store.FindingNow, in ReviewFixRequest) error {
	var c field.Check
	limit := domain.FixDelivery(p.Fixes)
	if limit == domain.FixOff {
		c.That(false, "/delivery", "must wait until the policy of the repository allows fixes: its setting fixes is off")
		return c.Err()
	}
	c.That(in.Delivery.Within(limit), "/delivery", "must be within the policy of the repository, whose setting fixes is "+string(limit))
	c.That(len(now) > 0, "/findingIds", "must be findings of the run, which has no findings")
	c.That(len(in.FindingIDs) > 0 && len(in.FindingIDs) <= fix.MaxFindings, "/findingIds", "must have between 1 and 20 findings")
	for i, id := range in.FindingIDs[:min(len(in.FindingIDs), fix.MaxFindings)] {
		at := slices.IndexFunc(now, func(f store.FindingNow) bool { return f.ID == id })
		pointer := field.At("/findingIds", i)
		c.That(!slices.Contains(in.FindingIDs[:i], id), pointer, "must differ from the ones before it")
		c.That(at >= 0, pointer, "must be the id of a finding of this run")
		c.That(at < 0 || now[at].State == domain.FindingOpen, pointer, "must be an open finding")
	}
	return c.Err()
}

// admits returns a Conflict if no fix run of the pull request can start now.
func (s *Service) admits(ctx context.Context, repository store.Repository, p domain.Policy, row store.PullRequest, run store.Run) error {
	switch {
	case repository.State != active:
		return errs.New(errs.Conflict, "disconnected", "The repository is not connected to its host, so that nothing can be delivered.")
	case !p.Enabled:
		return errs.New(errs.Conflict, codeOff, "The policy's setting enabled is off, so that the repository has no reviews and no fixes.")
	case !publishes(p):
		return errs.New(errs.Conflict, codeUnpublished, "The policy's publishMode publishes no text that a person has not approved, "+
			"and the texts of fixes get no approval.")
	case row.State != "open":
		return errs.New(errs.Conflict, "pull_request_closed", "The pull request is not open.")
	case run.State != domain.RunCompleted || run.HeadSHA != row.HeadSHA:
		return errs.New(errs.Conflict, codeNotReviewed, "The run is not the finished review of the present head. Fix findings of the "+
			"newest run.")
	}
	return s.hasBudget(ctx, domain.Tenant{ID: row.Tenant}, repository.ID)
}

// publishes reports whether a policy publishes texts that no person has approved.
func publishes(p domain.Policy) bool {
	return p.PublishMode != domain.PublishSilent && p.PublishMode != domain.PublishApproval
}

// hasBudget returns a Conflict if a hard budget of the month is used up.
func (s *Service) hasBudget(ctx context.Context, t domain.Tenant, repository string) error {
	models, own, err := policy.Models(ctx, s.Store, t, repository)
	if err != nil {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	ofTenant, ofRepository := budget.Of(models, own).Limits()
	for of, most := range map[string]*int64{"": ofTenant, repository: ofRepository} {
		if most == nil {
			continue
		}
		month, err := s.Store.BudgetMonth(ctx, t, of, store.Period(now))
		if err != nil {
			return err
		}
		if month.Spent >= *most {
			return errs.New(errs.Conflict, store.CodeBudget, "The month's budget for models is used up, so that no fix can be made.")
		}
	}
	return nil
}

// add stores a fix run with its job and its entry in the audit log, in the caller's transaction.
func (s *Service) add(ctx context.Context, t domain.Tenant, v store.FixRun, row store.PullRequest,
	findings []string) (store.FixRun, error) {
	v.PullRequest, v.Number, v.HeadSHA, v.FindingIDs = row.ID, row.Number, row.HeadSHA, store.JSON(findings)
	out, made, err := s.Store.CreateFixRun(ctx, t, v)
	if err != nil || !made {
		return out, err
	}
	if _, err = s.Store.EnqueueAwaited(ctx, t, domain.KindFix, out.ID); err != nil {
		return out, err
	}
	return out, s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "fix-run.create", Target: audit.Target{Kind: "fix-run", ID: out.ID},
		Note: v.Run})
}

// ByComment requests a fix run by a command whose author may maintain the repository. Call it in the transaction that ends the
// delivery. The same comment makes one fix run at most. The answer has the code of the refusal, or the id of the run.
func (s *Service) ByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
	c domain.FixAsked) (domain.FixAnswer, error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repository.ID)
	if err != nil {
		return domain.FixAnswer{}, err
	}
	if p.Fixes == string(domain.FixOff) {
		return domain.FixAnswer{Code: codeOff}, nil
	}
	row, err := s.Store.PullRequest(ctx, t, c.PullRequest)
	if err != nil {
		return domain.FixAnswer{}, err
	}
	run, err := s.Store.LatestReview(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) {
		return domain.FixAnswer{Code: codeNotReviewed}, nil
	}
	if err != nil {
		return domain.FixAnswer{}, err
	}
	now, err := s.Store.FindingsNow(ctx, t, run.ID)
	if err != nil {
		return domain.FixAnswer{}, err
	}
	ranked, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return domain.FixAnswer{}, err
	}
	chosen := chosenOf(ranked, now, c.Findings)
	if err = s.admits(ctx, repository, p, row, run); err == nil && len(chosen) == 0 {
		return domain.FixAnswer{Code: codeNothing}, nil
	}
	var made store.FixRun
	if err == nil {
		ctx := audit.As(ctx, audit.Actor{Kind: audit.KindHost, Name: c.Author, Method: "comment"})
		made, err = s.add(ctx, t, store.FixRun{Record: store.Record{Repository: repository.ID}, Run: run.ID,
			Delivery: domain.FixDelivery(p.Fixes), AskedName: c.Author, AskedKey: askedKey(c)}, row, chosen)
	}
	if refused, ok := errors.AsType[*errs.Error](err); ok && refused.Kind == errs.Conflict {
		return domain.FixAnswer{Code: refused.Code}, nil
	}
	return domain.FixAnswer{Run: made.ID}, err
}

// chosenOf returns the open findings of a run among the wanted ones, or all if wanted is empty, in rank order and at most
// [fix.MaxFindings].
func chosenOf(ranked []domain.Finding, now []store.FindingNow, wanted []string) (out []string) {
	for _, f := range ranked {
		open := slices.ContainsFunc(now, func(n store.FindingNow) bool { return n.ID == f.ID && n.State == domain.FindingOpen })
		if open && (len(wanted) == 0 || slices.Contains(wanted, f.ID)) && len(out) < fix.MaxFindings {
			out = append(out, f.ID)
		}
	}
	return out
}

// active is the state of a repository whose host can be read.
const active = "active"
