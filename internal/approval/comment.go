package approval

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// ByComment applies the decision in a comment and returns the answer to post. The caller has just asked the
// host for the commenter's role. A repeated comment changes nothing and gets the same answer. Call it in
// the transaction that ends the delivery.
func (s *Service) ByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
	c domain.ApprovalByComment) (domain.ApprovalAnswer, error) {
	if done, err := s.Store.ApprovalOfComment(ctx, t, c.PullRequest, c.Comment); !errs.Is(err, errs.NotFound) {
		return domain.ApprovalAnswer{Outcome: domain.ApprovalDone, Run: done.Run}, err
	}
	a, err := s.Store.ApprovalOfPull(ctx, t, c.PullRequest)
	if errs.Is(err, errs.NotFound) {
		return domain.ApprovalAnswer{Outcome: domain.ApprovalNothing}, nil
	}
	if err != nil {
		return domain.ApprovalAnswer{}, err
	}
	answer := domain.ApprovalAnswer{Run: a.Run}
	settings, err := policy.Settings(ctx, s.Store, t)
	switch {
	case err != nil:
		return answer, err
	case !settings.AuthorMayApprove && sameAuthor(c):
		answer.Outcome = domain.ApprovalOfAuthor
		return answer, nil
	case len(c.Digits) < domain.ApprovalDigits || !strings.HasPrefix(a.Digest, c.Digits):
		answer.Outcome, answer.Digits = domain.ApprovalOther, a.Digest[:min(len(a.Digest), domain.ApprovalDigits)]
		return answer, nil
	}
	by, err := s.personOf(ctx, t, repository, c)
	if err != nil {
		return answer, err
	}
	ctx = audit.As(ctx, audit.Actor{Kind: audit.KindHost, UserID: by.By, Name: c.AuthorLogin, Method: "comment"})
	_, err = s.decide(ctx, t, a, Decision{To: c.To, Digest: a.Digest, Note: s.wordsOf(c.Note), How: domain.ByComment}, by)
	if errs.Is(err, errs.Conflict) { // another person decided, or the review expired, at this moment
		return domain.ApprovalAnswer{Outcome: domain.ApprovalNothing}, nil
	}
	answer.Outcome = domain.ApprovalDone
	return answer, err
}

// sameAuthor reports whether the comment's author is the pull request's author. It compares the host's ids,
// and login names only if the host gives none.
func sameAuthor(c domain.ApprovalByComment) bool {
	if c.AuthorID != "" && c.PullAuthor != "" {
		return c.AuthorID == c.PullAuthor
	}
	return c.PullLogin == "" || strings.EqualFold(c.AuthorLogin, c.PullLogin)
}

// personOf returns the author of a comment, with our id if they have signed in here.
func (s *Service) personOf(ctx context.Context, t domain.Tenant, repository store.Repository, c domain.ApprovalByComment) (decider, error) {
	person := decider{Name: c.AuthorLogin, Comment: c.Comment}
	if c.AuthorID == "" {
		return person, nil
	}
	user, err := s.Store.PersonOfHost(ctx, t, repository.Access, c.AuthorID)
	if errs.Is(err, errs.NotFound) {
		return person, nil
	}
	person.By = user.ID
	return person, err
}
