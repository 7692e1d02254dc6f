package gitea

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/assay-dev/assay/sim/host"
)

const (
	authorizeRoute   = "/login/oauth/authorize"
	accessTokenRoute = "/login/oauth/access_token"
	userInfoRoute    = "/login/oauth/userinfo"
	keysRoute        = "/login/oauth/keys"
	discoveryRoute   = "/.well-known/openid-configuration"
)

// Lives of codes and access tokens ([oauth2] ACCESS_TOKEN_EXPIRATION_TIME is an hour by default).
const (
	codeLife   = 10 * time.Minute
	accessLife = time.Hour
)

// client is an application that signs people in.
type client struct {
	ID         string // what the protocol calls client_id
	Number     int64
	OwnerID    int64
	Name       string
	SecretHash string
	Redirects  []string
	Created    micros
}

// code waits to be exchanged.
type code struct {
	ClientID  string
	UserID    int64
	Challenge string
	Redirect  string
	Nonce     string
	Scopes    []string
	Expires   int64 // seconds
}

func (s *Server) signInRoutes() []route {
	return []route{
		{method: "GET", pattern: discoveryRoute, open: true, h: discovery},
		{method: "GET", pattern: keysRoute, open: true, h: signingKeys},
		{method: "GET", pattern: authorizeRoute, open: true, h: authorizePage},
		{method: "POST", pattern: accessTokenRoute, open: true, h: accessToken},
		{method: "GET", pattern: userInfoRoute, h: userInfo},
	}
}

// discovery is OpenID Connect Discovery 1.0, section 4, as the host answers it.
func discovery(c *call) *reply {
	base := c.s.BaseURL()
	return ok(obj{"issuer": base, "authorization_endpoint": base + authorizeRoute, "token_endpoint": base + accessTokenRoute, "jwks_uri": base + keysRoute,
		"userinfo_endpoint": base + userInfoRoute, "introspection_endpoint": base + "/login/oauth/introspect", "response_types_supported": []string{"code", "id_token"},
		"id_token_signing_alg_values_supported": []string{"RS256"}, "subject_types_supported": []string{"public"},
		"scopes_supported":                 []string{"openid", "profile", "email", "groups"},
		"claims_supported":                 []string{"aud", "exp", "iat", "iss", "sub", "name", "preferred_username", "profile", "picture", "website", "locale", "updated_at", "email", "email_verified", "groups"},
		"code_challenge_methods_supported": []string{"plain", "S256"}, "grant_types_supported": []string{"authorization_code", "refresh_token"}})
}

// keyID names the signing key.
func (s *Server) keyID() string {
	return host.HashHex(s.key.N.Bytes())[:16]
}

func signingKeys(c *call) *reply {
	return ok(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &c.s.key.PublicKey, KeyID: c.s.keyID(), Algorithm: "RS256", Use: "sig"}}})
}

// newClient registers an application; Server.mu is held.
func (st *state) newClient(now micros, owner int64, name string, redirects []string) (*client, string, error) {
	if name == "" || len(redirects) == 0 {
		return nil, "", errors.New("name, redirectUris: must not be empty")
	}
	for _, r := range redirects {
		if u, err := url.Parse(r); err != nil || u.Host == "" {
			return nil, "", errors.New("redirectUris: must be absolute addresses")
		}
	}
	secret := "gto_" + host.RandomHex(26)
	c := &client{ID: host.NewGUID(), Number: st.id("client"), OwnerID: owner, Name: name, SecretHash: host.HashHex([]byte(secret)), Redirects: slices.Clone(redirects), Created: now}
	st.Clients[c.ID] = c
	return c, secret, nil
}

func createClient(c *call) *reply {
	var in struct {
		Name         string   `json:"name"`
		RedirectURIs []string `json:"redirect_uris"`
		Confidential bool     `json:"confidential_client"`
	}
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	a, secret, err := c.s.st.newClient(c.s.nowMicros(), c.actor.user.ID, in.Name, in.RedirectURIs)
	if err != nil {
		return host.JSON(http.StatusBadRequest, obj{"message": err.Error(), "url": c.s.base + "/api/swagger"})
	}
	c.wrote("client", "create", a.Number, 0)
	return created(obj{"id": a.Number, "name": a.Name, "client_id": a.ID, "client_secret": secret, "confidential_client": in.Confidential,
		"skip_secondary_authorization": false, "redirect_uris": a.Redirects, "created": timeOf(a.Created)})
}

// authorizePage asks who signs in, or sends back at once whom the settings name.
func authorizePage(c *call) *reply {
	q := c.query
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	a := c.s.st.Clients[q.Get("client_id")]
	if a == nil {
		return htmlReply(http.StatusBadRequest, "<h1>Authorization failed</h1><p>Client ID not registered.</p>")
	}
	target := q.Get("redirect_uri")
	back, err := url.Parse(target)
	if err != nil || !slices.Contains(a.Redirects, target) {
		return htmlReply(http.StatusBadRequest, "<h1>Authorization failed</h1><p>Unregistered Redirect URI.</p>")
	}
	send := func(with url.Values) *reply {
		if state := q.Get("state"); state != "" {
			with.Set("state", state)
		}
		to := *back
		all := to.Query()
		maps.Copy(all, with)
		to.RawQuery = all.Encode()
		return (&reply{Status: http.StatusFound}).Set("Location", to.String())
	}
	switch m := q.Get("code_challenge_method"); {
	case q.Get("response_type") != "code":
		return send(url.Values{"error": {"unsupported_response_type"}, "error_description": {"Only code response type is supported."}})
	case m != "" && m != "S256" && m != "plain":
		return send(url.Values{"error": {"invalid_request"}, "error_description": {"unsupported code challenge method"}})
	case c.s.settings.DenySignIn || q.Get("deny") != "":
		return send(url.Values{"error": {"access_denied"}, "error_description": {"the request is denied"}})
	}
	u := c.s.st.user(host.OrElse(q.Get("login_as"), c.s.settings.SignInAs))
	if u == nil || u.Org || u.Blocked {
		return c.choosePerson(a)
	}
	text := "gta_" + host.RandomHex(20)
	challenge := q.Get("code_challenge")
	if challenge != "" && q.Get("code_challenge_method") != "S256" {
		challenge = challengeOf(challenge)
	}
	c.s.st.Codes[host.HashHex([]byte(text))] = &code{ClientID: a.ID, UserID: u.ID, Challenge: challenge, Redirect: target, Nonce: q.Get("nonce"),
		Scopes: strings.Fields(q.Get("scope")), Expires: c.s.now().Add(codeLife).Unix()}
	c.s.file.Touch()
	return send(url.Values{"code": {text}})
}

// challengeOf is the S256 challenge of a verifier (RFC 7636, section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// choosePerson is the page on which one of the people is chosen. Server.mu is held.
func (c *call) choosePerson(a *client) *reply {
	var b strings.Builder
	b.WriteString("<h1>Sign in to " + html.EscapeString(a.Name) + "</h1><p>This is a simulated " + c.s.product() + ": choose who you are.</p><ul>")
	for _, key := range slices.Sorted(maps.Keys(c.s.st.Users)) {
		u := c.s.st.Users[key]
		if u.Org || u.Blocked {
			continue
		}
		q := c.r.URL.Query()
		q.Set("login_as", u.Login)
		b.WriteString(`<li><a href="?` + html.EscapeString(q.Encode()) + `">` + html.EscapeString(u.Login) + "</a></li>")
	}
	q := c.r.URL.Query()
	q.Set("deny", "1")
	b.WriteString(`</ul><p><a href="?` + html.EscapeString(q.Encode()) + `">Cancel</a></p>`)
	return htmlReply(http.StatusOK, b.String())
}

func htmlReply(status int, body string) *reply {
	return (&reply{Status: status, Body: []byte("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Authorize</title>" + body)}).
		Set("Content-Type", "text/html; charset=utf-8")
}

// oauthError is an error of the token endpoint (RFC 6749, section 5.2).
func oauthError(code, text string) *reply {
	return host.JSON(http.StatusBadRequest, obj{"error": code, "error_description": text})
}

// accessToken is POST /login/oauth/access_token, with the client's credentials in the body or as Basic.
func accessToken(c *call) *reply {
	form, err := url.ParseQuery(string(c.body))
	if strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/json") {
		var in map[string]string
		if err = json.Unmarshal(c.body, &in); err == nil {
			form = url.Values{}
			for k, v := range in {
				form.Set(k, v)
			}
		}
	}
	if err != nil {
		return oauthError("invalid_request", "the body cannot be read")
	}
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if name, password, isBasic := c.r.BasicAuth(); isBasic {
		id, secret = name, password
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	a := c.s.st.Clients[id]
	if a == nil || subtle.ConstantTimeCompare([]byte(a.SecretHash), []byte(host.HashHex([]byte(secret)))) != 1 {
		return oauthError("invalid_client", "cannot load client or its secret is wrong")
	}
	if form.Get("grant_type") != "authorization_code" {
		return oauthError("unsupported_grant_type", "Only authorization_code grant type is supported.")
	}
	key := host.HashHex([]byte(form.Get("code")))
	k := c.s.st.Codes[key]
	delete(c.s.st.Codes, key)
	switch {
	case k == nil, k.ClientID != a.ID, k.Expires <= c.s.now().Unix():
		return oauthError("unauthorized_client", "client is not authorized")
	case k.Redirect != form.Get("redirect_uri"):
		return oauthError("unauthorized_client", "redirect_uri does not match")
	case k.Challenge != "" && k.Challenge != challengeOf(form.Get("code_verifier")):
		return oauthError("unauthorized_client", "failed PKCE code challenge")
	}
	return c.grant(a, k)
}

// grant answers an exchanged code. Server.mu is held.
func (c *call) grant(a *client, k *code) *reply {
	u := c.s.st.userByID(k.UserID)
	if u == nil {
		return oauthError("invalid_request", "cannot find the user")
	}
	now := c.s.now()
	text, t := c.s.st.newToken(u, a.Name, []string{"read:user"}, c.s.nowMicros())
	t.Expires = now.Add(accessLife).Unix()
	c.s.file.Touch()
	out := obj{"access_token": text, "token_type": "bearer", "expires_in": int(accessLife.Seconds()), "refresh_token": host.RandomHex(20)}
	if slices.Contains(k.Scopes, "openid") {
		claims := c.s.claims(u, k.Scopes)
		maps.Copy(claims, obj{"iss": c.s.base, "aud": a.ID, "exp": t.Expires, "iat": now.Unix()})
		if k.Nonce != "" {
			claims["nonce"] = k.Nonce
		}
		signed, err := c.s.sign(claims)
		if err != nil {
			return c.broken(err)
		}
		out["id_token"] = signed
	}
	return ok(out).Set("Cache-Control", "no-store")
}

// claims of a person; Server.mu is held.
func (s *Server) claims(u *user, scopes []string) obj {
	o := obj{"sub": strconv.FormatInt(u.ID, 10)}
	if slices.Contains(scopes, "profile") {
		maps.Copy(o, obj{"name": host.OrElse(u.Name, u.Login), "preferred_username": u.Login, "profile": s.base + "/" + u.Login,
			"picture": fmt.Sprintf("%s/_avatars/%d.svg", s.base, u.ID), "website": "", "locale": "", "updated_at": int64(u.Created) / 1e6})
	}
	if slices.Contains(scopes, "email") {
		maps.Copy(o, obj{"email": strings.ToLower(u.Login) + "@" + emailDomain, "email_verified": true})
	}
	if slices.Contains(scopes, "groups") {
		groups := []string{}
		for _, t := range s.st.teamsWhere(func(t *team) bool { return t.has(u.Login) }) {
			if org := s.st.userByID(t.OrgID); org != nil {
				groups = append(groups, org.Login, org.Login+":"+strings.ToLower(t.Name))
			}
		}
		o["groups"] = groups
	}
	return o
}

func (s *Server) sign(claims obj) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.key}, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", s.keyID()))
	if err != nil {
		return "", fmt.Errorf("sign an identity token: %w", err)
	}
	signed, err := signer.Sign(host.Encode(claims))
	if err != nil {
		return "", fmt.Errorf("sign an identity token: %w", err)
	}
	return signed.CompactSerialize()
}

func userInfo(c *call) *reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return ok(c.s.claims(c.actor.user, []string{"profile", "email", "groups"}))
}
