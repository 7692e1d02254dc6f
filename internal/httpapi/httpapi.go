// Package httpapi serves the interface for people and programs: the route table, the checks before every
// handler, the handlers, and the operator's pages. A handler decodes, calls a feature or reads the store,
// and encodes.
//
// SQL, product decisions and listeners do not belong here. The handler of webhooks is passed in; see
// package webhook.
package httpapi

//go:generate go test -run TestDescriptionFile . -update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/internal/upload"
)

// APIVersion is the version of the interface in GET /version and in the description. It follows semantic
// versioning: additions raise the middle number.
const APIVersion = "1.0.0"

// Pinger is a dependency that GET /readyz checks.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Rerunner starts another review of the current head of a run's pull request. Calls with the same request
// string return the same run.
type Rerunner interface {
	Rerun(ctx context.Context, run store.Run, request string, by domain.Asker) (store.Run, error)
}

// DemoInfo is the note on the pages in demo mode.
type DemoInfo struct {
	Note  string     // one sentence on the simulated parts
	Links []DemoLink // pull requests to look at
	Pulls []string   // pages of the sample's pull requests, by their numbers
}

// DemoLink is a page of the simulated code host.
type DemoLink struct{ Title, URL string }

// Rate is a token bucket: a sustained rate and a maximum burst.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limits holds the rate limits of one process; a zero field has its default.
type Limits struct {
	Address Rate // requests of one address; 50/s, 200 at once
	Person  Rate // requests of one person; 20/s, 100 at once
	Token   Rate // requests of one token for /mcp; 10/s, 60 at once
	Search  Rate // searches of one person; 2/s, 20 at once
	Start   Rate // sign-ins started by one address; 2/s, 100 at once
	Guess   Rate // possible guesses by one address, see [limiters]; 1 in 6 s, 10 at once
	Webhook Rate // deliveries of one address; 10,000/s, 20,000 at once

	UnderWay int // concurrent requests of one address; 256 if 0
}

// Options configures the handler. Store, Webhook and BaseURL are required.
type Options struct {
	Store   *store.Store
	Webhook http.Handler // serves POST /webhooks/codehost and limits the body itself
	// Webhooks serve POST /webhooks/{word}/{connectionId}, by the word, which is the kind of code host.
	Webhooks map[string]http.Handler
	KV       Pinger   // nil if there is no key-value store
	Rerun    Rerunner // nil to answer reruns with 503
	Features

	BaseURL       string // public origin, such as https://assay.example.com
	Edition       string
	Version       string
	Commit        string
	Idle          time.Duration  // of sessions; 12 h if 0
	Absolute      time.Duration  // of sessions; 7 d if 0
	Timeout       time.Duration  // of one request of the API; 30 s if 0
	MaxBody       int64          // of a request of the API, in bytes; 1 MiB if 0
	TrustProxyTLS bool           // a proxy in front terminates TLS
	Proxies       []netip.Prefix // trusted for X-Forwarded-For; empty to trust no proxy

	Stopping <-chan struct{} // closed when the process stops taking requests, to end streams; can be nil

	Limits  Limits
	Streams Streams
	Logger  *slog.Logger
	Metrics *telemetry.Metrics // nil to collect no metrics
	Demo    *DemoInfo          // nil outside demo mode
	Console fs.FS              // the built console with index.html at its root; nil if it is not built

	Analysers []ConfiguredAnalyser // those that the process configuration names

	// Examine examines the installation like the doctor command, within the time of its context. It is nil
	// if this process cannot.
	Examine func(ctx context.Context) doctor.Report
}

// Features holds the services behind the routes; all are required.
type Features struct {
	Audit      *audit.Log
	Auth       *auth.Service
	Instance   *instance.Service
	Tenant     *tenant.Service
	Notify     *notify.Service
	Tracking   *tracking.Service
	Assign     *assign.Service
	Analytics  *analytics.Service
	DryRun     *dryrun.Service
	Fixes      *fixrun.Service
	Onboarding *onboarding.Service
	Approvals  *approval.Service
	Suppress   *suppress.Service
	OnDemand   *ondemand.Service
	Upload     *upload.Service
	MCP        *mcpserver.Service
	Tickets    *tickets.Service
	CodeIndex  *codeindex.Service
}

// server is the state of the handlers. It is safe for concurrent use.
type server struct {
	Options
	origin       *url.URL
	limits       limiters
	requestsOf   *clientCounter
	streamsOf    *clientCounter  // event streams by person
	streamsAll   *clientCounter  // all event streams, under one name
	questions    *questionShares // requests to other servers, by tenant
	watches      *watches
	refusals     refusals
	schema       schemaCheck // last result of the schema check of readyz
	examinations *examiner
	document     func() ([]byte, error)  // the description as JSON, made on first use
	reference    func() (docView, error) // the description for people, made on first use
	index        map[string]Route        // by pattern
	mux          *http.ServeMux
	html         *views
	console      *consoleFiles // nil if it is not built
}

// New returns the handler of the API and of the operator's pages. It does not need the database to be
// reachable, and fails only on wrong options.
func New(o Options) (http.Handler, error) {
	if o.Store == nil || o.Webhook == nil {
		return nil, errors.New("httpapi: Store and Webhook are needed")
	}
	if o.Idle <= 0 {
		o.Idle = 12 * time.Hour
	}
	if o.Absolute <= 0 {
		o.Absolute = 7 * 24 * time.Hour
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 1 << 20
	}
	if o.Logger == nil {
		o.Logger = telemetry.Discard()
	}
	origin, err := parseOrigin(o.BaseURL, o.TrustProxyTLS)
	if err != nil {
		return nil, err
	}
	o.Streams = o.Streams.orDefaults()
	s := &server{Options: o, origin: origin, limits: newLimiters(o.Limits),
		requestsOf: newClientCounter(cmp.Or(max(o.Limits.UnderWay, 0), 256), "Too many requests of this address are under way.", time.Second),
		streamsOf:  newClientCounter(o.Streams.Person, "Too many streams of yours are open.", retryTime),
		streamsAll: newClientCounter(o.Streams.All, "Too many streams are open.", retryTime),
		questions:  &questionShares{each: questionsOfOne, all: questionsOfAll, by: map[string]int{}},
		watches:    newWatches(), examinations: newExaminer()}
	if s.html, err = newViews(); err != nil {
		return nil, err
	}
	if o.Console != nil {
		if s.console, err = readConsole(o.Console); err != nil {
			return nil, err
		}
	}
	if err := s.mountRoutes(); err != nil {
		return nil, err
	}
	packing, err := compressed(http.HandlerFunc(s.dispatch))
	if err != nil {
		return nil, err
	}
	return s.pace(s.observe(packing)), nil
}

// parseOrigin parses the public base URL. It allows plain http only for this machine or with a
// TLS-terminating proxy, because a session cookie would otherwise cross the network unencrypted.
func parseOrigin(base string, proxyTLS bool) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("httpapi: the public base URL must be an origin, such as https://assay.example.com")
	}
	if u.Scheme == "http" && !proxyTLS && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("httpapi: the public base URL must be https off this machine; where a proxy in front ends TLS, say so " +
			"(ASSAY_TRUST_PROXY_TLS)")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}
