package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// associatedData returns the length-prefixed list of format version, tenant, table, row and column.
// Different scopes have different results because of the prefixes.
func (s Scope) associatedData() ([]byte, error) {
	if s.Table == "" || s.Row == "" || s.Column == "" {
		return nil, fmt.Errorf("a sealed value needs table, row and column")
	}
	return lengthPrefixed([]byte{sealVersion}, []byte(s.Tenant), []byte(s.Table), []byte(s.Row), []byte(s.Column)), nil
}

func wrapAD(tenant string) []byte {
	return lengthPrefixed([]byte{sealVersion}, []byte("data keyset"), []byte(tenant))
}

// lengthPrefixed joins parts, each after its length as 32-bit big endian.
func lengthPrefixed(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = binary.BigEndian.AppendUint32(out, uint32(len(p))) //nolint:gosec // parts are names, far below 4 GiB
		out = append(out, p...)
	}
	return out
}

// A KeyMAC is a result of [Keyring.MACs] for one configured instance key.
type KeyMAC struct {
	Key string // the key's name, see [Keyring.Keys]
	Sum []byte // HMAC-SHA256, 32 bytes
}

// MACs authenticates parts for a purpose with keys derived from the configured instance keys, the newest
// first. The results depend on the purpose and on the borders between parts.
func (r *Keyring) MACs(purpose string, parts ...[]byte) []KeyMAC {
	out := make([]KeyMAC, 0, len(r.keys))
	for _, k := range r.keys {
		out = append(out, KeyMAC{Key: k.name(), Sum: k.sum(purpose, parts)})
	}
	return out
}

func (k instanceKey) sum(purpose string, parts [][]byte) []byte {
	h := hmac.New(sha256.New, k.mac)
	_, _ = h.Write(lengthPrefixed(append([][]byte{[]byte(purpose)}, parts...)...))
	return h.Sum(nil)
}
