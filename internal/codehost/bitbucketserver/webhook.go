package bitbucketserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// maxPayload is the most bytes of a delivery (our choice: the host documents no bound).
const maxPayload = 25 << 20

// errSignature reports that no secret verifies a delivery.
var errSignature = errors.New("the delivery's signature does not verify")

// Header holds the headers of a delivery (src/server/webhooks/headers.ts of the description). The signature covers
// the body alone.
type Header struct {
	Event    string // such as "pr:opened"
	Delivery string // a UUID for each request
	Signed   bool   // a signature is present; it may be wrong
}

var (
	eventForm    = regexp.MustCompile(`^[a-z][a-z_]{0,30}(:[a-z_]{1,30}){1,3}$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
)

// The headers that are read.
const (
	headerEvent     = "X-Event-Key"
	headerDelivery  = "X-Request-Id"
	headerSignature = "X-Hub-Signature"
	maxHeader       = 256
)

// singleHeader returns the only value of a header, or "" if it is absent.
func singleHeader(h http.Header, name string) (string, error) {
	values := h.Values(name)
	switch {
	case len(values) > 1:
		return "", errors.New(name + " must be there once")
	case len(values) == 0:
		return "", nil
	case len(values[0]) > maxHeader:
		return "", errors.New(name + " is too long")
	}
	return values[0], nil
}

// ReadHeader reads the headers of a delivery. Its errors name the header and never repeat the value.
func ReadHeader(h http.Header) (out Header, err error) {
	signature, err := singleHeader(h, headerSignature)
	if err != nil {
		return Header{}, err
	}
	out.Signed = signature != ""
	if out.Event, err = singleHeader(h, headerEvent); err != nil {
		return Header{}, err
	}
	if !eventForm.MatchString(out.Event) {
		return Header{}, errors.New(headerEvent + " has not the form that the host gives it")
	}
	if out.Delivery, err = singleHeader(h, headerDelivery); err != nil {
		return Header{}, err
	}
	if !deliveryForm.MatchString(out.Delivery) {
		return Header{}, errors.New(headerDelivery + " has not the form that the host gives it")
	}
	return out, nil
}

// Verify checks that one of the secrets signs a delivery: X-Hub-Signature is "sha256=" and the hexadecimal
// HMAC-SHA256 of the body. It compares in constant time with each secret; an unset one never fits.
func Verify(header http.Header, body []byte, secrets []secret.Secret) error {
	text, err := singleHeader(header, headerSignature)
	digits, found := strings.CutPrefix(text, "sha256=")
	if !secret.SignedByOne(secrets, digits, body) || err != nil || !found {
		return errSignature
	}
	return nil
}

// hookName returns the name of our webhook, with a mark that identifies a secret without revealing it.
func hookName(key secret.Secret) string {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = mac.Write([]byte("assay webhook mark"))
	return "assay " + hex.EncodeToString(mac.Sum(nil)[:12])
}

// RepositoryOf returns the id of a body's repository, or "" if the body lacks it.
func RepositoryOf(body []byte) domain.HostID {
	var of struct {
		Pull struct {
			To struct {
				Repository repository `json:"repository"`
			} `json:"toRef"`
		} `json:"pullRequest"`
		Repository repository `json:"repository"`
		New        repository `json:"new"`
	}
	if json.Unmarshal(body, &of) != nil {
		return ""
	}
	for _, r := range []repository{of.Pull.To.Repository, of.Repository, of.New} {
		if r.ID > 0 && r.Slug != "" {
			return wire.HostID(r.ID)
		}
	}
	return ""
}
