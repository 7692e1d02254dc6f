package mcpclient

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/secret"
)

// minSecretLength is the shortest secret to remove, because a shorter one is part of ordinary words.
const minSecretLength = 4

// redactor removes our credential from a server's texts, because the server may echo it to anyone who reads its
// answers. The zero value removes nothing.
type redactor struct{ forms *strings.Replacer }

// newRedactor returns an own for a secret and the forms in which programs write it: in JSON, in addresses, in HTML,
// in hexadecimal and in base64, also inside other text.
func newRedactor(value secret.Secret) redactor {
	if !value.IsSet() {
		return redactor{}
	}
	v := value.Reveal()
	if _, token, ok := strings.Cut(v, " "); ok && strings.HasPrefix(v, "Bearer ") {
		v = token
	}
	if len(v) < minSecretLength {
		return redactor{}
	}
	forms := []string{v, html.EscapeString(v), url.QueryEscape(v), url.PathEscape(v), hex.EncodeToString([]byte(v)),
		strings.ToUpper(hex.EncodeToString([]byte(v)))}
	if quoted, err := json.Marshal(v); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	for before := range 3 { // bytes before it in a group of three
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			whole := alphabet.EncodeToString(append(make([]byte, before), v...))
			forms = append(forms, whole[(8*before+5)/6:8*(before+len(v))/6])
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		if len(f) >= minSecretLength {
			pairs = append(pairs, f, secret.Redacted)
		}
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// hide returns a text without the secret.
func (o redactor) hide(s string) string {
	if o.forms == nil {
		return s
	}
	return o.forms.Replace(s)
}

// clean strips a text, removes the secret and cuts the rest. The cut comes last, because half a secret would
// not be recognised.
func (o redactor) clean(s string, most int) string { return truncate(o.hide(strip(s)), most) }

// same reports whether cleaning would not change a text.
func (o redactor) same(s string) bool { return o.hide(strip(s)) == s }
