// Package instance is what the whole instance has: its first run, code-host apps, installations, instance settings.
//
// SQL, wire formats and the question who may call do not live here.
package instance

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
	Process Process
	Version string
	Hosts   Hosts                                       // nil: no host is asked, apps are stored as they are entered
	Reach   func(ctx context.Context, url string) error // whether an address answers with 200; nil: not tried
	URL     func(raw string) error                      // why an address could never be reached; nil: none is refused
}

// Hosts opens code hosts.
type Hosts interface {
	// App opens a stored app.
	App(ctx context.Context, id string) (*github.Host, error)
	// Unsaved opens an app that is not stored yet, with its private key.
	Unsaved(app store.App, key secret.Secret) (*github.Host, error)
	// Convert exchanges the code of a manifest.
	Convert(ctx context.Context, apiURL, code string) (github.Registered, error)
}

// Service does the acts. It is safe for concurrent use.
type Service struct {
	Config
	over atomic.Bool // setup is complete, which does not change back
	mu   sync.Mutex
	live kept
}

// kept are the settings as they were read last.
type kept struct {
	settings InstanceSettings
	at       time.Time
}

// New makes the service.
func New(c Config) *Service { return &Service{Config: c} }

// Page is a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// take cuts a page out of a list in any order; key is the place of an element.
func take[T any](all []T, p Page, key func(T) store.Cursor) []T {
	out := []T{}
	for i := len(all) - 1; i >= 0 && len(out) < p.Limit; i-- { // stores list oldest first
		k := key(all[i])
		if b := p.Before; b.US == 0 || k.US < b.US || k.US == b.US && k.ID < b.ID {
			out = append(out, all[i])
		}
	}
	return out
}

// fits reports whether a change that is meant for a version of a document may
// meet the one that is there: 0 is any, [store.NeverStored] none.
func fits(wanted, there int64) bool {
	return wanted == 0 || wanted == there || wanted == store.NeverStored && there == 0
}

// daysOf is a number of days.
func daysOf(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// hostWord says what went wrong with a host, in words of ours.
func hostWord(err error) string {
	switch codehost.ClassOf(err) {
	case codehost.ClassForbidden:
		return "the host does not take the private key for this app id"
	case codehost.ClassNotFound:
		return "the host knows no such app"
	case codehost.ClassLimited:
		return "the host asks to wait; try again in a few minutes"
	}
	return "the host does not answer, or the air-gap settings forbid the connection"
}
