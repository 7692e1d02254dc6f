package bootstrap

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// applied remembers which values of the configuration were applied, so that a
// value is applied when it is new or has changed, and what an administrator
// enters in between stays at the next start. It holds a hash of each value and
// is stored sealed.
type applied struct {
	keyring *secret.Keyring
	store   *store.Store
	version int64
	before  map[string]string // hashes by the name of a setting, as stored
	now     map[string]string // the same, of this start
}

// place binds the sealed document to its row.
var place = secret.Scope{Table: "instance_documents", Row: store.DocumentBootstrap, Column: "body"}

// recall reads what was applied.
func (b *Bootstrap) recall(ctx context.Context) (*applied, error) {
	a := &applied{keyring: b.Keyring, store: b.Store, before: map[string]string{}, now: map[string]string{}}
	d, err := b.Store.InstanceDocument(ctx, store.DocumentBootstrap)
	if err != nil || d.Version == 0 {
		return a, err
	}
	a.version = d.Version
	sealed, err := base64.StdEncoding.DecodeString(d.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the applied bootstrap: %w", err)
	}
	text, err := b.Keyring.Open(ctx, place, sealed)
	if err != nil {
		return nil, fmt.Errorf("reading the applied bootstrap: %w", err)
	}
	return a, json.Unmarshal(text, &a.before)
}

// wants reports whether a value of the configuration is to be stored under a
// name. present says that the instance has one already: then a value whose name
// is met for the first time changes nothing. An empty value changes nothing.
func (a *applied) wants(name, value string, present bool) bool {
	if value == "" {
		return false
	}
	sum := sha256.Sum256([]byte(value))
	a.now[name] = base64.StdEncoding.EncodeToString(sum[:])
	if was, known := a.before[name]; known {
		return was != a.now[name]
	}
	return !present
}

// keep stores what was applied. It belongs into the transaction of the change,
// and is [errs.NotFound] where another process was first.
func (a *applied) keep(ctx context.Context) error {
	a.complete()
	text, err := json.Marshal(a.now)
	if err != nil {
		return err
	}
	sealed, err := a.keyring.Seal(ctx, place, text)
	if err != nil {
		return err
	}
	d, err := a.store.PutInstanceDocument(ctx, store.DocumentBootstrap, base64.StdEncoding.EncodeToString(sealed), a.version)
	a.version, a.before = d.Version, maps.Clone(a.now)
	return err
}

// complete adds what is known of settings that the configuration has no longer.
func (a *applied) complete() {
	for name, sum := range a.before {
		if a.now[name] == "" {
			a.now[name] = sum
		}
	}
}

// rest stores what was met for the first time without changing anything.
func (a *applied) rest(ctx context.Context) error {
	if a.complete(); maps.Equal(a.now, a.before) {
		return nil
	}
	return a.keep(ctx)
}
