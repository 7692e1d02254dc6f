package httpapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// checkQuery refuses the parts of a query that decoding would silently drop or misread: wrong
// percent-encoding (net/url drops such a pair), repeated or empty parameters, and booleans other than true
// and false. A filter must never be dropped silently.
func checkQuery(op *huma.Operation, query string) error {
	var wrong []errs.Field
	seen := map[string]bool{}
	for pair := range strings.SplitSeq(query, "&") {
		if pair == "" {
			continue
		}
		at, message := "query", wrongPair(op, pair, seen)
		if message == "" {
			continue
		}
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && parameter(op, name) != nil { // other names are text from outside
			at += "/" + name
		}
		wrong = append(wrong, errs.Field{Pointer: at, Message: message})
	}
	if len(wrong) == 0 {
		return nil
	}
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
		Fields: wrong[:min(len(wrong), 50)]}
}

// wrongPair returns the error of a name and its value, or "". seen holds the names of the parameters before
// it.
func wrongPair(op *huma.Operation, pair string, seen map[string]bool) string {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, badName := url.QueryUnescape(rawName)
	value, badValue := url.QueryUnescape(rawValue)
	if badName != nil || badValue != nil || strings.Contains(pair, ";") {
		return "must be percent-encoded (RFC 3986, section 2.1)"
	}
	p := parameter(op, name)
	if p == nil {
		return "" // the next decoder reports the error
	}
	twice := seen[name]
	seen[name] = true
	switch {
	case twice && p.Schema.Type != huma.TypeArray:
		return "must be there once"
	case value == "" && name != "cursor": // the cursor of the first page
		return "must not be empty"
	case p.Schema.Type == huma.TypeBoolean && value != "true" && value != "false":
		return "must be true or false"
	}
	return ""
}

// parameter returns the query parameter of an operation with a name, or nil.
func parameter(op *huma.Operation, name string) *huma.Param {
	i := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
	if i < 0 {
		return nil
	}
	return op.Parameters[i]
}
