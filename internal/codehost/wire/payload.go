package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
)

// IsPresent reports whether a part of a payload is present and not null.
func IsPresent(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// DecodePart decodes one part of a payload if it is present. Errors of DecodePart and [RequirePart] are [codehost.ErrPayload]s
// without text of the payload.
func DecodePart(name string, raw json.RawMessage, into any) error {
	if !IsPresent(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %s has not the documented types", codehost.ErrPayload, name)
	}
	return nil
}

// RequirePart returns an error if a payload lacks a part.
func RequirePart(name string, ok bool) error {
	if !ok {
		return fmt.Errorf("%w: %s is missing", codehost.ErrPayload, name)
	}
	return nil
}

// CheckBody refuses a delivery's body unless it is a JSON object within bounds of bytes and nested brackets. Its
// errors are [codehost.ErrPayload]s.
func CheckBody(body []byte, most, deepest int) error {
	if len(body) > most {
		return fmt.Errorf("%w: it must be no larger than %d bytes", codehost.ErrPayload, most)
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return fmt.Errorf("%w: it must be a JSON object", codehost.ErrPayload)
	}
	if nestingDepth(body) > deepest {
		return fmt.Errorf("%w: it must not be nested deeper than %d", codehost.ErrPayload, deepest)
	}
	if !json.Valid(body) {
		return fmt.Errorf("%w: it must be valid JSON", codehost.ErrPayload)
	}
	return nil
}

// nestingDepth returns how deep brackets are nested outside strings.
func nestingDepth(body []byte) (most int) {
	now, inside := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}
