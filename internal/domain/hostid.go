package domain

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// HostID is the id that a code host gave to something: a repository, a person, a
// comment, an installation. It is opaque text, compared for equality only; "" is
// none. GitHub and Gitea count, others have text such as UUIDs in braces.
//
// In JSON it is a string. It is read from a number, too, which it was where only
// GitHub was known: 0 and null are none then. Longer than [MaxHostID] is an error.
type HostID string

// MaxHostID bounds an id, in bytes. The longest known are GitHub's node ids, below
// a hundred.
const MaxHostID = 200

var errHostID = errors.New("the id of a host must be a whole number or text of at most 200 bytes")

// NumberID is the id of a host that counts, "" for 0.
func NumberID(n int64) HostID {
	if n == 0 {
		return ""
	}
	return HostID(strconv.FormatInt(n, 10))
}

// Number is the number that the id is written of, and whether it is one: other
// spellings of a number (zeros in front, a plus) are none, since another id
// would be the same then. "" is none either.
func (id HostID) Number() (int64, bool) {
	n, err := strconv.ParseInt(string(id), 10, 64)
	return n, err == nil && NumberID(n) == id
}

// UnmarshalJSON implements [json.Unmarshaler].
func (id *HostID) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	var s string
	switch {
	case bytes.Equal(raw, []byte("null")):
	case len(raw) > 0 && raw[0] == '"':
		if len(raw) > 6*MaxHostID+2 { // each byte as \u00XX, and the quotes
			return errHostID
		}
		if err := json.Unmarshal(raw, &s); err != nil || len(s) > MaxHostID {
			return errHostID
		}
	default:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return errHostID
		}
		s = string(NumberID(n))
	}
	*id = HostID(s)
	return nil
}

// StoredID is a [HostID] in a document that is stored, such as the frozen
// payload of a publication. It is written as a number where it is one, and as 0
// where it is none: workers of v0.1.0, which may run beside this one while an
// instance is brought up to date, read numbers only.
type StoredID HostID

// MarshalJSON implements [json.Marshaler].
func (id StoredID) MarshalJSON() ([]byte, error) {
	if n, ok := HostID(id).Number(); ok || id == "" {
		return strconv.AppendInt(nil, n, 10), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (id *StoredID) UnmarshalJSON(raw []byte) error { return (*HostID)(id).UnmarshalJSON(raw) }
