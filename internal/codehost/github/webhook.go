package github

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// Header holds the headers of a delivery (GitHub webhook description, "Delivery headers"). They are not
// authenticated: they only select the App whose secret must verify the body.
type Header struct {
	Event      string // X-GitHub-Event
	Delivery   string // X-GitHub-Delivery, a GUID; equal for a redelivery
	HookID     int64  // X-GitHub-Hook-ID, 0 if absent
	TargetID   int64  // X-GitHub-Hook-Installation-Target-ID: the App's id if TargetType is "integration"
	TargetType string
	Signature  string // X-Hub-Signature-256
}

// AppID returns the App that received the delivery, or "" for another target.
func (h Header) AppID() domain.HostID {
	if h.TargetType == "integration" {
		return hostID(h.TargetID)
	}
	return ""
}

var (
	eventForm    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	deliveryForm = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
	targetForm   = regexp.MustCompile(`^[a-z_]{0,32}$`)
)

// ReadHeader reads the headers of a delivery. Its errors name the header and never repeat the value.
func ReadHeader(h http.Header) (Header, error) {
	out := Header{
		Event: h.Get("X-Github-Event"), Delivery: h.Get("X-Github-Delivery"),
		TargetType: h.Get("X-Github-Hook-Installation-Target-Type"), Signature: h.Get("X-Hub-Signature-256"),
	}
	switch {
	case !eventForm.MatchString(out.Event):
		return Header{}, errors.New("X-GitHub-Event must be the lower-case name of an event")
	case !deliveryForm.MatchString(out.Delivery):
		return Header{}, errors.New("X-GitHub-Delivery must be a GUID")
	case !targetForm.MatchString(out.TargetType):
		return Header{}, errors.New("X-GitHub-Hook-Installation-Target-Type must be a lower-case word")
	}
	var err error
	if out.HookID, err = headerID(h.Get("X-Github-Hook-Id")); err != nil {
		return Header{}, errors.New("X-GitHub-Hook-ID must be a positive number")
	}
	if out.TargetID, err = headerID(h.Get("X-Github-Hook-Installation-Target-Id")); err != nil {
		return Header{}, errors.New("X-GitHub-Hook-Installation-Target-ID must be a positive number")
	}
	return out, nil
}

func headerID(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n <= 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// errSignature reports that no secret verifies a delivery.
var errSignature = errors.New("the delivery's signature does not verify")

// signaturePrefix names the one accepted algorithm. The SHA-1 of the older header is never accepted.
const signaturePrefix = "sha256="

// Check verifies the signature of a body that is read piece by piece. It is not safe for concurrent use.
type Check struct {
	given []byte
	macs  []hash.Hash // one per secret; nil for a secret that never fits
}

// NewCheck parses X-Hub-Signature-256 and prepares its check against the active secrets. An empty secret
// never fits. It returns [errSignature] for a malformed header, with any secrets.
func NewCheck(signature string, secrets ...interface{ Reveal() string }) (*Check, error) {
	text, prefixed := strings.CutPrefix(signature, signaturePrefix)
	given, err := hex.DecodeString(text)
	if !prefixed || err != nil || len(given) != sha256.Size {
		return nil, errSignature
	}
	c := &Check{given: given, macs: make([]hash.Hash, len(secrets))}
	for i, s := range secrets {
		if s == nil {
			continue
		}
		if key := s.Reveal(); key != "" {
			c.macs[i] = hmac.New(sha256.New, []byte(key))
		}
	}
	return c, nil
}

// Write takes the next piece of the body. It never fails.
func (c *Check) Write(piece []byte) (int, error) {
	for _, m := range c.macs {
		if m != nil {
			_, _ = m.Write(piece) // a hash never fails
		}
	}
	return len(piece), nil
}

// Fits returns the index of the secret that signed the written body, or [errSignature]. It compares all
// secrets in constant time.
func (c *Check) Fits() (int, error) {
	found := -1
	for i, m := range c.macs {
		if m != nil && hmac.Equal(m.Sum(nil), c.given) && found < 0 {
			found = i
		}
	}
	if found < 0 {
		return 0, errSignature
	}
	return found, nil
}
