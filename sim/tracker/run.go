package tracker

import (
	"context"
	"log/slog"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// RunOptions of a simulator that runs as a process of its own.
type RunOptions struct {
	// Dialect as in Options.
	Dialect simapi.Dialect
	// Addr to listen on; empty means a free port of 127.0.0.1.
	Addr string
	// BaseURL as in Options; empty means "http://" and the address listened on, for Azure Boards with the organisation "acme".
	BaseURL string
	// DataDir as in Options; empty means a temporary folder that is removed at the end.
	DataDir string
	// Doubts as in Options.
	Doubts []simapi.Doubt
	// ControlToken as in Options; ControlTokenFile, when named, is written with the token in use (mode 0600).
	ControlToken, ControlTokenFile string
	Logger                         *slog.Logger
}

// Run serves until the context ends. ready, when not nil, is called once with the address of the tracker.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	return host.Run(ctx, host.RunOptions{Name: "tracker", Addr: opt.Addr, BaseURL: opt.BaseURL, DataDir: opt.DataDir, ControlTokenFile: opt.ControlTokenFile},
		func(base, dir string) (*Server, error) {
			if opt.Dialect == simapi.AzureBoards && opt.BaseURL == "" {
				base += "/acme"
			}
			return New(Options{Dialect: opt.Dialect, DataDir: dir, BaseURL: base, Doubts: opt.Doubts, ControlToken: opt.ControlToken, Logger: opt.Logger})
		},
		func(s *Server) error {
			if ready != nil {
				ready(s.BaseURL())
			}
			return nil
		})
}
