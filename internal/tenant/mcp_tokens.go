package tenant

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// MaxMCPTokens is the maximum number of a person's tokens in a tenant (design choice).
const MaxMCPTokens = 50

// longestMCPToken is the maximum life of a token: a year, including a leap day.
const longestMCPToken = 366 * 24 * time.Hour

// McpServerSettings replaces the tenant's settings of /mcp.
type McpServerSettings struct {
	Enabled      bool     `json:"enabled" audit:"track" doc:"Tokens of this tenant are served at /mcp"`
	ExposedTools []string `json:"exposedTools" audit:"track" maxItems:"20" doc:"Tools that are offered: list_repositories, get_review, list_findings, explain_finding, list_suppressions, list_calibration, list_static_analysis, get_ci_analysis, list_rules, list_proposed_rules, policy_preview, search_code, review_diff; where allowWrites is true also rerun_review, fix_finding, dismiss_finding, decide_suppression, decide_proposed_rule, approve_output, reject_output" example:"[\"list_repositories\",\"list_findings\"]"`
	AllowWrites  bool     `json:"allowWrites" audit:"track" doc:"Tools that change something are offered, too, where exposedTools has them"`
}

// McpSettings are the settings of /mcp in the interface.
type McpSettings struct {
	McpServerSettings
	NotInEffect []policy.NotInEffect `json:"notInEffect,omitempty" audit:"ignore" doc:"Stored settings that have another effect for now; absent if there are no such settings"`

	Version   int64      `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0 where the defaults hold"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty" audit:"ignore" doc:"Absent where the defaults hold"`
}

func mcpSettingsOf(d store.Document) McpSettings {
	v := McpSettings{McpServerSettings: McpServerSettings{ExposedTools: []string{"list_repositories", "search_code", "get_review",
		"list_findings", "explain_finding", "list_rules"}}}
	if d.Version > 0 {
		v.McpServerSettings = store.FromJSON[McpServerSettings](d.Body)
		v.ExposedTools = list(v.ExposedTools)
	}
	v.NotInEffect = policy.NotInEffectIn(policy.DocMCP, v.McpServerSettings)
	v.Version, v.UpdatedAt = d.Version, store.TimeOrNil(d.UpdatedUS)
	return v
}

// MCPSettings returns the tenant's settings of /mcp. It is disabled until an admin enables it.
func (s *Service) MCPSettings(ctx context.Context, t domain.Tenant) (McpSettings, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingMCP)
	return mcpSettingsOf(d), err
}

// PutMCPSettings replaces the tenant's settings of /mcp. version 0 means any version; otherwise the
// document must still have it (Stale).
func (s *Service) PutMCPSettings(ctx context.Context, t domain.Tenant, version int64, in McpServerSettings) (McpSettings, error) {
	var c field.Check
	for i, name := range in.ExposedTools {
		c.That(s.Tools[name] != "", field.At("/exposedTools", i), "must be one of the tools that the service has")
	}
	c.Distinct("/exposedTools", in.ExposedTools)
	if err := c.Err(); err != nil {
		return McpSettings{}, err
	}
	var after McpSettings
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.MCPSettings(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		in.ExposedTools = list(in.ExposedTools)
		d, err := s.Store.PutSettingAt(ctx, t, "", store.SettingMCP, store.JSON(in), version)
		after = mcpSettingsOf(d)
		return audit.Act{Tenant: t, Action: "mcp-settings.update", Target: audit.Target{Kind: "mcp-settings", ID: t.ID}, Before: before,
			After: after}, err
	})
	return after, err
}

// McpTokenCreate is a new personal token for /mcp.
type McpTokenCreate struct {
	Name      string    `json:"name" minLength:"1" maxLength:"100" example:"Editor on my laptop"`
	Scopes    []string  `json:"scopes" minItems:"1" maxItems:"10" doc:"repositories:read, code:read, reviews:read, rules:read, diffs:review (spends from the budget), sast:upload (uploads of analysers' results, and nothing else), write" example:"[\"reviews:read\"]"`
	ExpiresAt time.Time `json:"expiresAt" doc:"In the future, a year away at most" example:"2027-09-30T00:00:00Z"`
}

// McpToken is a token in lists.
type McpToken struct {
	ID         string     `json:"id" audit:"ignore"`
	Name       string     `json:"name" audit:"track"`
	Prefix     string     `json:"prefix" audit:"track" doc:"How the token begins"`
	UserID     string     `json:"userId" audit:"track" doc:"Whose it is"`
	UserName   string     `json:"userName" audit:"ignore"`
	Scopes     []string   `json:"scopes" audit:"track"`
	CreatedAt  time.Time  `json:"createdAt" audit:"ignore"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty" audit:"ignore" doc:"To the minute; absent: never"`
	ExpiresAt  time.Time  `json:"expiresAt" audit:"track"`
}

// McpTokenMade is a token with its secret, which is shown only once.
type McpTokenMade struct {
	McpToken
	Secret string `json:"secret" audit:"ignore" doc:"The token itself; it is not shown again"`
}

func mcpTokenOf(r store.MCPToken) McpToken {
	return McpToken{ID: r.ID, Name: r.Name, Prefix: r.Prefix, UserID: r.User, UserName: r.UserName,
		Scopes: list(store.FromJSON[[]string](r.Scopes)), CreatedAt: store.Time(r.CreatedUS),
		LastUsedAt: store.TimeOrNil(r.UsedUS), ExpiresAt: store.Time(r.ExpiresUS)}
}

func (r McpToken) target() audit.Target {
	return audit.Target{Kind: "mcp-token", ID: r.ID, Name: r.Name}
}

// CreateMCPToken creates a token of a member. Errors: Invalid, Conflict (name taken, too many).
func (s *Service) CreateMCPToken(ctx context.Context, t domain.Tenant, user string, in McpTokenCreate) (McpTokenMade, error) {
	scopes := []string{"write", ScopeUpload}
	for _, scope := range s.Tools {
		scopes = append(scopes, scope)
	}
	var c field.Check
	c.Name("/name", in.Name)
	for i, scope := range in.Scopes {
		c.That(slices.Contains(scopes, scope), field.At("/scopes", i),
			"must be one of repositories:read, code:read, reviews:read, rules:read, diffs:review, sast:upload, write")
	}
	c.Distinct("/scopes", in.Scopes)
	if err := c.Err(); err != nil {
		return McpTokenMade{}, err
	}
	fresh := secret.NewToken(secret.MCP).Reveal()
	out := McpTokenMade{Secret: fresh}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.MCPTokens(ctx, t, user, store.Cursor{}, MaxMCPTokens)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxMCPTokens {
			return audit.Act{}, limitError("tokens of yours", MaxMCPTokens)
		}
		row, err := s.Store.CreateMCPToken(ctx, t, store.MCPToken{User: user, Name: in.Name, Prefix: secret.Prefix(fresh),
			Scopes: store.JSON(in.Scopes), ExpiresUS: in.ExpiresAt.UnixMicro()},
			secret.Hash(fresh), longestMCPToken.Microseconds())
		switch {
		case errs.Is(err, errs.NotFound):
			return audit.Act{}, field.Wrong("/expiresAt", "must be in the future, and a year away at most")
		case errs.Is(err, errs.Conflict):
			return audit.Act{}, errs.Wrap(err, errs.Conflict, "already_exists", "You already have a token with this name.")
		}
		out.McpToken = mcpTokenOf(row)
		return audit.Act{Tenant: t, Action: "mcp-token.create", Target: out.target(), After: out.McpToken}, err
	})
	if err != nil {
		return McpTokenMade{}, err
	}
	return out, nil
}

// MCPTokens lists the tokens of a person, or of all people if user is "", newest first.
func (s *Service) MCPTokens(ctx context.Context, t domain.Tenant, user string, p Page) ([]McpToken, error) {
	rows, err := s.Store.MCPTokens(ctx, t, user, p.Before, p.Limit)
	out := make([]McpToken, len(rows))
	for i, r := range rows {
		out[i] = mcpTokenOf(r)
	}
	return out, err
}

// DeleteMCPToken revokes a token of a person, or of any person if user is "".
func (s *Service) DeleteMCPToken(ctx context.Context, t domain.Tenant, user, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.DeleteMCPToken(ctx, t, user, id)
		r := mcpTokenOf(row)
		return audit.Act{Tenant: t, Action: "mcp-token.revoke", Target: r.target(), Before: r}, err
	})
}

// ScopeUpload is the scope of tokens with which pipelines upload results of static analysers. It opens nothing else, and tokens of
// other scopes do not open uploads.
const ScopeUpload = "sast:upload"

// TokenCaller returns the person behind a token, whether or not the tenant has enabled /mcp. It returns NotFound if the token is
// unknown, expired or revoked, or if its owner is not a member any more.
func (s *Service) TokenCaller(ctx context.Context, token string) (store.MCPCaller, error) {
	if !secret.CheckToken(secret.MCP, token) {
		return store.MCPCaller{}, errs.Absent()
	}
	return s.Store.UseMCPToken(ctx, secret.Hash(token))
}

// MCPCaller returns the person behind a token. It returns NotFound if the token is unknown, expired or
// revoked, if its owner is not a member any more, or if the tenant has disabled /mcp.
func (s *Service) MCPCaller(ctx context.Context, token string) (store.MCPCaller, error) {
	v, err := s.TokenCaller(ctx, token)
	if err != nil {
		return store.MCPCaller{}, err
	}
	shows, err := s.MCPSettings(ctx, domain.Tenant{ID: v.Tenant})
	if err == nil && !shows.Enabled {
		err = errs.Absent()
	}
	if err != nil {
		return store.MCPCaller{}, err
	}
	return v, nil
}

// Scopes returns the scopes of a used token.
func Scopes(v store.MCPCaller) []string { return list(store.FromJSON[[]string](v.Scopes)) }
