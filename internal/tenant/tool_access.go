package tenant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The bounds of listing tools before a review (design choices).
const (
	maxConcurrentListings = 5
	listingTime           = 30 * time.Second // all servers together
	errorPause            = 10 * time.Minute // how long a failed server is left out
)

// ToolServer is a tool server that a review may use.
type ToolServer struct {
	ID, Name string
	Timeout  time.Duration // of one call
	At       mcpclient.Server
	Tools    []mcpclient.Tool // callable ones: allowed, and unchanged since
}

// ToolAccess holds the parts for using tool servers.
type ToolAccess struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Outbound *outbound.Factory
	Logger   *slog.Logger
}

// Servers lists the tools of a tenant's enabled tool servers that have an allowed tool, and returns the
// servers that answered, by name. It asks them concurrently, first those that worked last time; each takes
// at most its timeout, and all together at most within and half a minute. A tool that has changed since it
// was allowed is left out: it is blocked from then on, with one event. A failed server gets the state
// error, and is left out for ten minutes or until a person tests it. The error is that of the store or of
// the context.
func (a ToolAccess) Servers(ctx context.Context, t domain.Tenant, within time.Duration) ([]ToolServer, error) {
	rows, err := a.Store.MCPServers(ctx, t, store.Cursor{}, MaxMCPServers)
	if err != nil {
		return nil, err
	}
	all, err := a.Store.MCPTools(ctx, t, "")
	if err != nil {
		return nil, err
	}
	now, err := a.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(rows, func(a, b store.MCPServer) int { return cmp.Compare(failureRank(a), failureRank(b)) })
	end := time.Now().Add(min(within, listingTime))
	var (
		mu   sync.Mutex
		out  []ToolServer
		wait sync.WaitGroup
		room = make(chan struct{}, maxConcurrentListings)
	)
	for _, row := range rows {
		serverTools := slices.DeleteFunc(slices.Clone(all), func(v store.MCPTool) bool { return v.Server != row.ID })
		pausing := row.State == domain.ConnectionBroken && now-row.DiscoveredUS < errorPause.Microseconds()
		if !row.Enabled || pausing || !slices.ContainsFunc(serverTools, isAllowed) {
			continue
		}
		room <- struct{}{} // each ends within its timeout
		wait.Go(func() {
			defer func() { <-room }()
			server, err := a.listUsableTools(ctx, t, row, serverTools, time.Until(end))
			if err != nil {
				a.Logger.WarnContext(ctx, "a tool server is left out of a review", "server", row.ID, "error", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, server)
		})
	}
	wait.Wait()
	slices.SortFunc(out, func(a, b ToolServer) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID)) })
	return out, ctx.Err()
}

// failureRank puts servers that worked last time before the others.
func failureRank(v store.MCPServer) int {
	if v.State == domain.ConnectionActive {
		return 0
	}
	return 1
}

// isAllowed reports whether reviews may call a tool.
func isAllowed(v store.MCPTool) bool {
	return v.Allowed != "" && v.Allowed == v.Digest && !v.Blocked
}

// Now returns a server in its present state, so that running reviews respect changes: a disabled or deleted
// server, another secret, or a removed permission. It returns false if the tool with this digest may not be
// called any more.
func (a ToolAccess) Now(ctx context.Context, t domain.Tenant, s ToolServer, tool, digest string) (ToolServer, bool, error) {
	row, err := a.Store.MCPServer(ctx, t, s.ID)
	if errs.Is(err, errs.NotFound) {
		return s, false, nil
	}
	if err != nil || !row.Enabled || row.URL != s.At.URL {
		return s, false, err
	}
	tools, err := a.Store.MCPTools(ctx, t, s.ID)
	if err != nil || !slices.ContainsFunc(tools, func(v store.MCPTool) bool {
		return v.Name == tool && v.Digest == digest &&
			isAllowed(v)
	}) {
		return s, false, err
	}
	s.Timeout = time.Duration(row.TimeoutSeconds) * time.Second
	s.At, err = a.openServer(ctx, t, row)
	return s, err == nil, err
}

// openServer returns the data of a server for the client, with its secret.
func (a ToolAccess) openServer(ctx context.Context, t domain.Tenant, row store.MCPServer) (mcpclient.Server, error) {
	value := ""
	if row.Secret != nil {
		v, err := a.Keyring.OpenSecret(ctx, mcpScope(t, row.ID), row.Secret)
		if err != nil {
			return mcpclient.Server{}, err
		}
		value = v.Reveal()
	}
	return clientServer(t.ID, row, value), nil
}

// errNoTime is the error for a server that is left out because the others used up the time.
var errNoTime = errors.New("the time for asking tool servers is used up")

// listUsableTools lists the tools of one server and stores changes. left is the remaining time: a server that got
// less than its timeout is not marked as failed.
func (a ToolAccess) listUsableTools(ctx context.Context, t domain.Tenant, row store.MCPServer, tools []store.MCPTool,
	left time.Duration) (ToolServer, error) {
	timeout := time.Duration(row.TimeoutSeconds) * time.Second
	within := min(timeout, longestDiscovery)
	if left <= 0 {
		return ToolServer{}, errNoTime
	}
	at, err := a.openServer(ctx, t, row)
	if err != nil {
		return ToolServer{}, err
	}
	found, failure := mcpclient.List(ctx, a.Outbound, at, min(within, left))
	if ctx.Err() != nil {
		return ToolServer{}, ctx.Err()
	}
	if failure != nil && left < within {
		return ToolServer{}, errors.Join(errNoTime, failure)
	}
	if failure != nil {
		return ToolServer{}, errors.Join(failure, a.storeResult(ctx, t, row, tools, nil, failure))
	}
	out := ToolServer{ID: row.ID, Name: row.Name, Timeout: timeout, At: at}
	changed := slices.Clone(tools)
	for _, f := range found.Tools {
		i := slices.IndexFunc(changed, func(v store.MCPTool) bool { return v.Name == f.Name })
		if i < 0 || changed[i].Allowed == "" {
			continue
		}
		if changed[i] = updateTool(changed[i], f); isAllowed(changed[i]) {
			out.Tools = append(out.Tools, f)
		}
	}
	if row.State == domain.ConnectionActive && slices.Equal(tools, changed) {
		return out, nil
	}
	return out, a.storeResult(ctx, t, row, tools, changed, nil)
}

// storeResult stores the result of asking a server, unless the server's settings have changed meanwhile, and
// announces new failures. For a known failure it only updates the time.
func (a ToolAccess) storeResult(ctx context.Context, t domain.Tenant, row store.MCPServer, before, after []store.MCPTool,
	failure error) error {
	state, message := listingState(mcpclient.Listing{}, failure)
	var err error
	if failure != nil && row.State == state && row.Message == message {
		err = a.Store.RecordUnchangedListing(ctx, t, row.ID, row.Version)
	} else {
		err = a.storeServerState(ctx, t, row, before, after, state, message)
	}
	if errs.Is(err, errs.NotFound) { // its settings have changed: the next review asks again
		return nil
	}
	return err
}

// storeServerState stores the state of a server, and its tools unless after is nil.
func (a ToolAccess) storeServerState(ctx context.Context, t domain.Tenant, row store.MCPServer, before,
	after []store.MCPTool, state, message string) error {
	return a.Store.InTx(ctx, func(ctx context.Context) error {
		now, err := a.Store.SetMCPDiscovery(ctx, t, row.ID, row.Version, state, message)
		if err != nil {
			return err
		}
		if after != nil {
			if err := a.Store.PutMCPTools(ctx, t, row.ID, after); err != nil {
				return err
			}
		}
		return announce(ctx, a.Store, t, row, now, before, after)
	})
}

// announce stores an event if a server has started to fail, and one if an allowed tool has changed and is
// blocked. Call it in the transaction that stores the change.
func announce(ctx context.Context, s *store.Store, t domain.Tenant, was, now store.MCPServer, before, after []store.MCPTool) error {
	if was.State != domain.ConnectionBroken && now.State == domain.ConnectionBroken {
		if err := announceError(ctx, s, t, now, now.Message); err != nil {
			return err
		}
	}
	var names []string
	for _, v := range after {
		i := slices.IndexFunc(before, func(b store.MCPTool) bool { return b.Name == v.Name })
		if i >= 0 && isAllowed(before[i]) && v.Allowed != "" && !isAllowed(v) {
			names = append(names, v.Name) // letters, digits, "_", "-" and "." only
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	listed := strings.Join(names[:min(len(names), 3)], ", ")
	if more := len(names) - 3; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return announceError(ctx, s, t, now, "Changed since allowed, and blocked until allowed again: "+listed+".")
}
