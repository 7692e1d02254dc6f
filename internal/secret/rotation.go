package secret

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// tinkStart is the first byte of tink's sealed values; the id of the data key follows in four bytes
// (https://developers.google.com/tink/wire-format).
const tinkStart = 1

// dataKeys are the opened data keys of a tenant.
type dataKeys struct {
	wrapped []byte // in the stored form
	aead    tink.AEAD
	primary uint32   // id of the key that seals
	ids     []uint32 // ids of all keys
}

// has reports whether one of the keys sealed a value.
func (k dataKeys) has(sealed []byte) bool {
	id, ok := SealedWith(sealed)
	return ok && slices.Contains(k.ids, id)
}

// open unwraps stored data keys.
func (r *Keyring) open(tenant string, wrapped []byte) (dataKeys, error) {
	handle, err := r.unwrap(tenant, wrapped)
	if err != nil {
		return dataKeys{}, err
	}
	return keysOf(handle, wrapped)
}

func keysOf(handle *keyset.Handle, wrapped []byte) (dataKeys, error) {
	key, err := aead.New(handle)
	if err != nil {
		return dataKeys{}, fmt.Errorf("use the data key: %w", err)
	}
	out := dataKeys{wrapped: wrapped, aead: key}
	info := handle.KeysetInfo()
	out.primary = info.GetPrimaryKeyId()
	for _, k := range info.GetKeyInfo() {
		out.ids = append(out.ids, k.GetKeyId())
	}
	return out, nil
}

// Keys returns the names of the configured instance keys, the newest first. A name is eight hexadecimal
// digits, derived from the key one way.
func (r *Keyring) Keys() (names []string) {
	for _, k := range r.keys {
		names = append(names, k.name())
	}
	return names
}

// WrappedBy returns the name of the instance key that wrapped data keys, or "" if they are damaged.
func WrappedBy(wrapped []byte) string {
	if len(wrapped) <= keyIDSize {
		return ""
	}
	return hex.EncodeToString(wrapped[:keyIDSize])
}

// SealedWith returns the id of the data key that sealed a value, and false for other bytes.
func SealedWith(sealed []byte) (id uint32, ok bool) {
	if len(sealed) < 6 || sealed[0] != sealVersion || sealed[1] != tinkStart {
		return 0, false
	}
	return binary.BigEndian.Uint32(sealed[2:]), true
}

// Rewrap wraps the data keys of a tenant with the newest instance key. The data keys do not change, so
// processes that cache them are not affected.
func (r *Keyring) Rewrap(tenant string, wrapped []byte) ([]byte, error) {
	handle, err := r.unwrap(tenant, wrapped)
	if err != nil {
		return nil, err
	}
	return r.wrap(tenant, handle)
}

// ReplaceDataKey adds a new data key for sealing and wraps all keys with the newest instance key. The
// earlier keys still open their values.
func (r *Keyring) ReplaceDataKey(tenant string, wrapped []byte) ([]byte, error) {
	return r.changed(tenant, wrapped, func(m *keyset.Manager, _ dataKeys) error {
		id, err := m.Add(aead.XChaCha20Poly1305KeyTemplate())
		if err != nil {
			return err
		}
		return m.SetPrimary(id)
	})
}

// DropReplaced removes every data key except the sealing one. Values that the removed keys sealed are lost.
func (r *Keyring) DropReplaced(tenant string, wrapped []byte) ([]byte, error) {
	return r.changed(tenant, wrapped, func(m *keyset.Manager, keys dataKeys) error {
		for _, id := range keys.ids {
			if id == keys.primary {
				continue
			}
			if err := m.Delete(id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Keyring) changed(tenant string, wrapped []byte, change func(*keyset.Manager, dataKeys) error) ([]byte, error) {
	handle, err := r.unwrap(tenant, wrapped)
	if err != nil {
		return nil, err
	}
	keys, err := keysOf(handle, wrapped)
	if err != nil {
		return nil, err
	}
	m := keyset.NewManagerFromHandle(handle)
	if err := change(m, keys); err != nil {
		return nil, fmt.Errorf("change the data keys: %w", err)
	}
	if handle, err = m.Handle(); err != nil {
		return nil, fmt.Errorf("change the data keys: %w", err)
	}
	return r.wrap(tenant, handle)
}

// Seals returns the id of the tenant's data key that seals, from its wrapped data keys.
func (r *Keyring) Seals(tenant string, wrapped []byte) (uint32, error) {
	keys, err := r.open(tenant, wrapped)
	return keys.primary, err
}
