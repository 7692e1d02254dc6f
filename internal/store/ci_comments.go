package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// CIComment is the comment of a pull request about failed jobs of its head. A pull request has at most one.
type CIComment struct {
	ID, Tenant, Repository, PullRequest string
	HeadSHA                             string        // that it is about
	Green                               bool          // every job of the head has passed
	State                               string        // [CICommentWaiting], [CICommentShown] or [CICommentGone]
	Host                                domain.HostID // the host's id of the comment; "" before it is known
	Digest                              string        // of the written text; "" before
	MarkKey                             string        // name of the instance key that makes its mark; "" is the oldest configured key
	LeftOut                             string        // JSON array of texts: jobs that are not analysed, with the reason
	Reason                              string        // why it is gone
	CreatedUS                           int64
}

// The states of a comment about failed jobs.
const (
	CICommentWaiting = "waiting" // it is not known to be at the host
	CICommentShown   = "shown"
	CICommentGone    = "gone" // a person deleted it, or the host refuses it; it is not written again
)

const ciCommentColumns = `id, tenant_id, repository_id, pull_request_id, head_sha, green, state, host_id, digest, mark_key, left_out,
	reason, created_us`

func scanCIComment(r scanner, v *CIComment) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.PullRequest, &v.HeadSHA, &v.Green, &v.State, (*string)(&v.Host), &v.Digest,
		&v.MarkKey, &v.LeftOut, &v.Reason, &v.CreatedUS)
}

// CIComment reads the comment of a pull request about failed jobs. It returns [errs.NotFound] before the first one.
func (s *Store) CIComment(ctx context.Context, t domain.Tenant, pull string) (CIComment, error) {
	return first(ctx, s, s.db.Write, scanCIComment, `SELECT `+ciCommentColumns+` FROM ci_comments WHERE tenant_id = $1
		AND pull_request_id = $2`, []any{t.ID, pull})
}

// WantCIComment stores the head, the colour and the omitted jobs that the comment of a pull request must show. It creates the
// comment's row if it is missing. It returns [errs.NotFound] if the tenant has no such pull request.
func (s *Store) WantCIComment(ctx context.Context, t domain.Tenant, v CIComment) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, v.PullRequest); err != nil {
			return err
		}
		if err := s.lockInstanceKey(ctx, v.MarkKey); err != nil {
			return err
		}
		_, err := s.exec(ctx, `INSERT INTO ci_comments (id, tenant_id, repository_id, pull_request_id, head_sha, green, state, host_id,
			digest, mark_key, left_out, reason, created_us, updated_us)
			VALUES ($1, $2, $3, $4, $5, $6, 'waiting', '', '', $7, $8, '', {now}, {now})
			ON CONFLICT (tenant_id, pull_request_id) DO UPDATE SET head_sha = excluded.head_sha, green = excluded.green,
				left_out = excluded.left_out, updated_us = {now}`,
			domain.NewID("cic"), t.ID, v.Repository, v.PullRequest, v.HeadSHA, v.Green, v.MarkKey, v.LeftOut)
		return err
	})
}

// ShowCIComment records that the host has a text of the comment, by the host's id of the comment and the text's digest.
func (s *Store) ShowCIComment(ctx context.Context, t domain.Tenant, id string, host domain.HostID, digest string) error {
	_, err := s.exec(ctx, `UPDATE ci_comments SET state = 'shown', host_id = $3, digest = $4, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2`, t.ID, id, string(host), digest)
	return err
}

// DropCIComment records that the comment is gone for good, with the reason.
func (s *Store) DropCIComment(ctx context.Context, t domain.Tenant, id, reason string) error {
	_, err := s.exec(ctx, `UPDATE ci_comments SET state = 'gone', reason = $3, updated_us = {now} WHERE tenant_id = $1 AND id = $2`,
		t.ID, id, clip.Bytes(reason, 500))
	return err
}
