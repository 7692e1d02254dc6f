// Package mcpserver is what assistants find at POST /mcp: tools, resources and prompts
// of the Model Context Protocol over streamable HTTP, without sessions.
//
// A caller has been let in by a token before anything here is called. What it may do is
// the least of three: the scopes of its token, what the tenant offers, and the role of
// the token's owner now. A tool decodes, calls a feature or reads the store, and
// encodes; every call is recorded, never what was said in it.
//
// Who gets in, the limits of requests, and decisions of the product do not live here.
package mcpserver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Observer is told of calls, for metrics.
type Observer interface {
	// AssistantCalled is told of a call that has ended. The name is that of a tool or
	// prompt that there is, or of the kind of a resource, else "other".
	AssistantCalled(kind, name, outcome string, took time.Duration)
}

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store     *store.Store
	Audit     *audit.Log
	Auth      *auth.Service
	Tenant    *tenant.Service
	DryRun    *dryrun.Service
	Approvals *approval.Service
	Scan      func(text string) string // replaces secrets in what is answered
	Base      func() string            // public base URL, for links to the console; "" for none
	Version   string
	Logger    *slog.Logger

	Rerun    Rerunner // nil: this process cannot start reviews
	Code     Code     // nil: this process cannot read code
	Observer Observer // may be nil

	// KeepAlive is how often it is looked whether a client that waits for an answer has
	// heard something; 0 means every 10 seconds.
	KeepAlive time.Duration
}

// Service answers assistants. It is safe for concurrent use.
type Service struct {
	Config
	tools   []tool
	schemas *mcp.SchemaCache
	heads   *lru.Cache[string, newest] // of default branches

	requests, reviews few
	bodies            *semaphore.Weighted // bytes of requests under way

	mu    sync.Mutex
	calls map[string][]*underway // by token and id of the request
}

// New makes the service.
func New(c Config) *Service {
	if c.Scan == nil {
		c.Scan = func(text string) string { return text }
	}
	if c.Base == nil {
		c.Base = func() string { return "" }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	heads, _ := lru.New[string, newest](1000) // fails on a size below 1 only
	return &Service{Config: c, heads: heads, tools: tools(), schemas: mcp.NewSchemaCache(), bodies: semaphore.NewWeighted(maxBodies), calls: map[string][]*underway{}}
}

// Caller is who asks: somebody whom a token speaks for.
type Caller struct {
	Tenant domain.Tenant
	Role   domain.Role // in the tenant, now
	User   store.User
	Token  string // its id
	Scopes []string

	// Take pays for so many messages more than the first one of a request; nil where
	// they cost nothing. It fails with an error of kind RateLimited.
	Take func(more int) error
}

// visit is one request of a caller.
type visit struct {
	*Service
	Caller
	shows tenant.McpSettings
	whole context.Context   // of the request
	under []context.Context // of its messages, in their order
}
