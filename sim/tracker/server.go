package tracker

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// Options configures a Server, as in [host.Options]. The address of Azure Boards includes the organisation.
type Options struct {
	// Dialect selects the simulated tracker. Required.
	Dialect          simapi.Dialect
	DataDir, BaseURL string
	Doubts           []simapi.Doubt
	ControlToken     string
	Logger           *slog.Logger
	Now              func() time.Time
}

// deliveryTimeout bounds Linear's wait for a webhook's receiver (linear.app/developers/webhooks).
const deliveryTimeout = 5 * time.Second

// Server is one simulated tracker. It is safe for concurrent use.
type Server struct {
	host.Server
	dialect  simapi.Dialect
	speak    speaker
	st       *state
	settings simapi.Settings
}

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{dialect: opt.Dialect}
	return s, s.setUp(host.Options{DataDir: opt.DataDir, BaseURL: opt.BaseURL, Doubts: opt.Doubts, ControlToken: opt.ControlToken,
		Logger: opt.Logger, Now: opt.Now})
}

func (s *Server) setUp(opt host.Options) error {
	if err := s.dialect.Check(); err != nil {
		return err
	}
	s.st, s.speak = newState(), speakers[s.dialect]
	kind := host.Kind{Product: string(s.dialect), Doubts: simapi.Doubts(), DeliveryTimeout: deliveryTimeout}
	if err := s.Open(opt, kind, s.st); err != nil {
		return err
	}
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, TooLarge: s.tooLarge, Fail: s.broken, Canned: s.canned, Head: head},
		s.controlHandler(), s.router())
	return nil
}

// Configure replaces the settings; doubts that are not named keep their state.
func (s *Server) Configure(in simapi.Settings) error {
	if err := in.Check(); err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Decide(in.Doubts); err != nil {
		return err
	}
	s.settings = in
	return nil
}

func escape(s string) string { return url.PathEscape(s) }
