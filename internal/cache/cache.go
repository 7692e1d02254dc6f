// Package cache defines the cache of values that can be computed again: answers of a host, rendered lists,
// cheap decisions.
//
// The loss of any entry must be harmless at any moment. Never store locks, counters, sessions, queues or
// the only copy of a value here.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

// MaxValue is the maximum size of a value in bytes, because a cache does not store blobs (design choice;
// well above the largest answer that is worth caching).
const MaxValue = 1 << 20

// Instance is the Tenant of keys that belong to no tenant, for example a published list of models. It cannot
// equal a tenant's id, because those have a prefix.
const Instance = "instance"

// ErrUnavailable is in the chain of every error of the key-value store itself. Callers treat it as a miss;
// see [Cache].
var ErrUnavailable = errors.New("cache: the key-value store is unavailable")

// Key names an entry. Tenant, Kind and ID must not be empty; a Version (a
// revision, a schema number, the version of a credential) makes old entries
// unreachable instead of wrong.
type Key struct {
	Tenant  string // tenant id, or [Instance]
	Kind    string // what sort of value, one word per call site
	ID      string // which one
	Version string // optional
}

// maxRendered is the maximum length of a rendered key in bytes. A longer key contains a digest.
const maxRendered = 256

// String renders the key unambiguously: "tenant:kind:id:version" with ':' and
// '%' inside a part escaped. When that is longer than 256 bytes, id and version
// are replaced by their SHA-256.
func (k Key) String() string {
	s := escape(k.Tenant) + ":" + escape(k.Kind) + ":"
	rest := escape(k.ID) + ":" + escape(k.Version)
	if len(s)+len(rest) > maxRendered {
		sum := sha256.Sum256([]byte(rest))
		rest = "sha256=" + hex.EncodeToString(sum[:])
	}
	return s + rest
}

var escaper = strings.NewReplacer("%", "%25", ":", "%3A", "=", "%3D")

func escape(part string) string { return escaper.Replace(part) }

// Check returns an error if the key is invalid. The error does not repeat the key.
func (k Key) Check() error {
	if k.Tenant == "" || k.Kind == "" || k.ID == "" {
		return errs.New(errs.Internal, "", "A cache key needs a tenant, a kind and an id.")
	}
	if len(k.Tenant) > 64 || len(k.Kind) > 64 {
		return errs.New(errs.Internal, "", "The tenant and the kind of a cache key have at most 64 bytes.")
	}
	return nil
}

// Cache stores bytes for a limited time. It is safe for concurrent use.
//
// Failures are tolerable by contract. A caller treats every error of Get as a miss, logs or counts it, and
// continues. It ignores errors of Set and Delete; where a stale entry would be wrong, it puts a Version
// into the key. Every call ends within about a second even if the store hangs. Errors of the store have
// [ErrUnavailable] in their chain and kind [errs.Unavailable]. A bad key, a value above [MaxValue] and a
// ttl that is not positive are defects of the caller ([errs.Internal]).
//
// An entry may disappear before its time (eviction, an emptied store), but is never returned after it. A
// ttl below a millisecond counts as one millisecond.
type Cache interface {
	// Get returns the value and reports whether it exists. The caller may change the returned bytes.
	Get(ctx context.Context, key Key) (value []byte, found bool, err error)

	// Set stores a copy of the value for ttl and replaces an older one. An empty value is a value.
	Set(ctx context.Context, key Key, value []byte, ttl time.Duration) error

	// Delete removes entries; it skips absent ones.
	Delete(ctx context.Context, keys ...Key) error

	// SetNX stores the value only if the key is absent, in one atomic step, and reports whether it did. Use
	// it to save work (one of many refreshes), never to guard correctness, because the entry can disappear
	// at any moment.
	SetNX(ctx context.Context, key Key, value []byte, ttl time.Duration) (stored bool, err error)
}

// retryAfter is the wait that an unavailable store suggests to clients (design choice).
const retryAfter = 2 * time.Second

// Unavailable wraps the cause of a failed call. Implementations use it.
func Unavailable(cause error) error {
	return errs.Down(fmt.Errorf("%w: %w", ErrUnavailable, cause), "key-value store", retryAfter)
}

// CheckEntry validates an entry for all implementations.
func CheckEntry(key Key, value []byte, ttl time.Duration) error {
	switch {
	case len(value) > MaxValue:
		return errs.New(errs.Internal, "", "A cached value has at most %d bytes.", MaxValue)
	case ttl <= 0:
		return errs.New(errs.Internal, "", "A cached value needs a time to live above zero.")
	}
	return key.Check()
}
