package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// SignedByOne reports whether one of the keys signed a body. signature is the hexadecimal HMAC-SHA256. It
// tries all keys, each in constant time, for any signature. An unset key never matches.
func SignedByOne(keys []Secret, signature string, body []byte) bool {
	given, err := hex.DecodeString(signature)
	if err != nil || len(given) != sha256.Size {
		given = nil // everything is still computed, so that the duration reveals nothing
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
