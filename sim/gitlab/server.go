package gitlab

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/signin"
)

// Options of a Server.
type Options struct {
	// DataDir keeps git repositories and the state file. It is made when absent. Required.
	DataDir string
	// BaseURL is the address under which clients reach the server, without a slash at the end; a path in it is that below which the
	// instance lives. It may be set later with SetBaseURL, before the first request.
	BaseURL string
	// Doubts that are on from the start.
	Doubts []simapi.Doubt
	// ControlToken protects the control interface; empty means that of the data folder, or a random one.
	ControlToken string
	// Logger gets one line per request and delivery; nil discards.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// DeliveryTimeout is how long a webhook receiver may take; 0 means 10 seconds, the host's default
	// (docs.gitlab.com/user/gitlab_com, webhook timeout).
	DeliveryTimeout time.Duration
	// HTTPClient sends webhooks; nil means one without proxy, redirects and retries.
	HTTPClient *http.Client
}

// Server is one simulated host. Its methods may be called concurrently.
type Server struct {
	opt     Options
	log     *slog.Logger
	now     func() time.Time
	routes  []route
	handler http.Handler

	mu       sync.Mutex
	st       *state
	base     string
	settings simapi.Settings
	people   *signin.Provider
	judged   map[int64]bool // deliveries whose outcome counts for their webhook already

	gitMu  sync.Mutex // serialises changes of branches
	rec    *host.Recorder
	faults *host.Faults
	bg     *host.Background
	sender *host.Sender
	file   *host.StateFile
}

// New makes a server. State of an earlier server in the same data folder is taken up again.
func New(opt Options) (*Server, error) {
	if opt.DataDir == "" {
		return nil, errors.New("DataDir: must name a folder")
	}
	if opt.BaseURL != "" {
		if u, err := url.Parse(opt.BaseURL); err != nil || u.Host == "" {
			return nil, errors.New("BaseURL: must be an absolute address such as http://127.0.0.1:3000")
		}
	}
	if err := os.MkdirAll(filepath.Join(opt.DataDir, "git"), 0o755); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s := &Server{opt: opt, log: opt.Logger, now: opt.Now, base: strings.TrimSuffix(opt.BaseURL, "/"), rec: host.NewRecorder(), bg: host.NewBackground(),
		file: host.NewStateFile(opt.DataDir), judged: map[int64]bool{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.settings.Doubts = map[simapi.Doubt]bool{}
	for _, d := range opt.Doubts {
		if err := d.Check(); err != nil {
			return nil, err
		}
		s.settings.Doubts[d] = true
	}
	if s.opt.DeliveryTimeout == 0 {
		s.opt.DeliveryTimeout = 10 * time.Second
	}
	client := opt.HTTPClient
	if client == nil {
		client = host.NewHookClient()
	}
	s.faults = host.NewFaults(s.bg)
	s.sender = &host.Sender{Background: s.bg, Faults: s.faults, Logger: s.log, Client: client, Now: s.now, Timeout: s.opt.DeliveryTimeout,
		NextID: func() int64 { return s.st.id("delivery") }, Changed: s.delivered}
	if err := s.load(); err != nil {
		return nil, err
	}
	if opt.ControlToken != "" {
		s.st.ControlToken = opt.ControlToken
	} else if s.st.ControlToken == "" {
		s.st.ControlToken = host.RandomHex(24)
	}
	s.routes = s.table()
	var err error
	if s.handler, err = s.buildHandler(); err != nil {
		return nil, err
	}
	s.bg.Go(func() { s.file.Keep(s.bg, s.save, s.log) })
	return s, nil
}

// load reads the state file, or starts with an empty state.
func (s *Server) load() error {
	s.st = newState()
	if _, err := s.file.Load(s.st, &s.st.Version, stateVersion); err != nil {
		return err
	}
	for _, p := range s.st.Projects {
		p.git = gitrepo.Open(s.gitDir(p.GitID))
	}
	for _, d := range s.st.Deliveries {
		s.judged[d.ID] = true
	}
	s.sender.Restore(s.st.Deliveries)
	s.st.Deliveries = nil
	return s.openSignIn()
}

// save writes the state file in one step.
func (s *Server) save() error {
	saved := s.sender.Saved()
	s.mu.Lock()
	kept := *s.st
	kept.Deliveries = saved
	raw, err := json.Marshal(&kept)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode the state: %w", err)
	}
	return s.file.Save(raw)
}

// Handler serves the REST interface, git over HTTP, the pages and the control interface.
func (s *Server) Handler() http.Handler { return s.handler }

// Stop lets go of everything that waits, so that requests end.
func (s *Server) Stop() {
	s.faults.ReleaseAll()
	s.bg.Stop()
}

// Close ends deliveries under way and writes the state file.
func (s *Server) Close() error {
	s.Stop()
	s.sender.Close()
	s.bg.End()
	return s.save()
}

// SetBaseURL sets the address that answers and payloads name.
func (s *Server) SetBaseURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = strings.TrimSuffix(base, "/")
}

// BaseURL is the address of the instance.
func (s *Server) BaseURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// below is the path below which the instance lives, without a slash at its end.
func (s *Server) below() string {
	u, err := url.Parse(s.BaseURL())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// ControlToken is the bearer token of the control interface.
func (s *Server) ControlToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.ControlToken
}

// Configure replaces the settings of the whole simulator; doubts that are not named keep their position.
func (s *Server) Configure(in simapi.Settings) error {
	if err := in.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	doubts := maps.Clone(s.settings.Doubts)
	maps.Copy(doubts, in.Doubts)
	in.Doubts = doubts
	s.settings = in
	return nil
}

// on reports whether a doubt is on; Server.mu is held.
func (s *Server) on(d simapi.Doubt) bool { return s.settings.Doubts[d] }

// has is [Server.on] for who holds no lock.
func (s *Server) has(d simapi.Doubt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on(d)
}

func (s *Server) nowMicros() micros { return micros(s.now().UnixMicro()) }

// hostTime is the clock that the host shows to clients.
func (s *Server) hostTime() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Add(time.Duration(s.settings.ClockOffsetSeconds) * time.Second)
}

func (s *Server) gitDir(id int64) string {
	return filepath.Join(s.opt.DataDir, "git", fmt.Sprintf("%d.git", id))
}
