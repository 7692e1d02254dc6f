package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// Check returns a final [*Error] for a request that no server can answer, and nil for a good one. Every codec
// calls it before it sends anything.
func (r Request) Check() error {
	bad := func(text string) error {
		return &Error{Class: ClassFinal, ProviderMessage: "The request was not sent: " + text + "."}
	}
	switch {
	case r.Model == "":
		return bad("no model is named")
	case len(r.Messages) == 0:
		return bad("there is no message")
	case !r.Effort.Valid():
		return bad("the reasoning effort is not one of the known values")
	case r.MaxOutputTokens < 0:
		return bad("the limit of output tokens is negative")
	case r.CacheKey != "" && !validName(r.CacheKey):
		return bad("the cache key needs 1 to 64 letters, digits, _ or -")
	case r.Schema != nil && (!validName(r.Schema.Name) || !json.Valid(r.Schema.JSON)):
		return bad("the schema needs a name of 1 to 64 letters, digits, _ or - and must be JSON")
	}
	if slices.ContainsFunc(r.Messages, func(m Message) bool { return len(m.Kept) > MaxKept }) {
		return bad("the stored part of an earlier answer is larger than 256 KiB")
	}
	if slices.ContainsFunc(r.Tools, func(t Tool) bool {
		return !validName(t.Name) || len(t.Parameters) > 0 && !json.Valid(t.Parameters)
	}) {
		return bad("a tool needs a name of 1 to 64 letters, digits, _ or - and parameters that are JSON")
	}
	return nil
}

func validName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}
