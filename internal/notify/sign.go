package notify

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

// Format of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md): the secret is "whsec_" and 24 to 64 bytes in base 64, and the signature is
// the HMAC-SHA256 of "id.timestamp.body".
const (
	secretPrefix = secret.SigningPrefix
	secretBytes  = 32
)

// newSecret returns a new signing secret.
func newSecret() secret.Secret {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never returns an error (package documentation of crypto/rand)
	return secret.New(secretPrefix + base64.StdEncoding.EncodeToString(raw))
}

// signHeader sets the three headers of Standard Webhooks for a message. Every secret signs, in the given order.
// It returns an error without a secret.
func signHeader(h http.Header, id string, at time.Time, body []byte, secrets ...secret.Secret) error {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, s := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Reveal(), secretPrefix))
		if err != nil || len(key) < 24 {
			return errors.New("notify: a stored secret is not one of Standard Webhooks")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if len(signatures) == 0 {
		return errors.New("notify: a message without a signature")
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}
