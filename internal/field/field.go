// Package field validates what people enter. It collects the wrong fields of a request, each with its JSON
// pointer and the expected value, but never with the submitted one.
//
// The schemas already check lengths, enumerations and required properties; this package has rules that a
// schema cannot express. It has no rules of a single resource.
package field

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	_ "time/tzdata" // containers may lack time zones, and every process must know the accepted ones
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/glob"
)

// Check collects wrong fields. The zero value is ready.
type Check struct{ fields []errs.Field }

// That records a wrong field unless ok is true. message describes the expected value.
func (c *Check) That(ok bool, pointer, message string) {
	if !ok {
		c.fields = append(c.fields, errs.Field{Pointer: pointer, Message: message})
	}
}

// Fields returns the wrong fields in the order of their checks.
func (c *Check) Fields() []errs.Field { return c.fields }

// Err returns an Invalid error with all wrong fields, or nil if every check passed.
func (c *Check) Err() error { return Invalid(c.fields) }

// Invalid returns an Invalid error for the fields, or nil if the list is empty.
func Invalid(fields []errs.Field) error {
	if len(fields) == 0 {
		return nil
	}
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.", Fields: fields}
}

// Wrong returns an Invalid error for one field.
func Wrong(pointer, message string) error {
	return Invalid([]errs.Field{{Pointer: pointer, Message: message}})
}

// Name checks a name: one line with a visible character.
func (c *Check) Name(pointer, value string) {
	c.That(strings.TrimSpace(value) == value && strings.TrimSpace(clip.Visible(value)) != "" && Plain(value), pointer,
		"must be one line of text with a visible character, without spaces around it, control characters and changes of direction")
}

// Line checks one line of text, which may be empty.
func (c *Check) Line(pointer, value string) {
	c.That(Plain(value), pointer, "must be one line, without control characters and changes of direction")
}

// Text checks text that may have several lines.
func (c *Check) Text(pointer, value string) {
	c.That(Plain(strings.NewReplacer("\n", "", "\r\n", "", "\t", "").Replace(value)), pointer,
		"must have no control characters and no changes of direction")
}

// Globs checks path patterns: relative, with / between parts and ** for any number of parts.
func (c *Check) Globs(pointer string, globs []string) {
	for i, g := range globs {
		ok := g != "" && len(g) <= 500 && Plain(g) && glob.Valid(g) && !strings.HasPrefix(g, "/") && !strings.Contains("/"+g+"/", "/../")
		c.That(ok, At(pointer, i), "must be a path pattern relative to the root of the repository, such as src/**/*.go, with at most "+
			"64 alternatives in braces")
	}
}

// Lines checks each element of a list of names.
func (c *Check) Lines(pointer string, values []string) {
	for i, v := range values {
		c.Name(At(pointer, i), v)
	}
}

// TimeZone checks the name of a time zone of the IANA database.
func (c *Check) TimeZone(pointer, name string) {
	_, err := time.LoadLocation(name)
	c.That(err == nil && name != "" && name != "Local", pointer, "must be a time zone of the IANA database, such as Europe/Berlin")
}

// WebURL checks an absolute web URL without user, query and fragment, and reports whether it is valid. The
// outbound guard decides at the dial whether the address is allowed.
func (c *Check) WebURL(pointer, raw string) bool {
	u, err := url.Parse(raw)
	ok := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.RawQuery == "" &&
		!u.ForceQuery && u.Fragment == "" && Plain(raw)
	c.That(ok, pointer, "must be an absolute URL with https, without user, query and fragment")
	return ok
}

// Distinct checks that no element of a list appears twice.
func (c *Check) Distinct(pointer string, values []string) {
	seen := map[string]bool{}
	for i, v := range values {
		c.That(!seen[v], At(pointer, i), "must not appear twice")
		seen[v] = true
	}
}

// Plain reports whether a text has only visible characters. Control characters and characters that change
// the text direction are not allowed (Unicode Standard Annex #9, section 2: explicit embeddings, overrides
// and isolates).
func Plain(s string) bool {
	for _, r := range s {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 ||
			r == 0x200E || r == 0x200F || r == 0x2028 || r == 0x2029 {
			return false
		}
	}
	return true
}

// At returns the pointer of an element or a property below another pointer.
func At(pointer string, part any) string {
	return pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(part))
}
