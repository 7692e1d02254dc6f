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
	barred, err := s.barsCommenter(ctx, t, repository, row.Finding, c)
	if err != nil {
		return "", err
	}
	if barred {
		return domain.DismissalBarred, nil
	}
	commenter := domain.ApprovalByComment{Comment: c.Comment, AuthorLogin: c.AuthorLogin, AuthorID: c.AuthorID}
	by, err := s.personOf(ctx, t, repository, commenter)
	if err != nil {
		return "", err
	}
	ctx = audit.As(ctx, audit.Actor{Kind: audit.KindHost, UserID: by.By, Name: c.AuthorLogin, Method: "comment"})
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

// barsCommenter reports whether the finding needs another person than the commenter, who wrote the pull request.
func (s *Service) barsCommenter(ctx context.Context, t domain.Tenant, repository store.Repository, f domain.Finding,
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
