package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/signin"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Paths of the identity provider (docs.gitlab.com/api/oauth2 and docs.gitlab.com/integration/openid_connect_provider).
const (
	authorizeRoute = "/oauth/authorize"
	tokenRoute     = "/oauth/token"
	userInfoRoute  = "/oauth/userinfo"
	keysRoute      = "/oauth/discovery/keys"
)

// isSignIn reports whether a path belongs to the identity provider.
func isSignIn(path string) bool {
	return strings.HasPrefix(path, "/oauth/") || path == signin.DiscoveryPath
}

func signInRoutes() []route {
	return []route{
		{method: "GET", pattern: signin.DiscoveryPath, public: true, h: signInPage},
		{method: "GET", pattern: keysRoute, public: true, h: signInPage},
		{method: "GET", pattern: authorizeRoute, public: true, h: signInPage},
		{method: "POST", pattern: tokenRoute, public: true, h: signInPage},
		{method: "GET", pattern: userInfoRoute, scopes: []string{"openid"}, h: userInfo},
	}
}

func signInPage(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.s.people.Answer(c.Call, shared.SignIn{SignInAs: c.s.settings.SignInAs, DenySignIn: c.s.settings.DenySignIn})
}

// openSignIn makes the provider with the loaded state.
func (s *Server) openSignIn() (err error) {
	s.people, err = signin.New(signin.Config{Server: &s.Server, State: &s.st.State,
		AuthorizePath: authorizeRoute, TokenPath: tokenRoute, UserInfoPath: userInfoRoute, KeysPath: keysRoute, SecretPrefix: "gloas-",
		AccessLife: 2 * time.Hour, // docs.gitlab.com/api/oauth2, "Access token expiration"
		BadCode:    "invalid_grant", BadSecret: "invalid_client", BadClient: http.StatusUnauthorized,
		Discovery: obj{"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query", "fragment", "form_post"},
			"grant_types_supported": []string{"authorization_code", "password", "client_credentials", "device_code",
				"refresh_token"},
			"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
			"claim_types_supported":                 []string{"normal"},
			"scopes_supported": []string{"api", "read_api", "read_user", "read_repository", "write_repository",
				"openid", "profile", "email"},
			"claims_supported": []string{"iss", "sub", "aud", "exp", "iat", "sub_legacy", "name", "nickname", "preferred_username", "email",
				"email_verified", "website",
				"profile", "picture", "groups", "groups_direct"}},
		People: s.signers, Issue: s.issue, Claims: s.idClaims})
	return err
}

// signers returns the people who may sign in; Server.Mu is held, as in all following functions.
func (s *Server) signers() (out []signin.Person) {
	for _, u := range s.st.Users {
		if !u.Bot && !u.Blocked {
			out = append(out, signin.Person{ID: u.ID, Login: u.Login})
		}
	}
	return out
}

func (s *Server) issue(id int64, a *signin.Client, scopes []string, ends time.Time) string {
	text := host.RandomHex(32)
	s.st.Tokens[host.HashHex([]byte(text))] = &token{ID: s.st.ID("token"), UserID: id, Name: a.Name, Scopes: slices.Clone(scopes),
		Created: s.NowMicros(), Ends: ends.Unix()}
	return text
}

// claims returns the common claims of the identity token and userinfo (gitlab-org/gitlab,
// config/initializers/doorkeeper_openid_connect.rb).
func (s *Server) claims(u *user, scopes []string) obj {
	o := obj{"sub": strconv.FormatInt(u.ID, 10), "sub_legacy": host.HashHex(fmt.Appendf(nil, "%d-simulated", u.ID)), "name": u.Name,
		"nickname": u.Login, "preferred_username": u.Login,
		"email": nil, "email_verified": false}
	if slices.Contains(scopes, "email") {
		o["email"], o["email_verified"] = strings.ToLower(u.Login)+"@example.com", true
	}
	return o
}

// idClaims returns the claims of the identity token, which names a person's direct groups.
func (s *Server) idClaims(id int64, scopes []string) obj {
	u := s.st.Users[id]
	if u == nil || u.Blocked {
		return nil
	}
	o := s.claims(u, scopes)
	direct := []string{}
	for _, g := range s.groupsByPath() {
		if g.Members[u.ID] > 0 {
			direct = append(direct, g.Path)
		}
	}
	maps.Copy(o, obj{"auth_time": s.Now().Unix(), "groups_direct": direct})
	return o
}

// userInfo also names the groups above a person's direct groups.
func userInfo(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	u := c.actor.user
	o := c.s.claims(u, c.actor.token.Scopes)
	groups := []string{}
	for _, g := range c.s.groupsByPath() {
		if c.s.st.groupLevel(u, g.Path) > 0 {
			groups = append(groups, g.Path)
		}
	}
	maps.Copy(o, obj{"website": "", "profile": c.s.Base + "/" + u.Login, "picture": nil, "groups": groups})
	return ok(o)
}

func (s *Server) groupsByPath() []*group {
	return slices.SortedFunc(maps.Values(s.st.Groups), func(a, b *group) int { return cmp.Compare(a.Path, b.Path) })
}

// RegisterClient registers an application that signs people in.
func (s *Server) RegisterClient(ctx context.Context, spec shared.ClientSpec) (shared.Client, error) {
	return s.people.RegisterClient(ctx, spec)
}
