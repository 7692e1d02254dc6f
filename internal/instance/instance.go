// Package instance manages the whole instance: its first run, code-host apps, installations and settings.
//
// It contains no SQL, no wire formats and no checks of callers' permissions.
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

// Config holds the parts of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
	Process Process
	Version string
	Hosts   Hosts                                       // nil: no requests to hosts, and apps are stored as entered
	Reach   func(ctx context.Context, url string) error // returns an error unless url answers with 200; nil: not tried
	URL     func(raw string) error                      // returns why url can never be reached; nil: every address is accepted
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

// Service manages the instance. It is safe for concurrent use.
type Service struct {
	Config
	over atomic.Bool // setup is complete; never false again
	mu   sync.Mutex
	live cachedSettings
}

// cachedSettings are the settings as of the last read.
type cachedSettings struct {
	settings InstanceSettings
	at       time.Time
}

// New returns a service.
func New(c Config) *Service { return &Service{Config: c} }

// Page selects a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// pageOf returns a page of a list; key returns the position of an element.
func pageOf[T any](all []T, p Page, key func(T) store.Cursor) []T {
	out := []T{}
	for i := len(all) - 1; i >= 0 && len(out) < p.Limit; i-- { // stores list oldest first
		k := key(all[i])
		if b := p.Before; b.US == 0 || k.US < b.US || k.US == b.US && k.ID < b.ID {
			out = append(out, all[i])
		}
	}
	return out
}

// versionFits reports whether a change for one version of a document applies to the stored version. 0 means any
// version, and [store.NeverStored] means that no document must exist.
func versionFits(wanted, there int64) bool {
	return wanted == 0 || wanted == there || wanted == store.NeverStored && there == 0
}

// daysOf converts days to a duration.
func daysOf(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// hostSentence returns a sentence about a host's error.
func hostSentence(err error) string {
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
