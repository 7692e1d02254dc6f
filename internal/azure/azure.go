// Package azure is the common part of all clients of Azure DevOps: authentication, error bodies, paging,
// and the proof and form of service hooks. It sends no requests and has no types for issues or code.
//
// Sources are the descriptions of version 7.1 (MicrosoftDocs/vsts-rest-api-specs) and
// learn.microsoft.com/azure/devops (integrate/concepts/rate-limits, service-hooks/services/webhooks,
// service-hooks/events).
package azure

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

// Version is the API version of requests. PreviewVersion is for endpoints that exist only as a preview.
const (
	Version        = "7.1"
	PreviewVersion = "7.1-preview"
)

// Basic returns the Authorization header for a personal access token: Basic with an empty user name.
func Basic(token secret.Secret) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+token.Reveal()))
}

// Refusal is the body of an error.
type Refusal struct {
	Message string `json:"message"` // text from outside, starts with a number such as TF401232
	TypeKey string `json:"typeKey"` // name of the exception
}

// ReadRefusal parses the body of an error. It returns the zero value if the body has another form.
func ReadRefusal(body []byte) Refusal {
	var r Refusal
	if json.Unmarshal(body, &r) != nil {
		return Refusal{}
	}
	return r
}

// SignIn reports whether an answer means a refused credential: 401, 203 (with the sign-in page) or a
// redirect to that page.
func SignIn(status int, h http.Header) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusNonAuthoritativeInfo:
		return true
	case http.StatusFound:
		return strings.Contains(strings.ToLower(h.Get("Location")), "signin")
	}
	return false
}

// SecretHeader is the header in which the subscription of a service hook may send the secret, as an
// alternative to the Basic password. Subscriptions cannot sign deliveries.
const SecretHeader = "X-Assay-Secret"

// maxProof is the maximum length of a secret that is compared, in bytes.
const maxProof = 1000

// errProof reports that no secret proves a delivery.
var errProof = errors.New("the delivery is not proven by any of the secrets")

// errEnvelope reports that a body is not that of a service hook.
var errEnvelope = errors.New("the body of the delivery is not that of a service hook")

// Proofs returns the secrets in a delivery, at most two: the Basic password and [SecretHeader]. Its error
// names the header and contains no value.
func Proofs(h http.Header) ([]secret.Secret, error) {
	var out []secret.Secret
	for _, name := range []string{"Authorization", SecretHeader} {
		values := h.Values(name)
		if len(values) > 1 || len(values) == 1 && len(values[0]) > 2*maxProof {
			return nil, errors.New(name + " must be there once, and not be longer than a secret")
		}
		if len(values) == 0 {
			continue
		}
		text := values[0]
		if name == "Authorization" {
			basic, found := strings.CutPrefix(text, "Basic ")
			raw, err := base64.StdEncoding.DecodeString(basic)
			if !found || err != nil {
				continue // another scheme proves nothing
			}
			_, text, _ = strings.Cut(string(raw), ":")
		}
		if text != "" {
			out = append(out, secret.New(text))
		}
	}
	return out, nil
}

// Verify checks that a delivery contains one of the secrets. Its duration does not depend on which of them
// matches.
func Verify(h http.Header, secrets []secret.Secret) error {
	shown, err := Proofs(h)
	if err != nil {
		return errProof
	}
	fits := false
	for _, s := range shown {
		for _, key := range secrets {
			if s.Equal(key) {
				fits = true
			}
		}
	}
	if !fits {
		return errProof
	}
	return nil
}

// Envelope holds the common fields of service hook deliveries. No header names the event.
type Envelope struct {
	ID        string          `json:"id"` // of the event
	EventType string          `json:"eventType"`
	Resource  json.RawMessage `json:"resource"` // null if the subscription sends no details
	Created   time.Time       `json:"-"`        // zero if absent
}

var eventForm = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9.-]{0,99}$`)

// ReadEnvelope parses the body of a verified delivery.
func ReadEnvelope(body []byte) (Envelope, error) {
	var in struct {
		Envelope
		CreatedDate string `json:"createdDate"`
	}
	if json.Unmarshal(body, &in) != nil || !eventForm.MatchString(in.EventType) || len(in.ID) > 100 {
		return Envelope{}, errEnvelope
	}
	if t, err := time.Parse(time.RFC3339, in.CreatedDate); err == nil {
		in.Created = t.UTC()
	}
	return in.Envelope, nil
}
