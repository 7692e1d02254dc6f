// Package marker writes and finds the hidden marks by which published text is
// recognised again: HTML comments with an authentication code, for hosts that
// keep them.
//
// The code stops authors of pull requests from forging a mark; it is believed
// only on objects of our own account, which the caller checks. Other forms of
// marks belong to the hosts that need them.
package marker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
)

// macLen is the length of a code in bytes: 128 bits of HMAC-SHA256.
const macLen = 16

// shaLen is the number of hex digits of the payload's digest in a mark.
const shaLen = 16

// minKey is the shortest key, in bytes.
const minKey = 16

var (
	idForm      = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,128}$`)
	digestForm  = regexp.MustCompile(`^[0-9a-f]{16,}$`)
	pubForm     = regexp.MustCompile(`^<!-- assay:pub=([A-Za-z0-9_.:-]{1,128}) sha=([0-9a-f]{16}) mac=([0-9a-f]{32}) -->$`)
	answerForm  = regexp.MustCompile(`^<!-- assay:ans=([A-Za-z0-9_.:-]{1,128}) mac=([0-9a-f]{32}) -->$`)
	findingForm = regexp.MustCompile(`^<!-- assay:fp=([A-Za-z0-9_.:-]{1,128}) mac=([0-9a-f]{32}) -->$`)
)

// Marker makes and checks marks with one key. It is safe for concurrent use.
type Marker struct{ key []byte }

// New returns a marker; the key has at least 16 bytes and is not kept by reference.
func New(key []byte) (Marker, error) {
	if len(key) < minKey {
		return Marker{}, errors.New("marker: the key must have at least 16 bytes")
	}
	return Marker{key: append([]byte(nil), key...)}, nil
}

// Publication is a mark of a review.
type Publication struct {
	ID  string // of the publication
	SHA string // the first 16 hex digits of the payload's SHA-256
}

// Publication returns the line that marks a review. digest is the hex SHA-256
// of the payload before the mark was put in. It fails on an id or digest that
// has no place in a mark.
func (m Marker) Publication(id, digest string) (string, error) {
	if !idForm.MatchString(id) || !digestForm.MatchString(digest) {
		return "", errors.New("marker: the id must be plain characters and the digest lower-case hex")
	}
	sha := digest[:shaLen]
	return "<!-- assay:pub=" + id + " sha=" + sha + " mac=" + m.code("pub", id, sha) + " -->", nil
}

// FindPublication returns the first publication whose mark stands as one whole
// line of the text and verifies.
func (m Marker) FindPublication(text string) (Publication, bool) {
	for line := range lines(text) {
		if f := pubForm.FindStringSubmatch(line); f != nil && m.verify(f[3], "pub", f[1], f[2]) {
			return Publication{ID: f[1], SHA: f[2]}, true
		}
	}
	return Publication{}, false
}

// Finding returns the line that marks the comment of a finding by its exact fingerprint.
func (m Marker) Finding(fingerprint string) (string, error) {
	if !idForm.MatchString(fingerprint) {
		return "", errors.New("marker: the fingerprint must be plain characters")
	}
	return "<!-- assay:fp=" + fingerprint + " mac=" + m.code("fp", fingerprint) + " -->", nil
}

// FindFinding returns the fingerprint of the first finding's mark that stands
// as one whole line of the text and verifies.
func (m Marker) FindFinding(text string) (fingerprint string, ok bool) {
	for line := range lines(text) {
		if f := findingForm.FindStringSubmatch(line); f != nil && m.verify(f[2], "fp", f[1]) {
			return f[1], true
		}
	}
	return "", false
}

// Answer returns the line that marks what is said to a command, by the id of the answer.
func (m Marker) Answer(id string) (string, error) {
	if !idForm.MatchString(id) {
		return "", errors.New("marker: the id must be plain characters")
	}
	return "<!-- assay:ans=" + id + " mac=" + m.code("ans", id) + " -->", nil
}

// FindAnswer returns the id of the first answer whose mark stands as one whole
// line of the text and verifies.
func (m Marker) FindAnswer(text string) (id string, ok bool) {
	for line := range lines(text) {
		if f := answerForm.FindStringSubmatch(line); f != nil && m.verify(f[2], "ans", f[1]) {
			return f[1], true
		}
	}
	return "", false
}

// code authenticates the kind and the parts; none of them can hold a zero byte.
func (m Marker) code(kind string, parts ...string) string {
	mac := hmac.New(sha256.New, m.key)
	mac.Write([]byte("assay marker v1\x00" + kind + "\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(mac.Sum(nil)[:macLen])
}

// verify compares in constant time. A marker without a key verifies nothing.
func (m Marker) verify(given, kind string, parts ...string) bool {
	return len(m.key) >= minKey && hmac.Equal([]byte(given), []byte(m.code(kind, parts...)))
}

// lines yields the lines of a text; hosts may store them with \r\n.
func lines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			if !yield(strings.TrimSuffix(line, "\r")) {
				return
			}
		}
	}
}
