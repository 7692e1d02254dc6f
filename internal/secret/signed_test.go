package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestSignedByOne(t *testing.T) {
	t.Parallel()
	body := []byte(`{"a":1}`)
	sign := func(key string) string {
		m := hmac.New(sha256.New, []byte(key))
		_, _ = m.Write(body)
		return hex.EncodeToString(m.Sum(nil))
	}
	keys := []Secret{New("new"), New("old"), {}}
	for name, tt := range map[string]struct {
		keys      []Secret
		signature string
		want      bool
	}{
		"the newest": {keys, sign("new"), true}, "the one before": {keys, sign("old"), true}, "another": {keys, sign("other"), false},
		"an unset key": {keys, sign(""), false}, "none": {keys, "", false}, "cut": {keys, sign("new")[:62], false}, "no hexadecimal": {keys, sign("new")[:63] + "x", false}, "no keys": {nil, sign("new"), false},
	} {
		if got := SignedByOne(tt.keys, tt.signature, body); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
