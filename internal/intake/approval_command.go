package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// decideOn approves or rejects the pull request's waiting review. The review itself is the answer to an
// approval.
func (s *Service) decideOn(ctx context.Context, t domain.Tenant, row store.PullRequest, r request) (decision, markdown.Text, error) {
	repository, err := s.Store.Repository(ctx, t, row.Repository)
	if err != nil {
		return decision{}, markdown.Text{}, err
	}
	to := domain.ApprovalApproved
	if r.word == wordReject {
		to = domain.ApprovalRejected
	}
	a, err := s.Approvals.ByComment(ctx, t, repository, domain.ApprovalByComment{PullRequest: row.ID, To: to, Digits: r.digits,
		Note: r.note, Comment: r.comment.Name(),
		AuthorLogin: r.comment.Author, AuthorID: r.comment.AuthorID, PullAuthor: r.pull.AuthorID, PullLogin: r.pull.Author})
	if err != nil {
		return decision{}, markdown.Text{}, err
	}
	saying := r.texts()
	switch a.Outcome {
	case domain.ApprovalNothing:
		return ignored("no review of the pull request waits for approval"), saying.Say(wording.SayWaitsNothing), nil
	case domain.ApprovalOfAuthor:
		return ignored(noPermission), saying.Say(wording.SayOwnReview), nil
	case domain.ApprovalOther:
		return ignored("another review waits than the one that was named"), saying.otherWaits(a.Digits), nil
	}
	done := applied
	done.run = a.Run
	if to == domain.ApprovalRejected {
		return done, saying.Say(wording.SayRejected), nil
	}
	return done, markdown.Text{}, nil
}
