package secret

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// ErrKeyMissing means that an instance key that is not configured wrapped a value: the key was lost,
// changed, or belongs to another instance.
var ErrKeyMissing = errors.New("wrapped by an instance key that is not configured")

// ErrSealBroken means that a value does not open with this scope, because it was altered or moved from
// another place.
var ErrSealBroken = errors.New("sealed value does not open: altered, or moved from another tenant, table, row or column")

// sealVersion is the format of sealed values: this byte, then tink's output.
const sealVersion = 1

// cachedKeysets is how many tenants' data keys are kept in memory.
const cachedKeysets = 4096

// Scope is the place of a sealed value. All of it is authenticated, so that a value copied to another place
// does not open. Tenant is empty for values of the instance itself; the other three must be set.
type Scope struct{ Tenant, Table, Row, Column string }

// KeyStore stores the wrapped data keysets, one per tenant and one (tenant "") for the instance.
// Implementations are safe for concurrent use.
type KeyStore interface {
	// Load returns the wrapped keyset of the tenant, or nil if it does not exist.
	Load(ctx context.Context, tenant string) ([]byte, error)
	// Create stores the wrapped keyset unless one exists, and returns the stored one. The first writer
	// wins.
	Create(ctx context.Context, tenant string, wrapped []byte) ([]byte, error)
	// Kept runs f once the results of Load and Create in ctx are permanent: immediately, or after the
	// commit of the transaction in ctx. A rollback never runs f, because values sealed with a rolled-back
	// key would be lost.
	Kept(ctx context.Context, f func())
}

// KeyStoreFuncs implements [KeyStore] with functions.
type KeyStoreFuncs struct {
	LoadFunc   func(ctx context.Context, tenant string) ([]byte, error)
	CreateFunc func(ctx context.Context, tenant string, wrapped []byte) ([]byte, error)
	KeptFunc   func(ctx context.Context, f func()) // nil without transactions
}

var _ KeyStore = KeyStoreFuncs{}

// Load implements [KeyStore].
func (f KeyStoreFuncs) Load(ctx context.Context, tenant string) ([]byte, error) {
	return f.LoadFunc(ctx, tenant)
}

// Create implements [KeyStore].
func (f KeyStoreFuncs) Create(ctx context.Context, tenant string, wrapped []byte) ([]byte, error) {
	return f.CreateFunc(ctx, tenant, wrapped)
}

// Kept implements [KeyStore].
func (f KeyStoreFuncs) Kept(ctx context.Context, then func()) {
	if f.KeptFunc == nil {
		then()
		return
	}
	f.KeptFunc(ctx, then)
}

// Keyring seals and opens values at rest. Each tenant has a data keyset (XChaCha20-Poly1305, created at
// first use), which is stored wrapped by the instance key. A Keyring is safe for concurrent use.
type Keyring struct {
	keys  []instanceKey // the first one wraps
	store KeyStore
	cache *lru.Cache[string, dataKeys]
}

// NewKeyring returns a keyring for the configured instance keys (see [ParseKeys]) and the store of wrapped
// keysets.
func NewKeyring(configured Secret, store KeyStore) (*Keyring, error) {
	texts, err := ParseKeys(configured)
	if err != nil {
		return nil, err
	}
	r := &Keyring{store: store}
	for _, t := range texts {
		k, err := newInstanceKey(t)
		if err != nil {
			return nil, err
		}
		r.keys = append(r.keys, k)
	}
	r.cache, err = lru.New[string, dataKeys](cachedKeysets)
	return r, err
}

// Verify opens the keyset of the instance, and creates it if it does not exist. A server calls it at start,
// so that a lost or wrong instance key fails there with a clear error. The error wraps [ErrKeyMissing].
func (r *Keyring) Verify(ctx context.Context) error {
	_, err := r.stored(ctx, "")
	return err
}

// Seal encrypts plaintext for its place with the tenant's newest data key. It always reads the stored
// keyset, because another process may have replaced the key. The result is 46 bytes longer.
func (r *Keyring) Seal(ctx context.Context, scope Scope, plaintext []byte) ([]byte, error) {
	ad, err := scope.associatedData()
	if err != nil {
		return nil, err
	}
	key, err := r.stored(ctx, scope.Tenant)
	if err != nil {
		return nil, err
	}
	sealed, err := key.aead.Encrypt(plaintext, ad)
	if err != nil {
		return nil, fmt.Errorf("seal %s.%s: %w", scope.Table, scope.Column, err)
	}
	return append([]byte{sealVersion}, sealed...), nil
}

// Open decrypts a result of Seal for the same scope. Errors wrap [ErrSealBroken] or [ErrKeyMissing], or
// come from the [KeyStore].
func (r *Keyring) Open(ctx context.Context, scope Scope, sealed []byte) ([]byte, error) {
	ad, err := scope.associatedData()
	if err != nil {
		return nil, err
	}
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return nil, fmt.Errorf("open %s.%s: unknown format: %w", scope.Table, scope.Column, ErrSealBroken)
	}
	key, err := r.opener(ctx, scope.Tenant, sealed)
	if err != nil {
		return nil, err
	}
	plain, err := key.aead.Decrypt(sealed[1:], ad)
	if err != nil {
		return nil, fmt.Errorf("open %s.%s: %w", scope.Table, scope.Column, ErrSealBroken)
	}
	return plain, nil
}

// SealSecret calls [Keyring.Seal] for a [Secret].
func (r *Keyring) SealSecret(ctx context.Context, scope Scope, s Secret) ([]byte, error) {
	return r.Seal(ctx, scope, []byte(s.Reveal()))
}

// OpenSecret calls [Keyring.Open] for a [Secret].
func (r *Keyring) OpenSecret(ctx context.Context, scope Scope, sealed []byte) (Secret, error) {
	plain, err := r.Open(ctx, scope, sealed)
	if err != nil {
		return Secret{}, err
	}
	return New(string(plain)), nil
}

// opener returns the data keys of a tenant that open a sealed value: those in memory, or the stored ones if
// a newer key sealed the value.
func (r *Keyring) opener(ctx context.Context, tenant string, sealed []byte) (dataKeys, error) {
	if keys, ok := r.cache.Get(tenant); ok && keys.has(sealed) {
		return keys, nil
	}
	return r.stored(ctx, tenant)
}

// stored returns the data keys of a tenant from the store, and creates them if they do not exist.
func (r *Keyring) stored(ctx context.Context, tenant string) (dataKeys, error) {
	wrapped, err := r.store.Load(ctx, tenant)
	if err != nil {
		return dataKeys{}, fmt.Errorf("load the data key: %w", err)
	}
	if wrapped == nil {
		if wrapped, err = r.create(ctx, tenant); err != nil {
			return dataKeys{}, err
		}
	}
	if keys, ok := r.cache.Get(tenant); ok && bytes.Equal(keys.wrapped, wrapped) {
		return keys, nil
	}
	keys, err := r.open(tenant, wrapped)
	if err != nil {
		return dataKeys{}, err
	}
	r.store.Kept(ctx, func() { r.cache.Add(tenant, keys) })
	return keys, nil
}

func (r *Keyring) create(ctx context.Context, tenant string) ([]byte, error) {
	handle, err := keyset.NewHandle(aead.XChaCha20Poly1305KeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make a data key: %w", err)
	}
	fresh, err := r.wrap(tenant, handle)
	if err != nil {
		return nil, err
	}
	winner, err := r.store.Create(ctx, tenant, fresh)
	if err != nil {
		return nil, fmt.Errorf("store the data key: %w", err)
	}
	return winner, nil
}

// wrap returns the id of the instance key followed by tink's encrypted keyset.
func (r *Keyring) wrap(tenant string, handle *keyset.Handle) ([]byte, error) {
	primary := r.keys[0]
	out := bytes.NewBuffer(append([]byte(nil), primary.id[:]...))
	err := handle.WriteWithAssociatedData(keyset.NewBinaryWriter(out), primary.wrap, wrapAD(tenant))
	if err != nil {
		return nil, fmt.Errorf("wrap the data key: %w", err)
	}
	return out.Bytes(), nil
}

func (r *Keyring) unwrap(tenant string, wrapped []byte) (*keyset.Handle, error) {
	if len(wrapped) <= keyIDSize {
		return nil, fmt.Errorf("the stored data key is damaged: %w", ErrSealBroken)
	}
	for _, k := range r.keys {
		if !bytes.HasPrefix(wrapped, k.id[:]) {
			continue
		}
		in := keyset.NewBinaryReader(bytes.NewReader(wrapped[keyIDSize:]))
		handle, err := keyset.ReadWithAssociatedData(in, k.wrap, wrapAD(tenant))
		if err != nil {
			return nil, fmt.Errorf("the stored data key is damaged or belongs to another tenant: %w", ErrSealBroken)
		}
		return handle, nil
	}
	return nil, fmt.Errorf("secrets in this database were %w", MissingKey(hex.EncodeToString(wrapped[:keyIDSize]), r.Keys()))
}

// MissingKey returns the error of a process that lacks an instance key, with [ErrKeyMissing]. The key may
// be older or newer than the configured ones. Both parameters are key names.
func MissingKey(needed string, configured []string) error {
	return fmt.Errorf("%w: needed is key %s, configured are %v; add the needed key to ASSAY_INSTANCE_KEY (or instance.key in the "+
		"data directory), "+
		"the newest key first, and start the process again", ErrKeyMissing, needed, configured)
}
