package tracker

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// Options of a Server.
type Options struct {
	// Dialect is which tracker is simulated. Required.
	Dialect simapi.Dialect
	// DataDir keeps the state file. It is made when absent. Required.
	DataDir string
	// BaseURL is the address of the tracker, without a slash at the end; for Azure Boards with the organisation. It may be set later
	// with SetBaseURL, before the first request.
	BaseURL string
	// Doubts that are on from the start.
	Doubts []simapi.Doubt
	// ControlToken protects the control interface; empty means that of the data folder, or a random one.
	ControlToken string
	// Logger gets one line per request and delivery; nil discards.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// HTTPClient sends webhooks; nil means one without proxy, redirects and retries.
	HTTPClient *http.Client
}

// deliveryTimeout is how long who receives a webhook may take: what Linear waits (linear.app/developers/webhooks).
const deliveryTimeout = 5 * time.Second

// Server is one simulated tracker. Its methods may be called concurrently.
type Server struct {
	opt     Options
	log     *slog.Logger
	now     func() time.Time
	speak   speaker
	handler http.Handler

	mu       sync.Mutex
	st       *state
	base     string
	settings simapi.Settings

	rec    *host.Recorder
	faults *host.Faults
	bg     *host.Background
	sender *host.Sender
	file   *host.StateFile
}

// New makes a server. State of an earlier server in the same data folder is taken up again.
func New(opt Options) (*Server, error) {
	if err := opt.Dialect.Check(); err != nil {
		return nil, err
	}
	if opt.DataDir == "" {
		return nil, errors.New("DataDir: must name a folder")
	}
	if err := os.MkdirAll(opt.DataDir, 0o755); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s := &Server{opt: opt, log: opt.Logger, now: opt.Now, base: strings.TrimSuffix(opt.BaseURL, "/"), rec: host.NewRecorder(), bg: host.NewBackground(),
		file: host.NewStateFile(opt.DataDir), st: newState()}
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
	client := opt.HTTPClient
	if client == nil {
		client = host.NewHookClient()
	}
	s.faults = host.NewFaults(s.bg)
	s.sender = &host.Sender{Background: s.bg, Faults: s.faults, Logger: s.log, Client: client, Now: s.now, Timeout: deliveryTimeout,
		NextID: func() int64 { return s.st.id("delivery") }, Changed: s.file.Touch}
	if _, err := s.file.Load(s.st, &s.st.Version, stateVersion); err != nil {
		return nil, err
	}
	s.sender.Restore(s.st.Deliveries)
	s.st.Deliveries = nil
	s.st.ControlToken = host.OrElse(opt.ControlToken, host.OrElse(s.st.ControlToken, host.RandomHex(24)))
	s.speak = speakers[opt.Dialect]
	s.handler = s.buildHandler()
	s.bg.Go(func() { s.file.Keep(s.bg, s.save, s.log) })
	return s, nil
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

// Handler serves the interface, the pages and the control interface.
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

// BaseURL is the address of the tracker.
func (s *Server) BaseURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// below is the path below which the tracker lives, without a slash at its end.
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

// Configure replaces the settings; doubts that are not named keep their position.
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

func escape(s string) string { return url.PathEscape(s) }
