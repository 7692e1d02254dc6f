package github

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Options configures a Server.
type Options = host.Options

// Server is one simulated GitHub. It is safe for concurrent use.
type Server struct {
	host.Server
	host.Lookup[*repository, *pull]
	routes   host.Routes[route]
	limits   *limiter
	st       *state
	settings simapi.Settings
}

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{limits: newLimiter(), st: newState()}
	return s, s.setUp(opt)
}

// deliveryTimeout is the timeout in GitHub's documentation ("Handling failed webhook deliveries").
const deliveryTimeout = 10 * time.Second

func (s *Server) setUp(opt Options) error {
	s.Lookup = host.Lookup[*repository, *pull]{Host: &s.Server, Named: s.st.repoByFullName, Numbered: s.st.find, Shown: s.describePull,
		Required: func(r *repository) *[]string { return &r.Required },
		Unmet:    func(r *repository, p *pull) error { return r.unmet(p.HeadSHA) }}
	if err := s.Open(opt, host.Kind{Product: "GitHub", DeliveryTimeout: deliveryTimeout}, s.st); err != nil {
		return err
	}
	if s.st.TokenKey == nil {
		s.st.TokenKey = make([]byte, 32)
		_, _ = rand.Read(s.st.TokenKey) // never fails (crypto/rand)
	}
	for _, r := range s.st.Repos {
		s.openRepo(r)
	}
	s.routes = host.NewRoutes(table(), func(r *route) (string, string) { return r.method, r.pattern })
	pages, err := s.pageHandler()
	if err != nil {
		return err
	}
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, Unreadable: unreadable, TooLarge: tooLarge,
		Fail: ownError, Canned: s.canned, Head: s.head}, s.controlHandler(), s.router(pages))
	return nil
}

// Configure replaces the settings of the whole simulator.
func (s *Server) Configure(in simapi.Settings) error {
	if in.PrimaryLimit < 0 || in.WritesPerMinute < 0 {
		return errors.New("primaryLimit, writesPerMinute: must not be negative")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.settings, s.ClockOffset = in, time.Duration(in.ClockOffsetSeconds)*time.Second
	return nil
}

// tokenTime returns the time of the clock for making and checking JWTs and tokens.
func (s *Server) tokenTime() time.Time {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Now().Add(time.Duration(s.settings.TokenClockOffsetSeconds) * time.Second)
}

func (s *Server) openRepo(r *repository) { r.git = gitrepo.Open(s.GitDir(r.ID)) }
