// Package httpapi is the interface for people and programs: the route table,
// the checks that stand before every handler, the handlers, and the operator's
// pages. A handler decodes, calls a feature or reads the store, and encodes.
//
// What must not live here: SQL, decisions of the product, and listeners. The
// handler of webhooks is given; see package webhook.
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
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
)

// APIVersion is the version of the interface, in GET /version and in the
// description. It follows semantic versioning: additions raise the middle number.
const APIVersion = "1.0.0"

// Pinger is a part whose answer GET /readyz waits for.
type Pinger interface {
	Ping(ctx context.Context) error
}

// Rerunner starts one more review of the current head of a run's pull request.
// request makes it unique: the same request twice is one run.
type Rerunner interface {
	Rerun(ctx context.Context, run store.Run, request string, by domain.Asker) (store.Run, error)
}

// DemoInfo is what the pages say in demo mode.
type DemoInfo struct {
	Note  string     // what is simulated, in one sentence
	Links []DemoLink // pull requests to look at
}

// DemoLink is a page of the simulated code host.
type DemoLink struct{ Title, URL string }

// Rate is a token bucket: a sustained rate and how much may come at once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Limits are the rate limits of one process; a zero field has its default.
type Limits struct {
	Address Rate // requests of one address; 50/s, 200 at once
	Person  Rate // requests of one person; 20/s, 100 at once
	Token   Rate // requests of one token for /mcp; 10/s, 60 at once
	Start   Rate // sign-ins that one address begins; 2/s, 100 at once
	Guess   Rate // what may be a guess of one address, see [limiters]; 1 in 6 s, 10 at once
	Webhook Rate // deliveries of one address; 10,000/s, 20,000 at once

	UnderWay int // requests of one address that are under way at once; 256 if 0
}

// Options is what the handler is made of. Store, Webhook and BaseURL are needed.
type Options struct {
	Store   *store.Store
	Webhook http.Handler // serves POST /webhooks/codehost, with a body limit of its own
	// Webhooks serve POST /webhooks/{word}/{connectionId}, by the word of the kind
	// of code host in the path.
	Webhooks map[string]http.Handler
	KV       Pinger   // nil: there is no key-value store to ask
	Rerun    Rerunner // nil: reruns are answered with 503
	Features

	BaseURL       string // public origin, such as https://assay.example.com
	Edition       string
	Version       string
	Commit        string
	Idle          time.Duration  // of sessions; 12 h if 0
	Absolute      time.Duration  // of sessions; 7 d if 0
	Timeout       time.Duration  // of one request of the API; 30 s if 0
	MaxBody       int64          // of a request of the API, in bytes; 1 MiB if 0
	TrustProxyTLS bool           // a proxy in front ends TLS
	Proxies       []netip.Prefix // whose X-Forwarded-For is believed; nobody's otherwise

	Stopping <-chan struct{} // closed when the process stops taking requests: streams end then; may be nil

	Limits  Limits
	Streams Streams
	Logger  *slog.Logger
	Metrics *telemetry.Metrics // nil: nothing is counted
	Demo    *DemoInfo          // nil unless this is the demo
	Console fs.FS              // the built console, with index.html at its root; nil where it was not built

	// Examine looks at the installation as the command doctor does, within the time of its
	// context; nil: this process cannot.
	Examine func(ctx context.Context) doctor.Report
}

// Features are the services behind the routes; every one is needed.
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
	Onboarding *onboarding.Service
	Approvals  *approval.Service
	OnDemand   *ondemand.Service
	MCP        *mcpserver.Service
	Tickets    *tickets.Service
}

// server is the state behind the handlers. It is safe for concurrent use.
type server struct {
	Options
	origin       *url.URL
	limits       limiters
	crowd        *crowd
	streamsOf    *crowd  // streams of events by person
	streamsAll   *crowd  // and of everybody, below one name
	questions    *shares // that requests ask other servers, by tenant
	watches      *watches
	refusals     refusals
	schema       schemaCheck // what readyz knows of the schema
	examinations *examiner
	document     func() ([]byte, error)  // the description as JSON, made when it is first asked for
	reference    func() (docView, error) // and for people
	index        map[string]Route        // by pattern
	mux          *http.ServeMux
	html         *views
	console      *consoleFiles // nil: it was not built
}

// New makes the handler of the API and of the operator's pages. It needs no
// database to be up, and fails only on wrong options.
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
	s := &server{Options: o, origin: origin, limits: newLimiters(o.Limits), crowd: newCrowd(cmp.Or(max(o.Limits.UnderWay, 0), 256), "Too many requests of this address are under way.", time.Second),
		streamsOf:  newCrowd(o.Streams.Person, "Too many streams of yours are open.", retryTime),
		streamsAll: newCrowd(o.Streams.All, "Too many streams are open.", retryTime),
		questions:  &shares{each: questionsOfOne, all: questionsOfAll, by: map[string]int{}},
		watches:    newWatches(o.Streams.Look), examinations: newExaminer()}
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
	return s.pace(s.observe(http.HandlerFunc(s.dispatch))), nil
}

// parseOrigin reads the public base URL. Plain http is for this machine only,
// unless a proxy ends TLS: a session cookie would cross the network in clear.
func parseOrigin(base string, proxyTLS bool) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("httpapi: the public base URL must be an origin, such as https://assay.example.com")
	}
	if u.Scheme == "http" && !proxyTLS && !loopback(u.Hostname()) {
		return nil, fmt.Errorf("httpapi: the public base URL must be https off this machine; where a proxy in front ends TLS, say so (ASSAY_TRUST_PROXY_TLS)")
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
