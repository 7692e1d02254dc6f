package oidc

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
)

// FuzzClaims reads arbitrary claims of a provider. None makes it panic, values are bounded, and a list that
// is too long is refused instead of cut.
func FuzzClaims(f *testing.F) {
	huge, _ := json.Marshal(map[string]any{"groups": strings.Split(strings.Repeat("g,", maxValues+1), ",")})
	for _, seed := range []string{`{"groups":["a","b"]}`, `{"a.b":{"c.d":"x"}}`, `{"a":{"b":[1,true,null,["x"],{"y":1}]}}`, `{"groups":1e400}`, `{"hasgroups":"true"}`,
		`{"_claim_names":{"groups":"src1"}}`, `{"_claim_names":[]}`, `null`, `[]`, `{"groups":"\xff\xfe"}`, "{\"groups\":\"\xff\"}", strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), string(huge)} {
		f.Add([]byte(seed), "groups", "a.b")
	}
	f.Fuzz(func(t *testing.T, raw []byte, first, second string) {
		claims, err := decodeClaims(raw)
		if err != nil {
			return
		}
		_ = CheckOverage(claims, []string{first})
		for _, path := range [][]string{nil, {first}, {first, second}} {
			if values, err := Values(claims, path); len(values) > maxValues || err != nil && values != nil {
				t.Errorf("%d values and error %v", len(values), err)
			}
		}
	})
}

// Okta may cut lists at 100 entries without saying so. A list of exactly 100 is refused from Okta and
// accepted from others.
func TestListsThatOktaMayHaveCut(t *testing.T) {
	t.Parallel()
	list := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = "g" + strconv.Itoa(i)
		}
		return out
	}
	const okta, own = "https://company.okta.com", "https://id.example.com"
	for name, tc := range map[string]struct {
		claims map[string]any
		cut    bool
	}{
		"Okta, 99":                   {map[string]any{"iss": okta, "groups": list(99)}, false},
		"Okta, 100":                  {map[string]any{"iss": okta, "groups": list(100)}, true},
		"Okta, 101: nothing was cut": {map[string]any{"iss": okta, "groups": list(101)}, false},
		"Okta, another claim, 100":   {map[string]any{"iss": okta, "groups": list(3), "other": list(100)}, false},
		"custom server of Okta":      {map[string]any{"iss": "https://company.okta-emea.com/oauth2/default", "groups": list(100)}, true},
		"preview of Okta":            {map[string]any{"iss": "https://company.oktapreview.com", "groups": list(100)}, true},
		"Okta for government":        {map[string]any{"iss": "https://company.okta-gov.com", "groups": list(100)}, true},
		"Okta with a custom domain":  {map[string]any{"iss": own, "ver": json.Number("1"), "jti": "ID.abc", "groups": list(100)}, true},
		"another provider, 100":      {map[string]any{"iss": own, "jti": "abc", "groups": list(100)}, false},
		"Entra, 100":                 {map[string]any{"iss": own, "ver": "2.0", "groups": list(100)}, false},
		"a similar name":             {map[string]any{"iss": "https://notokta.com", "groups": list(100)}, false},
		"no issuer":                  {map[string]any{"groups": list(100)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := Values(tc.claims, []string{"groups"})
			if (err != nil) != tc.cut || tc.cut && (!errs.Is(err, errs.Forbidden) || values != nil) {
				t.Errorf("%d values, %v", len(values), err)
			}
		})
	}
}
