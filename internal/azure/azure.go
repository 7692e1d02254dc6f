// Package azure is what every client of Azure DevOps needs, whichever part of it that
// asks: how it signs in, how a refusal looks, how lists go on, and how service hooks are
// proven and read. It sends nothing and knows nothing of issues or code.
//
// Facts are from the descriptions of version 7.1 (MicrosoftDocs/vsts-rest-api-specs) and
// from learn.microsoft.com/azure/devops (integrate/concepts/rate-limits,
// service-hooks/services/webhooks, service-hooks/events).
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

// Version is the version of the interface that is asked for; PreviewVersion that of the
// parts that have none yet but a preview.
const (
	Version        = "7.1"
	PreviewVersion = "7.1-preview"
)

// Basic is the value of the Authorization header for a personal access token: Basic with
// no user.
func Basic(token secret.Secret) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(":"+token.Reveal()))
}

// Refusal is the body of an error.
type Refusal struct {
	Message string `json:"message"` // text from outside, which begins with a number such as TF401232
	TypeKey string `json:"typeKey"` // name of the exception
}

// ReadRefusal reads the body of an error; the zero value where it is none.
func ReadRefusal(body []byte) Refusal {
	var r Refusal
	if json.Unmarshal(body, &r) != nil {
		return Refusal{}
	}
	return r
}

// SignIn reports an answer that stands for a refused credential: beside 401 the page to
// sign in on, with 203, or a redirect to it.
func SignIn(status int, h http.Header) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusNonAuthoritativeInfo:
		return true
	case http.StatusFound:
		return strings.Contains(strings.ToLower(h.Get("Location")), "signin")
	}
	return false
}

// SecretHeader is the header in which a subscription of a service hook may send the
// secret, beside the password of Basic. A subscription has no signature.
const SecretHeader = "X-Assay-Secret"

// maxProof bounds what is compared, in bytes.
const maxProof = 1000

// errProof says that nothing of a delivery proves it.
var errProof = errors.New("the delivery is not proven by any of the secrets")

// errEnvelope says that a body is not that of a service hook.
var errEnvelope = errors.New("the body of the delivery is not that of a service hook")

// Proofs are the secrets that a delivery shows, at most two: the password of Basic and
// the header. Its error names the header and repeats no value.
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
				continue // another way to sign in proves nothing
			}
			_, text, _ = strings.Cut(string(raw), ":")
		}
		if text != "" {
			out = append(out, secret.New(text))
		}
	}
	return out, nil
}

// Verify checks that a delivery shows one of the secrets, in a time that does not
// depend on which.
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

// Envelope is what every delivery of a service hook has. There are no headers that say
// what it is.
type Envelope struct {
	ID        string          `json:"id"` // of the event
	EventType string          `json:"eventType"`
	Resource  json.RawMessage `json:"resource"` // may be null: a subscription can send none of it
	Created   time.Time       `json:"-"`        // zero where it is not told
}

var eventForm = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9.-]{0,99}$`)

// ReadEnvelope reads a proven body.
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
