package gitea

import (
	"log/slog"
	"time"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/signin"
)

// Options configures a Server, as in [host.Options].
type Options struct {
	DataDir, BaseURL string
	Doubts           []simapi.Doubt
	ControlToken     string
	Logger           *slog.Logger
	Now              func() time.Time
	// Forgejo simulates Forgejo instead of Gitea.
	Forgejo bool
}

// Server is one simulated host. It is safe for concurrent use.
type Server struct {
	host.Server
	host.Lookup[*repository, *pull]
	forgejo  bool
	routes   host.Routes[route]
	people   *signin.Provider
	st       *state
	settings simapi.Settings
}

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{forgejo: opt.Forgejo}
	return s, s.setUp(host.Options{DataDir: opt.DataDir, BaseURL: opt.BaseURL, Doubts: opt.Doubts, ControlToken: opt.ControlToken,
		Logger: opt.Logger, Now: opt.Now})
}

// deliveryTimeout is the host's default for [webhook] DELIVER_TIMEOUT.
const deliveryTimeout = 5 * time.Second

func (s *Server) setUp(opt host.Options) error {
	s.st = newState()
	s.Lookup = host.Lookup[*repository, *pull]{Host: &s.Server, Named: s.st.repoByFullName, Numbered: s.st.find, Shown: s.describePull,
		Required: func(r *repository) *[]string { return &r.Required },
		Unmet:    func(r *repository, p *pull) error { return s.unmet(r, p.HeadSHA) }}
	if err := s.Open(opt, host.Kind{Product: s.product(), Doubts: simapi.Doubts(), DeliveryTimeout: deliveryTimeout}, s.st); err != nil {
		return err
	}
	for _, r := range s.st.Repos {
		s.openRepo(r)
	}
	if err := s.openSignIn(); err != nil {
		return err
	}
	s.routes = host.NewRoutes(s.table(), func(r *route) (string, string) { return r.method, r.pattern })
	pages, err := s.pageHandler()
	if err != nil {
		return err
	}
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, Unreadable: s.unreadable, TooLarge: s.tooLarge,
		Fail: s.broken, Canned: s.canned, Head: head}, s.controlHandler(), s.router(pages))
	return nil
}

// Configure replaces the settings of the whole simulator; doubts that are not named keep their state.
func (s *Server) Configure(in simapi.Settings) error {
	if err := in.Check(); err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Decide(in.Doubts); err != nil {
		return err
	}
	s.settings, s.ClockOffset = in, time.Duration(in.ClockOffsetSeconds)*time.Second
	return nil
}

func (s *Server) openRepo(r *repository) { r.git = gitrepo.Open(s.GitDir(r.GitID)) }
