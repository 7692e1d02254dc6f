package approval

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// DismissByComment dismisses an open finding as a comment on the code host decides: a command or a reply. The rights are those of
// [Service.Dismiss]. Call it in the transaction that ends the work on the comment.
func (s *Service) DismissByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
	c domain.DismissalByComment) (domain.DismissalOutcome, error) {
	row, err := s.Store.Finding(ctx, t, repository.ID, c.Finding)
	if err != nil {
		return "", err
	}
	if row.State != domain.FindingOpen {
		return domain.DismissalNotOpen, nil
	}
	barred, err := s.BarsCommenter(ctx, t, repository, row.Finding, c)
	if err != nil {
		return "", err
	}
	if barred {
		return domain.DismissalBarred, nil
	}
	ctx, by, err := s.asCommenter(ctx, t, repository, c)
	if err != nil {
		return "", err
	}
	_, err = s.decideFinding(ctx, t, repository, Dismissal{Finding: row.ID, Reason: s.reasonLine(c), UserID: by.By,
		Name: c.AuthorLogin, Source: c.Source, Person: domain.HostPerson(repository.Access, c.AuthorID)},
		"finding.dismiss", domain.FindingOpen, domain.FindingDismissed)
	if errs.Is(err, errs.Conflict) { // another person decided at this moment
		return domain.DismissalNotOpen, nil
	}
	if err != nil {
		return "", err
	}
	return domain.DismissalDone, nil
}

// ResolveByComment resolves an open finding after a verified reply that its defect is fixed. run is the run that confirmed it. It returns
// false if the finding is not open. Call it in the transaction that ends the work on the comment, with the pull request
// locked.
func (s *Service) ResolveByComment(ctx context.Context, t domain.Tenant, repository store.Repository, run string,
	c domain.DismissalByComment) (bool, error) {
	row, err := s.Store.Finding(ctx, t, repository.ID, c.Finding)
	if err != nil || row.State != domain.FindingOpen {
		return false, err
	}
	ctx, _, err = s.asCommenter(ctx, t, repository, c)
	if err != nil {
		return false, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		ids := []string{row.ID}
		if err := s.Store.SetFindingState(ctx, t, row.PullRequest, run, ids, domain.FindingResolved); err != nil {
			return audit.Act{}, err
		}
		after, err := s.Store.Finding(ctx, t, repository.ID, row.ID)
		if err == nil && after.State != domain.FindingResolved { // another person decided at this moment
			err = errs.New(errs.Conflict, "finding_"+string(after.State), "The finding is %s.", after.State)
		}
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.Store.RecordFixed(ctx, t, row.PullRequest, ids); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "finding.resolve", Target: audit.Target{Kind: "finding", ID: row.ID},
			Before: findingRecord{string(row.State)}, After: findingRecord{string(domain.FindingResolved)}, Note: s.reasonLine(c)}, nil
	})
	if errs.Is(err, errs.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// asCommenter returns a context in which the author of a comment acts, and the commenter as a user of this instance.
func (s *Service) asCommenter(ctx context.Context, t domain.Tenant, repository store.Repository, c domain.DismissalByComment) (
	context.Context, decider, error) {
	by, err := s.personOf(ctx, t, repository, domain.ApprovalByComment{Comment: c.Comment, AuthorLogin: c.AuthorLogin, AuthorID: c.AuthorID})
	return audit.As(ctx, audit.Actor{Kind: audit.KindHost, UserID: by.By, Name: c.AuthorLogin, Method: "comment"}), by, err
}

// BarsCommenter reports whether the finding needs another person than the commenter, who wrote the pull request.
func (s *Service) BarsCommenter(ctx context.Context, t domain.Tenant, repository store.Repository, f domain.Finding,
	c domain.DismissalByComment) (bool, error) {
	must, err := s.mandatory(ctx, t, repository.ID, f)
	if err != nil || !must {
		return false, err
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil || settings.AuthorMayApprove {
		return false, err
	}
	return sameAuthor(domain.ApprovalByComment{AuthorLogin: c.AuthorLogin, AuthorID: c.AuthorID, PullLogin: c.PullLogin,
		PullAuthor: c.PullAuthor}), nil
}

// reasonLine returns the stored reason of a decision in a comment: who decided it, and their words.
func (s *Service) reasonLine(c domain.DismissalByComment) string {
	said := clip.Runes(c.AuthorLogin, maxLogin, "…") + " on the code host"
	if words := s.wordsOf(c.Reason); words != "" {
		said += ": " + words
	}
	return clip.Runes(said, maxReason, "…")
}

// wordsOf returns the words of a comment as one line of visible characters without secrets, at most [maxReason] characters.
// Secrets are searched for after invisible characters are removed, and before the words are cut, because neither half of a
// secret is recognised.
func (s *Service) wordsOf(said string) string {
	return clip.Runes(s.Scan(clip.Line(clip.Visible(said))), maxReason, "…")
}
