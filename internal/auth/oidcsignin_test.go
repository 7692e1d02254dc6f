package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestOIDCSignIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		first := w.signIn("ada")
		again := w.signIn("ada")
		other := w.signIn("bob") // has the same email address
		if !first.New || again.New || again.User != first.User || other.User == first.User {
			t.Errorf("people: %+v, %+v, %+v", first, again, other)
		}
		all, err := s.IdentitiesOf(t.Context(), first.User)
		testkit.OK(t, err)
		if len(all) != 1 || all[0].Issuer != w.server.Issuer || all[0].Subject != "ada" || all[0].Kind != store.IdentityOIDC {
			t.Errorf("identities: %+v", all)
		}
		user, err := s.UserByID(t.Context(), first.User)
		testkit.OK(t, err)
		testkit.Equal(t, "name", user.Name, "Person ada")
		session, err := s.UseSession(t.Context(), secret.Hash(again.Token), time.Hour)
		testkit.OK(t, err)
		testkit.Equal(t, "method", session.Method, "oidc:company")
		testkit.Equal(t, "provider", session.IdentityProvider(), w.company.ID)
		mine, err := s.MembershipsOf(t.Context(), first.User)
		testkit.OK(t, err)
		testkit.Require(t, "tenants of a person without a mapping", len(mine), 0)
	})
}

func forge(change func(claims map[string]any)) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.Forge = func(claims map[string]any, sign func(map[string]any) string) string {
			change(claims)
			return sign(claims)
		}
	}
}

// both merges the claims of the ID token and of userinfo.
func both(token, userinfo any) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		forge(func(c map[string]any) {
			c["_claim_names"], c["_claim_sources"] = token, map[string]any{"src1": map[string]any{"endpoint": "https://claims.example.com"}}
		})(a)
		a.UserinfoClaims = map[string]any{"_claim_names": userinfo}
	}
}

func claim(name string, value any) func(*oidctest.Answers) {
	return forge(func(c map[string]any) {
		if c[name] = value; value == nil {
			delete(c, name)
		}
	})
}

// claimAt sets a claim to the time of the answer plus d, so that a case that waits for others is still judged
// by its own time.
func claimAt(name string, d time.Duration) func(*oidctest.Answers) {
	return forge(func(c map[string]any) { c[name] = unix(d) })
}

func unix(d time.Duration) int64 { return time.Now().Add(d).Unix() }

// rsaKey is one key for all tests, because making one takes a quarter of a second.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// An invalid answer refuses the sign-in and changes nothing.
func TestOIDCSignInRefuses(t *testing.T) {
	t.Parallel()
	rsaKey := rsaKey()
	groups := make([]string, 6000)
	for i := range groups {
		groups[i] = rand.Text()
	}
	for name, tc := range map[string]struct {
		says  func(*oidctest.Answers)      // changes to the provider's answers
		until func(w *idWorld, b *browser) // runs between leaving and returning
		want  errs.Kind
		code  string
	}{
		"wrong nonce":               {says: claim("nonce", "another"), want: errs.Forbidden, code: "sign_in_refused"},
		"no nonce":                  {says: claim("nonce", nil), want: errs.Forbidden, code: "sign_in_refused"},
		"wrong audience":            {says: claim("aud", []string{"another"}), want: errs.Forbidden, code: "sign_in_refused"},
		"two audiences without azp": {says: forge(func(c map[string]any) { c["aud"] = []string{oidctest.ClientID, "b"}; delete(c, "azp") }), want: errs.Forbidden, code: "sign_in_refused"},
		"another client's azp":      {says: claim("azp", "another"), want: errs.Forbidden, code: "sign_in_refused"},
		"wrong issuer in the token": {says: claim("iss", "https://evil.example.com"), want: errs.Forbidden, code: "sign_in_refused"},
		"wrong at_hash":             {says: claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), want: errs.Forbidden, code: "sign_in_refused"},
		"no subject":                {says: claim("sub", nil), want: errs.Forbidden, code: "sign_in_refused"},
		"subject with a line break": {says: claim("sub", "a\nb"), want: errs.Forbidden, code: "sign_in_refused"},
		"subject too long":          {says: claim("sub", strings.Repeat("a", 256)), want: errs.Forbidden, code: "sign_in_refused"},
		"no expiry":                 {says: claim("exp", nil), want: errs.Forbidden, code: "sign_in_refused"},
		"expired beyond the leeway": {says: claimAt("exp", -oidc.Leeway-30*time.Second), want: errs.Forbidden, code: "sign_in_refused"},
		"issued in the future":      {says: claimAt("iat", oidc.Leeway+time.Hour), want: errs.Forbidden, code: "sign_in_refused"},
		"not valid yet":             {says: claimAt("nbf", oidc.Leeway+time.Hour), want: errs.Forbidden, code: "sign_in_refused"},
		"nbf is a text":             {says: claim("nbf", "soon"), want: errs.Forbidden, code: "sign_in_refused"},
		"algorithm none": {says: func(a *oidctest.Answers) {
			a.Forge = func(c map[string]any, _ func(map[string]any) string) string {
				b, _ := json.Marshal(c)
				e := base64.RawURLEncoding.EncodeToString
				return e([]byte(`{"alg":"none"}`)) + "." + e(b) + "."
			}
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"signed with the client's secret": {says: func(a *oidctest.Answers) {
			a.Discovery = func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"HS256", "ES256"} }
			a.Forge = func(c map[string]any, _ func(map[string]any) string) string {
				return oidctest.Sign(jose.HS256, []byte(strings.Repeat(oidctest.ClientSecret(), 4)), "x", c)
			}
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"algorithm that is not announced": {says: func(a *oidctest.Answers) {
			a.Forge = func(c map[string]any, _ func(map[string]any) string) string {
				return oidctest.Sign(jose.RS256, rsaKey, "x", c)
			}
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"another key": {says: func(a *oidctest.Answers) {
			a.Discovery = func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"RS256", "ES256"} }
			a.Forge = func(c map[string]any, _ func(map[string]any) string) string {
				return oidctest.Sign(jose.RS256, rsaKey, "x", c)
			}
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"no ID token": {says: func(a *oidctest.Answers) {
			a.Forge = func(map[string]any, func(map[string]any) string) string { return "" }
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"token too large": {says: claim("padding", strings.Repeat("x", 600<<10)), want: errs.Forbidden, code: "sign_in_refused"},
		"groups too many": {says: claim("groups", groups), want: errs.Forbidden, code: "sign_in_refused"},
		"overage": {says: forge(func(c map[string]any) {
			c["_claim_names"] = map[string]any{"groups": "src1"}
			c["_claim_sources"] = map[string]any{"src1": map[string]any{"endpoint": "https://graph.example.com"}}
		}), want: errs.Forbidden, code: "sign_in_refused"},
		"overage of a small token":                                 {says: claim("hasgroups", true), want: errs.Forbidden, code: "sign_in_refused"},
		"groups that Okta may have cut":                            {says: forge(func(c map[string]any) { c["jti"], c["ver"], c["groups"] = "ID."+rand.Text(), 1, groups[:100] }), want: errs.Forbidden, code: "sign_in_refused"},
		"groups left out by userinfo, something else by the token": {says: both(map[string]any{"address": "src1"}, map[string]any{"groups": "src1"}), want: errs.Forbidden, code: "sign_in_refused"},
		"groups left out by the token, something else by userinfo": {says: both(map[string]any{"groups": "src1"}, map[string]any{"address": "src1"}), want: errs.Forbidden, code: "sign_in_refused"},
		"userinfo leaves out an unreadable claim":                  {says: both(map[string]any{"address": "src1"}, "groups"), want: errs.Forbidden, code: "sign_in_refused"},
		"the token leaves out an unreadable claim":                 {says: both("groups", map[string]any{"address": "src1"}), want: errs.Forbidden, code: "sign_in_refused"},
		"hasgroups of userinfo against the token's": {says: func(a *oidctest.Answers) {
			claim("hasgroups", false)(a)
			a.UserinfoClaims = map[string]any{"hasgroups": true}
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"overage in userinfo":          {says: func(a *oidctest.Answers) { a.UserinfoClaims = map[string]any{"hasgroups": "true"} }, want: errs.Forbidden, code: "sign_in_refused"},
		"userinfo fails":               {says: answering("/userinfo", http.StatusInternalServerError, `{}`), want: errs.Unavailable, code: "identity_provider_unavailable"},
		"userinfo of another person":   {says: answering("/userinfo", http.StatusOK, `{"sub":"bob","groups":["reviewers"]}`), want: errs.Forbidden, code: "sign_in_refused"},
		"userinfo without a subject":   {says: answering("/userinfo", http.StatusOK, `{"groups":["reviewers"]}`), want: errs.Forbidden, code: "sign_in_refused"},
		"userinfo is not JSON":         {says: answering("/userinfo", http.StatusOK, `<html>`), want: errs.Forbidden, code: "sign_in_refused"},
		"keys cannot be read":          {says: answering("/keys", http.StatusInternalServerError, `{}`), want: errs.Unavailable, code: "identity_provider_unavailable"},
		"the token endpoint redirects": {says: redirecting("/oauth/token"), want: errs.Unavailable, code: "identity_provider_unavailable"},
		"the token endpoint is HTML":   {says: answering("/oauth/token", http.StatusBadGateway, `<html>`), want: errs.Unavailable, code: "identity_provider_unavailable"},

		"the person declined":                   {until: func(_ *idWorld, b *browser) { b.answer.Set("error", "access_denied") }, want: errs.Forbidden, code: "sign_in_refused"},
		"the provider fails":                    {until: func(_ *idWorld, b *browser) { b.answer.Set("error", "server_error") }, want: errs.Unavailable, code: "identity_provider_unavailable"},
		"the provider is busy":                  {until: func(_ *idWorld, b *browser) { b.answer.Set("error", "temporarily_unavailable") }, want: errs.Unavailable, code: "identity_provider_unavailable"},
		"the provider does not know the client": {until: func(_ *idWorld, b *browser) { b.answer.Set("error", "unauthorized_client") }, want: errs.Forbidden, code: "sign_in_refused"},
		"no code":                               {until: func(_ *idWorld, b *browser) { b.answer.Del("code") }, want: errs.Forbidden, code: "sign_in_refused"},
		"another code":                          {until: func(_ *idWorld, b *browser) { b.answer.Set("code", "another") }, want: errs.Forbidden, code: "sign_in_refused"},
		"code of another person":                {until: func(w *idWorld, b *browser) { b.answer.Set("code", w.leave("bob").answer.Get("code")) }, want: errs.Forbidden, code: "sign_in_refused"},
		"code used by another sign-in": {until: func(w *idWorld, b *browser) {
			used := w.leave("ada")
			b.answer.Set("code", used.answer.Get("code"))
			_, err := w.back(used)
			testkit.OK(w, err)
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"another state":          {until: func(_ *idWorld, b *browser) { b.answer.Set("state", secret.NewToken(secret.State).Reveal()) }, want: errs.Malformed, code: "sign_in_over"},
		"no state":               {until: func(_ *idWorld, b *browser) { b.answer.Del("state") }, want: errs.Malformed, code: "sign_in_over"},
		"another browser":        {until: func(_ *idWorld, b *browser) { b.binding = secret.NewToken(secret.Binding).Reveal() }, want: errs.Malformed, code: "sign_in_over"},
		"no cookie":              {until: func(_ *idWorld, b *browser) { b.binding = "" }, want: errs.Malformed, code: "sign_in_over"},
		"iss of another":         {until: func(_ *idWorld, b *browser) { b.answer.Set("iss", "https://evil.example.com") }, want: errs.Forbidden, code: "sign_in_refused"},
		"answered a second time": {until: func(w *idWorld, b *browser) { _, err := w.back(b); testkit.OK(w, err) }, want: errs.Malformed, code: "sign_in_over"},
		"switched off meanwhile": {until: func(w *idWorld, _ *browser) { w.off() }, want: errs.NotFound, code: "not_found"},
		"deleted meanwhile":      {until: func(w *idWorld, _ *browser) { testkit.OK(w, w.auth.DeleteIdentityProvider(w.Context(), w.company.ID)) }, want: errs.NotFound, code: "not_found"},
		"key rotated, not announced": {until: func(w *idWorld, _ *browser) {
			old := w.server.Public()
			set, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: old, KeyID: "old", Algorithm: "ES256", Use: "sig"}}})
			w.server.Rotate()
			w.server.Change(answering("/keys", http.StatusOK, string(set)))
		}, want: errs.Forbidden, code: "sign_in_refused"},
		"iss announced and absent": {says: func(a *oidctest.Answers) {
			a.Discovery = func(d map[string]any) { d["authorization_response_iss_parameter_supported"] = true }
		}, want: errs.Forbidden, code: "sign_in_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, url := storetest.SQLiteAt(t)
			w := newIDWorld(t, s)
			w.mapping("member", "reviewers", "groups")
			if tc.says != nil {
				w.server.Change(tc.says)
			}
			b := w.leave("ada")
			if tc.until != nil {
				tc.until(w, b)
			}
			before := storetest.Dump(t, url)
			_, err := w.back(b)
			e, ok := errors.AsType[*errs.Error](err)
			if !ok || e.Kind != tc.want || e.StableCode() != tc.code {
				t.Fatalf("the error is %v, want %s of kind %s", err, tc.code, tc.want)
			}
			after := storetest.Dump(t, url)
			for _, table := range []string{"users", "identities", "sessions", "memberships"} {
				if !slices.Equal(before[table], after[table]) {
					t.Errorf("%s changed", table)
				}
			}
		})
	}
}

func (w *idWorld) off() {
	w.Helper()
	_, err := w.auth.UpdateIdentityProvider(w.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{Enabled: patch.Of(false)})
	testkit.OK(w, err)
}

func answering(path string, status int, body string) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.Replace = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != path {
				return false
			}
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
			return true
		}
	}
}

func redirecting(path string) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.Replace = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				http.Redirect(rw, r, "/elsewhere", http.StatusTemporaryRedirect)
			}
			return r.URL.Path == path
		}
	}
}

// Unusual but valid answers are accepted.
func TestOIDCSignInAccepts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says  func(*oidctest.Answers)
		until func(w *idWorld, b *browser)
	}{
		"expired within the leeway":          {says: claimAt("exp", -oidc.Leeway/8)},
		"issued a little ahead":              {says: claimAt("iat", oidc.Leeway/2)},
		"not valid yet, within the leeway":   {says: claimAt("nbf", oidc.Leeway/2)},
		"our clock is behind, within leeway": {until: func(w *idWorld, _ *browser) { w.skew.Store(int64(-oidc.Leeway / 2)) }},
		"two audiences with our azp":         {says: forge(func(c map[string]any) { c["aud"] = []string{oidctest.ClientID, "b"}; c["azp"] = oidctest.ClientID })},
		"no at_hash":                         {says: claim("at_hash", nil)},
		"no kid": {says: func(a *oidctest.Answers) {
			a.NoKeyID = true
			a.Forge = func(c map[string]any, sign func(map[string]any) string) string { return sign(c) }
		}},
		"key rotated before": {until: func(w *idWorld, b *browser) {
			w.signIn("bob")
			w.server.Rotate()
			maps.Copy(b.answer, w.leave("ada").answer)
		}},
		"key rotated while the person was away": {until: func(w *idWorld, _ *browser) { w.signIn("bob"); w.server.Rotate() }},
		"iss announced and right": {says: func(a *oidctest.Answers) {
			a.Discovery = func(d map[string]any) { d["authorization_response_iss_parameter_supported"] = true }
		}, until: func(w *idWorld, b *browser) { b.answer.Set("iss", w.server.Issuer) }},
		"no userinfo endpoint": {says: func(a *oidctest.Answers) { a.Discovery = func(d map[string]any) { delete(d, "userinfo_endpoint") } }},
		"other claims left out, without a mapping": {says: forge(func(c map[string]any) {
			c["_claim_names"] = map[string]any{"address": "src1"}
			c["_claim_sources"] = map[string]any{"src1": map[string]any{"endpoint": "https://graph.example.com"}}
		})},
		"other claims left out by both, without a mapping": {says: both(map[string]any{"address": "src1"}, map[string]any{"phone_number": "src1"})},
		"hasgroups is false": {says: claim("hasgroups", false)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newIDWorld(t, storetest.SQLite(t))
			w.mapping("member", "reviewers", "groups")
			if tc.says != nil {
				w.server.Change(tc.says)
			}
			b := w.leave("ada")
			if tc.until != nil {
				until := *b
				tc.until(w, &until)
				if name == "key rotated before" {
					b = w.leave("ada")
				} else {
					b = &until
				}
			}
			if _, err := w.back(b); err != nil {
				t.Error(err)
			}
		})
	}
}

// One provider's answer is not accepted for another provider. The attacker's provider gets no code of the
// honest one, and the state is used up.
func TestOIDCMixUp(t *testing.T) {
	t.Parallel()
	w := newIDWorld(t, storetest.SQLite(t))
	evil := oidctest.New(t, callback("evil"))
	w.allow(evil.Port) // it uses the same test certificate
	w.add("evil", evil.Issuer)
	b := w.leave("ada")
	b.slug = "evil"
	var asked bool
	evil.Change(func(a *oidctest.Answers) {
		a.Replace = func(http.ResponseWriter, *http.Request) bool {
			asked = true
			return false
		}
	})
	_, err := w.back(b)
	if !errs.Is(err, errs.Malformed) || asked {
		t.Errorf("error %v, the other provider got a request: %v", err, asked)
	}
	b.slug = "company"
	if _, err := w.back(b); !errs.Is(err, errs.Malformed) {
		t.Errorf("the state works after the mix-up: %v", err)
	}
}

// If a provider's subjects are a host's user ids, people are recognised by both.
func TestHostUserIDLinks(t *testing.T) {
	t.Parallel()
	w := newIDWorld(t, storetest.SQLite(t))
	const host = "https://gitlab.example.com"
	_, err := w.auth.UpdateIdentityProvider(t.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{HostUserID: patch.To(auth.HostUserID{Host: host})})
	testkit.OK(t, err)
	somebody, err := w.store.CreateUser(t.Context(), "Somebody", false)
	testkit.OK(t, err)
	_, err = w.store.CreateIdentity(t.Context(), store.Identity{UserID: somebody.ID, Issuer: host, Subject: "8", Kind: store.IdentityCodeHost})
	testkit.OK(t, err)
	for subject, want := range map[string]int{"7": 2, "8": 1, "ada": 1, "07": 1} {
		all, err := w.store.IdentitiesOf(t.Context(), w.signIn(subject).User)
		testkit.OK(t, err)
		testkit.Require(t, "identities of "+subject, len(all), want)
	}
}

// One state opens one session, even if a browser sends it many times at once.
func TestOIDCStateIsUsedOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		b := w.leave("ada")
		done := make(chan error)
		for range 8 {
			go func() {
				_, err := w.back(b)
				done <- err
			}()
		}
		entered := 0
		for range 8 {
			if err := <-done; err == nil {
				entered++
			} else if !errs.Is(err, errs.Malformed) {
				t.Errorf("one too many: %v", err)
			}
		}
		testkit.Equal(t, "sign-ins", entered, 1)
	})
}
