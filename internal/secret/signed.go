package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// SignedByOne reports whether one of the keys signed a body: signature is the hexadecimal
// HMAC-SHA256. All keys are tried, each in constant time, whatever the signature is; an
// unset one never fits.
func SignedByOne(keys []Secret, signature string, body []byte) bool {
	given, err := hex.DecodeString(signature)
	if err != nil || len(given) != sha256.Size {
		given = nil // and yet all is computed: how long it takes tells nothing
	}
	fits := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, []byte(key.Reveal()))
		_, _ = mac.Write(body) // a hash never fails
		if hmac.Equal(mac.Sum(nil), given) && key.IsSet() {
			fits = true
		}
	}
	return fits
}
