// Package cache is the port for values that can be had again: answers of a
// host, rendered lists, decisions that are cheap to repeat.
//
// Losing any entry at any moment must be harmless. Locks, counters, sessions,
// queues and anything that is the only copy do not live here.
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

// MaxValue bounds one value in bytes: a cache is no store of blobs (design
// choice; well above the largest answer that is worth keeping).
const MaxValue = 1 << 20

// Instance is the Tenant of keys that belong to no tenant, for example a
// published list of models. No tenant id looks like it: those carry a prefix.
const Instance = "instance"

// ErrUnavailable is in the chain of every error that means "the store did not
// do it". Callers treat it as a miss; see [Cache].
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

// maxRendered bounds a rendered key in bytes; a longer one carries a digest.
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

// Check says whether the key may be used; the error does not repeat it.
func (k Key) Check() error {
	if k.Tenant == "" || k.Kind == "" || k.ID == "" {
		return errs.New(errs.Internal, "", "A cache key needs a tenant, a kind and an id.")
	}
	if len(k.Tenant) > 64 || len(k.Kind) > 64 {
		return errs.New(errs.Internal, "", "The tenant and the kind of a cache key have at most 64 bytes.")
	}
	return nil
}

// Cache keeps bytes for a while. It is safe for concurrent use.
//
// Failure is tolerable by contract: a caller treats every error of Get as a
// miss, logs or counts it, and goes on; it ignores errors of Set and Delete
// except where a stale entry would be wrong, and there it puts a Version into
// the key. Calls are bounded by the implementation to about a second even when
// the store hangs. Errors of the store have [ErrUnavailable] in their chain and
// kind [errs.Unavailable]; a bad key, a value above [MaxValue] and a ttl that is
// not positive are defects of the caller ([errs.Internal]).
//
// An entry may disappear before its time (eviction, an emptied store). It is
// never returned after its time; times below a millisecond count as one.
type Cache interface {
	// Get returns the value and whether there is one. The caller may change the
	// returned bytes.
	Get(ctx context.Context, key Key) (value []byte, found bool, err error)

	// Set stores the value for ttl, over an older one. The implementation copies
	// it. An empty value is a value.
	Set(ctx context.Context, key Key, value []byte, ttl time.Duration) error

	// Delete removes entries; absent ones are skipped.
	Delete(ctx context.Context, keys ...Key) error

	// SetNX stores the value only when there is none, in one step, and says
	// whether it did. It saves work (one of many refreshes) and must not guard
	// correctness: the entry can disappear at any moment.
	SetNX(ctx context.Context, key Key, value []byte, ttl time.Duration) (stored bool, err error)
}

// retryAfter is what an unavailable store suggests to callers that pass the
// error on to a client (design choice).
const retryAfter = 2 * time.Second

// Unavailable wraps the cause of a failed call for implementations.
func Unavailable(cause error) error {
	return errs.Down(fmt.Errorf("%w: %w", ErrUnavailable, cause), "key-value store", retryAfter)
}

// CheckEntry is the check of an entry that all implementations share.
func CheckEntry(key Key, value []byte, ttl time.Duration) error {
	switch {
	case len(value) > MaxValue:
		return errs.New(errs.Internal, "", "A cached value has at most %d bytes.", MaxValue)
	case ttl <= 0:
		return errs.New(errs.Internal, "", "A cached value needs a time to live above zero.")
	}
	return key.Check()
}
