package host

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Options configures a simulator.
type Options struct {
	// DataDir holds git repositories and the state file. It is created if absent. Required.
	DataDir string
	// BaseURL is the simulator's address for clients, without a slash at the end; its path is the path above
	// the host. SetBaseURL may set it later, before the first request.
	BaseURL string
	// Doubts are on from the start.
	Doubts []simapi.Doubt
	// ControlToken protects the control interface; empty means the token in the data folder, or a random one.
	ControlToken string
	// Logger gets one line per request and delivery; nil discards them.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Kind describes a host to the skeleton.
type Kind struct {
	// Product is the name of the host, for example "GitLab".
	Product string
	// Doubts are all doubts of the host.
	Doubts simapi.Doubts
	// DeliveryTimeout bounds the wait for a webhook's receiver.
	DeliveryTimeout time.Duration
	// Delivered is called at the end of a delivery; nil calls nothing.
	Delivered func()
}

// Server is the part that all simulated hosts share; a host embeds it in its own server. Call Open, then read
// the state, then Serve. All other methods may be called concurrently.
type Server struct {
	Log      *slog.Logger
	Now      func() time.Time
	Recorder *Recorder
	Faults   *Faults
	Sender   *Sender

	// Mu guards the host's state and settings, Base and ClockOffset.
	Mu sync.Mutex
	// Base is the address in answers and payloads.
	Base string
	// ClockOffset shifts the host's clock for clients.
	ClockOffset time.Duration
	// GitMu serialises changes of branches.
	GitMu sync.Mutex

	dir        string
	kind       Kind
	state      State
	doubts     map[simapi.Doubt]bool
	background *Background
	dirty      chan struct{} // the state was changed
	api        API
	handler    http.Handler
}

// Open prepares the server and reads the state of an earlier server in the same data folder into st, if it
// exists.
func (s *Server) Open(opt Options, kind Kind, st State) error {
	if opt.DataDir == "" {
		return errors.New("DataDir: must name a folder")
	}
	if opt.BaseURL != "" {
		if u, err := url.Parse(opt.BaseURL); err != nil || u.Host == "" {
			return errors.New("BaseURL: must be an absolute address such as http://127.0.0.1:3000")
		}
	}
	if err := os.MkdirAll(filepath.Join(opt.DataDir, "git"), 0o755); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	s.kind, s.state, s.dir, s.Log, s.Now = kind, st, opt.DataDir, opt.Logger, opt.Now
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.SetBaseURL(opt.BaseURL)
	on := map[simapi.Doubt]bool{}
	for _, d := range opt.Doubts {
		on[d] = true
	}
	if err := s.Decide(on); err != nil {
		return err
	}
	s.Recorder, s.background, s.dirty = newRecorder(), newBackground(), make(chan struct{}, 1)
	s.Faults = newFaults(s.background)
	base := st.base()
	s.Sender = &Sender{Background: s.background, Faults: s.Faults, Logger: s.Log, Client: newHookClient(), Now: s.Now,
		Timeout: kind.DeliveryTimeout, NextID: func() int64 { return base.ID("delivery") }, Changed: s.delivered}
	if err := s.load(); err != nil {
		return err
	}
	base.ControlToken = OrElse(opt.ControlToken, OrElse(base.ControlToken, RandomHex(24)))
	return nil
}

// Serve starts to answer requests: api those of the interface, control those below /_sim, and h all others. It
// also keeps the state file up to date. Call it when the host has loaded its state.
func (s *Server) Serve(api API, control, h http.Handler) {
	s.api, s.handler = api, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.EscapedPath(), "/_sim/") {
			control.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
	s.background.Go(s.keep)
}

// delivered is called at the end of a delivery.
func (s *Server) delivered() {
	if s.kind.Delivered != nil {
		s.kind.Delivered()
	}
	s.Touch()
}

// Handler serves all requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Stop releases everything that waits, so that requests end.
func (s *Server) Stop() {
	s.Faults.ReleaseAll()
	s.background.Stop()
}

// Close ends deliveries under way and writes the state file.
func (s *Server) Close() error {
	s.Stop()
	s.Sender.Close()
	s.background.End()
	return s.save()
}

// SetBaseURL sets the address in answers and payloads.
func (s *Server) SetBaseURL(base string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Base = strings.TrimSuffix(base, "/")
}

// BaseURL returns the address of the host.
func (s *Server) BaseURL() string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Base
}

// Below returns the path above the host, without a slash at its end.
func (s *Server) Below() string {
	u, err := url.Parse(s.BaseURL())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// Product returns the name of the host.
func (s *Server) Product() string { return s.kind.Product }

// ControlToken returns the bearer token of the control interface.
func (s *Server) ControlToken() string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.state.base().ControlToken
}

// Decide switches doubts on and off; doubts that are not named keep their state. Mu must be held.
func (s *Server) Decide(doubts map[simapi.Doubt]bool) error {
	for d := range doubts {
		if err := s.kind.Doubts.Check(d); err != nil {
			return err
		}
	}
	if s.doubts == nil {
		s.doubts = map[simapi.Doubt]bool{}
	}
	for d, on := range doubts {
		s.doubts[d] = on
	}
	return nil
}

// On reports whether a doubt is on; Mu must be held.
func (s *Server) On(d simapi.Doubt) bool { return s.doubts[d] }

// Has is [Server.On] for a caller that does not hold Mu.
func (s *Server) Has(d simapi.Doubt) bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.On(d)
}

// NewID returns a new id of a kind; Mu must be held.
func (s *Server) NewID(kind string) int64 { return s.state.base().ID(kind) }

// NowMicros returns the time of the simulator's own clock.
func (s *Server) NowMicros() Micros { return Micros(s.Now().UnixMicro()) }

// HostTime returns the time of the host's clock as clients see it.
func (s *Server) HostTime() time.Time {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Now().Add(s.ClockOffset)
}

// GitDir returns the folder of the git repository with that id.
func (s *Server) GitDir(id int64) string {
	return filepath.Join(s.dir, "git", fmt.Sprintf("%d.git", id))
}
