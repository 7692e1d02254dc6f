package github

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

const (
	authorizeRoute   = "/login/oauth/authorize"
	accessTokenRoute = "/login/oauth/access_token"

	userTokenPrefix = "ghu_"
)

// Lives of a code, a user access token and a refresh token (docs.github.com/apps, "Generating a user access token for a
// GitHub App" and "Refreshing user access tokens").
const (
	codeLife    = 10 * time.Minute
	userLife    = 28800 * time.Second
	refreshLife = 15897600 * time.Second
)

// oauthCode is a code that has not been exchanged.
type oauthCode struct {
	AppID     int64
	UserID    int64
	Challenge string
	Redirect  string
	Expires   int64 // seconds
}

// userToken is a user access token with its refresh token.
type userToken struct {
	AppID, UserID  int64
	Refresh        string
	Expires        int64
	RefreshExpires int64
}

// authorizePage shows the choice of people. If the settings name a person, it signs that person in at once.
func authorizePage(c *call) *reply {
	q := c.Query
	a := c.s.st.appByClient(q.Get("client_id"))
	if a == nil {
		return htmlReply(http.StatusNotFound, "<h1>404</h1><p>There is no app with this client_id.</p>")
	}
	target := q.Get("redirect_uri")
	if target == "" {
		target = a.CallbackURL
	}
	back, err := url.Parse(target)
	if err != nil || back.Scheme != "http" && back.Scheme != "https" || back.Host == "" || back.Fragment != "" {
		return htmlReply(http.StatusBadRequest, "<h1>400</h1><p>redirect_uri must be an absolute address.</p>")
	}
	send := func(with url.Values) *reply {
		if state := q.Get("state"); state != "" {
			with.Set("state", state)
		}
		to := *back
		all := to.Query()
		for k, v := range with {
			all[k] = v
		}
		to.RawQuery = all.Encode()
		return (&reply{Status: http.StatusFound, Bare: true}).Set("Location", to.String())
	}
	if a.CallbackURL != "" && target != a.CallbackURL {
		return send(url.Values{"error": {"redirect_uri_mismatch"}, "error_description": {"The redirect_uri is not associated with this " +
			"application."}})
	}
	if m := q.Get("code_challenge_method"); q.Get("code_challenge") != "" && m != "S256" {
		return send(url.Values{"error": {"invalid_request"}, "error_description": {"code_challenge_method must be S256"}})
	}
	login := q.Get("login_as")
	if login == "" {
		login = c.s.settings.SignInAs
	}
	if c.s.settings.DenySignIn || q.Get("deny") != "" {
		return send(url.Values{"error": {"access_denied"}, "error_description": {"The user has denied your application access."}})
	}
	u := c.s.st.user(login)
	if u == nil || u.Type != "User" {
		return c.choosePerson(a)
	}
	code := host.RandomHex(10)
	c.s.st.codes()[code] = &oauthCode{AppID: a.ID, UserID: u.ID, Challenge: q.Get("code_challenge"), Redirect: target,
		Expires: c.s.Now().Add(codeLife).Unix()}
	c.s.Touch()
	return send(url.Values{"code": {code}})
}

// choosePerson returns the page for choosing a person. Server.Mu is held.
func (c *call) choosePerson(a *app) *reply {
	var b strings.Builder
	b.WriteString("<h1>Sign in to " + html.EscapeString(a.Name) + "</h1><p>This is a simulated GitHub: choose who you are.</p><ul>")
	for _, l := range c.s.st.people() {
		q := c.R.URL.Query()
		q.Set("login_as", l)
		b.WriteString(`<li><a href="?` + html.EscapeString(q.Encode()) + `">` + html.EscapeString(l) + "</a></li>")
	}
	q := c.R.URL.Query()
	q.Set("deny", "1")
	b.WriteString(`</ul><p><a href="?` + html.EscapeString(q.Encode()) + `">Cancel</a></p>`)
	return htmlReply(http.StatusOK, b.String())
}

func htmlReply(status int, body string) *reply {
	return (&reply{Status: status, Bare: true, Body: []byte("<!doctype html><html lang=\"en\"><meta " +
		"charset=\"utf-8\"><title>Authorize</title>" + body)}).
		Set("Content-Type", "text/html; charset=utf-8")
}

// accessToken is POST /login/oauth/access_token. Refusals have status 200, as on the real host
// (docs.github.com/apps, "Troubleshooting OAuth app access token request errors").
func accessToken(c *call) *reply {
	in, ok := tokenForm(c)
	if !ok {
		return fail(http.StatusBadRequest, "Problems parsing the body")
	}
	a := c.s.st.appByClient(in("client_id"))
	if a == nil || a.ClientSecret == "" || subtle.ConstantTimeCompare([]byte(a.ClientSecret), []byte(in("client_secret"))) != 1 {
		return oauthError("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")
	}
	now := c.s.Now().Unix()
	if in("grant_type") == "refresh_token" {
		for hash, t := range c.s.st.userTokens() {
			if t.AppID == a.ID && t.Refresh == host.HashHex([]byte(in("refresh_token"))) && t.RefreshExpires > now {
				delete(c.s.st.userTokens(), hash) // both old ones stop working
				return c.grantUserToken(a, t.UserID)
			}
		}
		return oauthError("bad_refresh_token", "The refresh token passed is incorrect or expired.")
	}
	code := c.s.st.codes()[in("code")]
	delete(c.s.st.codes(), in("code"))
	sum := sha256.Sum256([]byte(in("code_verifier")))
	switch {
	case code == nil, code.AppID != a.ID, code.Expires <= now,
		code.Challenge != "" && code.Challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		return oauthError("bad_verification_code", "The code passed is incorrect or expired.")
	case in("redirect_uri") != "" && in("redirect_uri") != code.Redirect:
		return oauthError("redirect_uri_mismatch", "The redirect_uri MUST match the registered callback URL for this application.")
	}
	return c.grantUserToken(a, code.UserID)
}

// grantUserToken makes a pair of tokens. Server.Mu is held.
func (c *call) grantUserToken(a *app, user int64) *reply {
	access, refresh, now := userTokenPrefix+host.RandomHex(18), "ghr"+"_"+host.RandomHex(36), c.s.Now()
	c.s.st.userTokens()[host.HashHex([]byte(access))] = &userToken{AppID: a.ID, UserID: user, Refresh: host.HashHex([]byte(refresh)),
		Expires: now.Add(userLife).Unix(), RefreshExpires: now.Add(refreshLife).Unix()}
	c.s.Touch()
	return host.JSON(http.StatusOK, obj{"access_token": access, "expires_in": int(userLife.Seconds()), "refresh_token": refresh,
		"refresh_token_expires_in": int(refreshLife.Seconds()), "scope": "", "token_type": "bearer"})
}

func oauthError(code, text string) *reply {
	return host.JSON(http.StatusOK, obj{"error": code, "error_description": text,
		"error_uri": "https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"})
}

// tokenForm reads the parameters of the token endpoint: a form or JSON.
func tokenForm(c *call) (func(string) string, bool) {
	if strings.HasPrefix(c.R.Header.Get("Content-Type"), "application/json") {
		var in map[string]any
		if json.Unmarshal(c.Body, &in) != nil {
			return nil, false
		}
		return func(k string) string { v, _ := in[k].(string); return v }, true
	}
	form, err := url.ParseQuery(string(c.Body))
	return form.Get, err == nil
}

// userActor verifies a user access token. Server.Mu is not held.
func (s *Server) userActor(token string) (*actor, *reply) {
	now := s.tokenTime().Unix()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.userTokens()[host.HashHex([]byte(token))]
	if t == nil || t.Expires <= now {
		return nil, fail(http.StatusUnauthorized, "Bad credentials")
	}
	u, a := s.st.userByID(t.UserID), s.st.Apps[t.AppID]
	if u == nil || a == nil {
		return nil, fail(http.StatusUnauthorized, "Bad credentials")
	}
	return &actor{login: u.Login, user: u, app: a}, nil
}

// userInstallations is GET /user/installations: those in which the person has explicit access to a repository
// or owns the account.
func userInstallations(c *call) *reply {
	if refused := c.asUser(); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	var list []*installation
	for _, i := range c.s.st.Installations {
		if i.AppID == c.actor.app.ID && (c.s.st.owns(c.actor.user, i) || len(c.s.st.explicit(c.actor.user, i)) > 0) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b *installation) int { return int(a.ID - b.ID) })
	v, p := c.view(), c.paging()
	from, to := p.Slice(len(list))
	out := []any{}
	for _, i := range list[from:to] {
		out = append(out, v.installation(i))
	}
	body := ok(obj{"total_count": len(list), "installations": out})
	c.s.Mu.Unlock()
	return c.link(body, p, len(list))
}

// userInstallationRepositories is GET /user/installations/{installation_id}/repositories.
func userInstallationRepositories(c *call) *reply {
	if refused := c.asUser(); refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	i := c.s.st.Installations[c.Number("installation_id")]
	if i == nil || i.AppID != c.actor.app.ID {
		c.s.Mu.Unlock()
		return notFound()
	}
	list := c.s.st.explicit(c.actor.user, i)
	if len(list) == 0 && !c.s.st.owns(c.actor.user, i) {
		c.s.Mu.Unlock()
		return notFound()
	}
	slices.SortFunc(list, func(a, b *repository) int { return int(a.ID - b.ID) })
	v, p := c.view(), c.paging()
	from, to := p.Slice(len(list))
	out := []any{}
	for _, r := range list[from:to] {
		o := v.fullRepository(r, c.s.st.role(c.actor.user, r))
		delete(o, "organization")
		delete(o, "subscribers_count")
		delete(o, "network_count")
		out = append(out, o)
	}
	body := ok(obj{"total_count": len(list), "repository_selection": i.selection(), "repositories": out})
	c.s.Mu.Unlock()
	return c.link(body, p, len(list))
}

// asUser refuses callers without a user access token.
func (c *call) asUser() *reply {
	if c.actor == nil || c.actor.app == nil || c.actor.instID != 0 || c.actor.isApp {
		return fail(http.StatusForbidden, "You must authenticate with an access token authorized to a GitHub App in order to list installations")
	}
	return nil
}

// explicit lists the repositories of an installation to which a person has explicit access, which a public
// repository alone does not give.
func (st *state) explicit(u *user, i *installation) (list []*repository) {
	for _, r := range st.reposOf(i) {
		member := strings.EqualFold(u.Login, r.Owner)
		if owner := st.user(r.Owner); owner != nil && owner.Members[u.Login] != "" {
			member = true
		}
		if _, ok := r.Collaborators[u.Login]; (ok || member) && st.role(u, r) != "none" {
			list = append(list, r)
		}
	}
	return list
}

func (st *state) owns(u *user, i *installation) bool {
	account := st.user(i.Account)
	return strings.EqualFold(u.Login, i.Account) || account != nil && account.Members[u.Login] == "admin"
}

func (st *state) appByClient(id string) *app {
	return host.First(maps.Values(st.Apps), func(a *app) bool { return id != "" && a.ClientID == id })
}

func (st *state) codes() map[string]*oauthCode {
	if st.Codes == nil {
		st.Codes = map[string]*oauthCode{}
	}
	return st.Codes
}

func (st *state) userTokens() map[string]*userToken {
	if st.UserTokens == nil {
		st.UserTokens = map[string]*userToken{}
	}
	return st.UserTokens
}
