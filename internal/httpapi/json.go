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

// maxDepth is the maximum nesting of a body (design choice; the schemas need far less).
const maxDepth = 64

// Prefixes of errors about one place. The place's JSON pointer follows.
const (
	unreadable = "unreadable text at "
	unknownIn  = "unknown property in "
	twiceAt    = "more than one property at "
	tooDeepAt  = "nested too deeply at "
)

// decodeJSON is a strict json.Unmarshal. It refuses repeated properties, because two readers could see
// different values. It refuses text that is displayed differently from its content: invalid UTF-8, control
// characters except tab and line ends, and direction changes (Unicode Standard Annex #9). It refuses
// property names with a dot or bracket, because they would make error paths wrong; no request schema has
// one.
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
			if part = name; !plausibleID(name) { // text from outside is not repeated in errors
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
