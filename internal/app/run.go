package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/inbound"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/web"
)

// Roles are the tasks of a process.
type Roles struct {
	API   bool
	Lanes map[domain.Lane]int // lanes to serve; empty without a worker
}

// AllLanes returns the configured slots of every lane.
func AllLanes(c config.Config) map[domain.Lane]int {
	return map[domain.Lane]int{domain.LaneDelivery: c.Lanes.Delivery, domain.LaneReview: c.Lanes.Review,
		domain.LanePublish: c.Lanes.Publish, domain.LaneBackground: c.Lanes.Background, domain.LaneDryRun: c.Lanes.DryRun,
		domain.LaneSweep: c.Lanes.Sweep}
}

// Running holds the addresses on which a started process listens.
type Running struct {
	API     net.Addr // nil without the API
	Metrics net.Addr // nil if metrics are off
}

// sandboxed returns an error if the process serves review lanes, and requires a sandbox that is not fully
// in force.
func (a *App) sandboxed(ctx context.Context, roles Roles) error {
	if a.Children == nil || a.Config.Sandbox != config.SandboxRequired || roles.Lanes[domain.LaneReview]+roles.Lanes[domain.LaneDryRun] == 0 {
		return nil
	}
	if _, err := a.Children.Probe(ctx); err != nil {
		return fmt.Errorf("this process refuses to review (ASSAY_SANDBOX): %w. Use a Linux with Landlock on amd64 or arm64 and with "+
			"/proc mounted, "+
			"and a container profile that lets the system calls of Landlock and seccomp through, give the lanes review and dry-run to a "+
			"worker elsewhere (assay worker --lanes), "+
			"or set ASSAY_SANDBOX to preferred; `assay doctor` (D023) says what holds here", err)
	}
	return nil
}

// Run serves the roles until ctx ends, then drains: the listeners accept nothing new, while running
// requests and jobs finish within the drain time. Ending hard stops everything immediately. Run calls ready
// once the listeners are open.
func (a *App) Run(ctx, hard context.Context, roles Roles, demo *httpapi.DemoInfo, ready func(Running)) error {
	if err := a.sandboxed(ctx, roles); err != nil {
		return err
	}
	worker, err := a.worker(roles)
	if err != nil {
		return err
	}
	servers, running, err := a.listen(roles, demo)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	over := make(chan error, len(servers)+1)
	for _, s := range servers {
		go func() { over <- s.serve(stop) }()
	}
	waiting := len(servers)
	if worker != nil {
		waiting++
		go func() { over <- worker.Run(ctx, hard) }()
	} else {
		waiting++
		go func() { over <- a.heartbeats(ctx, a.process(roles)) }()
	}
	ready(running)
	<-ctx.Done()
	a.Logger.Info("stopping; a second signal stops at once", "drain", a.Config.DrainTimeout)
	for _, s := range servers {
		s.shutdown(hard, a.Config.DrainTimeout)
	}
	err = nil
	for range waiting {
		err = errors.Join(err, <-over)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	return err
}

// kinds returns the job handlers of all features.
func (a *App) kinds() map[domain.JobKind]jobs.Kind {
	all := a.Review.Kinds()
	maps.Copy(all, a.Intake.Kinds())
	maps.Copy(all, a.Triage.Kinds())
	maps.Copy(all, a.CI.Kinds())
	maps.Copy(all, a.Fixes.Kinds())
	maps.Copy(all, a.Tickets.Kinds())
	maps.Copy(all, a.Feature.Notify.Kinds())
	maps.Copy(all, a.Feature.Tracking.Kinds())
	maps.Copy(all, a.Feature.DryRun.Kinds())
	maps.Copy(all, a.Feature.Onboarding.Kinds())
	maps.Copy(all, a.Feature.CodeIndex.Kinds())
	return all
}

func (a *App) worker(roles Roles) (*jobs.Worker, error) {
	if len(roles.Lanes) == 0 {
		return nil, nil
	}
	j := a.Config.Jobs
	return jobs.New(jobs.Config{Store: a.Store, Queue: a.Queue, Kinds: a.kinds(), Lanes: roles.Lanes, Process: a.process(roles),
		Logger: a.Logger, Observer: observer{a.Metrics},
		Settings: jobs.Settings{Lease: j.Lease, Heartbeat: j.Heartbeat, Sweep: j.Sweep, Relay: j.Relay, Attempts: j.MaxAttempts,
			Crashes: j.CrashLimit,
			Drain:   a.Config.DrainTimeout, BackoffFirst: j.BackoffFirst, BackoffMax: j.BackoffMax},
		Periodic: a.periodic()})
}

// server is an HTTP server on its listener.
type server struct {
	http     *http.Server
	listener net.Listener
	name     string
}

func (a *App) listen(roles Roles, demo *httpapi.DemoInfo) (out []*server, r Running, err error) {
	defer func() {
		if err != nil {
			for _, s := range out {
				_ = s.listener.Close()
			}
		}
	}()
	if roles.API {
		stopping := make(chan struct{})
		handler, err := a.api(demo, stopping)
		if err != nil {
			return out, r, err
		}
		api := &http.Server{Handler: handler, WriteTimeout: time.Minute}
		api.RegisterOnShutdown(sync.OnceFunc(func() { close(stopping) }))
		s, err := open(api, listenAddress{name: "API", address: a.Config.Listen, setting: "ASSAY_LISTEN",
			bounds: inbound.Limits{All: a.Config.HTTP.Connections, PerAddress: a.Config.HTTP.PerAddress, Reserve: 64,
				Proxies: a.Config.Proxies(), Logger: a.Logger}})
		if err != nil {
			return out, r, err
		}
		out, r.API = append(out, s), s.listener.Addr()
	}
	if addr := a.Config.MetricsListen; addr != "" && addr != "off" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", a.Metrics.Handler())
		s, err := open(&http.Server{Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second},
			listenAddress{name: "metrics", address: addr, setting: "ASSAY_METRICS_LISTEN",
				bounds: inbound.Limits{All: 64, Reserve: 16, Logger: a.Logger}})
		if err != nil {
			return out, r, err
		}
		out, r.Metrics = append(out, s), s.listener.Addr()
	}
	return out, r, nil
}

// api returns the handler of the API. stopping is closed when its server accepts no more requests.
func (a *App) api(demo *httpapi.DemoInfo, stopping <-chan struct{}) (http.Handler, error) {
	c := a.Config
	hook, hooks := a.webhooks()
	return httpapi.New(httpapi.Options{Store: a.Store, Webhook: hook, Webhooks: hooks, KV: a.Queue, Rerun: a.Runs, Features: a.Feature,
		Analysers: a.configuredAnalysers(),
		BaseURL:   a.baseURL(), Edition: c.Edition, Version: a.Version, Commit: a.Commit,
		Idle: c.Session.Idle, Absolute: c.Session.Absolute, Timeout: c.HTTP.Timeout, MaxBody: int64(c.HTTP.MaxBody),
		TrustProxyTLS: c.TrustProxyTLS, Proxies: c.Proxies(), Limits: httpapi.Limits{UnderWay: c.HTTP.PerAddress}, Stopping: stopping,
		Logger: a.Logger, Metrics: a.Metrics, Demo: demo, Examine: a.examine, Console: web.Console()})
}

// assignTenant is the address of a server and the limits of its connections.
type listenAddress struct {
	name, address string
	setting       string // the setting that holds the address
	bounds        inbound.Limits
}

// open listens at a place. The API's handler sets its own deadlines for bodies and parts of answers.
// WriteTimeout applies to what net/http itself writes, and clears the deadline that an earlier answer left.
func open(s *http.Server, at listenAddress) (*server, error) {
	l, err := net.Listen("tcp", at.address)
	if err != nil {
		return nil, fmt.Errorf("the %s cannot listen on %s (setting %s): %w", at.name, at.address, at.setting, err)
	}
	s.ReadHeaderTimeout, s.IdleTimeout, s.MaxHeaderBytes = 10*time.Second, 2*time.Minute, 32<<10
	s.ErrorLog = slog.NewLogLogger(at.bounds.Logger.Handler(), slog.LevelDebug)
	return &server{name: at.name, listener: inbound.Limit(l, at.bounds), http: s}, nil
}

func (s *server) serve(stop context.CancelCauseFunc) error {
	err := s.http.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	stop(fmt.Errorf("the %s stopped: %w", s.name, err))
	return nil
}

func (s *server) shutdown(hard context.Context, drain time.Duration) {
	ctx, cancel := context.WithTimeout(hard, drain)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close()
	}
}
