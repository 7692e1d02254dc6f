package httpapi

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// fieldWords turns the validator's messages about a value into what the value must be, for people who read it at the field of a
// form. The first pattern that matches a message counts. $1 is a bound, a name or a word of the schema.
var fieldWords = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`^expected length >= 1$`), "must not be empty"},
	{regexp.MustCompile(`^expected length >= (\d+)$`), "must have at least $1 characters"},
	{regexp.MustCompile(`^expected length <= (\d+)$`), "must have at most $1 characters"},
	{regexp.MustCompile(`^expected array length >= 1$`), "must have at least one entry"},
	{regexp.MustCompile(`^expected array length >= (\d+)$`), "must have at least $1 entries"},
	{regexp.MustCompile(`^expected array length <= 1$`), "must have at most one entry"},
	{regexp.MustCompile(`^expected array length <= (\d+)$`), "must have at most $1 entries"},
	{regexp.MustCompile(`^expected array items to be unique$`), "must not have an entry twice"},
	{regexp.MustCompile(`^expected object with (at least|at most) (\d+) properties$`), "must have $1 $2 entries"},
	{regexp.MustCompile(`^expected number >= (.+)$`), "must be $1 or more"},
	{regexp.MustCompile(`^expected number <= (.+)$`), "must be $1 or less"},
	{regexp.MustCompile(`^expected number > (.+)$`), "must be more than $1"},
	{regexp.MustCompile(`^expected number < (.+)$`), "must be less than $1"},
	{regexp.MustCompile(`^expected number to be a (multiple of .+)$`), "must be a $1"},
	{regexp.MustCompile(`^expected value to be one of "(.*)"$`), "must be one of $1"},
	{regexp.MustCompile(`^expected value to match (?:at least|exactly) one schema.*$`), "must be one of the forms that the description lists"},
	{regexp.MustCompile(`^expected value to not match schema$`), "must not have this form"},
	{regexp.MustCompile(`^expected propertyName value to be present in object$`), "must have the property that tells its kind"},
	{regexp.MustCompile(`^expected (?:required )?property (\S+) to be present(?: when (\S+) is present)?$`), "must have the property $1"},
	{regexp.MustCompile(`^expected string to be RFC 3339 date-time$`), "must be a date and time such as 2026-11-30T15:04:05Z"},
	{regexp.MustCompile(`^expected string to be RFC 1123 date-time$`), "must be a date and time such as Mon, 30 Nov 2026 15:04:05 GMT"},
	{regexp.MustCompile(`^expected string to be RFC 3339 date$`), "must be a date such as 2026-11-30"},
	{regexp.MustCompile(`^expected string to be RFC 3339 time$`), "must be a time such as 15:04:05Z"},
	{regexp.MustCompile(`^expected string to be RFC 5322 email$`), "must be an e-mail address"},
	{regexp.MustCompile(`^expected string to be RFC 3986 uri$`), "must be an address such as https://example.com/"},
	{regexp.MustCompile(`^expected string to be RFC 5890 hostname$`), "must be a host name such as example.com"},
	{regexp.MustCompile(`^expected string to be (?:either )?RFC \d+ ipv[46](?: or RFC \d+ ipv6)?$`), "must be an IP address"},
	{regexp.MustCompile(`^expected string to be RFC 4122 uuid$`), "must be a UUID"},
	{regexp.MustCompile(`^expected string to be regex$`), "must be a regular expression"},
	{regexp.MustCompile(`^expected string to be base64 encoded$`), "must be encoded as base64"},
	{regexp.MustCompile(`^expected string to be RFC \d+ (.+)$`), "must be a $1"},
	{regexp.MustCompile(`^expected string to match pattern (.+)$`), "must match the pattern $1"},
	{regexp.MustCompile(`^expected (?:string|value) to be (.+)$`), "must be $1"},
	{regexp.MustCompile(`^expected duration$`), "must be a duration such as 90s"},
}

// typeWords names the types of schemas as people call them.
var typeWords = map[string]string{"boolean": "true or false", "integer": "a whole number", "number": "a number", "string": "text",
	"array": "a list", "object": "an object", "null": "null"}

// mustOf returns what a value must be, as the predicate of a sentence about the field. It returns other messages as they are.
func mustOf(message string) string {
	for _, w := range fieldWords {
		if w.pattern.MatchString(message) {
			return w.pattern.ReplaceAllString(message, w.words)
		}
	}
	types, is := strings.CutPrefix(message, "expected ")
	if !is {
		return message
	}
	names := strings.Split(types, " or ")
	for i, name := range names {
		if typeWords[name] == "" {
			return message
		}
		names[i] = typeWords[name]
	}
	return "must be " + strings.Join(names, " or ")
}
