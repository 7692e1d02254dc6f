package bitbucketcloud

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// maxPayload is the most bytes of a delivery. The host drops events above 256 KB without notice
// (confluence.atlassian.com/bbkb/troubleshoot-webhooks-1167729092.html), but does not say how it counts, so the bound is wide. The sweep
// finds what such an event would have reported.
const maxPayload = 2 << 20

// errSignature reports that no secret verifies a delivery.
var errSignature = errors.New("the delivery's signature does not verify")

// Header holds the headers of a delivery (support.atlassian.com/bitbucket-cloud/docs/event-payloads, "HTTP headers"). They are not
// authenticated.
type Header struct {
	Event string // key of the event, such as "pullrequest:created"
	// Delivery is X-Request-UUID. No source says that a repeated delivery keeps it; a repetition under another id has no effect, because
	// its head has a run.
	Delivery  string
	Signature string // 64 hexadecimal digits; "" if the webhook has no secret
}

var (
	eventForm    = regexp.MustCompile(`^[a-z]{1,32}:[a-z_]{1,64}$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9{}-]{1,64}$`)
)

// signaturePrefix names the algorithm. With another one, or none, a delivery counts as unsigned.
const signaturePrefix = "sha256="

// ReadHeader reads the headers of a delivery. Its errors name the header and never repeat the value.
func ReadHeader(h http.Header) (Header, error) {
	var out Header
	for _, part := range []struct {
		name string
		into *string
		ok   func(string) bool
	}{
		{"X-Event-Key", &out.Event, eventForm.MatchString},
		{"X-Request-UUID", &out.Delivery, deliveryForm.MatchString},
		{"X-Hub-Signature", &out.Signature, func(s string) bool { return len(s) <= 128 }},
	} {
		values := h.Values(part.name)
		if len(values) > 1 {
			return Header{}, errors.New(part.name + " must be there once")
		}
		if len(values) == 1 {
			*part.into = values[0]
		}
		if !part.ok(*part.into) {
			return Header{}, errors.New(part.name + " has not the form that the host gives it")
		}
	}
	signed := false
	if out.Signature, signed = strings.CutPrefix(out.Signature, signaturePrefix); !signed {
		out.Signature = ""
	}
	return out, nil
}

// Verify checks that one of the secrets signed the body. All secrets are compared in constant time. An unset secret never fits, and
// neither does a missing signature, as of a webhook without a secret. Every failure is [errSignature].
func Verify(header http.Header, body []byte, secrets []secret.Secret) error {
	h, err := ReadHeader(header)
	if err != nil || !secret.SignedByOne(secrets, h.Signature, body) {
		return errSignature
	}
	return nil
}

// RepositoryOf returns the id of a body's repository, or "" if the body lacks it.
func RepositoryOf(body []byte) domain.HostID {
	var of struct {
		Repository struct {
			UUID string `json:"uuid"`
		} `json:"repository"`
	}
	if json.Unmarshal(body, &of) != nil {
		return ""
	}
	return hostID(of.Repository.UUID)
}
