package gitea

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// maxPayload is the most bytes of a delivery that are read.
const maxPayload = 25 << 20

// errSignature reports that no secret verifies a delivery.
var errSignature = errors.New("the delivery's signature does not verify")

// Header holds the headers of a delivery (services/webhook/deliver.go, addDefaultHeaders). They are not
// authenticated. Every delivery also has GitHub's and Gogs' headers, which are not read.
type Header struct {
	Event     string // name of the event, such as "pull_request"
	Type      string // name of the more specific event, such as "pull_request_sync"; "" if absent
	Delivery  string // a UUID; a manual replay has a new one
	Signature string // 64 hexadecimal digits; "" if the webhook has no secret
}

var (
	eventForm    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// ReadHeader reads the headers of a delivery to a connection of a kind. Its errors name the header and
// never repeat the value.
func ReadHeader(kind domain.ConnectionKind, h http.Header) (Header, error) {
	f, known := flavours[kind]
	if !known {
		return Header{}, errors.New("the kind of the connection must be gitea or forgejo")
	}
	var out Header
	for _, part := range []struct {
		name string
		into *string
		ok   func(string) bool
	}{
		{"Event", &out.Event, eventForm.MatchString},
		{"Event-Type", &out.Type, func(s string) bool { return s == "" || eventForm.MatchString(s) }},
		{"Delivery", &out.Delivery, deliveryForm.MatchString},
		{"Signature", &out.Signature, func(s string) bool { return len(s) <= 128 }},
	} {
		name, values := f.header(h, part.name)
		if len(values) > 1 {
			return Header{}, errors.New(name + " must be there once")
		}
		if len(values) == 1 {
			*part.into = values[0]
		}
		if !part.ok(*part.into) {
			return Header{}, errors.New(name + " has not the form that the host gives it")
		}
	}
	return out, nil
}

// header returns the full name and the values of a header, for the first prefix that is present.
func (f flavour) header(h http.Header, name string) (string, []string) {
	for _, prefix := range f.headers {
		if values := h.Values(prefix + name); len(values) > 0 {
			return prefix + name, values
		}
	}
	return f.headers[0] + name, nil
}

// Verify checks that one of the secrets signed the body, by the bare hexadecimal HMAC-SHA256. All secrets
// are compared in constant time. An unset secret never fits, and neither does an empty signature, which
// hosts send for a webhook without a secret. Every failure is [errSignature].
func Verify(kind domain.ConnectionKind, header http.Header, body []byte, secrets []secret.Secret) error {
	h, err := ReadHeader(kind, header)
	if err != nil {
		return errSignature
	}
	if !secret.SignedByOne(secrets, h.Signature, body) {
		return errSignature
	}
	return nil
}
