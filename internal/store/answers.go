package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// CommandAnswer is the reply to a command in a comment.
type CommandAnswer struct {
	ID, Tenant, PullRequest string
	Repository              string        // of the pull request; read-only
	Number                  int           // of the pull request on the host; read-only
	Comment                 domain.HostID // the host's id of the comment with the command
	Thread                  domain.HostID // the first comment of its thread; "" in the conversation
	Body                    string        // written by assay, without its mark
	MarkKey                 string        // name of the instance key that makes the mark; "" is the oldest configured key
	State                   domain.AnswerState
	Reason                  string        // why it was dropped
	Said                    domain.HostID // the host's id of the posted reply; "" if unknown
	CreatedUS, NowUS        int64         // NowUS is the time of reading
}

// Added is the result of [Store.AddAnswer].
type Added string

// The results of AddAnswer.
const (
	AddedNew       Added = "new"
	AddedKnown     Added = "known" // the comment already has an answer
	AddedOverLimit Added = "most"  // the pull request has reached its daily limit of answers
)

// AddAnswer stores the answer to a comment, once per comment and at most perDay times per pull request and
// UTC day. Replies that wait for their answers count, because each of them keeps its place. It locks the pull
// request's row, so that concurrent commands are counted one after the other. It returns [errs.NotFound] if the
// tenant has no such pull request.
func (s *Store) AddAnswer(ctx context.Context, t domain.Tenant, a CommandAnswer, perDay int) (id string, added Added, err error) {
	id = domain.NewID("ans")
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, a.PullRequest); err != nil {
			return err
		}
		type counts struct{ same, today, waiting int }
		n, err := first(ctx, s, s.db.Write, func(r scanner, n *counts) error { return r.Scan(&n.same, &n.today, &n.waiting) },
			`SELECT COUNT(CASE WHEN thread_id = $3 AND comment_id = $4 THEN 1 END), COUNT(CASE
				WHEN created_us >= {now} - {now} % 86400000000 THEN 1 END),
				(SELECT COUNT(*) FROM finding_replies WHERE tenant_id = $1 AND pull_request_id = $2 AND outcome = $5
					AND NOT (thread = $6 AND comment = $7))
				FROM command_answers WHERE tenant_id = $1 AND pull_request_id = $2`,
			[]any{t.ID, a.PullRequest, numericKey(a.Thread), numericKey(a.Comment), string(domain.ReplyWaiting), string(a.Thread),
				string(a.Comment)})
		switch {
		case err != nil:
			return err
		case n.same > 0:
			added = AddedKnown
			return nil
		case n.today+n.waiting >= perDay:
			added = AddedOverLimit
			return nil
		}
		added = AddedNew
		if err := s.lockInstanceKey(ctx, a.MarkKey); err != nil {
			return err
		}
		_, err = s.exec(ctx, `INSERT INTO command_answers (id, tenant_id, pull_request_id, comment_id, thread_id, body, state, reason,
			answer_id, created_us, updated_us, comment_text, thread_text, mark_key)
			VALUES ($1, $2, $3, $4, $5, $6, 'waiting', '', 0, {now}, {now}, $7, $8, $9)`, id, t.ID, a.PullRequest, numericKey(a.Comment),
			numericKey(a.Thread), a.Body, idText(a.Comment), idText(a.Thread), a.MarkKey)
		return err
	})
	if added != AddedNew || err != nil {
		id = ""
	}
	return id, added, err
}

// AnswerForWork reads an answer by the id that a job names.
func (s *Store) AnswerForWork(ctx context.Context, id string) (CommandAnswer, error) {
	return first(ctx, s, s.db.Write, func(r scanner, a *CommandAnswer) error {
		return r.Scan(&a.ID, &a.Tenant, &a.PullRequest, &a.Repository, &a.Number, hostID(&a.Comment), hostID(&a.Thread), &a.Body,
			&a.MarkKey, &a.State, &a.Reason, hostID(&a.Said), &a.CreatedUS, &a.NowUS)
	}, `SELECT a.id, a.tenant_id, a.pull_request_id, p.repository_id, p.number,
		COALESCE(NULLIF(a.comment_text, ''), CAST(a.comment_id AS TEXT)), COALESCE(NULLIF(a.thread_text, ''), CAST(a.thread_id AS TEXT)),
			a.body, a.mark_key, a.state, a.reason,
			COALESCE(NULLIF(a.answer_text, ''), CAST(a.answer_id AS TEXT)), a.created_us, {now}
		FROM command_answers a JOIN pull_requests p ON p.tenant_id = a.tenant_id AND p.id = a.pull_request_id WHERE a.id = $1`, []any{id})
}

// EndAnswer ends a waiting answer with the host's id of the posted comment, or the reason for posting no
// comment. It returns false if the answer has already ended.
func (s *Store) EndAnswer(ctx context.Context, t domain.Tenant, id string, to domain.AnswerState, said domain.HostID,
	reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE command_answers SET state = $3, answer_id = $4, answer_text = $6, reason = $5, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND state = 'waiting'`, t.ID, id, to, numericKey(said), clip.Bytes(reason, 500), idText(said))
}

// ObeyCommand records that the command of a comment is carried out. It returns false if it was recorded
// before. thread and comment are ids of the host; thread is "" in the conversation.
func (s *Store) ObeyCommand(ctx context.Context, t domain.Tenant, pull string, thread, comment domain.HostID) (bool, error) {
	return s.exec1(ctx, `INSERT INTO obeyed_commands (tenant_id, pull_request_id, comment, at_us) SELECT tenant_id, id, $3, {now}
		FROM pull_requests WHERE tenant_id = $1 AND id = $2
		ON CONFLICT (tenant_id, pull_request_id, comment) DO NOTHING`, t.ID, pull, string(thread)+"/"+string(comment))
}
