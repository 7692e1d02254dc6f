package httpapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// checkQuery refuses what decoding a query would drop or take for something
// else: what is not percent-encoded as it should be (net/url leaves such a pair
// out), a parameter that is there twice or has no value, and words for true and
// false that the description does not have. A filter is never dropped in silence.
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
		if name, err := url.QueryUnescape(name); err == nil && parameter(op, name) != nil { // others are somebody's text
			at += "/" + name
		}
		wrong = append(wrong, errs.Field{Pointer: at, Message: message})
	}
	if len(wrong) == 0 {
		return nil
	}
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.", Fields: wrong[:min(len(wrong), 50)]}
}

// wrongPair says what is wrong with one name and its value, "" if nothing is.
// seen are the parameters before it.
func wrongPair(op *huma.Operation, pair string, seen map[string]bool) string {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, badName := url.QueryUnescape(rawName)
	value, badValue := url.QueryUnescape(rawValue)
	if badName != nil || badValue != nil || strings.Contains(pair, ";") {
		return "must be percent-encoded (RFC 3986, section 2.1)"
	}
	p := parameter(op, name)
	if p == nil {
		return "" // said by what decodes it next
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

// parameter is the parameter of an operation's query with a name, nil if it has
// none.
func parameter(op *huma.Operation, name string) *huma.Param {
	i := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
	if i < 0 {
		return nil
	}
	return op.Parameters[i]
}
