package gitlab

import (
	"time"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/signin"
)

// Options configures a Server.
type Options = host.Options

// Server is one simulated host. It is safe for concurrent use.
type Server struct {
	host.Server
	host.Lookup[*project, *mergeRequest]
	routes   host.Routes[route]
	people   *signin.Provider
	st       *state
	settings simapi.Settings
	judged   map[int64]bool // deliveries that are already counted for their webhook
}

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{st: newState(), judged: map[int64]bool{}}
	return s, s.setUp(opt)
}

// deliveryTimeout is the host's default (docs.gitlab.com/user/gitlab_com, webhook timeout).
const deliveryTimeout = 10 * time.Second

func (s *Server) setUp(opt Options) error {
	s.Lookup = host.Lookup[*project, *mergeRequest]{Host: &s.Server, Named: s.st.named, Numbered: s.st.find, Shown: s.describeMR,
		Required: func(r *project) *[]string { return &r.Required },
		Unmet:    func(p *project, m *mergeRequest) error { return p.unmet(m.now().Head) }}
	kind := host.Kind{Product: "GitLab", Doubts: simapi.Doubts(), DeliveryTimeout: deliveryTimeout, Delivered: s.delivered}
	if err := s.Open(opt, kind, s.st); err != nil {
		return err
	}
	for _, p := range s.st.Projects {
		p.git = gitrepo.Open(s.GitDir(p.GitID))
	}
	for _, d := range s.Sender.All() {
		s.judged[d.ID] = true
	}
	if err := s.openSignIn(); err != nil {
		return err
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
