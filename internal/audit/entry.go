package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// saltSize is the length of the salt of a body, in bytes: enough that a body
// cannot be guessed from its hash once it was erased (NIST SP 800-132, 5.1, asks
// for 16).
const saltSize = 16

// Who is the actor in an entry.
type Who struct {
	Kind      string `json:"kind"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Method    string `json:"method,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	Address   string `json:"address,omitempty"`
	RequestID string `json:"requestId,omitempty"`
}

// Body is the whole of an entry, in the part that can be erased. It says its
// own log and place, so that an entry in a wrong one is told.
type Body struct {
	Action  string   `json:"action"`
	Actor   Who      `json:"actor"`
	At      string   `json:"at"`
	Changes []Change `json:"changes,omitempty"`
	Log     string   `json:"log"`
	Note    string   `json:"note,omitempty"`
	Result  string   `json:"result"`
	Seq     int64    `json:"seq"`
	Target  Target   `json:"target"`
}

// head is the part of an entry that stays. Its canonical JSON is the record
// whose hash is the leaf of the tree (RFC 6962, section 2.1). The fields stand
// in alphabetical order, which is the canonical one.
type head struct {
	Action   string `json:"action"`
	At       string `json:"at"`
	BodyHash string `json:"bodyHash"` // hexadecimal
	Log      string `json:"log"`
	Result   string `json:"result"`
	Seq      int64  `json:"seq"`
}

// leaf is the hash of an entry in the tree.
func (h head) leaf() (tlog.Hash, error) {
	record, err := encode(h)
	if err != nil {
		return tlog.Hash{}, err
	}
	return tlog.RecordHash(record), nil
}

// hashBody binds a body to its salt, so that the hash says nothing about the
// body once both are gone.
func hashBody(salt []byte, body string) []byte {
	h := sha256.New()
	h.Write(salt)
	h.Write([]byte(body))
	return h.Sum(nil)
}

// canonical is the one JSON form of a value: members in the order of their
// names, no white space, no escapes beyond what JSON needs.
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

// layout writes times with all six digits, so that there is one form of each.
const layout = "2006-01-02T15:04:05.000000Z"

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(layout) }

func hexa(b []byte) string { return hex.EncodeToString(b) }
