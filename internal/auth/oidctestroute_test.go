package auth_test

import (
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// discoveryPath is the path of a provider's metadata (OpenID Connect Discovery 1.0, section 4).
const discoveryPath = "/.well-known/openid-configuration"

// foreign is a text of a provider that no answer of the service may repeat.
const foreign = "text-of-the-provider"

func discovering(change func(d map[string]any)) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) { a.Discovery = change }
}

// hanging does not answer at a path until the client gives up.
func hanging(path string) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.Replace = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				_, _ = io.Copy(io.Discard, r.Body) // without this, the server does not see that the client is gone
				<-r.Context().Done()
			}
			return r.URL.Path == path
		}
	}
}

// A test of an identity provider names only the one error. A check that needs the result of a failed check is
// skipped.
func TestIdentityProviderTestNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	large := `{"issuer":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, tc := range map[string]struct {
		says    func(*oidctest.Answers)
		issuer  func(w *idWorld) string // instead of the server's
		change  auth.IdentityProviderUpdate
		roots   *x509.CertPool // instead of the pool that trusts the server
		check   string         // the check that fails, or ""
		message string         // part of its message
		ends    string         // end of the last line
		lines   int            // 0 for all eight
	}{
		"right": {ends: "The provider accepts client id and secret."},
		"right, with the secret in the form": {says: discovering(func(d map[string]any) {
			d["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
		})},
		"wrong secret": {change: auth.IdentityProviderUpdate{ClientSecret: patch.Of("wrong-" + oidctest.ClientSecret())}, check: oidc.CheckClient,
			message: "The provider does not accept client id and secret"},
		"unknown client": {says: answering("/oauth/token", http.StatusBadRequest, `{"error":"unauthorized_client"}`), check: oidc.CheckClient, message: "The provider does not accept client id and secret"},
		"unknown code as a wrong secret, in other words": {says: unauthorized("client is not authorized", "invalid client secret"), ends: "The provider accepts client id and secret."},
		"wrong secret, in other words": {says: unauthorized("client is not authorized", "invalid client secret"),
			change: auth.IdentityProviderUpdate{ClientSecret: patch.Of("wrong-" + oidctest.ClientSecret())}, check: oidc.CheckClient, message: "does not accept client id and secret"},
		"a number in each answer":  {says: unauthorized("", ""), check: oidc.CheckClient, message: "does not accept client id and secret"},
		"missing scope":            {change: auth.IdentityProviderUpdate{Scopes: patch.Of([]string{"openid", "teams"})}, check: oidc.CheckScopes, message: `the scope "teams", number 2`},
		"wrong issuer":             {says: discovering(func(d map[string]any) { d["issuer"] = "https://" + foreign + ".example.com" }), check: oidc.CheckIssuer, message: "names another issuer"},
		"issuer with a slash":      {issuer: func(w *idWorld) string { return w.server.Issuer + "/" }, check: oidc.CheckIssuer, message: "different slash at its end"},
		"issuer in capitals":       {says: discovering(func(d map[string]any) { d["issuer"] = strings.ToUpper(d["issuer"].(string)) }), check: oidc.CheckIssuer, message: "different letter case"},
		"discovery 404":            {says: answering(discoveryPath, http.StatusNotFound, foreign), check: oidc.CheckDiscovery, message: "status 404, not 200", lines: 1},
		"discovery 500":            {says: answering(discoveryPath, http.StatusInternalServerError, foreign), check: oidc.CheckDiscovery, message: "status 500, not 200", lines: 1},
		"discovery redirects":      {says: redirecting(discoveryPath), check: oidc.CheckDiscovery, message: "redirect (307), which is not followed", lines: 1},
		"discovery is HTML":        {says: answering(discoveryPath, http.StatusOK, "<html>"+foreign), check: oidc.CheckDiscovery, message: "not the JSON document", lines: 1},
		"discovery is empty":       {says: answering(discoveryPath, http.StatusOK, ""), check: oidc.CheckDiscovery, message: "not the JSON document", lines: 1},
		"discovery is null":        {says: answering(discoveryPath, http.StatusOK, "null"), check: oidc.CheckDiscovery, message: "not the JSON document", lines: 1},
		"discovery is a list":      {says: answering(discoveryPath, http.StatusOK, `["`+foreign+`"]`), check: oidc.CheckDiscovery, message: "not the JSON document", lines: 1},
		"discovery is too large":   {says: answering(discoveryPath, http.StatusOK, large), check: oidc.CheckDiscovery, message: "larger than 1024 KiB", lines: 1},
		"discovery hangs":          {says: hanging(discoveryPath), check: oidc.CheckDiscovery, message: "does not answer in time", lines: 1},
		"http":                     {issuer: func(*idWorld) string { return "http://8.8.8.8" }, check: oidc.CheckDiscovery, message: "plain http is not allowed; an operator allows it by the host", lines: 1},
		"private address":          {issuer: func(*idWorld) string { return "https://10.1.2.3" }, check: oidc.CheckDiscovery, message: "not a public one; an operator allows it by the host", lines: 1},
		"metadata address":         {issuer: func(*idWorld) string { return "https://169.254.169.254" }, check: oidc.CheckDiscovery, message: "never reachable", lines: 1},
		"loopback":                 {issuer: func(w *idWorld) string { return closed(w.T) }, check: oidc.CheckDiscovery, message: "loopback is this machine", lines: 1},
		"no listener":              {issuer: func(w *idWorld) string { return w.reachable(closed(w.T)) }, check: oidc.CheckDiscovery, message: "could not be reached", lines: 1},
		"certificate not trusted":  {roots: x509.NewCertPool(), check: oidc.CheckDiscovery, message: "an authority that is not trusted", lines: 1},
		"certificate of another":   {issuer: func(w *idWorld) string { return strings.Replace(w.server.Issuer, "127.0.0.1", "localhost", 1) }, check: oidc.CheckDiscovery, message: "certificate is for another name", lines: 1},
		"no authorization address": {says: discovering(func(d map[string]any) { delete(d, "authorization_endpoint") }), check: oidc.CheckEndpoints, message: "Authorization_endpoint is missing"},
		"authorization over http":  {says: discovering(func(d map[string]any) { d["authorization_endpoint"] = "http://" + foreign }), check: oidc.CheckEndpoints, message: "Authorization_endpoint is not https"},
		"userinfo is a path":       {says: discovering(func(d map[string]any) { d["userinfo_endpoint"] = "/" + foreign }), check: oidc.CheckEndpoints, message: "Userinfo_endpoint is not an absolute URL"},
		"keys 404":                 {says: answering("/keys", http.StatusNotFound, foreign), check: oidc.CheckKeys, message: "status 404, not 200"},
		"keys redirect":            {says: redirecting("/keys"), check: oidc.CheckKeys, message: "redirect (307)"},
		"no keys":                  {says: answering("/keys", http.StatusOK, `{"keys":[]}`), check: oidc.CheckKeys, message: "no public key for signatures"},
		"keys for secrets only":    {says: answering("/keys", http.StatusOK, `{"keys":[{"kty":"oct","k":"`+"Zm9yZWlnbg"+`"}]}`), check: oidc.CheckKeys, message: "no public key for signatures"},
		"keys hang":                {says: hanging("/keys"), check: oidc.CheckKeys, message: "does not answer in time"},
		"symmetric only": {says: discovering(func(d map[string]any) { d["id_token_signing_alg_values_supported"] = []string{"HS256", "none"} }), check: oidc.CheckAlgorithms,
			message: "no asymmetric signature algorithm"},
		"implicit flow only": {says: discovering(func(d map[string]any) { d["response_types_supported"] = []string{"id_token"} }), check: oidc.CheckFlow, message: "response_type code"},
		"plain PKCE only":    {says: discovering(func(d map[string]any) { d["code_challenge_methods_supported"] = []string{"plain"} }), check: oidc.CheckFlow, message: "without S256"},
		"keys as client authentication": {says: discovering(func(d map[string]any) { d["token_endpoint_auth_methods_supported"] = []string{"private_key_jwt"} }), check: oidc.CheckClient,
			message: "neither client_secret_basic nor client_secret_post"},
		"token endpoint is HTML":      {says: answering("/oauth/token", http.StatusBadGateway, "<html>"+foreign), check: oidc.CheckClient, message: "status 502 and without an error code"},
		"token endpoint redirects":    {says: redirecting("/oauth/token"), check: oidc.CheckClient, message: "redirect (307)"},
		"token endpoint hangs":        {says: hanging("/oauth/token"), check: oidc.CheckClient, message: "does not answer in time"},
		"token endpoint is too large": {says: answering("/oauth/token", http.StatusOK, large), check: oidc.CheckClient, message: "larger than 1024 KiB"},
		"token endpoint issues tokens": {says: answering("/oauth/token", http.StatusOK, `{"access_token":"`+foreign+`"}`), check: oidc.CheckClient,
			message: "status 200 and without an error code"},
		"invalid error code":                {says: answering("/oauth/token", http.StatusBadRequest, `{"error":"`+foreign+`"}`), check: oidc.CheckClient, message: "status 400 and without an error code"},
		"every secret gets the same answer": {says: answering("/oauth/token", http.StatusBadRequest, `{"error":"invalid_grant"}`), ends: "only a sign-in shows whether it accepts client id and secret."},
		"redirect is not registered":        {says: answering("/oauth/token", http.StatusBadRequest, `{"error":"redirect_uri_mismatch"}`), check: oidc.CheckClient, message: "not registered"},
		"token endpoint is internal":        {says: discovering(func(d map[string]any) { d["token_endpoint"] = "https://10.1.2.3/token" }), check: oidc.CheckClient, message: "not a public one"},
		"key set at a private address":      {says: discovering(func(d map[string]any) { d["jwks_uri"] = "https://10.1.2.3/keys" }), check: oidc.CheckKeys, message: "not a public one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, at := storetest.SQLiteAt(t)
			w := newIDWorld(t, s, func(c *auth.Config) { c.ProviderTimeout = 3 * time.Second })
			if tc.roots != nil {
				w.policy.RootCAs = tc.roots
				w.allow(w.server.Port)
			}
			p := w.company
			if tc.issuer != nil {
				p = w.add("other", tc.issuer(w))
			}
			_, err := w.auth.UpdateIdentityProvider(t.Context(), p.ID, 0, tc.change)
			testkit.OK(t, err)
			if tc.says != nil {
				w.server.Change(tc.says)
			}
			got, err := w.auth.TestIdentityProvider(t.Context(), p.ID)
			testkit.OK(t, err)
			if tc.lines == 0 {
				tc.lines = 8
			}
			testkit.Require(t, "lines", len(got), tc.lines)
			failed := ""
			for _, v := range got {
				if !v.OK {
					failed += v.Name
				}
				if v.Name == tc.check && !strings.Contains(v.Message, tc.message) {
					t.Errorf("%s says %q, want %q in it", v.Name, v.Message, tc.message)
				}
			}
			if last := got[len(got)-1].Message; !strings.HasSuffix(last, tc.ends) {
				t.Errorf("the last line says %q, want %q", last, tc.ends)
			}
			if failed != tc.check {
				t.Errorf("%q fails, want %q: %+v", failed, tc.check, got)
			}
			answer, err := json.Marshal(got)
			testkit.OK(t, err)
			entry := strings.Join(storetest.Dump(t, at)["audit_entries"], "\n")
			for _, never := range []string{oidctest.ClientSecret(), foreign} {
				if strings.Contains(string(answer), never) || strings.Contains(entry, never) {
					t.Errorf("%q is in the answer or in the audit log: %s", never, answer)
				}
			}
			if note := "The first check that failed is " + tc.check + "."; !strings.Contains(entry, "identity-provider.test") || strings.Contains(entry, note) != (tc.check != "") {
				t.Errorf("the audit log has no entry of the test: %s", entry)
			}
		})
	}
}

// closed returns the address of a listener that was closed.
func closed(t *testing.T) string {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	s.Close()
	return s.URL
}

// reachable lets the service reach an address on this machine.
func (w *idWorld) reachable(address string) string {
	w.Helper()
	u, err := url.Parse(address)
	testkit.OK(w, err)
	port, err := strconv.Atoi(u.Port())
	testkit.OK(w, err)
	w.allow(port)
	return address
}

// unauthorized answers every trial of a client with unauthorized_client, as Gitea and Forgejo do. The error
// text is right for the correct secret and wrong for others. If both are empty, each answer has a new number.
func unauthorized(right, wrong string) func(*oidctest.Answers) {
	return func(a *oidctest.Answers) {
		a.Replace = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/oauth/token" {
				return false
			}
			words := cmp.Or(wrong, rand.Text())
			if _, password, _ := r.BasicAuth(); cmp.Or(password, r.FormValue("client_secret")) == oidctest.ClientSecret() {
				words = cmp.Or(right, rand.Text())
			}
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(rw).Encode(map[string]string{"error": "unauthorized_client", "error_description": words})
			return true
		}
	}
}
