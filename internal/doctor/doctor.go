// Package doctor looks at an installation and says what is wrong and how to fix
// it: coded checks of configuration, storage, tools, connections and backlog.
//
// It changes nothing. Opening the parts it looks at, and printing, do not live
// here.
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

// Outcomes. Only Fail makes an installation unhealthy; Skip means that there is
// nothing to look at, or that an earlier failure hides it.
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

// Report is everything that was found, in the order of the codes.
type Report struct {
	Checks []Check `json:"checks"`
	OK     bool    `json:"ok"` // no check failed
}

// AppClient is what a check asks of a code host's app.
type AppClient interface {
	App(ctx context.Context) (github.App, error)
	Installations(ctx context.Context) ([]codehost.Installation, error)
}

// Parts opens what is looked at. Each may fail; the checks say so.
type Parts struct {
	Store func(ctx context.Context) (*store.Store, error) // without migrating and without locks
	Keys  func(ctx context.Context, s *store.Store) error // opens the keyset, makes none; [ErrNoKeyset] where there is none
	KV    func() redis.UniversalClient                    // nil: the queue is in the process
	App   func(ctx context.Context, s *store.Store, id string) (AppClient, error)
	// Connection asks the host of a connection with the stored token, and changes nothing.
	// It is called by several goroutines.
	Connection func(ctx context.Context, s *store.Store, row store.ProviderConnection) (tracking.ConnectionChecks, error)
	// Tracker asks the issue tracker of a connection likewise; see [tracking.Service.AskTracker].
	Tracker func(ctx context.Context, s *store.Store, row store.TrackerConnection) (tracking.TrackerChecks, error)
	Models  func(ctx context.Context, s *store.Store, tenant string) (*ask.Models, error) // nil models: not routed
	// BaseURL is the public address that the settings of the instance hold; "": none.
	BaseURL func(ctx context.Context, s *store.Store) (string, error)
	// Children starts the processes that read strangers' bytes; nil: there are none.
	Children *sandbox.Launcher
	// Reach asks a URL of the service itself from here.
	Reach func(ctx context.Context, url string) error
}

// Options of an examination.
type Options struct {
	Config    config.Config
	ConfigErr error    // of loading it
	Unknown   []string // variables that look like settings and are none
	Version   string
	Parts     Parts
	Now       func() time.Time // nil: time.Now
	// Patience is the longest single check; 10 s if 0.
	Patience time.Duration
}

// examination is the state of one run of all checks.
type examination struct {
	Options
	store  *store.Store
	out    []Check
	loaded bool // the schema is there
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
			_ = e.store.Close() // nothing was written
		}
	}()
	for _, f := range []func(context.Context){e.configuration, e.dataFolder, e.instanceKey, e.database, e.schema, e.durability, e.keyset, e.clock,
		e.keyValue, e.keyValueSettings, e.git, e.baseURL, e.apps, e.installations, e.models, e.deadLetters, e.workers, e.sizing, e.proxies, e.promised, e.children, e.connections, e.trackers} {
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
