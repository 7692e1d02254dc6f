package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// FindingReply is a person's comment in the thread of a finding. Its text stays on the host.
type FindingReply struct {
	ID, Tenant, PullRequest, Finding string
	Repository                       string // of the pull request; read-only
	Number                           int    // of the pull request on the host; read-only
	Kind                             domain.ReplyKind
	Comment                          domain.HostID
	Thread                           domain.HostID // the first comment of its thread
	Words                            string        // identifies its text, so that a repetition gets no answer
	Outcome                          domain.ReplyOutcome
	Reason                           string // why it got no answer
	Head                             string // the head that it was judged by; "" before the outcome, and if no code was read
	CreatedUS, NowUS                 int64  // NowUS is the time of reading
}

// FindingOfComment finds the finding of a pull request by its inline comment. It returns [errs.NotFound] if the comment reports none.
func (s *Store) FindingOfComment(ctx context.Context, t domain.Tenant, pull string, comment domain.HostID) (KnownFinding, error) {
	return one(ctx, s, scanKnown, `SELECT `+findingColumns+` FROM findings WHERE tenant_id = $1 AND pull_request_id = $2
		AND comment_id = $3 AND comment_id <> 0 ORDER BY created_us, id LIMIT 1`, t.ID, pull, numericKey(comment))
}

// HasCommentedFindings reports whether a pull request has a finding with an inline comment.
func (s *Store) HasCommentedFindings(ctx context.Context, t domain.Tenant, pull string) (bool, error) {
	n, err := one(ctx, s, value[int], `SELECT COUNT(*) FROM findings WHERE tenant_id = $1 AND pull_request_id = $2
		AND comment_id <> 0`, t.ID, pull)
	return n > 0, err
}

// maxRead is the most replies of a pull request that are read in a UTC day, also those that need no answer, because each costs a
// call of a model (design choice).
const maxRead = 20

// AddReply stores a reply that a job will answer, once per comment and text. A thread gets at most perThread replies that are or will
// be answered, and a pull request at most perDay in a UTC day, together with the answers to commands; at most [maxRead] are read. It
// locks the pull request's row, so that concurrent replies are counted one after the other. It returns [errs.NotFound] if the tenant
// has no such pull request.
func (s *Store) AddReply(ctx context.Context, t domain.Tenant, r FindingReply, perThread, perDay int) (id string, added Added, err error) {
	id = domain.NewID("rpl")
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, r.PullRequest); err != nil {
			return err
		}
		type counts struct{ same, thread, today, read, answers int }
		n, err := first(ctx, s, s.db.Write, func(r scanner, n *counts) error {
			return r.Scan(&n.same, &n.thread, &n.today, &n.read, &n.answers)
		},
			`SELECT COUNT(CASE WHEN thread = $3 AND (comment = $4 OR words = $7 AND outcome <> $5) THEN 1 END),
				COUNT(CASE WHEN thread = $3 AND outcome <> $5 THEN 1 END),
				COUNT(CASE WHEN outcome = $6 THEN 1 END),
				COUNT(CASE WHEN created_us >= {now} - {now} % 86400000000 THEN 1 END),
				(SELECT COUNT(*) FROM command_answers WHERE tenant_id = $1 AND pull_request_id = $2
					AND created_us >= {now} - {now} % 86400000000)
				FROM finding_replies WHERE tenant_id = $1 AND pull_request_id = $2`,
			[]any{t.ID, r.PullRequest, string(r.Thread), string(r.Comment), string(domain.ReplyUnanswered),
				string(domain.ReplyWaiting), r.Words})
		switch {
		case err != nil:
			return err
		case n.same > 0:
			added = AddedKnown
			return nil
		case n.thread >= perThread, n.today+n.answers >= perDay, n.read >= maxRead:
			added = AddedOverLimit
			return nil
		}
		added = AddedNew
		_, err = s.exec(ctx, `INSERT INTO finding_replies (id, tenant_id, pull_request_id, finding_id, kind, comment, thread, words,
			outcome, reason, created_us, updated_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', {now}, {now})`, id, t.ID, r.PullRequest,
			r.Finding, string(r.Kind), string(r.Comment), string(r.Thread), r.Words, string(domain.ReplyWaiting))
		return err
	})
	if added != AddedNew || err != nil {
		id = ""
	}
	return id, added, err
}

const replyColumns = `r.id, r.tenant_id, r.pull_request_id, r.finding_id, p.repository_id, p.number, r.kind, r.comment, r.thread,
	r.words, r.outcome, r.reason, r.head, r.created_us, {now} FROM finding_replies r JOIN pull_requests p ON p.tenant_id = r.tenant_id
	AND p.id = r.pull_request_id`

func scanReply(r scanner, v *FindingReply) error {
	return r.Scan(&v.ID, &v.Tenant, &v.PullRequest, &v.Finding, &v.Repository, &v.Number, &v.Kind, hostID(&v.Comment),
		hostID(&v.Thread), &v.Words, &v.Outcome, &v.Reason, &v.Head, &v.CreatedUS, &v.NowUS)
}

// ReplyForWork reads a reply by the id that a job names.
func (s *Store) ReplyForWork(ctx context.Context, id string) (FindingReply, error) {
	return first(ctx, s, s.db.Write, scanReply, `SELECT `+replyColumns+` WHERE r.id = $1`, []any{id})
}

// RepliesOf lists the replies to a finding, oldest first, at most 50.
func (s *Store) RepliesOf(ctx context.Context, t domain.Tenant, finding string) ([]FindingReply, error) {
	return many(ctx, s, scanReply, `SELECT `+replyColumns+` WHERE r.tenant_id = $1 AND r.finding_id = $2
		ORDER BY r.created_us, r.id LIMIT $3`, t.ID, finding, maxDecisions)
}

// EndReply records the outcome of a waiting reply, with the head that it was judged by, "" if no code was read. It returns false if
// the reply has already ended.
func (s *Store) EndReply(ctx context.Context, t domain.Tenant, id string, to domain.ReplyOutcome, head, reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE finding_replies SET outcome = $3, reason = $4, head = $6, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND outcome = $5`, t.ID, id, string(to), clip.Bytes(reason, 500), string(domain.ReplyWaiting), head)
}
