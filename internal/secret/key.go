package secret

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// keyIDSize is the length of the instance key's id, which begins each wrapped keyset.
const keyIDSize = 4

// instanceKey is one key-encryption key. Its id identifies it in messages and in the keysets that it wraps.
// The id is derived from the key one way and reveals nothing.
type instanceKey struct {
	id   [keyIDSize]byte
	wrap tink.AEAD
	mac  []byte
}

func (k instanceKey) name() string { return hex.EncodeToString(k.id[:]) }

// ParseKeys parses the configured instance keys: one or more, separated by white space or commas. The first
// is the newest, which wraps and authenticates all new values; the others serve values from before a
// rotation. Each is a token of kind [InstanceKey] from [NewToken], or 32 bytes in base 64 (standard or URL
// alphabet), as `openssl rand -base64 32` prints them. Errors name the position, never the value.
func ParseKeys(text Secret) ([]Secret, error) {
	words := strings.FieldsFunc(text.Reveal(), func(r rune) bool {
		return r == ',' || r == ' ' || r == '\n' || r == '\r' || r == '\t'
	})
	if len(words) == 0 {
		return nil, fmt.Errorf("no instance key is set")
	}
	keys, known := make([]Secret, 0, len(words)), map[string]bool{}
	for i, w := range words {
		material, err := keyMaterial(w)
		if err != nil {
			return nil, fmt.Errorf("instance key %d of %d %w", i+1, len(words), err)
		}
		if known[string(material)] {
			return nil, fmt.Errorf("instance key %d of %d is there twice", i+1, len(words))
		}
		known[string(material)] = true
		keys = append(keys, New(w))
	}
	return keys, nil
}

// keyMaterial returns the secret bytes of one configured key.
func keyMaterial(text string) ([]byte, error) {
	if strings.HasPrefix(text, ours) {
		if !CheckToken(InstanceKey, text) {
			return nil, fmt.Errorf("has a wrong checksum or length: it was not copied completely")
		}
		return []byte(text), nil
	}
	trimmed := strings.TrimRight(text, "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if raw, err := enc.DecodeString(trimmed); err == nil && len(raw) == keyBytes {
			return raw, nil
		}
	}
	return nil, fmt.Errorf("is neither an assay_key_… token nor 32 bytes in base 64")
}

// newInstanceKey derives the sub-keys of one configured key with HKDF-SHA256 (RFC 5869). Different info
// strings separate their uses.
func newInstanceKey(configured Secret) (instanceKey, error) {
	material, err := keyMaterial(configured.Reveal())
	if err != nil {
		return instanceKey{}, fmt.Errorf("the instance key %w", err)
	}
	var derived [3][]byte
	for i, info := range []string{"assay/v1/key-id", "assay/v1/wrap", "assay/v1/mac"} {
		if derived[i], err = hkdf.Key(sha256.New, material, nil, info, 32); err != nil {
			return instanceKey{}, fmt.Errorf("derive from the instance key: %w", err)
		}
	}
	wrap, err := subtle.NewXChaCha20Poly1305(derived[1])
	if err != nil {
		return instanceKey{}, fmt.Errorf("derive from the instance key: %w", err)
	}
	k := instanceKey{wrap: wrap, mac: derived[2]}
	copy(k.id[:], derived[0])
	return k, nil
}
