package tools

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/sim/host"
)

// Path is the path of the protocol's endpoint.
const Path = "/mcp"

// Names of the tools.
const (
	FindService    = "find_service"
	SearchRunbooks = "search_runbooks"
)

// maxBody bounds a request.
const maxBody = 64 << 10

// Options configures a Server.
type Options struct {
	Logger *slog.Logger // nil discards
}

// Server is one simulated tool server. It is safe for concurrent use.
type Server struct{ handler http.Handler }

// ByName is the input of find_service.
type ByName struct {
	Name string `json:"name" jsonschema:"Name of the service, such as payouts"`
}

// ByWords is the input of search_runbooks.
type ByWords struct {
	Words string `json:"words" jsonschema:"Words that must all stand in it"`
}

// Runbooks is the answer of search_runbooks.
type Runbooks struct {
	Runbooks []Runbook `json:"runbooks"`
}

// New returns a server.
func New(o Options) *Server {
	closed := false
	reads := func(title string) *mcp.ToolAnnotations {
		return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "catalogue", Title: "The team's catalogue", Version: "1"},
		&mcp.ServerOptions{Logger: o.Logger})
	mcp.AddTool(s, &mcp.Tool{Name: FindService, Title: "Find a service", Annotations: reads("Find a service"),
		Description: "Says of a service of the team what it does, who owns it, and what its callers may rely on."}, findService)
	mcp.AddTool(s, &mcp.Tool{Name: SearchRunbooks, Title: "Search the runbooks", Annotations: reads("Search the runbooks"),
		Description: "Finds pages of the team's runbooks by words."}, searchRunbooks)
	speaks := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, Logger: o.Logger})
	mux := http.NewServeMux()
	mux.Handle(Path, http.MaxBytesHandler(speaks, maxBody))
	return &Server{mux}
}

func findService(_ context.Context, _ *mcp.CallToolRequest, in ByName) (*mcp.CallToolResult, Service, error) {
	all := catalogue()
	i := slices.IndexFunc(all, func(s Service) bool { return strings.EqualFold(s.Name, strings.TrimSpace(in.Name)) })
	if i < 0 {
		return nil, Service{}, errors.New("the catalogue has no service of that name")
	}
	return nil, all[i], nil
}

func searchRunbooks(_ context.Context, _ *mcp.CallToolRequest, in ByWords) (*mcp.CallToolResult, Runbooks, error) {
	return nil, Runbooks{find(in.Words)}, nil
}

// Handler serves the protocol at [Path].
func (s *Server) Handler() http.Handler { return s.handler }

// ControlToken implements [host.Simulator]: there is nothing to control.
func (*Server) ControlToken() string { return "" }

// Stop implements [host.Simulator]: nothing waits.
func (*Server) Stop() {}

// Close implements [host.Simulator]: there is no state.
func (*Server) Close() error { return nil }

// RunOptions configures a simulator that runs as a process.
type RunOptions struct {
	// Addr is the address to listen on; empty means a free port of 127.0.0.1.
	Addr   string
	Logger *slog.Logger
}

// Run serves until the context ends. It calls ready, if not nil, once with the address, without [Path].
func Run(ctx context.Context, o RunOptions, ready func(baseURL string)) error {
	base := ""
	return host.Run(ctx, "tools", host.RunOptions{Addr: o.Addr},
		func(opt host.Options) (*Server, error) { base = opt.BaseURL; return New(Options{o.Logger}), nil },
		func(*Server) error {
			if ready != nil {
				ready(base)
			}
			return nil
		})
}
