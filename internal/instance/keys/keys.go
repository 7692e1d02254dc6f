// Package keys retires instance keys: it reports what needs each key, wraps data keys with the newest one,
// replaces data keys and seals every secret again, and records that a key is no longer needed.
//
// It contains no sealing, no SQL and no texts of the command line.
package keys

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// page is the number of rows per read.
const page = 200

// KeepReplaced is how long a replaced data key stays usable, because a request or job that read the keyset
// earlier may still store a value sealed with it.
const KeepReplaced = time.Hour

// Service manages instance keys. It may run in a process beside the service.
type Service struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
	// Progress is called after every 50 changes of [Service.Rewrap]; nil: no calls.
	Progress func(Result)
}

// Place is the position of a key in the configuration.
type Place string

// The places of a key.
const (
	Newest Place = "newest" // wraps and marks everything new
	Older  Place = "older"  // opens and recognises its earlier work
	Absent Place = "absent" // not configured here
)

// Key is an instance key and its uses.
type Key struct {
	Name    string // eight hexadecimal digits, never the key
	Place   Place
	Keysets int64    // tenants, and the instance, whose data keys it wraps
	Born    int64    // keysets that it wrapped first: the key and a database copy from then reveal their data keys
	Pulls   int64    // open pull requests with marks made with it
	Some    []string // a few of them, as owner/name#number
	Retired int64    // in microseconds; 0: in use
}

// Needed reports whether the key still has uses.
func (k Key) Needed() bool { return k.Keysets > 0 || k.Pulls > 0 }

// Status lists the uses of the instance keys.
type Status struct {
	Keys      []Key // configured ones first, newest first
	Replacing int64 // keysets that still have a replaced data key
	Stale     int64 // secrets sealed with a replaced data key
	Until     int64 // when the last replaced key may be dropped, in microseconds; 0: there are no such keys
	Now       int64
	Processes []store.Process // running ones, with their keys
}

// maxNamedPulls is how many pull requests a status names per key.
const maxNamedPulls = 5

// Status returns the uses of each key that is configured or was used before.
func (s *Service) Status(ctx context.Context) (Status, error) {
	var out Status
	w, err := s.readKeysets(ctx)
	if err != nil {
		return out, err
	}
	if out.Keys, err = s.countUses(ctx, w.sets); err != nil {
		return out, err
	}
	out.Replacing, out.Until, out.Now = int64(len(w.replaced)), w.until(), w.now
	if out.Processes, err = s.Store.Processes(ctx, heartbeatAge); err != nil {
		return out, err
	}
	if len(w.replaced) == 0 {
		return out, nil
	}
	stale, err := s.eachStale(ctx, w, func(store.SealedColumn, store.SealedValue) error { return nil })
	for _, n := range stale {
		out.Stale += n
	}
	return out, err
}

// countUses counts the uses of each key.
func (s *Service) countUses(ctx context.Context, sets []store.Keyset) ([]Key, error) {
	configured := s.Keyring.Keys()
	var out []Key
	keyNamed := func(name string) *Key {
		i := slices.IndexFunc(out, func(k Key) bool { return k.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, Key{Name: name, Place: Absent, Some: []string{}})
		}
		return &out[i]
	}
	for i, name := range configured {
		keyNamed(name).Place = Older
		if i == 0 {
			keyNamed(name).Place = Newest
		}
	}
	known, err := s.Store.InstanceKeys(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		keyNamed(k.ID).Retired = k.RetiredUS
	}
	for _, k := range sets {
		keyNamed(secret.WrappedBy(k.Wrapped)).Keysets++
		keyNamed(k.BornKey).Born++
	}
	marks, err := s.Store.KeyMarks(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range marks {
		k := keyNamed(markedBy(m.Key, configured))
		k.Pulls += m.N
		names, err := s.Store.MarkedPulls(ctx, m.Key, maxNamedPulls-min(len(k.Some), maxNamedPulls))
		if err != nil {
			return nil, err
		}
		k.Some = append(k.Some, names...)
	}
	return out, nil
}

// markedBy returns the key that made the marks. Without a record this is the oldest key, because earlier
// versions made all marks with it.
func markedBy(recorded string, configured []string) string {
	if recorded == "" {
		return configured[len(configured)-1]
	}
	return recorded
}

// keysetList are the keysets as read.
type keysetList struct {
	sets     []store.Keyset
	replaced map[string]uint32 // by owner, for keysets with a replaced data key: id of the data key that seals
	now      int64
}

// until returns when the replaced data keys may be dropped.
func (w keysetList) until() (at int64) {
	for _, k := range w.sets {
		if k.ReplacedUS > 0 {
			at = max(at, k.ReplacedUS+KeepReplaced.Microseconds())
		}
	}
	return at
}

// readKeysets reads all keysets.
func (s *Service) readKeysets(ctx context.Context) (keysetList, error) {
	w := keysetList{replaced: map[string]uint32{}}
	for {
		after := ""
		if len(w.sets) > 0 {
			after = w.sets[len(w.sets)-1].Owner
		}
		some, err := s.Store.Keysets(ctx, after, page)
		if err != nil {
			return w, err
		}
		for _, k := range some {
			w.now = k.NowUS
			if k.ReplacedUS == 0 {
				continue
			}
			if w.replaced[k.Owner], err = s.Keyring.Seals(k.Owner, k.Wrapped); err != nil {
				return w, fmt.Errorf("the data keys of %s: %w", ownerName(k.Owner), err)
			}
		}
		if w.sets = append(w.sets, some...); len(some) < page {
			return w, nil
		}
	}
}

// eachStale calls f with every value that a replaced data key sealed, and counts these values by owner.
func (s *Service) eachStale(ctx context.Context, w keysetList, f func(store.SealedColumn,
	store.SealedValue) error) (map[string]int64, error) {
	stale := map[string]int64{}
	for _, c := range store.SealedColumns() {
		for after := ""; ; {
			some, err := s.Store.SealedValues(ctx, c, after, c.Batch(page))
			if err != nil {
				return nil, err
			}
			for _, v := range some {
				after = v.Key
				primary, replaced := w.replaced[v.Tenant]
				if id, ok := secret.SealedWith(v.Sealed); !replaced || ok && id == primary {
					continue
				}
				stale[v.Tenant]++
				if err := f(c, v); err != nil {
					return nil, err
				}
			}
			if len(some) < c.Batch(page) {
				break
			}
		}
	}
	return stale, nil
}

func ownerName(owner string) string {
	if owner == "" {
		return "the instance"
	}
	return "tenant " + owner
}
