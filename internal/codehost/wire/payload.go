package wire

import (
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
)

// Given reports whether a part of a payload is there and not null.
func Given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// Part decodes one part of a payload, where it is given. Its errors, and those of
// [Need], are [codehost.ErrPayload]s that repeat nothing of the payload.
func Part(name string, raw json.RawMessage, into any) error {
	if !Given(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %s has not the documented types", codehost.ErrPayload, name)
	}
	return nil
}

// Need refuses a payload without something.
func Need(name string, ok bool) error {
	if !ok {
		return fmt.Errorf("%w: %s is missing", codehost.ErrPayload, name)
	}
	return nil
}
