package domain

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// HostID is a code host's id of a repository, person, comment, installation or other object. It is opaque
// text for comparison; "" means that there is no id. GitHub and Gitea use numbers, other hosts use text
// such as UUIDs in braces.
//
// In JSON it is a string. Decoding also accepts the numbers of versions that knew only GitHub, with 0 and
// null as "". Decoding fails for more than [MaxHostID] bytes.
type HostID string

// MaxHostID is the maximum length of an id in bytes. The longest known are GitHub's node ids, below a
// hundred.
const MaxHostID = 200

var errHostID = errors.New("the id of a host must be a whole number or text of at most 200 bytes")

// NumberID returns the id for a number, "" for 0.
func NumberID(n int64) HostID {
	if n == 0 {
		return ""
	}
	return HostID(strconv.FormatInt(n, 10))
}

// Number returns the id as an integer, and false if it is not a decimal number in its shortest form.
// Leading zeros or a plus do not count, because two ids would then give the same number. "" is not a
// number.
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

// StoredID is a [HostID] in a stored document, such as the frozen payload of a publication. It is encoded
// as a number if it is one, and "" as 0, because workers of v0.1.0, which can run beside this version
// during an update, read only numbers.
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
