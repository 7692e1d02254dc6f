package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/field"
)

func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// maxDepth bounds the nesting of a body (design choice; no schema comes near).
const maxDepth = 64

// How the message of an error begins that is about one place; its JSON pointer
// follows.
const (
	unreadable = "unreadable text at "
	unknownIn  = "unknown property in "
	twiceAt    = "more than one property at "
	tooDeepAt  = "nested too deeply at "
)

// decodeJSON is json.Unmarshal without leniency. A property that appears twice
// is refused, because two readers could see two different values; so is text
// that people would not see as it is: invalid UTF-8, control characters but for
// tab and line ends, and changes of direction (Unicode Standard Annex #9). No
// schema of a request has a property with a dot or a bracket in its name, and
// paths of places, which are made with those, would be wrong after one.
func decodeJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errors.New(unreadable)
	}
	if err := strictJSON(json.NewDecoder(bytes.NewReader(data)), "", 0); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

func legible(s string) bool {
	return field.Plain(strings.NewReplacer("\n", "", "\r", "", "\t", "").Replace(s))
}

func strictJSON(d *json.Decoder, pointer string, depth int) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	if s, ok := t.(string); ok && !legible(s) {
		return errors.New(unreadable + pointer)
	}
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	if depth >= maxDepth {
		return errors.New(tooDeepAt + pointer)
	}
	names := map[string]bool{}
	for n := 0; d.More(); n++ {
		part := strconv.Itoa(n)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			twice := names[name]
			names[name] = true
			if strings.ContainsAny(name, ".[]") {
				return errors.New(unknownIn + pointer)
			}
			if part = name; !plausibleID(name) { // text from outside is not repeated
				part = ""
			}
			if twice {
				return errors.New(twiceAt + pointer + "/" + part)
			}
		}
		if err := strictJSON(d, pointer+"/"+part, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
