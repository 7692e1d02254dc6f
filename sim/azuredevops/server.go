package azuredevops

import (
	"time"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Options configures a Server.
type Options = host.Options

// Server is one simulated host. It is safe for concurrent use.
type Server struct {
	host.Server
	host.Lookup[*repository, *pull]
	routes host.Routes[route]
	st     *state
	judged map[int64]bool // deliveries that are already counted for their subscription
}

// deliveryTimeout bounds the wait for a receiver; the host documents none.
const deliveryTimeout = 10 * time.Second

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{st: newState(), judged: map[int64]bool{}}
	return s, s.setUp(opt)
}

func (s *Server) setUp(opt Options) error {
	s.Lookup = host.Lookup[*repository, *pull]{Host: &s.Server, Named: s.st.named, Numbered: s.st.find, Shown: s.describePull,
		Required: func(r *repository) *[]string { return &r.Required },
		Unmet:    s.unmet}
	kind := host.Kind{Product: "Azure DevOps", Doubts: simapi.Doubts(), DeliveryTimeout: deliveryTimeout, Delivered: s.delivered}
	if err := s.Open(opt, kind, s.st); err != nil {
		return err
	}
	for _, r := range s.st.Repos {
		r.git = gitrepo.Open(s.GitDir(r.GitID))
	}
	for _, d := range s.Sender.All() {
		s.judged[d.ID] = true
	}
	s.routes = host.NewRoutes(table(), func(r *route) (string, string) { return r.method, r.pattern })
	pages, err := s.pageHandler()
	if err != nil {
		return err
	}
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, Unreadable: unreadable, TooLarge: tooLarge,
		Fail: broken, Canned: s.canned, Head: s.head}, s.controlHandler(), s.router(pages))
	return nil
}

// Configure replaces the settings of the whole simulator; doubts that are not named keep their state.
func (s *Server) Configure(in simapi.Settings) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Decide(in.Doubts); err != nil {
		return err
	}
	s.ClockOffset = time.Duration(in.ClockOffsetSeconds) * time.Second
	return nil
}
