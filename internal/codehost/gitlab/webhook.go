package gitlab

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// maxPayload is the most bytes of a delivery that are read: the host sends no more
// (app/services/web_hook_service.rb of gitlab-org/gitlab, REQUEST_BODY_SIZE_LIMIT).
const maxPayload = 25 << 20

// errSignature says that a delivery is not proven with any of the secrets.
var errSignature = errors.New("the delivery's signature does not verify")

// Header is what the host says about a delivery outside its body
// (app/services/web_hook_service.rb of gitlab-org/gitlab). Only the id of a signed
// delivery is proof of anything.
type Header struct {
	Event string // what happened, such as "Merge Request Hook"
	// Delivery is the same when the host sends it again: the id of a signed delivery, else
	// Idempotency-Key; "" of a version that has neither. X-Gitlab-Webhook-UUID is none: it
	// is new for every request.
	Delivery string
	Signed   bool // there is a signature, not that it verifies
	Token    bool // there is a secret in the header, not that it is the right one
}

var (
	eventForm    = regexp.MustCompile(`^[A-Z][A-Za-z ]{0,58} Hook$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	stampForm    = regexp.MustCompile(`^[0-9]{1,12}$`)
)

// The headers that are read, and how long one may be.
const (
	headerEvent       = "X-Gitlab-Event"
	headerKey         = "Idempotency-Key"
	headerToken       = "X-Gitlab-Token"
	headerID          = "Webhook-Id"
	headerStamp       = "Webhook-Timestamp"
	headerSignature   = "Webhook-Signature"
	maxHeader         = 2048
	maxSignatures     = 10
	signatureVersion1 = "v1,"
)

// one is the only value of a header, "" where it is absent.
func one(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) > 1 {
		return "", errors.New(name + " must be there once")
	}
	if len(values) == 0 {
		return "", nil
	}
	if len(values[0]) > maxHeader {
		return "", errors.New(name + " is too long")
	}
	return values[0], nil
}

// ReadHeader reads the headers of a delivery. Its errors name the header and never
// repeat the value.
func ReadHeader(h http.Header) (Header, error) {
	var out Header
	signature, err := one(h, headerSignature)
	if err != nil {
		return Header{}, err
	}
	token, err := one(h, headerToken)
	if err != nil {
		return Header{}, err
	}
	out.Signed, out.Token = signature != "", token != ""
	if out.Event, err = one(h, headerEvent); err != nil {
		return Header{}, err
	}
	if !eventForm.MatchString(out.Event) {
		return Header{}, errors.New(headerEvent + " has not the form that the host gives it")
	}
	name := headerKey
	if out.Signed {
		name = headerID
	}
	if out.Delivery, err = one(h, name); err != nil {
		return Header{}, err
	}
	if !deliveryForm.MatchString(out.Delivery) && (out.Delivery != "" || out.Signed) {
		return Header{}, errors.New(name + " has not the form that the host gives it")
	}
	return out, nil
}

// Verify checks that a delivery was made with one of the secrets. A signature, where
// there is one, must verify: HMAC-SHA256 of "id.timestamp.body" in base64, one of those in
// the header, by the key that [Host.EnsureHook] gave or, of a secret that is itself a signing
// token, by that one (Standard Webhooks, "Signature scheme"). Without one the secret, or what
// EnsureHook makes of it, stands in X-Gitlab-Token: the caller decides whether that is enough. All secrets are compared, in constant time; an unset one never fits. Every failure is
// [errSignature].
//
// The time of a signed delivery is not looked at: its id is signed, and what has an id that
// was seen does nothing; a clock that is wrong would refuse everything.
func Verify(header http.Header, body []byte, secrets []secret.Secret) error {
	h, err := ReadHeader(header)
	if err != nil {
		return errSignature
	}
	fits := false
	if h.Signed {
		fits = verifySigned(header, h.Delivery, body, secrets)
	} else {
		token, err := one(header, headerToken)
		given := sha256.Sum256([]byte(token))
		for _, key := range secrets {
			for _, text := range []string{key.Reveal(), headerSecret(key)} { // of a person's webhook, and of ours
				want := sha256.Sum256([]byte(text))
				if subtle.ConstantTimeCompare(given[:], want[:]) == 1 && key.IsSet() && err == nil && token != "" {
					fits = true
				}
			}
		}
	}
	if !fits {
		return errSignature
	}
	return nil
}

func verifySigned(header http.Header, id string, body []byte, secrets []secret.Secret) bool {
	stamp, err1 := one(header, headerStamp)
	line, err2 := one(header, headerSignature)
	if err1 != nil || err2 != nil || !stampForm.MatchString(stamp) {
		return false
	}
	given := signatures(line)
	fits := false
	for _, s := range secrets {
		for _, key := range keysOf(s) {
			mac := hmac.New(sha256.New, key)
			_, _ = mac.Write([]byte(id + "." + stamp + ".")) // a hash never fails
			_, _ = mac.Write(body)
			sum := mac.Sum(nil)
			for _, g := range given {
				if hmac.Equal(sum, g) && s.IsSet() {
					fits = true
				}
			}
		}
	}
	return fits
}

// signatures reads those of version 1 in a header.
func signatures(line string) (out [][]byte) {
	for part := range strings.FieldsSeq(line) {
		text, known := strings.CutPrefix(part, signatureVersion1)
		if !known || len(out) == maxSignatures {
			continue
		}
		if sum, err := base64.StdEncoding.DecodeString(text); err == nil && len(sum) == sha256.Size {
			out = append(out, sum)
		}
	}
	return out
}

// keysOf are the keys by which a webhook with a secret may sign.
func keysOf(s secret.Secret) [][]byte {
	out := [][]byte{signingKey(s)}
	if text, found := strings.CutPrefix(s.Reveal(), signingPrefix); found {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil && len(key) > 0 {
			out = append(out, key)
		}
	}
	return out
}

// ProjectOf is the id of the project that a body is about, "" where it does not say.
func ProjectOf(body []byte) domain.HostID {
	var of struct {
		Project   wireProject `json:"project"`
		ProjectID int64       `json:"project_id"`
	}
	if json.Unmarshal(body, &of) != nil {
		return ""
	}
	return wire.HostID(cmp.Or(of.Project.ID, of.ProjectID))
}
