package oidc

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzClaims reads claims as a provider may send them: nothing panics, values
// are bounded, and a list that is too long is refused instead of cut.
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
