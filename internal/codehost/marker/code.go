package marker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/regexp"
)

// macLen is the length of a code in bytes: 128 bits of HMAC-SHA256.
const macLen = 16

// version precedes every code that is written today. A code without it is of the first version, which
// covers the kind, id and digest of the mark, but not its place.
const version = "v2."

// markPattern matches the content of a mark in any form.
const markPattern = `assay:(pub|ans|finding|fp)=([A-Za-z0-9_.:-]{1,128})(?: sha=([0-9a-f]{16}))? mac=(v2\.)?([0-9a-f]{32})`

var forms = []*regexp.Regexp{
	regexp.MustCompile(`^<!-- ` + markPattern + ` -->$`),
	regexp.MustCompile(`^\[` + markPattern + `\]: ` + regexp.QuoteMeta(markdown.MarkAddress) + `$`),
}

// mark is the content of a line. The publication of a finding's mark is not in the line, because the reader
// knows the comment's review.
type mark struct {
	kind, id, sha, publication string
	first                      bool // in the first version
	mac                        string
}

// write returns the line of a mark.
func (m Marker) write(at Place, k mark) (markdown.Text, error) {
	if !idForm.MatchString(k.id) {
		return markdown.Text{}, errors.New("marker: the id must be plain characters")
	}
	if len(m.keys) == 0 {
		return markdown.Text{}, errors.New("marker: there is no key")
	}
	sha := ""
	if k.sha != "" {
		sha = " sha=" + k.sha
	}
	says := "assay:" + k.kind + "=" + k.id + sha + " mac=" + version + code(m.keys[m.writer].Sum, at, k)
	line, ok := markdown.Text{}, false
	switch m.form {
	case codehost.MarkComment, "":
		line, ok = markdown.Hidden("<!-- " + says + " -->")
	case codehost.MarkReference, codehost.MarkProperty:
		line, ok = markdown.Hidden("[" + says + "]: " + markdown.MarkAddress)
	}
	if !ok {
		return markdown.Text{}, errors.New("marker: the line of a mark has no form that can be hidden")
	}
	return line, nil
}

// lastMark reads the mark on the last line that is not blank. Hosts may store lines with \r\n.
func lastMark(text string) (mark, bool) {
	text = strings.TrimRight(text, " \t\r\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	for _, form := range forms {
		if f := form.FindStringSubmatch(line); f != nil {
			return mark{kind: f[1], id: f[2], sha: f[3], first: f[4] == "", mac: f[5]}, true
		}
	}
	return mark{}, false
}

// verify compares the code with that of every key in constant time. A marker without keys verifies nothing.
func (m Marker) verify(at Place, k mark) bool {
	if k.first && k.kind == kindFinding || !k.first && k.kind == kindPrint {
		return false // each version lacks the other one's mark for findings
	}
	good := false
	for _, key := range m.keys {
		want := code(key.Sum, at, k)
		if k.first {
			want = firstCode(key.Sum, k)
		}
		good = hmac.Equal([]byte(k.mac), []byte(want)) || good
	}
	return good
}

// code authenticates a mark together with its place. The length of each part precedes it.
func code(key []byte, at Place, k mark) string {
	h := hmac.New(sha256.New, key)
	for _, part := range []string{"assay marker v2", k.kind, at.Tenant, at.Repository, strconv.Itoa(at.Number), k.publication, k.id, k.sha} {
		_, _ = h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(part)))) //nolint:gosec // parts are short
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil)[:macLen])
}

// firstCode returns the code of the first version. None of its parts contains a zero byte.
func firstCode(key []byte, k mark) string {
	parts := []string{"assay marker v1", k.kind, k.id}
	if k.sha != "" {
		parts = append(parts, k.sha)
	}
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(h.Sum(nil)[:macLen])
}
