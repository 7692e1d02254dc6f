package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// signed is userinfo as a JWT, changed before it is signed.
func signed(change func(claims map[string]any)) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.SignUserinfo = func(claims map[string]any, sign func(map[string]any) string) string {
			change(claims)
			return sign(claims)
		}
	}
}

// said replaces userinfo by an arbitrary text.
func said(text func(claims map[string]any) string) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.SignUserinfo = func(claims map[string]any, _ func(map[string]any) string) string { return text(claims) }
	}
}

// Signed userinfo counts as signed. It must be signed by the provider, for our client, and about the same
// person (OpenID Connect Core 1.0, section 5.3.2).
func TestSignedUserinfo(t *testing.T) {
	t.Parallel()
	another, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.OK(t, err)
	rsaKey := rsaKey()
	set := func(name string, value any) func(*oidctest.Answers) {
		return signed(func(c map[string]any) {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		})
	}
	for name, tc := range map[string]struct {
		says func(*oidctest.Answers)
		ok   bool
	}{
		"right":                           {signed(func(map[string]any) {}), true},
		"several audiences with us":       {set("aud", []string{"b", oidctest.ClientID}), true},
		"with valid times":                {signed(func(c map[string]any) { c["iat"], c["exp"] = unix(0), unix(time.Minute) }), true},
		"expired within the leeway":       {signed(func(c map[string]any) { c["exp"] = unix(-oidc.Leeway / 8) }), true},
		"issuer of another":               {set("iss", "https://evil.example.com"), false},
		"no issuer":                       {set("iss", nil), false},
		"audience of another":             {set("aud", "another"), false},
		"several audiences without us":    {set("aud", []string{"a", "b"}), false},
		"no audience":                     {set("aud", nil), false},
		"another person":                  {set("sub", "bob"), false},
		"no subject":                      {set("sub", nil), false},
		"subject is a number":             {set("sub", 7), false},
		"expired":                         {set("exp", unix(-time.Hour)), false},
		"not valid yet":                   {set("nbf", unix(time.Hour)), false},
		"issued in the future":            {set("iat", unix(time.Hour)), false},
		"groups left out":                 {set("hasgroups", true), false},
		"another key":                     {said(func(c map[string]any) string { return oidctest.Sign(jose.ES256, another, "", c) }), false},
		"algorithm that is not announced": {said(func(c map[string]any) string { return oidctest.Sign(jose.RS256, rsaKey, "", c) }), false},
		"signed with the client's secret": {said(func(c map[string]any) string {
			return oidctest.Sign(jose.HS256, []byte(strings.Repeat(oidctest.ClientSecret(), 4)), "", c)
		}), false},
		"not signed": {said(func(c map[string]any) string {
			b, _ := json.Marshal(c)
			e := base64.RawURLEncoding.EncodeToString
			return e([]byte(`{"alg":"none"}`)) + "." + e(b) + "."
		}), false},
		"signature cut off": {func(a *oidctest.Answers) {
			a.SignUserinfo = func(c map[string]any, sign func(map[string]any) string) string {
				jwt := sign(c)
				return jwt[:strings.LastIndexByte(jwt, '.')+1]
			}
		}, false},
		"encrypted": {said(func(c map[string]any) string {
			crypt, err := jose.NewEncrypter(jose.A128GCM, jose.Recipient{Algorithm: jose.RSA_OAEP, Key: &rsaKey.PublicKey}, nil)
			testkit.OK(t, err)
			b, _ := json.Marshal(c)
			jwe, err := crypt.Encrypt(b)
			testkit.OK(t, err)
			text, err := jwe.CompactSerialize()
			testkit.OK(t, err)
			return text
		}), false},
		"plain JSON under the name of a JWT": {said(func(c map[string]any) string { b, _ := json.Marshal(c); return string(b) }), false},
		"nothing":                            {said(func(map[string]any) string { return "" }), false},
		"a JWT under the name of JSON": {func(a *oidctest.Answers) {
			jwt := oidctest.Sign(jose.ES256, another, "", map[string]any{"sub": "ada"})
			answering("/userinfo", http.StatusOK, jwt)(a)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newIDWorld(t, storetest.SQLite(t))
			w.mapping("member", "reviewers", "groups")
			w.server.Change(func(a *oidctest.Answers) { a.UserinfoClaims = map[string]any{"groups": []any{"reviewers"}}; tc.says(a) })
			in, err := w.back(w.leave("ada"))
			if !tc.ok {
				if e, is := errors.AsType[*errs.Error](err); !is || e.Kind != errs.Forbidden || e.StableCode() != "sign_in_refused" {
					t.Errorf("the error is %v", err)
				}
				return
			}
			testkit.OK(t, err)
			testkit.Equal(t, "role by a claim of userinfo", w.role(in.User), domain.RoleMember)
		})
	}
}

// Userinfo may be signed with another algorithm than ID tokens. The algorithm that discovery announces for it
// applies (OpenID Connect Discovery 1.0, section 3).
func TestSignedUserinfoHasItsOwnAlgorithm(t *testing.T) {
	t.Parallel()
	key := rsaKey()
	for name, tc := range map[string]struct {
		announced any
		ok        bool
	}{"announced": {[]string{"RS256", "HS256", "none"}, true}, "not announced": {[]string{"ES256"}, false}, "symmetric ones only": {[]string{"HS256"}, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newIDWorld(t, storetest.SQLite(t))
			keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: w.server.Public(), Algorithm: "ES256"}, {Key: &key.PublicKey, Algorithm: "RS256"}}})
			testkit.OK(t, err)
			w.server.Change(func(a *oidctest.Answers) {
				answering("/keys", http.StatusOK, string(keys))(a)
				a.NoKeyID = true
				a.Forge = func(c map[string]any, sign func(map[string]any) string) string { return sign(c) }
				a.Discovery = func(d map[string]any) { d["userinfo_signing_alg_values_supported"] = tc.announced }
				said(func(c map[string]any) string { return oidctest.Sign(jose.RS256, key, "", c) })(a)
			})
			if _, err := w.back(w.leave("ada")); (err == nil) != tc.ok || err != nil && !errs.Is(err, errs.Forbidden) {
				t.Error(err)
			}
		})
	}
}
