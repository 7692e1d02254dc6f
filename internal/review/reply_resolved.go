package review

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// ShowResolved shows on the host that a reply resolved its finding: it strikes the comment of the finding, and closes its thread where
// the host permits that. Both may be repeated. The reply's own job has stored the outcome before, so that a reply that was overtaken
// changes nothing on the host.
func (s *Service) ShowResolved(ctx context.Context, c *jobs.Claim) error {
	row, err := s.Store.ReplyForWork(ctx, c.Job.Subject)
	if err != nil || row.Outcome != domain.ReplyMended {
		return errs.IgnoreAbsent(err)
	}
	run, err := s.Store.LatestReview(ctx, domain.Tenant{ID: row.Tenant}, row.PullRequest)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	r, err := s.reflectionOf(ctx, c, run, s.repository)
	if r == nil {
		return err
	}
	return r.done(ctx, r.showResolved(ctx, row))
}

// showResolved does nothing if a later review has reported the finding again.
func (r *reflection) showResolved(ctx context.Context, row store.FindingReply) error {
	known, err := r.Store.KnownFindings(ctx, r.run.Owner(), row.PullRequest)
	if err != nil {
		return err
	}
	pub, err := r.Store.PublicationOf(ctx, r.run.Owner(), r.run.ID)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	for _, k := range known {
		if k.ID != row.Finding || k.State != domain.FindingResolved || k.CommentID == "" {
			continue
		}
		threads, err := r.threads(ctx)
		if err != nil {
			return err
		}
		head := markdown.Span(row.Head[:min(len(row.Head), 7)])
		text := r.words.Say(wording.ResolvedIn, head, markdown.Struck(r.title(r.words, k.Finding)))
		err = r.replaceComment(ctx, pub, k.ID, k.CommentID, text)
		if err != nil && !isRefused(err) {
			return err
		}
		return r.resolve(ctx, k, known, threads[k.CommentID])
	}
	return nil
}
