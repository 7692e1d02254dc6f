package github

import (
	"crypto/rand"
	"errors"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Options of a Server.
type Options = host.Options

// Server is one simulated GitHub. Its methods may be called concurrently.
type Server struct {
	host.Server
	routes   host.Routes[route]
	limits   *limiter
	st       *state
	settings simapi.Settings
}

// New makes a server. State of an earlier server in the same data folder is taken up again.
func New(opt Options) (*Server, error) {
	s := &Server{limits: newLimiter(), st: newState()}
	return s, s.setUp(opt)
}

// deliveryTimeout is that of GitHub's documentation ("Handling failed webhook deliveries").
const deliveryTimeout = 10 * time.Second

func (s *Server) setUp(opt Options) error {
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
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, TooLarge: tooLarge, Fail: ownError, Canned: s.canned, Head: s.head},
		s.controlHandler(), s.router(pages))
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

// tokenTime is the clock by which JWTs and tokens are made and judged.
func (s *Server) tokenTime() time.Time {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Now().Add(time.Duration(s.settings.TokenClockOffsetSeconds) * time.Second)
}

func (s *Server) openRepo(r *repository) { r.git = gitrepo.Open(s.GitDir(r.ID)) }
