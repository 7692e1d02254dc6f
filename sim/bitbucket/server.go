package bitbucket

import (
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Options configures a Server, as in [host.Options].
type Options struct {
	DataDir, BaseURL string
	Doubts           []simapi.Doubt
	ControlToken     string
	Logger           *slog.Logger
	Now              func() time.Time
	// DataCenter selects the interface, pages and events of Bitbucket Data Center.
	DataCenter bool
}

// Server is one simulated host. It is safe for concurrent use.
type Server struct {
	host.Server
	host.Lookup[*repository, *pull]
	routes   host.Routes[route]
	st       *state
	settings simapi.Settings
	repeated map[int64]bool // deliveries with a further attempt
	used     map[string]int // requests of an account in an hour
	// dataCenter is the mode: see [Options].
	dataCenter bool
}

// New returns a server. It loads the state of an earlier server from the data folder.
func New(opt Options) (*Server, error) {
	s := &Server{repeated: map[int64]bool{}, used: map[string]int{}, dataCenter: opt.DataCenter}
	return s, s.setUp(host.Options{DataDir: opt.DataDir, BaseURL: opt.BaseURL, Doubts: opt.Doubts, ControlToken: opt.ControlToken,
		Logger: opt.Logger, Now: opt.Now})
}

// deliveryTimeout bounds the wait for a webhook's receiver (support.atlassian.com/bitbucket-cloud/docs/manage-webhooks).
const deliveryTimeout = 10 * time.Second

func (s *Server) setUp(opt host.Options) error {
	s.st = newState()
	s.Lookup = host.Lookup[*repository, *pull]{Host: &s.Server, Named: s.st.repoByFullName, Numbered: s.st.find, Shown: s.describePull,
		Required: func(r *repository) *[]string { return &r.Required },
		Unmet:    func(r *repository, p *pull) error { return s.unmet(r, p.HeadSHA) }}
	kind := host.Kind{Product: "Bitbucket Cloud", Doubts: simapi.Doubts(), DeliveryTimeout: deliveryTimeout, Delivered: s.repeat}
	if s.dataCenter {
		kind.Product, kind.Delivered = "Bitbucket Data Center", func() {}
		opt.Doubts = append(slices.Clone(opt.Doubts), simapi.PendingPrivate)
	}
	if err := s.Open(opt, kind, s.st); err != nil {
		return err
	}
	for _, r := range s.st.Repos {
		s.openRepo(r)
	}
	list := cloudRoutes()
	if s.dataCenter {
		list = dcRoutes()
	}
	s.routes = host.NewRoutes(list, func(r *route) (string, string) { return r.method, r.pattern })
	pages, err := s.pageHandler()
	if err != nil {
		return err
	}
	if s.dataCenter {
		s.Serve(host.API{MaxBody: maxBody, Begin: s.dcBegin, Unreadable: dcUnreadable, TooLarge: s.dcTooLarge,
			Fail: s.dcBroken, Canned: s.dcCanned, Head: s.dcHead}, s.controlHandler(), s.dcRouter(pages))
		return nil
	}
	s.Serve(host.API{MaxBody: maxBody, Begin: s.begin, Unreadable: unreadable, TooLarge: s.tooLarge,
		Fail: s.broken, Canned: s.canned, Head: s.head}, s.controlHandler(), s.router(pages))
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
	s.settings, s.ClockOffset, s.used = in, time.Duration(in.ClockOffsetSeconds)*time.Second, map[string]int{}
	return nil
}

func (s *Server) openRepo(r *repository) { r.git = gitrepo.Open(s.GitDir(r.GitID)) }
