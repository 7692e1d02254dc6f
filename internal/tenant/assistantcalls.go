package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// KeepAssistantCalls is how long calls of assistants are kept (design choice: long enough to investigate
// the use of a token after a late discovery).
const KeepAssistantCalls = 90 * 24 * time.Hour

// AssistantCall is one request of an assistant at /mcp, without its content.
type AssistantCall struct {
	ID            string     `json:"id" example:"asc_example"`
	TokenID       string     `json:"tokenId" doc:"Of a token that may be gone"`
	TokenName     string     `json:"tokenName" doc:"As it was then"`
	UserID        string     `json:"userId" doc:"Owner of the token"`
	UserName      string     `json:"userName"`
	RepositoryID  string     `json:"repositoryId,omitempty" doc:"That it was about; absent for none, and where it was refused before one was found"`
	Kind          string     `json:"kind" enum:"tool,resource,prompt"`
	Name          string     `json:"name" doc:"Of the tool or prompt, or the kind of the resource; other for what there is not" example:"list_findings"`
	Outcome       string     `json:"outcome" doc:"started: it goes on, or its process died; ok; cancelled; timeout; else the kind of the refusal: invalid, not_found, forbidden, unavailable, internal and so on" example:"ok"`
	RequestBytes  int64      `json:"requestBytes" doc:"Of the arguments"`
	ResponseBytes int64      `json:"responseBytes" doc:"Of the content of the answer"`
	StartedAt     time.Time  `json:"startedAt"`
	FinishedAt    *time.Time `json:"finishedAt,omitempty" doc:"Absent while it goes on, and where its process died"`
}

// AssistantCalls lists requests of assistants, newest first.
func (s *Service) AssistantCalls(ctx context.Context, t domain.Tenant, p Page) ([]AssistantCall, error) {
	rows, err := s.Store.AssistantCalls(ctx, t, p.Before, p.Limit)
	out := make([]AssistantCall, len(rows))
	for i, r := range rows {
		out[i] = AssistantCall{ID: r.ID, TokenID: r.Token, TokenName: r.TokenName, UserID: r.User, UserName: r.UserName,
			RepositoryID: r.Repository, Kind: r.Kind, Name: r.Name, Outcome: r.Outcome,
			RequestBytes: r.RequestBytes, ResponseBytes: r.ResponseBytes, StartedAt: store.Time(r.StartedUS),
			FinishedAt: store.TimeOrNil(r.FinishedUS)}
	}
	return out, err
}
