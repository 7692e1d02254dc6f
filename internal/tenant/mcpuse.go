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

// Bounds of asking tool servers for their tools before a review (design choices).
const (
	askedAtOnce = 5
	askedFor    = 30 * time.Second // all of them together
	errorPause  = 10 * time.Minute // for which one that could not be asked is left out
)

// ToolServer is a tool server that a review may ask.
type ToolServer struct {
	ID, Name string
	Timeout  time.Duration // of one call
	At       mcpclient.Server
	Tools    []mcpclient.Tool // that may be called: allowed, and the same now as when they were
}

// ToolAccess is what asking tool servers needs.
type ToolAccess struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Outbound *outbound.Factory
	Logger   *slog.Logger
}

// Servers asks the tool servers of a tenant that are enabled and have an allowed
// tool for their tools, and returns those that answered, by name. Each costs its
// timeout at most, all together no more than within and half a minute, and they are
// asked beside each other, those that worked last first. A tool that has changed
// since it was allowed is not among them: it is blocked from then on, and an event
// says so, once. A server that cannot be asked gets the state error, and is left out
// for ten minutes or until it is asked by hand. The error is that of the store or of
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
	slices.SortStableFunc(rows, func(a, b store.MCPServer) int { return cmp.Compare(rank(a), rank(b)) })
	end := time.Now().Add(min(within, askedFor))
	var (
		mu   sync.Mutex
		out  []ToolServer
		wait sync.WaitGroup
		room = make(chan struct{}, askedAtOnce)
	)
	for _, row := range rows {
		mine := slices.DeleteFunc(slices.Clone(all), func(v store.MCPTool) bool { return v.Server != row.ID })
		pausing := row.State == domain.ConnectionBroken && now-row.DiscoveredUS < errorPause.Microseconds()
		if !row.Enabled || pausing || !slices.ContainsFunc(mine, allowedNow) {
			continue
		}
		room <- struct{}{} // each ends within its timeout
		wait.Go(func() {
			defer func() { <-room }()
			server, err := a.usable(ctx, t, row, mine, time.Until(end))
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

// rank puts servers that worked when they were asked last before the others.
func rank(v store.MCPServer) int {
	if v.State == domain.ConnectionActive {
		return 0
	}
	return 1
}

// allowedNow reports whether reviews may call a tool.
func allowedNow(v store.MCPTool) bool {
	return v.Allowed != "" && v.Allowed == v.Digest && !v.Blocked
}

// Now is a server as it is at this moment: whoever has disabled or deleted it, given it
// another secret, or taken one of its tools from the list is heeded by reviews that are
// under way. False: the tool, which had the digest, may not be called any more.
func (a ToolAccess) Now(ctx context.Context, t domain.Tenant, s ToolServer, tool, digest string) (ToolServer, bool, error) {
	row, err := a.Store.MCPServer(ctx, t, s.ID)
	if errs.Is(err, errs.NotFound) {
		return s, false, nil
	}
	if err != nil || !row.Enabled || row.URL != s.At.URL {
		return s, false, err
	}
	tools, err := a.Store.MCPTools(ctx, t, s.ID)
	if err != nil || !slices.ContainsFunc(tools, func(v store.MCPTool) bool { return v.Name == tool && v.Digest == digest && allowedNow(v) }) {
		return s, false, err
	}
	s.Timeout = time.Duration(row.TimeoutSeconds) * time.Second
	s.At, err = a.asks(ctx, t, row)
	return s, err == nil, err
}

// asks is what the client needs to know of a server, with its secret.
func (a ToolAccess) asks(ctx context.Context, t domain.Tenant, row store.MCPServer) (mcpclient.Server, error) {
	value := ""
	if row.Secret != nil {
		v, err := a.Keyring.OpenSecret(ctx, mcpScope(t, row.ID), row.Secret)
		if err != nil {
			return mcpclient.Server{}, err
		}
		value = v.Reveal()
	}
	return asked(t.ID, row, value), nil
}

// errNoTime is why a server is left out that the others left no time for.
var errNoTime = errors.New("the time for asking tool servers is used up")

// usable asks one server, and notes what has changed. left is what is left of the time
// for asking: a server that had less than its own is not to blame.
func (a ToolAccess) usable(ctx context.Context, t domain.Tenant, row store.MCPServer, tools []store.MCPTool, left time.Duration) (ToolServer, error) {
	timeout := time.Duration(row.TimeoutSeconds) * time.Second
	within := min(timeout, longestDiscovery)
	if left <= 0 {
		return ToolServer{}, errNoTime
	}
	at, err := a.asks(ctx, t, row)
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
		return ToolServer{}, errors.Join(failure, a.note(ctx, t, row, tools, nil, failure))
	}
	out := ToolServer{ID: row.ID, Name: row.Name, Timeout: timeout, At: at}
	changed := slices.Clone(tools)
	for _, f := range found.Tools {
		i := slices.IndexFunc(changed, func(v store.MCPTool) bool { return v.Name == f.Name })
		if i < 0 || changed[i].Allowed == "" {
			continue
		}
		if changed[i] = seen(changed[i], f); allowedNow(changed[i]) {
			out.Tools = append(out.Tools, f)
		}
	}
	if row.State == domain.ConnectionActive && slices.Equal(tools, changed) {
		return out, nil
	}
	return out, a.note(ctx, t, row, tools, changed, nil)
}

// note stores what asking a server has shown, unless somebody has changed it in
// between, and announces what works no more. Where that is known it writes only when
// it was seen.
func (a ToolAccess) note(ctx context.Context, t domain.Tenant, row store.MCPServer, before, after []store.MCPTool, failure error) error {
	state, message := outcome(mcpclient.Listing{}, failure)
	var err error
	if failure != nil && row.State == state && row.Message == message {
		err = a.Store.SeeMCPServer(ctx, t, row.ID, row.Version)
	} else {
		err = a.put(ctx, t, row, before, after, state, message)
	}
	if errs.Is(err, errs.NotFound) { // somebody has changed it: the next review asks again
		return nil
	}
	return err
}

// put stores the state of a server, and its tools where there are some.
func (a ToolAccess) put(ctx context.Context, t domain.Tenant, row store.MCPServer, before, after []store.MCPTool, state, message string) error {
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

// announce stores an event where a server cannot be asked any more, and one where
// a tool that was allowed has changed and is blocked. It belongs to the transaction that
// notes it.
func announce(ctx context.Context, s *store.Store, t domain.Tenant, was, now store.MCPServer, before, after []store.MCPTool) error {
	if was.State != domain.ConnectionBroken && now.State == domain.ConnectionBroken {
		if err := tellOfError(ctx, s, t, now, now.Message); err != nil {
			return err
		}
	}
	var names []string
	for _, v := range after {
		i := slices.IndexFunc(before, func(b store.MCPTool) bool { return b.Name == v.Name })
		if i >= 0 && allowedNow(before[i]) && v.Allowed != "" && !allowedNow(v) {
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
	return tellOfError(ctx, s, t, now, "Changed since allowed, and blocked until allowed again: "+listed+".")
}
