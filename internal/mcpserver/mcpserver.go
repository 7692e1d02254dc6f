// Package mcpserver serves assistants at POST /mcp: tools, resources and prompts of the Model Context Protocol
// over streamable HTTP, without sessions.
//
// The caller has already been authenticated by a token. It may do what all three allow: the scopes of its
// token, the tools that the tenant offers, and the current role of the token's owner. A tool decodes its
// input, calls a feature or reads the store, and encodes the result. Every call is recorded, but never its
// content.
//
// Authentication, the limits of requests and decisions of the product belong elsewhere.
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
	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/tenant"
)

// Observer receives calls for metrics.
type Observer interface {
	// AssistantCalled is called after each call. name is an existing tool or prompt, or the kind of a
	// resource, otherwise "other".
	AssistantCalled(kind, name, outcome string, took time.Duration)
}

// Config holds the dependencies of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store     *store.Store
	Audit     *audit.Log
	Auth      *auth.Service
	Tenant    *tenant.Service
	DryRun    *dryrun.Service
	Approvals *approval.Service
	Suppress  *suppress.Service
	Scan      func(text string) string // masks secrets in answers
	Base      func() string            // public base URL, for links to the console; "" if unknown
	Version   string
	Logger    *slog.Logger

	Rerun    Rerunner // nil: this process cannot start reviews
	Fixes    *fixrun.Service
	Code     codeindex.Opener   // nil: this process cannot read code
	Index    *codeindex.Service // nil: searches read the code
	Observer Observer           // may be nil

	// KeepAlive is the interval for checking whether a waiting client has received something; 0 means 10
	// seconds.
	KeepAlive time.Duration
}

// Service answers assistants. It is safe for concurrent use.
type Service struct {
	Config
	tools   []tool
	schemas *mcp.SchemaCache
	heads   *lru.Cache[string, newest] // of default branches

	requests, reviews runningCounter
	bodies            *semaphore.Weighted // bytes of requests under way

	mu    sync.Mutex
	calls map[string][]*underway // by token and id of the request
}

// New returns a service.
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
	return &Service{Config: c, heads: heads, tools: tools(), schemas: mcp.NewSchemaCache(), bodies: semaphore.NewWeighted(maxBodies),
		calls: map[string][]*underway{}}
}

// Caller is the owner of the token that authenticated a request.
type Caller struct {
	Tenant domain.Tenant
	Role   domain.Role // in the tenant, now
	User   store.User
	Token  string // its id
	Scopes []string

	// Take charges for further messages of a request; nil if they are free. It fails with an error of kind
	// RateLimited.
	Take func(more int) error
}

// visit is one request of a caller.
type visit struct {
	*Service
	Caller
	shows tenant.McpSettings
	whole context.Context   // of the request
	under []context.Context // of its messages, in order
}
