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

// errProof reports that no secret verifies a delivery.
var errProof = errors.New("the delivery is not proven by any of the secrets")

// ErrPayload reports that the body of a delivery has an unknown form.
var ErrPayload = errors.New("the body of the delivery is not what this tracker is known to send")

// SingleHeader returns the value of a header that must occur at most once, or "" if it is absent. Its error names
// the header and never repeats a value.
func SingleHeader(h http.Header, name string, form *regexp.Regexp) (string, error) {
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

// Signed checks that one of the secrets signed the body. signature is the hexadecimal HMAC-SHA256. All
// secrets are compared in constant time, and an unset one never fits.
func Signed(signature string, body []byte, secrets []secret.Secret) error {
	if !secret.SignedByOne(secrets, signature, body) {
		return errProof
	}
	return nil
}

// Payload decodes the JSON of a verified body.
func Payload(body []byte, out any) error {
	if len(body) > MaxPayload || json.Unmarshal(body, out) != nil {
		return ErrPayload
	}
	return nil
}
