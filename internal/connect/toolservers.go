package connect

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// The bounds of one review's use of tool servers (design choices). The engine bounds the number of calls.
const (
	serverTime     = 2 * time.Minute // for listing tools and for all calls
	serverBytes    = 512 << 10       // of all results
	serverFailures = 2               // then the server is skipped; one that hangs is skipped after the first
	offeredTools   = 24              // of all servers
	offeredBytes   = 16 << 10        // of the descriptions for models
)

// The stored outcomes of calls.
const (
	callOK      = "ok"
	callFailed  = "failed"  // the tool reported a failure
	callTimeout = "timeout" // the call took too long
	callError   = "error"   // no usable answer
)

// toolServers are the tools of a tenant's servers during one review. It implements [ask.Outside] and is
// safe for concurrent use.
type toolServers struct {
	store   *store.Store
	factory *outbound.Factory
	log     *slog.Logger
	access  tenant.ToolAccess
	tenant  domain.Tenant
	run     string
	allowed func(context.Context) (bool, error) // whether the policy still lets models call tools
	made    int                                 // calls of earlier attempts

	tools []llm.Tool
	by    map[string]servedTool

	mu    sync.Mutex
	time  time.Duration // remaining
	bytes int
}

// servedTool is a tool as offered to models.
type servedTool struct {
	mcpclient.Tool
	server *toolServer
}

// toolServer is a server in use. Its calls run one after the other, so that a server that hangs costs a
// review its timeout only once.
type toolServer struct {
	tenant.ToolServer
	turn     chan struct{}
	failures int // guarded by turn
}

var _ ask.Outside = (*toolServers)(nil)

// toolServers opens the tools that a review may use; nil if there are no tools. The use of the run's earlier
// attempts counts.
func (m *Models) toolServers(ctx context.Context, caller review.Caller) (ask.Outside, error) {
	t := caller.Tenant
	used, err := m.Store.MCPUseOf(ctx, t, caller.Run)
	if err != nil {
		return nil, err
	}
	out := &toolServers{store: m.Store, factory: m.Factory, log: m.Logger.With("run", caller.Run), tenant: t, run: caller.Run,
		by: map[string]servedTool{}, made: int(used.Calls),
		access:  tenant.ToolAccess{Store: m.Store, Keyring: m.Keyring, Outbound: m.Factory, Logger: m.Logger},
		allowed: func(ctx context.Context) (bool, error) { return m.toolsAllowed(ctx, caller) },
		time:    serverTime - time.Duration(used.DurationUS)*time.Microsecond, bytes: serverBytes - int(used.ResponseBytes)}
	if out.made >= ask.ServerCalls || out.time <= 0 || out.bytes <= 0 {
		return nil, nil //nolint:nilnil // an interface without a value says that there is nothing
	}
	began := time.Now()
	list, err := out.access.Servers(ctx, t, out.time)
	if err != nil {
		return nil, err
	}
	out.time -= time.Since(began)
	room := offeredBytes
	for _, s := range list {
		server := &toolServer{ToolServer: s, turn: make(chan struct{}, 1)}
		for _, found := range s.Tools {
			if found.Schema.JSON == nil {
				out.log.WarnContext(ctx, "a tool is not offered to models", "server", s.ID, "error", mcpclient.ErrSchema)
				continue
			}
			spec := llm.Tool{Name: out.nameOf(s.Name, found.Name), Parameters: found.Schema.JSON,
				Description: fmt.Sprintf("A tool of the team's server %q. Give it names and short questions, never code. Its maker "+
					"describes it so: %s", clip.Bytes(s.Name, 100), clip.Bytes(found.Description, 1000))}
			size := len(spec.Name) + len(spec.Description) + len(spec.Parameters)
			if len(out.tools) == offeredTools || size > room {
				out.log.WarnContext(ctx, "a tool is not offered to models: there is no room for it", "server", s.ID)
				continue
			}
			room -= size
			out.tools = append(out.tools, spec)
			out.by[spec.Name] = servedTool{found, server}
		}
	}
	if len(out.tools) == 0 {
		return nil, nil //nolint:nilnil // an interface without a value says that there is nothing
	}
	return out, nil
}

// nameOf returns a name for models, made from the names of the server and the tool, in the alphabet and
// length that providers accept ([llm.Tool]).
func (s *toolServers) nameOf(server, tool string) string {
	plain := func(text string, maxBytes int) string {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
				return r
			}
			return '_'
		}, text)
		return strings.Trim(clip.Bytes(text, maxBytes), "_")
	}
	name := plain(strings.ToLower(server), 20) + "__" + plain(tool, 36)
	unique := name
	for n := 2; s.by[unique].server != nil; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// toolsAllowed reports whether the policy lets a caller's models call tools.
func (m *Models) toolsAllowed(ctx context.Context, caller review.Caller) (bool, error) {
	all, own, err := policy.Models(ctx, m.Store, caller.Tenant, caller.Repository)
	return err == nil && policy.InEffect(policy.DocModels, all.Narrowed(own)).ToolsAllowed(), err
}

// Tools implements [ask.Outside].
func (s *toolServers) Tools() []llm.Tool { return s.tools }

// Made implements [ask.Outside].
func (s *toolServers) Made() int { return s.made }

// Ready implements [ask.Outside].
func (s *toolServers) Ready(name, arguments string, clean func(string) string) (string, bool) {
	tool, ok := s.by[name]
	if !ok {
		return "", false
	}
	raw, err := tool.Schema.Arguments(arguments, clean)
	return string(raw), err == nil
}
