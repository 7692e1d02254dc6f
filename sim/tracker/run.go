package tracker

import (
	"context"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// RunOptions configures a simulator that runs as a process. For Azure Boards, an empty address gets the
// organisation "acme".
type RunOptions struct {
	host.RunOptions
	// Dialect as in Options.
	Dialect simapi.Dialect
}

// Run serves until the context ends. It calls ready once with the address of the tracker.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	s := &Server{dialect: opt.Dialect}
	open := func(o host.Options) (*Server, error) {
		if opt.Dialect == simapi.AzureBoards && opt.BaseURL == "" {
			o.BaseURL += "/acme"
		}
		return s, s.setUp(o)
	}
	return host.Run(ctx, "tracker", opt.RunOptions, open, func(*Server) error { ready(s.BaseURL()); return nil })
}
