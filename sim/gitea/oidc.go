package gitea

import (
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

const (
	authorizeRoute   = "/login/oauth/authorize"
	accessTokenRoute = "/login/oauth/access_token"
	userInfoRoute    = "/login/oauth/userinfo"
	keysRoute        = "/login/oauth/keys"
)

func signInRoutes() []route {
	return []route{
		{method: "GET", pattern: signin.DiscoveryPath, open: true, h: signInPage},
		{method: "GET", pattern: keysRoute, open: true, h: signInPage},
		{method: "GET", pattern: authorizeRoute, open: true, h: signInPage},
		{method: "POST", pattern: accessTokenRoute, open: true, h: signInPage},
		{method: "GET", pattern: userInfoRoute, h: userInfo},
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
		AuthorizePath: authorizeRoute, TokenPath: accessTokenRoute, UserInfoPath: userInfoRoute, KeysPath: keysRoute, CodePrefix: "gta_",
		SecretPrefix: "gto_",
		AccessLife:   time.Hour, // [oauth2] ACCESS_TOKEN_EXPIRATION_TIME by default
		BadCode:      "unauthorized_client", BadSecret: "unauthorized_client", BadClient: http.StatusBadRequest,
		Discovery: obj{"response_types_supported": []string{"code", "id_token"},
			"scopes_supported": []string{"openid", "profile", "email", "groups"},
			"claims_supported": []string{"aud", "exp", "iat", "iss", "sub", "name", "preferred_username", "profile", "picture",
				"website", "locale", "updated_at", "email", "email_verified", "groups"},
			"grant_types_supported": []string{"authorization_code", "refresh_token"}},
		People: s.signers, Issue: s.issue, Claims: s.claimsOf})
	return err
}

// signers returns the people who may sign in; Server.Mu is held, as in the next two functions.
func (s *Server) signers() (out []signin.Person) {
	for _, u := range s.st.Users {
		if !u.Org && !u.Blocked {
			out = append(out, signin.Person{ID: u.ID, Login: u.Login})
		}
	}
	return out
}

func (s *Server) issue(id int64, a *signin.Client, _ []string, ends time.Time) string {
	text, t := s.st.newToken(s.st.userByID(id), a.Name, []string{"read:user"}, s.NowMicros())
	t.Expires = ends.Unix()
	return text
}

func (s *Server) claimsOf(id int64, scopes []string) obj {
	u := s.st.userByID(id)
	if u == nil {
		return nil
	}
	return s.claims(u, scopes)
}

func createClient(c *call, in struct {
	Name         string   `json:"name"`
	RedirectURIs []string `json:"redirect_uris"`
	Confidential bool     `json:"confidential_client"`
}) *reply {
	a, secret, err := c.s.people.Register(c.actor.user.ID, shared.ClientSpec{Name: in.Name, RedirectURIs: in.RedirectURIs})
	if err != nil {
		return host.JSON(http.StatusBadRequest, obj{"message": err.Error(), "url": c.s.Base + "/api/swagger"})
	}
	c.wrote("client", "create", a.Number, 0)
	return created(obj{"id": a.Number, "name": a.Name, "client_id": a.ID, "client_secret": secret, "confidential_client": in.Confidential,
		"skip_secondary_authorization": false, "redirect_uris": a.Redirects, "created": timeOf(a.Created)})
}

// claims returns the claims about a person; Server.Mu is held.
func (s *Server) claims(u *user, scopes []string) obj {
	o := obj{"sub": strconv.FormatInt(u.ID, 10)}
	if slices.Contains(scopes, "profile") {
		maps.Copy(o, obj{"name": host.OrElse(u.Name, u.Login), "preferred_username": u.Login, "profile": s.Base + "/" + u.Login,
			"picture": fmt.Sprintf("%s/_avatars/%d.svg", s.Base, u.ID), "website": "", "locale": "", "updated_at": int64(u.Created) / 1e6})
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

func userInfo(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.s.claims(c.actor.user, []string{"profile", "email", "groups"}))
}

// RegisterClient registers an application that signs people in.
func (s *Server) RegisterClient(ctx context.Context, spec shared.ClientSpec) (shared.Client, error) {
	return s.people.RegisterClient(ctx, spec)
}
