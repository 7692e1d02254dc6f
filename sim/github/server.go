package github

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Options of a Server.
type Options struct {
	// DataDir keeps git repositories and the state file. It is made when absent. Required.
	DataDir string
	// BaseURL is the address under which clients reach the server, without a slash at the end, for example
	// "http://127.0.0.1:4000". It may be set later with SetBaseURL, before the first request.
	BaseURL string
	// ControlToken protects the control interface; empty means that of the data folder, or a random one.
	ControlToken string
	// Logger gets one line per request and delivery; nil discards.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// DeliveryTimeout is how long a webhook receiver may take; 0 means the 10 seconds of GitHub's documentation
	// ("Handling failed webhook deliveries").
	DeliveryTimeout time.Duration
	// HTTPClient sends webhooks; nil means one without proxy, redirects and retries.
	HTTPClient *http.Client
}

// Server is one simulated GitHub. Its methods may be called concurrently.
type Server struct {
	opt     Options
	log     *slog.Logger
	now     func() time.Time
	client  *http.Client
	routes  []route
	handler http.Handler

	mu       sync.Mutex
	st       *state
	base     string
	settings simapi.Settings

	gitMu  sync.Mutex // serialises changes of branches
	rec    *recorder
	faults *faultSet
	lags   map[string]bool // active list lags, guarded by mu
	limits *limiter

	dirty  chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	hooks  hookQueue
	idle   *sync.Cond // signalled under hooks.mu when deliveries end
}

// New makes a server. State of an earlier server in the same data folder is taken up again.
func New(opt Options) (*Server, error) {
	if opt.DataDir == "" {
		return nil, errors.New("DataDir: must name a folder")
	}
	if opt.BaseURL != "" {
		if u, err := url.Parse(opt.BaseURL); err != nil || u.Host == "" {
			return nil, errors.New("BaseURL: must be an absolute address such as http://127.0.0.1:4000")
		}
	}
	if err := os.MkdirAll(filepath.Join(opt.DataDir, "git"), 0o755); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s := &Server{opt: opt, log: opt.Logger, now: opt.Now, client: opt.HTTPClient, base: strings.TrimSuffix(opt.BaseURL, "/"),
		rec: newRecorder(), lags: map[string]bool{}, limits: newLimiter(), dirty: make(chan struct{}, 1)}
	s.idle = sync.NewCond(&s.hooks.mu)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.client == nil {
		s.client = &http.Client{
			Transport:     &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if s.opt.DeliveryTimeout == 0 {
		s.opt.DeliveryTimeout = 10 * time.Second
	}
	s.faults = newFaultSet()
	if err := s.load(); err != nil {
		return nil, err
	}
	if opt.ControlToken != "" {
		s.st.ControlToken = opt.ControlToken
	} else if s.st.ControlToken == "" {
		s.st.ControlToken = randomHex(24)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.routes = s.table()
	handler, err := s.buildHandler()
	if err != nil {
		return nil, err
	}
	s.handler = handler
	s.wg.Go(s.saver)
	return s, nil
}

// Handler serves the API (at "/" and at "/api/v3"), git over HTTP, the pages and the control interface.
func (s *Server) Handler() http.Handler { return s.handler }

// Close releases everything that waits, ends deliveries under way and writes the state file.
func (s *Server) Close() error {
	s.faults.releaseAll()
	s.cancel()
	s.hooks.close()
	s.wg.Wait()
	return s.save()
}

// SetBaseURL sets the address that answers and payloads name.
func (s *Server) SetBaseURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = strings.TrimSuffix(base, "/")
}

// BaseURL is the address of the pages and of git.
func (s *Server) BaseURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// ControlToken is the bearer token of the control interface.
func (s *Server) ControlToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.st.ControlToken
}

// nowMicros is the simulator's own clock.
func (s *Server) nowMicros() micros { return micros(s.now().UnixMicro()) }

// hostTime is the clock that the host shows to clients (Date header, rate-limit answers).
func (s *Server) hostTime() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Add(time.Duration(s.settings.ClockOffsetSeconds) * time.Second)
}

// tokenTime is the clock by which JWTs and tokens are made and judged.
func (s *Server) tokenTime() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Add(time.Duration(s.settings.TokenClockOffsetSeconds) * time.Second)
}

// touch asks for the state file to be written soon.
func (s *Server) touch() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

func (s *Server) gitDir(id int64) string {
	return filepath.Join(s.opt.DataDir, "git", fmt.Sprintf("%d.git", id))
}

func (s *Server) openRepo(r *repository) { r.git = gitrepo.Open(s.gitDir(r.ID)) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}
