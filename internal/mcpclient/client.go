// Package mcpclient calls the remote tool servers of a tenant, over the streamable HTTP transport of the Model
// Context Protocol and through the guarded outbound client.
//
// Everything that a server sends is untrusted: this package cleans it, bounds it and pins it by a digest.
// Decisions about which tools are allowed, and by whom, belong elsewhere.
package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of a server's answers (design choices: an order of magnitude above the largest public servers).
const (
	MaxTools       = 100     // tools of one server
	MaxDescription = 2000    // characters of a description; the rest is cut
	maxName        = 128     // characters of a tool's name (MCP 2025-11-25, server/tools, "Tool Names")
	maxPages       = 20      // of a list of tools
	maxRequests    = 64      // requests of one session: its start, the pages of a list, and replies to requests of the server
	maxAnswer      = 2 << 20 // bytes of one HTTP answer
	maxMemory      = 8 << 20 // memory for decoding it: a hundred tools with schemas of 8 KiB are estimated at 6 MiB
)

// Server is the address of a tool server and our credential for it.
type Server struct {
	Tenant string // connections are never shared between tenants
	URL    string
	Header string        // name of the header with the credential; "" sends none
	Value  secret.Secret // its whole value, such as "Bearer …"
}

// Tool is a tool in a server's list. Name has letters, digits, "_", "-" and "." only; Description is cleaned
// and cut. Digest pins the server's original, from which all fields are made.
type Tool struct {
	Name, Description, Digest string
	Schema                    Schema // of the arguments; a tool whose schema has no JSON cannot be used
}

// Listing is the result of [List].
type Listing struct {
	Tools   []Tool // by name
	Skipped int    // tools without a usable name, with a repeated name, or without a schema
}

// session is a connection to a server, as far as the transport has one.
type session struct {
	*mcp.ClientSession
	*tap
}

// connect starts a session within the given time. ctx is the context for its requests. The caller must call
// end.
func connect(parent context.Context, f *outbound.Factory, s Server, within time.Duration) (ctx context.Context, _ session, err error) {
	ctx, cancel := context.WithTimeout(parent, within)
	client := *f.Client(outbound.Purpose{Name: "mcp", Tenant: s.Tenant, Timeout: -1, MaxResponseBytes: maxAnswer})
	tap := &tap{next: client.Transport, header: s.Header, value: s.Value, limit: within, over: ctx, giveUp: cancel}
	client.Transport = tap
	c, err := mcp.NewClient(&mcp.Implementation{Name: "assay", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}).
		Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &client, MaxRetries: -1, DisableStandaloneSSE: true,
			MaxEventSize: maxAnswer}, nil)
	if err != nil {
		failure := tap.explain(ctx, "connect", err, within)
		cancel()
		return ctx, session{}, failure
	}
	return ctx, session{c, tap}, nil
}

// end ends the session. It first gives up replies to the server's requests, because the library waits for
// them.
func (s session) end() {
	s.giveUp()
	_ = s.Close() // its error does not matter any more
}

// List returns a server's tools, within the given time. Errors are of type [*Error]. It is safe for concurrent
// use.
func List(ctx context.Context, f *outbound.Factory, s Server, within time.Duration) (Listing, error) {
	ctx, session, err := connect(ctx, f, s, within)
	if err != nil {
		return Listing{}, err
	}
	defer session.end()
	var all []*mcp.Tool
	cursor := ""
	for range maxPages {
		page, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return Listing{}, session.explain(ctx, "list", err, within)
		}
		if all = append(all, page.Tools...); len(all) > MaxTools {
			return Listing{}, &Error{Step: "list", Message: "The server lists more than 100 tools. Offer a smaller set."}
		}
		if cursor = page.NextCursor; cursor == "" {
			return listing(all, hostOf(s.URL), newRedactor(s.Value)), nil
		}
	}
	return Listing{}, &Error{Step: "list", Message: "The list of tools does not end after 20 pages."}
}

// listing returns the usable tools.
func listing(all []*mcp.Tool, host string, redactor redactor) Listing {
	times := map[string]int{}
	for _, t := range all {
		if t != nil {
			times[t.Name]++
		}
	}
	var out Listing
	for _, t := range all {
		if t == nil || times[t.Name] > 1 || !isUsableName(t.Name) || !redactor.same(t.Name) || t.InputSchema == nil {
			out.Skipped++
			continue
		}
		digest, err := Digest(t.Name, t.Description, t.InputSchema, t.OutputSchema, host)
		if err != nil {
			out.Skipped++
			continue
		}
		schema, _ := readSchema(t.InputSchema, redactor) // without a schema the tool is listed, but not offered
		out.Tools = append(out.Tools, Tool{Name: t.Name, Description: redactor.clean(t.Description, MaxDescription), Digest: digest,
			Schema: schema})
	}
	slices.SortFunc(out.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// endTime bounds the request that ends a session (design choice).
const endTime = 2 * time.Second

// tap sets the header with the credential, bounds the number and the time of requests, and remembers the last
// failure. The library's errors name neither the status nor the guard's reason, and its requests after a call
// was given up have no bound. The library also replies at once to everything that a server asks back, each
// time with a request.
type tap struct {
	next   http.RoundTripper
	header string
	value  secret.Secret
	limit  time.Duration   // of one request with its answer
	over   context.Context // of the session: only the request that ends it may outlive it
	giveUp context.CancelFunc
	asked  atomic.Int64
	seen   lastExchange
}

// errAskedBack is the error of a request beyond maxRequests.
var errAskedBack = errors.New("more requests than a session may have")

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	ends := r.Method == http.MethodDelete // ending the session shows nothing about the server
	limit := t.limit
	if ends {
		limit = endTime
	}
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	if !ends {
		if t.asked.Add(1) > maxRequests {
			cancel()
			t.giveUp()
			return nil, errAskedBack
		}
		stop, inner := context.AfterFunc(t.over, cancel), cancel
		cancel = func() { stop(); inner() }
	}
	r = r.Clone(ctx)
	if t.header != "" {
		r.Header.Set(t.header, t.value.Reveal())
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		cancel()
		if !ends {
			t.seen.note(0, err)
		}
		return nil, err
	}
	if !ends {
		t.seen.note(resp.StatusCode, nil)
	}
	resp.Body = &tappedBody{resp.Body, outbound.LimitJSON(resp.Body,
		outbound.Bound{Bytes: maxAnswer, Memory: maxMemory, Entries: outbound.NoList}), t, ends, cancel}
	return resp, nil
}
