package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
)

// Given reports whether a part of a payload is present and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// Part decodes one part of a payload if it is present. Errors of Part and [Need] are [codehost.ErrPayload]s
// without text of the payload.
func Part(name string, raw json.RawMessage, into any) error {
	if !Given(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %s has not the documented types", codehost.ErrPayload, name)
	}
	return nil
}

// Need returns an error if a payload lacks a part.
func Need(name string, ok bool) error {
	if !ok {
		return fmt.Errorf("%w: %s is missing", codehost.ErrPayload, name)
	}
	return nil
}

// Form refuses a delivery's body unless it is a JSON object within bounds of bytes and nested brackets. Its
// errors are [codehost.ErrPayload]s.
func Form(body []byte, most, deepest int) error {
	if len(body) > most {
		return fmt.Errorf("%w: it must be no larger than %d bytes", codehost.ErrPayload, most)
	}
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return fmt.Errorf("%w: it must be a JSON object", codehost.ErrPayload)
	}
	if depth(body) > deepest {
		return fmt.Errorf("%w: it must not be nested deeper than %d", codehost.ErrPayload, deepest)
	}
	if !json.Valid(body) {
		return fmt.Errorf("%w: it must be valid JSON", codehost.ErrPayload)
	}
	return nil
}

// depth returns how deep brackets are nested outside strings.
func depth(body []byte) (most int) {
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
