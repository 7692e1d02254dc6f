package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// saltSize is the length of a body's salt in bytes. It is long enough that an erased body cannot be guessed
// from its hash (NIST SP 800-132, 5.1, requires 16).
const saltSize = 16

// EntryActor is the actor in an entry.
type EntryActor struct {
	Kind      string `json:"kind"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Method    string `json:"method,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	Address   string `json:"address,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// entryBody is the erasable part of an entry and has all of its content. It includes its log and sequence
// number, so that verification detects an entry at a wrong place.
type entryBody struct {
	Action  string     `json:"action"`
	Actor   EntryActor `json:"actor"`
	At      string     `json:"at"`
	Changes []Change   `json:"changes,omitempty"`
	Log     string     `json:"log"`
	Note    string     `json:"note,omitempty"`
	Result  string     `json:"result"`
	Seq     int64      `json:"seq"`
	Target  Target     `json:"target"`
}

// head is the part of an entry that is never erased. The hash of its canonical JSON is the leaf of the tree
// (RFC 6962, section 2.1). The fields are in alphabetical order, because that is the canonical order.
type head struct {
	Action   string `json:"action"`
	At       string `json:"at"`
	BodyHash string `json:"bodyHash"` // hexadecimal
	Log      string `json:"log"`
	Result   string `json:"result"`
	Seq      int64  `json:"seq"`
}

// leaf returns the hash of an entry in the tree.
func (h head) leaf() (tlog.Hash, error) {
	record, err := encode(h)
	if err != nil {
		return tlog.Hash{}, err
	}
	return tlog.RecordHash(record), nil
}

// hashBody hashes a body with its salt, so that the hash reveals nothing about the body after both are
// erased.
func hashBody(salt []byte, body string) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(body))
	return h.Sum(nil)
}

// canonical returns the canonical JSON of a value: members in the order of their names, no white space, and
// only the escapes that JSON requires.
func canonical(v any) (string, error) {
	raw, err := encode(v)
	if err != nil {
		return "", err
	}
	var plain any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&plain); err != nil {
		return "", err
	}
	raw, err = encode(plain)
	return string(raw), err
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// layout has all six decimals, so that each time has exactly one form.
const layout = "2006-01-02T15:04:05.000000Z"

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(layout) }

func hexa(b []byte) string { return hex.EncodeToString(b) }
