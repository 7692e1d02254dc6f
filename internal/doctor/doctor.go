// Package doctor checks an installation and reports what is wrong and how to fix it: coded checks of
// configuration, storage, tools, connections and backlog.
//
// It changes nothing. Its callers open the parts and print the report.
package doctor

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// Status is the outcome of a check.
type Status string

// Outcomes. Only Fail makes an installation unhealthy. Skip means that there was nothing to check, or that
// an earlier failure prevents the check.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
	Skip Status = "skip"
)

// Check is the result of one check. Code and Name never change their meaning.
type Check struct {
	Code    string `json:"code"`
	Name    string `json:"name"`
	Status  Status `json:"status"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// Report is all results, in the order of the checks.
type Report struct {
	Checks []Check `json:"checks"`
	OK     bool    `json:"ok"` // no check failed
}

// AppClient is the part of a code host's app that the checks use.
type AppClient interface {
	App(ctx context.Context) (github.App, error)
	Installations(ctx context.Context) ([]codehost.Installation, error)
}

// Parts opens the checked parts. Each function may fail; the checks report the error.
type Parts struct {
	Store func(ctx context.Context) (*store.Store, error) // without migrating and without locks
	Keys  func(ctx context.Context, s *store.Store) error // opens the keyset; [ErrNoKeyset] if it does not exist
	KV    func() redis.UniversalClient                    // nil if the queue is in the process
	App   func(ctx context.Context, s *store.Store, id string) (AppClient, error)
	// Connection asks the host of a connection with the stored token, and changes nothing. Several
	// goroutines call it.
	Connection func(ctx context.Context, s *store.Store, row store.ProviderConnection) (tracking.ConnectionChecks, error)
	// Tracker asks the issue tracker of a connection in the same way; see [tracking.Service.AskTracker].
	Tracker func(ctx context.Context, s *store.Store, row store.TrackerConnection) (tracking.TrackerChecks, error)
	Models  func(ctx context.Context, s *store.Store, tenant string) (*ask.Models, error) // nil models if not routed
	// BaseURL returns the public address in the instance's settings, or "".
	BaseURL func(ctx context.Context, s *store.Store) (string, error)
	// Children starts the child processes that parse untrusted bytes; nil if there are no such processes.
	Children *sandbox.Launcher
	// Reach requests a URL of the service itself from this machine.
	Reach func(ctx context.Context, url string) error
}

// Options configure an examination.
type Options struct {
	Config    config.Config
	ConfigErr error    // error of loading it
	Unknown   []string // variables that look like settings but are not
	Version   string
	Parts     Parts
	// LocalHosts says that all code hosts run on this machine, as those of the demo do.
	LocalHosts bool
	Now        func() time.Time // nil: time.Now
	// Patience bounds each check; 0 means 10 s.
	Patience time.Duration
}

// examination is the state of one run of all checks.
type examination struct {
	Options
	store  *store.Store
	out    []Check
	loaded bool // the schema exists
	keys   bool // stored secrets can be opened
}

// Examine runs every check in order.
func Examine(ctx context.Context, o Options) Report {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	e := &examination{Options: o}
	defer func() {
		if e.store != nil {
			_ = e.store.Close() // only reads happened
		}
	}()
	for _, f := range []func(context.Context){e.configuration, e.dataFolder, e.instanceKey, e.database, e.schema, e.durability,
		e.keyset, e.clock,
		e.keyValue, e.keyValueSettings, e.git, e.baseURL, e.apps, e.installations, e.models, e.deadLetters, e.workers, e.sizing,
		e.proxies, e.promised, e.children, e.connections, e.trackers, e.unchecked, e.analysers} {
		bounded, cancel := context.WithTimeout(ctx, o.Patience)
		f(bounded)
		cancel()
	}
	r := Report{Checks: e.out, OK: true}
	for _, c := range e.out {
		if c.Status == Fail {
			r.OK = false
		}
	}
	return r
}

func (e *examination) add(code, name string, s Status, message, fix string) {
	if s == OK || s == Skip {
		fix = ""
	}
	e.out = append(e.out, Check{code, name, s, message, fix})
}
