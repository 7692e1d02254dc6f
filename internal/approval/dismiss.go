package approval

import (
	"cmp"
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// maxReason is the maximum length of a dismissal's reason, in characters.
const maxReason = 500

// Dismissal is a person's decision about a finding. The caller has checked their role on the repository.
type Dismissal struct {
	Finding string
	Reason  string // one line of at most [maxReason] characters; required to dismiss
	UserID  string
	Name    string
	// Source says how the person dismissed it; "" stands for [domain.SuppressedByDismissal].
	Source domain.SuppressionSource
	// Person is the [domain.HostPerson] of a person of the code host; "" if unknown. UserID takes precedence.
	Person string
}

// Dismiss marks an open finding as needing no action: later reviews of the pull request do not raise it
// again. Published reviews keep it. Errors: [errs.NotFound], [errs.Invalid], [errs.Conflict] if the finding
// is not open, [errs.Forbidden] for the author of the pull request if another person must decide.
func (s *Service) Dismiss(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal) (store.FindingRow, error) {
	var c field.Check
	c.Name("/reason", d.Reason)
	c.That(len([]rune(d.Reason)) <= maxReason, "/reason", fmt.Sprintf("must have at most %d characters", maxReason))
	if err := c.Err(); err != nil {
		return store.FindingRow{}, err
	}
	row, err := s.Store.Finding(ctx, t, repository.ID, d.Finding)
	if err != nil {
		return store.FindingRow{}, err
	}
	takes, err := s.needsAnother(ctx, t, repository, row, d.UserID)
	if err != nil {
		return store.FindingRow{}, err
	}
	if takes {
		return store.FindingRow{}, errs.New(errs.Forbidden, "own_pull_request", "%s", notByAuthor)
	}
	return s.decideFinding(ctx, t, repository, d, "finding.dismiss", domain.FindingOpen, domain.FindingDismissed)
}

// notByAuthor explains why the author of a pull request cannot dismiss a finding.
const notByAuthor = "The author of a pull request cannot dismiss a secret or a violation of a mandatory rule here. Ask another " +
	"person with review permission."

// WhyNotDismiss returns a sentence that explains why a viewer must not dismiss a finding; "" if they may.
func (s *Service) WhyNotDismiss(ctx context.Context, t domain.Tenant, repository store.Repository, row store.FindingRow,
	who Viewer) (string, error) {
	if !who.Allows(perm.RepoReview) {
		return "A person with review permission in this repository decides on it.", nil
	}
	takes, err := s.needsAnother(ctx, t, repository, row, who.ID)
	if err != nil || !takes {
		return "", err
	}
	return notByAuthor, nil
}

// needsAnother reports whether a finding needs a person other than the given one to dismiss it: every
// review must show it, and the person is the pull request's author, who cannot decide on its reviews
// either.
func (s *Service) needsAnother(ctx context.Context, t domain.Tenant, repository store.Repository, row store.FindingRow,
	person string) (bool, error) {
	must, err := s.mandatory(ctx, t, repository.ID, row.Finding)
	if err != nil || !must {
		return false, err
	}
	return s.IsBarredAuthor(ctx, t, repository, row.PullRequest, person)
}

// mandatory reports whether a finding is a secret or breaks a rule that is mandatory now, or was in the
// review that found it.
func (s *Service) mandatory(ctx context.Context, t domain.Tenant, repository string, f domain.Finding) (bool, error) {
	if f.IsSecret() {
		return true, nil
	}
	return policy.MandatoryRule(ctx, s.Store, t, repository, f)
}

// Reopen takes a dismissal back. Errors: [errs.NotFound], [errs.Conflict] if the finding is not dismissed.
func (s *Service) Reopen(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal) (store.FindingRow, error) {
	return s.decideFinding(ctx, t, repository, d, "finding.reopen", domain.FindingDismissed, domain.FindingOpen)
}

// findingRecord is the audit log's record of a finding.
type findingRecord struct {
	State string `json:"state" audit:"track"`
}

func (s *Service) decideFinding(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal, action string, from,
	to domain.FindingState) (store.FindingRow, error) {
	d.Reason = clip.Runes(s.Scan(d.Reason), maxReason, "…")
	var after store.FindingRow
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.Finding(ctx, t, repository.ID, d.Finding)
		if err != nil {
			return audit.Act{}, err
		}
		err = s.Store.DecideFinding(ctx, t, repository.ID, from, store.FindingDecision{Finding: row.ID, State: to, Reason: d.Reason,
			User: d.UserID, Person: cmp.Or(d.UserID, d.Person)})
		if errs.Is(err, errs.NotFound) {
			now, err := s.Store.Finding(ctx, t, repository.ID, d.Finding)
			if err != nil {
				return audit.Act{}, err
			}
			return audit.Act{}, errs.New(errs.Conflict, "finding_"+string(now.State),
				"The finding is %s. Only one that is %s can become %s.", now.State, from, to)
		}
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.recordOutcome(ctx, t, d, to); err != nil {
			return audit.Act{}, err
		}
		if after, err = s.Store.Finding(ctx, t, repository.ID, d.Finding); err != nil {
			return audit.Act{}, err
		}
		event := domain.FindingDecided{FindingID: row.ID, RunID: row.LastRun, RepositoryID: repository.ID, PullRequest: row.Number,
			State: to, UserID: d.UserID, Name: d.Name, Reason: d.Reason}
		if err := s.Store.AddEvent(ctx, t, domain.EventFindingDecided, row.ID, store.JSON(event)); err != nil {
			return audit.Act{}, err
		}
		if err := s.propose(ctx, t, repository, d, to); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: action, Target: audit.Target{Kind: "finding", ID: row.ID},
			Before: findingRecord{string(row.State)}, After: findingRecord{string(after.State)}, Note: d.Reason}, nil
	})
	return after, err
}

// recordOutcome stores the dismissal as an outcome of the finding, or takes it back.
func (s *Service) recordOutcome(ctx context.Context, t domain.Tenant, d Dismissal, to domain.FindingState) error {
	var err error
	if to == domain.FindingDismissed {
		_, err = s.Store.AddOutcome(ctx, t, domain.Outcome{Finding: d.Finding, Kind: domain.OutcomeDismissed,
			Person: cmp.Or(d.UserID, d.Person), Name: d.Name})
	} else {
		_, err = s.Store.DropOutcome(ctx, t, d.Finding, domain.OutcomeDismissed, "")
	}
	return err
}

// propose has later reviews leave a dismissed finding out, if a person accepts that, and withdraws the proposal
// if the finding is open again.
func (s *Service) propose(ctx context.Context, t domain.Tenant, repository store.Repository, d Dismissal, to domain.FindingState) error {
	if s.Proposals == nil {
		return nil
	}
	r := domain.SuppressionRequest{Finding: d.Finding, Source: cmp.Or(d.Source, domain.SuppressedByDismissal), Reason: d.Reason,
		UserID: d.UserID, Name: d.Name}
	if to == domain.FindingDismissed {
		return s.Proposals.Propose(ctx, t, repository, r)
	}
	return s.Proposals.Reopened(ctx, t, repository, r)
}
