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

// applied remembers the configured values that were applied, so that a value is applied again only when it
// changes, and an administrator's later edits survive a restart. It stores a hash of each value and is
// sealed.
type applied struct {
	keyring *secret.Keyring
	store   *store.Store
	version int64
	before  map[string]string // hashes of earlier starts, by the name of the setting
	now     map[string]string // hashes of this start, by the name of the setting
}

// place binds the sealed document to its row.
var place = secret.Scope{Table: "instance_documents", Row: store.DocumentBootstrap, Column: "body"}

// loadApplied reads the values that earlier starts applied.
func (b *Bootstrap) loadApplied(ctx context.Context) (*applied, error) {
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

// wants reports whether a configured value must be stored under a name. If the instance already has a value
// (present), a name that was never applied before changes nothing. An empty value changes nothing.
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

// keep stores the applied values. Call it in the transaction of the change. It returns [errs.NotFound] if
// another process stored its values first.
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

// complete adds the hashes of settings that the configuration no longer has.
func (a *applied) complete() {
	for name, sum := range a.before {
		if a.now[name] == "" {
			a.now[name] = sum
		}
	}
}

// storeSeen stores names that were seen for the first time but changed nothing.
func (a *applied) storeSeen(ctx context.Context) error {
	if a.complete(); maps.Equal(a.now, a.before) {
		return nil
	}
	return a.keep(ctx)
}
