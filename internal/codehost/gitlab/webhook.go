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

// maxPayload is the most bytes of a delivery, as GitLab sends at most that many
// (app/services/web_hook_service.rb of gitlab-org/gitlab, REQUEST_BODY_SIZE_LIMIT).
const maxPayload = 25 << 20

// errSignature reports that no secret verifies a delivery.
var errSignature = errors.New("the delivery's signature does not verify")

// Header holds the headers of a delivery (app/services/web_hook_service.rb of gitlab-org/gitlab). Only the
// id of a signed delivery is authenticated.
type Header struct {
	Event string // name of the event, such as "Merge Request Hook"
	// Delivery is equal for a repeated delivery. It is the id of a signed delivery, else Idempotency-Key,
	// or "" on versions without both. X-Gitlab-Webhook-UUID cannot serve, because it differs for every
	// request.
	Delivery string
	Signed   bool // a signature is present; it may be wrong
	Token    bool // a secret is present; it may be wrong
}

var (
	eventForm    = regexp.MustCompile(`^[A-Z][A-Za-z ]{0,58} Hook$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	stampForm    = regexp.MustCompile(`^[0-9]{1,12}$`)
)

// The headers that are read, and their bounds.
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

// singleHeader returns the only value of a header, or "" if it is absent.
func singleHeader(h http.Header, name string) (string, error) {
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

// ReadHeader reads the headers of a delivery. Its errors name the header and never repeat the value.
func ReadHeader(h http.Header) (Header, error) {
	var out Header
	signature, err := singleHeader(h, headerSignature)
	if err != nil {
		return Header{}, err
	}
	token, err := singleHeader(h, headerToken)
	if err != nil {
		return Header{}, err
	}
	out.Signed, out.Token = signature != "", token != ""
	if out.Event, err = singleHeader(h, headerEvent); err != nil {
		return Header{}, err
	}
	if !eventForm.MatchString(out.Event) {
		return Header{}, errors.New(headerEvent + " has not the form that the host gives it")
	}
	name := headerKey
	if out.Signed {
		name = headerID
	}
	if out.Delivery, err = singleHeader(h, name); err != nil {
		return Header{}, err
	}
	if !deliveryForm.MatchString(out.Delivery) && (out.Delivery != "" || out.Signed) {
		return Header{}, errors.New(name + " has not the form that the host gives it")
	}
	return out, nil
}

// Verify checks that one of the secrets authenticates a delivery. A signature, if present, must verify: one
// of the header's signatures must be the base64 HMAC-SHA256 of "id.timestamp.body" (Standard Webhooks,
// "Signature scheme"). The key is the one that [Host.EnsureHook] derives, or the secret itself if it is a
// signing token. Without a signature, X-Gitlab-Token must contain the secret, or the token that EnsureHook
// derives; the caller decides whether that is enough. All secrets are compared in constant time, and an
// unset one never fits. Every failure is [errSignature].
//
// Verify ignores the timestamp, because a wrong clock would refuse every delivery. The signed id protects
// against replays: a known id has no effect.
func Verify(header http.Header, body []byte, secrets []secret.Secret) error {
	h, err := ReadHeader(header)
	if err != nil {
		return errSignature
	}
	fits := false
	if h.Signed {
		fits = verifySigned(header, h.Delivery, body, secrets)
	} else {
		token, err := singleHeader(header, headerToken)
		given := sha256.Sum256([]byte(token))
		for _, key := range secrets {
			for _, text := range []string{key.Reveal(), headerSecret(key)} { // for a person's webhook, and for ours
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
	stamp, err1 := singleHeader(header, headerStamp)
	line, err2 := singleHeader(header, headerSignature)
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

// signatures reads the signatures of version 1 in a header.
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

// keysOf returns the keys that a webhook with a secret may sign with.
func keysOf(s secret.Secret) [][]byte {
	out := [][]byte{signingKey(s)}
	if text, found := strings.CutPrefix(s.Reveal(), signingPrefix); found {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil && len(key) > 0 {
			out = append(out, key)
		}
	}
	return out
}

// ProjectOf returns the id of a body's project, or "" if the body lacks it.
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
