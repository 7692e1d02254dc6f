// Package marker writes and finds the hidden marks that identify published texts: HTML comments with an
// authentication code, or unused link definitions on hosts that show HTML as text.
//
// A mark is the last line of its text that is not blank, because earlier lines may be quotations. Its code
// covers the place (tenant, repository, pull request), the kind and the id, so that a copy elsewhere is
// invalid. The code stops authors of pull requests from forging a mark. The caller must accept marks only
// on objects of our own account. Both forms have the same content, and both are read on all hosts.
package marker

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// shaLen is the number of hex digits of the payload's digest in a mark.
const shaLen = 16

// minKey is the shortest key, in bytes.
const minKey = 16

// The kinds of marks. The first version named a finding by its fingerprint.
const (
	kindPublication = "pub"
	kindAnswer      = "ans"
	kindFinding     = "finding"
	kindPrint       = "fp"
)

var (
	idForm     = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,128}$`)
	digestForm = regexp.MustCompile(`^[0-9a-f]{16,}$`)
)

// Marker makes and checks marks. It is safe for concurrent use.
type Marker struct {
	keys   []secret.KeyMAC // the newest first
	writer int             // index of the key that writes
	form   codehost.MarkForm
}

// InForm returns a marker that writes the form of a host; "" is HTML comments. For [codehost.MarkProperty]
// the line is a link definition, which adapters keep beside the text. With another form its writing methods
// fail.
func (m Marker) InForm(form codehost.MarkForm) Marker {
	m.form = form
	return m
}

// New returns a marker that writes with the first key, the newest, and accepts marks of all keys. A key
// must have at least 16 bytes. New copies the keys.
func New(keys ...secret.KeyMAC) (Marker, error) {
	var m Marker
	for _, k := range keys {
		if len(k.Sum) < minKey {
			return Marker{}, errors.New("marker: a key must have at least 16 bytes")
		}
		m.keys = append(m.keys, secret.KeyMAC{Key: k.Key, Sum: slices.Clone(k.Sum)})
	}
	if len(m.keys) == 0 {
		return Marker{}, errors.New("marker: a key is needed")
	}
	return m, nil
}

// Key returns the name of the instance key that writes, or "" for the zero Marker.
func (m Marker) Key() string {
	if len(m.keys) == 0 {
		return ""
	}
	return m.keys[m.writer].Key
}

// WithKey returns a marker that writes with the named key. One key makes all marks of one publication or answer,
// even if a newer key was configured since. "" names the oldest key, which made marks from before keys were
// recorded. WithKey fails if the key is not configured.
func (m Marker) WithKey(key string) (Marker, error) {
	m.writer = len(m.keys) - 1
	if key != "" {
		m.writer = slices.IndexFunc(m.keys, func(k secret.KeyMAC) bool { return k.Key == key })
	}
	if m.writer < 0 {
		return Marker{}, fmt.Errorf("marks were made with the instance key %s, which is not configured: put it back behind the newest "+
			"one (ASSAY_INSTANCE_KEY)", key)
	}
	return m, nil
}

// Place is the place of a mark.
type Place struct {
	Tenant, Repository string // our ids
	Number             int    // number of the pull request on the host
}

// Publication is a mark of a review.
type Publication struct {
	ID  string // of the publication
	SHA string // the first 16 hex digits of the payload's SHA-256
}

// Publication returns the line that marks a review. digest is the hex SHA-256 of the payload without the
// mark, or at least its first 16 digits. It fails if the id or digest does not fit into a mark.
func (m Marker) Publication(at Place, id, digest string) (markdown.Text, error) {
	if !digestForm.MatchString(digest) {
		return markdown.Text{}, errors.New("marker: the digest must be lower-case hex")
	}
	return m.write(at, mark{kind: kindPublication, id: id, sha: digest[:shaLen]})
}

// FindPublication returns the publication on the last line of a text, if that line is a mark of this place.
func (m Marker) FindPublication(at Place, text string) (Publication, bool) {
	got, ok := lastMark(text)
	ok = ok && got.kind == kindPublication && got.sha != "" && m.verify(at, got)
	return Publication{ID: got.id, SHA: got.sha}, ok
}

// Finding returns the line that marks a publication's comment on a finding.
func (m Marker) Finding(at Place, publication, finding string) (markdown.Text, error) {
	return m.write(at, mark{kind: kindFinding, id: finding, publication: publication})
}

// FindFinding returns the finding on the last line of a publication's comment, if that line is a mark of
// this place. It returns the id, or the exact fingerprint for marks of the first version.
func (m Marker) FindFinding(at Place, publication, text string) (finding, print string, ok bool) {
	got, ok := lastMark(text)
	got.publication = publication
	switch {
	case !ok || got.sha != "" || !m.verify(at, got):
		return "", "", false
	case got.kind == kindFinding:
		return got.id, "", true
	}
	return "", got.id, got.kind == kindPrint
}

// Answer returns the line that marks the answer to a command, by the answer's id.
func (m Marker) Answer(at Place, id string) (markdown.Text, error) {
	return m.write(at, mark{kind: kindAnswer, id: id})
}

// FindAnswer returns the id of the answer on the last line of a text, if that line is a mark of this place.
func (m Marker) FindAnswer(at Place, text string) (id string, ok bool) {
	got, ok := lastMark(text)
	return got.id, ok && got.kind == kindAnswer && got.sha == "" && m.verify(at, got)
}
