package tenant

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store"
)

// MaxMCPServers is the maximum number of tool servers of a tenant (design choice).
const MaxMCPServers = 20

// DefaultMCPTimeout is the default time for a call of a tool, in seconds (design choice).
const DefaultMCPTimeout = 20

// McpAuth is the sign-in to a tool server.
type McpAuth struct {
	Kind   string `json:"kind" enum:"none,bearer,header" doc:"bearer: the header Authorization with Bearer and the secret. header: a header of its own with the secret"`
	Header string `json:"header,omitempty" maxLength:"100" doc:"For header: its name"`
	Secret string `json:"secret,omitempty" maxLength:"4096" writeOnly:"true" doc:"For bearer and header"`
}

// TransformSchema implements [huma.SchemaTransformer] with a complete example, because examples of single
// fields cannot form one.
func (McpAuth) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Examples = []any{map[string]any{"kind": "bearer", "secret": "example-secret"}}
	return s
}

// McpAuthInfo is a [McpAuth] without its secret.
type McpAuthInfo struct {
	Kind   string `json:"kind" enum:"none,bearer,header"`
	Header string `json:"header,omitempty"`
}

// McpServerCreate is a new tool server.
type McpServerCreate struct {
	Name           string   `json:"name" minLength:"1" maxLength:"100" example:"Documentation"`
	URL            string   `json:"url" minLength:"1" maxLength:"500" doc:"Address of the server's MCP endpoint (streamable HTTP)" example:"https://mcp.example.com/mcp"`
	Auth           *McpAuth `json:"auth,omitempty" doc:"Absent: none"`
	Enabled        *bool    `json:"enabled,omitempty" doc:"True where absent"`
	TimeoutSeconds *int64   `json:"timeoutSeconds,omitempty" minimum:"1" maximum:"60" doc:"How long a call may take; 20 where absent"`
}

// McpServerUpdate changes a tool server. Absent fields stay, and auth is replaced as a whole. A change of
// the URL requires the secret again and clears the list of allowed tools.
type McpServerUpdate struct {
	Name           patch.Value[string]  `json:"name,omitzero" minLength:"1" maxLength:"100" example:"Documentation of the product"`
	URL            patch.Value[string]  `json:"url,omitzero" minLength:"1" maxLength:"500" doc:"Needs auth with its secret again; clears the list of tools"`
	Auth           patch.Value[McpAuth] `json:"auth,omitzero" doc:"Replaces all of it"`
	Enabled        patch.Value[bool]    `json:"enabled,omitzero"`
	TimeoutSeconds patch.Value[int64]   `json:"timeoutSeconds,omitzero" minimum:"1" maximum:"60"`
}

// McpTool is a tool as its server last listed it. Name and description come from the server: they are data,
// and instructions in them are not followed.
type McpTool struct {
	Name        string `json:"name"`
	Description string `json:"description" doc:"Written by the server; cleaned and cut to 2,000 characters"`
	// Schema is the schema of the tool's arguments that models get.
	Schema  map[string]any `json:"schema,omitempty" doc:"Schema of its arguments, as models see it: descriptions are written by the server, cleaned and cut to 500 characters; titles, defaults, examples and comments are left out; objects take no properties that the schema does not list. Absent if the schema cannot be used, so that no model is offered the tool, and for tools from before an upgrade until the server is asked again"`
	Digest  string         `json:"digest" doc:"SHA-256 over name, description, schemas and the server's host, as the server wrote them: all that is shown here is made of that"`
	Allowed bool           `json:"allowed" doc:"Reviews may call it"`
	Changed bool           `json:"changed" doc:"It was allowed, has changed since, and is blocked until it is allowed again, also where it is now as it was then"`
}

// McpServer is a tool server in the interface.
type McpServer struct {
	ID              string      `json:"id" audit:"ignore"`
	Name            string      `json:"name" audit:"track"`
	URL             string      `json:"url" audit:"track"`
	Auth            McpAuthInfo `json:"auth" audit:"track"`
	SecretSet       bool        `json:"secretSet" audit:"ignore"`
	SecretUpdatedAt *time.Time  `json:"secretUpdatedAt,omitempty" audit:"secret"`
	Enabled         bool        `json:"enabled" audit:"track"`
	TimeoutSeconds  int64       `json:"timeoutSeconds" audit:"track"`
	State           string      `json:"state" enum:"pending,active,error,disabled" audit:"ignore" doc:"pending: its tools were not listed since it was changed"`
	Message         string      `json:"message,omitempty" audit:"ignore" doc:"Why the state is error, or what was left out"`
	DiscoveredAt    *time.Time  `json:"discoveredAt,omitempty" audit:"ignore" doc:"When its tools were asked for last"`
	Tools           []McpTool   `json:"tools" audit:"ignore" doc:"As it listed them last"`
	AllowedTools    []string    `json:"allowedTools" audit:"track" doc:"Names of the tools that reviews may call"`
	Version         int64       `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt       time.Time   `json:"createdAt" audit:"ignore"`
	UpdatedAt       time.Time   `json:"updatedAt" audit:"ignore"`
}

// checkMCPServer checks rules that the schema cannot express. auth is the sign-in of the request, nil if
// absent.
func (s *Service) checkMCPServer(r McpServer, auth *McpAuth) field.Check {
	var c field.Check
	c.Name("/name", r.Name)
	c.WebURL("/url", r.URL)
	if reason := s.refused(r.URL); reason != "" {
		c.That(false, "/url", "cannot be used: "+reason)
	}
	if auth == nil {
		return c
	}
	c.That(field.Plain(auth.Secret) && strings.TrimSpace(auth.Secret) == auth.Secret &&
		ascii(auth.Secret), "/auth/secret", "must be one line of ASCII characters, without spaces around it")
	if auth.Kind == "none" {
		c.That(auth.Secret == "", "/auth/secret", "must be absent if the kind is none")
	} else {
		c.That(auth.Secret != "", "/auth/secret", "is needed for this kind")
	}
	if auth.Kind == "header" {
		c.That(headerName(auth.Header), "/auth/header", "must be the name of a header, and none that the protocol or HTTP itself sets")
	} else {
		c.That(auth.Header == "", "/auth/header", "must be absent unless the kind is header")
	}
	return c
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '~' }) < 0
}

// headerName reports whether a tenant may set a header: a token (RFC 9110, section 5.1) that neither frames
// the request nor belongs to the protocol.
func headerName(name string) bool {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return false
	}
	switch canonical := http.CanonicalHeaderKey(name); canonical {
	case "Host", "Connection", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Te", "Trailer", "Upgrade",
		"Expect", "Accept", "Accept-Encoding",
		"Cookie", "Origin", "Last-Event-Id", "Idempotency-Key", "X-Idempotency-Key", "Keep-Alive", "Proxy-Connection":
		return false
	default:
		return !strings.HasPrefix(canonical, "Mcp-") && !strings.HasPrefix(canonical, "Proxy-") && !strings.HasPrefix(canonical, "Sec-")
	}
}

func (r McpServer) target() audit.Target {
	return audit.Target{Kind: "mcp-server", ID: r.ID, Name: r.Name}
}

func mcpServerOf(row store.MCPServer, tools []store.MCPTool) McpServer {
	r := McpServer{ID: row.ID, Name: row.Name, URL: row.URL, Auth: McpAuthInfo{row.AuthKind, row.AuthHeader},
		SecretSet: row.Secret != nil, SecretUpdatedAt: store.TimeOrNil(row.SecretUS),
		Enabled: row.Enabled, TimeoutSeconds: row.TimeoutSeconds, State: row.State, Message: row.Message,
		DiscoveredAt: store.TimeOrNil(row.DiscoveredUS),
		Tools:        []McpTool{}, AllowedTools: []string{}, Version: row.Version, CreatedAt: store.Time(row.CreatedUS),
		UpdatedAt: store.Time(row.UpdatedUS)}
	if !row.Enabled {
		r.State = "disabled"
	}
	for _, t := range tools {
		if t.Server != row.ID {
			continue
		}
		v := McpTool{Name: t.Name, Description: t.Description, Digest: t.Digest, Allowed: isAllowed(t),
			Changed: t.Allowed != "" && !isAllowed(t)}
		_ = json.Unmarshal([]byte(t.Shown), &v.Schema) // written by this service; "" has no schema
		if r.Tools = append(r.Tools, v); v.Allowed {
			r.AllowedTools = append(r.AllowedTools, t.Name)
		}
	}
	return r
}

// clientServer returns the data of a server for the client.
func clientServer(tenant string, row store.MCPServer, value string) mcpclient.Server {
	s := mcpclient.Server{Tenant: tenant, URL: row.URL, Header: row.AuthHeader}
	switch row.AuthKind {
	case "bearer":
		s.Header, s.Value = "Authorization", secretOf("Bearer "+value)
	case "header":
		s.Value = secretOf(value)
	}
	return s
}
