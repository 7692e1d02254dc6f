package wire

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// MaxPayload is the most bytes of a delivery that are read.
const MaxPayload = 25 << 20

// errProof says that nothing of a delivery proves it.
var errProof = errors.New("the delivery is not proven by any of the secrets")

// ErrPayload says that the body of a delivery is not what the tracker is known to send.
var ErrPayload = errors.New("the body of the delivery is not what this tracker is known to send")

// One returns the value of a header that must not be there twice, "" where it is not
// there. Its error names the header and repeats no value.
func One(h http.Header, name string, form *regexp.Regexp) (string, error) {
	values := h.Values(name)
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", errors.New(name + " must be there once")
	case form != nil && !form.MatchString(values[0]):
		return "", errors.New(name + " has not the form that the tracker gives it")
	}
	return values[0], nil
}

// Forms of headers.
var (
	WordForm     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:-]{0,63}$`)
	DeliveryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:._-]{0,127}$`)
)

// Signed checks that one of the secrets signed the body: signature is the hexadecimal
// HMAC-SHA256. All secrets are compared, each in constant time; an unset one never fits.
func Signed(signature string, body []byte, secrets []secret.Secret) error {
	if !secret.SignedByOne(secrets, signature, body) {
		return errProof
	}
	return nil
}

// Payload reads the JSON of a proven body.
func Payload(body []byte, out any) error {
	if len(body) > MaxPayload || json.Unmarshal(body, out) != nil {
		return ErrPayload
	}
	return nil
}
