package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// The kinds of requests that assistants make.
const (
	AssistantTool     = "tool"
	AssistantResource = "resource"
	AssistantPrompt   = "prompt"
)

// assistantStarted is the outcome of a call that has not ended, or whose process died.
const assistantStarted = "started"

// AssistantCall is a row of assistant_calls. It records a request at /mcp without its content.
type AssistantCall struct {
	ID, Token, TokenName        string
	User, UserName              string // the owner of the token
	Repository                  string // "" if the call is not about a repository
	Kind, Name                  string
	Outcome                     string
	RequestBytes, ResponseBytes int64
	StartedUS                   int64
	FinishedUS                  int64 // 0 while it runs, or if its process died
}

const assistantCallColumns = `id, token_id, token_name, user_id, (SELECT display_name FROM users WHERE users.id = user_id), ` +
	`repository_id, kind, name, outcome, request_bytes, response_bytes, started_us, finished_us`

func scanAssistantCall(r scanner, v *AssistantCall) error {
	return r.Scan(&v.ID, &v.Token, &v.TokenName, &v.User, &v.UserName, text(&v.Repository), &v.Kind, &v.Name, &v.Outcome,
		&v.RequestBytes, &v.ResponseBytes, &v.StartedUS, number(&v.FinishedUS))
}

// BeginAssistantCall records the start of a call with a token. It returns [errs.NotFound] if the tenant has
// no such token.
func (s *Store) BeginAssistantCall(ctx context.Context, t domain.Tenant, v AssistantCall) (AssistantCall, error) {
	return returning(ctx, s, scanAssistantCall, `INSERT INTO assistant_calls (id, tenant_id, token_id, token_name, user_id, kind, name,
		outcome, request_bytes, response_bytes, started_us)
		SELECT $1, tenant_id, id, name, user_id, $4, $5, $6, CAST($7 AS BIGINT), 0, {now} FROM mcp_tokens WHERE tenant_id = $2 AND id = $3
			RETURNING `+assistantCallColumns,
		domain.NewID("asc"), t.ID, v.Token, v.Kind, clip.Bytes(v.Name, 200), assistantStarted, v.RequestBytes)
}

// EndAssistantCall records the outcome of a call and its repository, "" for none. It returns false if the
// call had ended, or if the tenant has no such call or repository.
func (s *Store) EndAssistantCall(ctx context.Context, t domain.Tenant, id, repository, outcome string, response int64) (bool, error) {
	return s.exec1(ctx, `UPDATE assistant_calls SET outcome = $4, response_bytes = $5, finished_us = {now}, repository_id = NULLIF($3, '')
		WHERE tenant_id = $1 AND id = $2 AND finished_us IS NULL AND ($3 = ''
			OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = $1 AND r.id = $3))`,
		t.ID, id, repository, outcome, response)
}

// AssistantCalls lists the calls of a tenant, newest first, at most limit of them.
func (s *Store) AssistantCalls(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]AssistantCall, error) {
	return many(ctx, s, scanAssistantCall, `SELECT `+assistantCallColumns+` FROM assistant_calls WHERE tenant_id = $1
		AND (started_us, id) < ($2, $3) ORDER BY started_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// DropAssistantCalls deletes calls that began before age ago, at most 1,000 at a time.
func (s *Store) DropAssistantCalls(ctx context.Context, age time.Duration) error {
	_, err := s.exec(ctx, `DELETE FROM assistant_calls WHERE id IN (SELECT id FROM assistant_calls WHERE started_us < {now} - $1
		ORDER BY started_us LIMIT 1000)`, age.Microseconds())
	return err
}
