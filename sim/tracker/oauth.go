package tracker

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

const (
	codeLife    = 10 * time.Minute
	refreshLife = 30 * 24 * time.Hour
	tokenLife   = 24 * time.Hour
)

// oauth answers the endpoints of OAuth (linear.app/developers/oauth-2-0-authentication).
func (c *call) oauth() *reply {
	form, err := url.ParseQuery(string(c.Body))
	if err != nil {
		form = url.Values{}
	}
	switch c.R.Method + " " + c.Path {
	case "GET /oauth/authorize":
		return c.consent(c.R.URL.Query())
	case "POST /oauth/authorize":
		return c.agree(form)
	case "POST /oauth/token":
		return c.grantTokens(form)
	case "POST /oauth/revoke":
		return c.revokeToken(form)
	}
	return host.JSON(http.StatusNotFound, obj{"error": "not_found"})
}

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html><meta charset="utf-8"><title>Allow access</title>
<h1>Allow {{.Name}} to use the workspace?</h1>
<form method="post" action="authorize">{{range $k, $v := .Query}}<input type="hidden" name="{{$k}}" value="{{index $v 0}}">{{end}}
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Cancel</button></form>`))

// asks returns the app of a request for consent, or the reason why the page must not be shown; "" if it may.
func (c *call) asks(q url.Values) (*app, string) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	a := c.s.st.app(q.Get("client_id"))
	switch {
	case a == nil:
		return nil, "Invalid client_id parameter value"
	case q.Get("redirect_uri") != a.Redirect:
		return nil, "Invalid redirect_uri parameter for the application."
	case q.Get("response_type") != "code":
		return nil, "Invalid response_type parameter"
	case q.Get("scope") == "" || q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256":
		return nil, "Invalid scope or code challenge"
	}
	return a, ""
}

func (s *state) app(id string) *app {
	return host.First(slices.Values(s.Apps), func(a *app) bool { return a.ID == id })
}

func (c *call) consent(q url.Values) *reply {
	a, wrong := c.asks(q)
	if wrong != "" {
		return host.JSON(http.StatusBadRequest, obj{"error": "invalid_request", "error_description": wrong})
	}
	var b strings.Builder
	if err := consentPage.Execute(&b, obj{"Name": a.Name, "Query": map[string][]string(q)}); err != nil {
		return host.JSON(http.StatusInternalServerError, obj{"error": "server_error"})
	}
	return (&reply{Status: http.StatusOK, Body: []byte(b.String())}).Set("Content-Type", "text/html; charset=utf-8")
}

// agree redirects the person back with a code.
func (c *call) agree(q url.Values) *reply {
	a, wrong := c.asks(q)
	if wrong != "" {
		return host.JSON(http.StatusBadRequest, obj{"error": "invalid_request", "error_description": wrong})
	}
	back := url.Values{"state": {q.Get("state")}}
	if q.Get("decision") == "deny" {
		back.Set("error", "access_denied")
	} else {
		code := host.RandomHex(20)
		c.s.Mu.Lock()
		c.s.st.Grants[code] = &grant{App: a.ID, Account: a.Account, Redirect: a.Redirect, Challenge: q.Get("code_challenge"),
			Family:  host.RandomHex(8),
			Expires: c.s.NowMicros() + micros(codeLife.Microseconds())}
		c.s.Mu.Unlock()
		back.Set("code", code)
	}
	return (&reply{Status: http.StatusFound}).Set("Location", a.Redirect+"?"+back.Encode())
}

// grantTokens exchanges a code or a refresh token. Each works once; a second use ends all tokens of the
// consent.
func (c *call) grantTokens(form url.Values) *reply {
	s := c.s
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a := s.st.app(form.Get("client_id"))
	if a == nil || a.Secret != form.Get("client_secret") {
		return host.JSON(http.StatusUnauthorized, obj{"error": "invalid_client", "error_description": "The client credentials are not valid"})
	}
	refresh := form.Get("grant_type") == "refresh_token"
	text := form.Get("code")
	if refresh {
		text = form.Get("refresh_token")
	}
	invalid := host.JSON(http.StatusBadRequest, obj{"error": "invalid_grant", "error_description": "The grant is not valid: " + text})
	g := s.st.Grants[text]
	switch {
	case form.Get("grant_type") != "authorization_code" && !refresh:
		return host.JSON(http.StatusBadRequest, obj{"error": "unsupported_grant_type"})
	case g == nil || g.App != a.ID || g.Refresh != refresh || g.Expires <= s.NowMicros():
		return invalid
	case g.Used:
		s.endFamily(g.Family)
		return invalid
	case !refresh && (g.Redirect != form.Get("redirect_uri") || g.Challenge != challenge(form.Get("code_verifier"))):
		return invalid
	}
	g.Used = true
	life := tokenLife
	if s.settings.TokenSeconds > 0 {
		life = time.Duration(s.settings.TokenSeconds) * time.Second
	}
	access, next := "lin_oauth_"+host.RandomHex(20), "lin_refresh_"+host.RandomHex(20)
	s.st.Tokens[access] = &token{Account: g.Account, OAuth: true, Expires: s.NowMicros() + micros(life.Microseconds()), Family: g.Family}
	s.st.Grants[next] = &grant{App: a.ID, Account: g.Account, Family: g.Family, Refresh: true,
		Expires: s.NowMicros() + micros(refreshLife.Microseconds())}
	return ok(obj{"access_token": access, "token_type": "Bearer", "expires_in": int(life.Seconds()) - 1, "scope": "read write",
		"refresh_token": next})
}

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// endFamily ends all tokens of a consent; Server.Mu is held.
func (s *Server) endFamily(family string) {
	maps.DeleteFunc(s.st.Tokens, func(_ string, t *token) bool { return t.OAuth && t.Family == family })
	maps.DeleteFunc(s.st.Grants, func(_ string, g *grant) bool { return g.Family == family })
}

// revokeToken ends a token; a refresh token ends all tokens of the consent.
func (c *call) revokeToken(form url.Values) *reply {
	s := c.s
	s.Mu.Lock()
	defer s.Mu.Unlock()
	text := form.Get("token")
	if g := s.st.Grants[text]; g != nil {
		s.endFamily(g.Family)
		return &reply{Status: http.StatusOK}
	}
	if !slices.Contains(slices.Collect(maps.Keys(s.st.Tokens)), text) {
		return host.JSON(http.StatusBadRequest, obj{"error": "invalid_request"})
	}
	delete(s.st.Tokens, text)
	return &reply{Status: http.StatusOK}
}
