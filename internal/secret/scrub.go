package secret

import (
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// urlPattern finds absolute URLs in running text. Their rest is parsed separately.
var urlPattern = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>\x60\\]+`)

// pemPattern finds private keys, even without their end.
var pemPattern = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`)

// keywordPattern finds passwords in the form of PostgreSQL's keywords. headerPattern finds values of the
// headers in which hosts and model providers accept tokens. userinfoPattern finds passwords of addresses
// with a misspelled scheme.
var (
	keywordPattern = regexp.MustCompile(`(?i)\b((?:ssl)?password|passwd|pwd)(\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s'&;,)]+)`)
	headerPattern  = regexp.MustCompile(`(?i)\b((?:private|job|deploy|x-gitlab|x-auth)-token|` +
		`(?:x-)?(?:goog-)?api-key)(["']?\s*[:=]\s*\[?["']?)[^\s"',;\]]{8,}`)
	userinfoPattern = regexp.MustCompile(`((?://|:/)[^\s/:@"'<>]{1,64}:)[^\s/@"'<>]{1,256}@`)
)

// Scrub returns text with everything that looks like a secret replaced by [Redacted]: userinfo and query of
// URLs, passwords of database addresses, tokens of known prefixes, values of authorization headers, signed
// JSON web tokens and private keys. It is the last defence for logs and error texts; code still must not
// put secrets there.
func Scrub(text string) string {
	if text == "" {
		return text
	}
	if strings.Contains(text, "PRIVATE KEY-----") {
		text = pemPattern.ReplaceAllString(text, Redacted)
	}
	if strings.Contains(text, "://") {
		text = urlPattern.ReplaceAllStringFunc(text, ScrubURL)
	}
	if strings.Contains(text, "=") {
		text = keywordPattern.ReplaceAllString(text, "$1$2"+Redacted)
	}
	if strings.Contains(text, "-") {
		text = headerPattern.ReplaceAllString(text, "$1$2"+Redacted)
	}
	if strings.Contains(text, "@") {
		text = userinfoPattern.ReplaceAllString(text, "$1"+Redacted+"@")
	}
	return tokenPattern.ReplaceAllString(text, Redacted)
}

// ScrubURL returns the URL without userinfo, query and fragment, with a marker in their place. If the text
// does not parse as a URL, it removes everything from the first "?" or "#" on, and everything before an
// "@".
func ScrubURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return scrubUnparsed(raw)
	}
	if u.User != nil {
		u.User = url.User("redacted")
	}
	query := u.RawQuery != "" || u.ForceQuery
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	out := u.String()
	if query {
		out += "?redacted"
	}
	return out
}

func scrubUnparsed(raw string) string {
	if i := strings.IndexAny(raw, "?#"); i >= 0 {
		raw = raw[:i] + "?redacted"
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return raw
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "redacted" + rest[i:]
	}
	return scheme + "://" + rest
}
