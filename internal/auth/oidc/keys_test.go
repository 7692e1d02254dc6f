package oidc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A key that would take minutes of processor time to verify with is not used.
func TestKeysOfAHugeModulusAreLeftOut(t *testing.T) {
	t.Parallel()
	key := func(bits int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"kty":"RSA","e":"AQAB","n":%q}`, base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, bits/8))))
	}
	testkit.Equal(t, "keys", len(publicKeys([]json.RawMessage{key(2048), key(maxRSA), key(maxRSA + 8), key(6 << 20)})), 2)
}
