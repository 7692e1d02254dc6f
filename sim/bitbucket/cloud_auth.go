package bitbucket

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// actor is the sender of a request.
type actor struct {
	user  *user
	token *token
}

// User names of git over HTTP (support.atlassian.com/bitbucket-cloud/docs, "Using API tokens" and "Using access tokens").
const (
	gitAPIToken    = "x-bitbucket-api-token-auth"
	gitAccessToken = "x-token-auth"
)

// implied lists the scopes that a scope of an OAuth grant includes (developer.atlassian.com/cloud/bitbucket/rest/intro,
// "Scopes"). Scopes of API tokens include no others.
var implied = map[string][]string{
	"repository:write":  {"repository"},
	"pullrequest":       {"repository"},
	"pullrequest:write": {"pullrequest", "repository", "repository:write"},
	"pipeline:write":    {"pipeline"},
	"account:write":     {"account"},
}

// allScopes are the scopes of a token that was made without any.
var allScopes = map[string][]string{
	simapi.APIToken: {"read:repository", "write:repository", "admin:repository", "read:pullrequest", "write:pullrequest", "read:webhook",
		"write:webhook", "delete:webhook", "read:workspace", "read:user", "read:pipeline", "read:issue"},
	simapi.AccessToken: {"repository:write", "repository:admin", "pullrequest:write", "webhook", "pipeline", "account", "issue"},
}

// granted returns the scopes of a token in the host's notation.
func (t *token) granted() []string {
	list := t.Scopes
	if len(list) == 0 {
		list = allScopes[simapi.AccessToken]
		if t.Kind == simapi.APIToken {
			list = nil
			for _, s := range allScopes[simapi.APIToken] {
				list = append(list, s+":bitbucket")
			}
		}
	}
	return list
}

// lacks returns the scopes of a route that the token lacks.
func (t *token) lacks(r *route) (required []string) {
	have := t.granted()
	if t.Kind == simapi.APIToken {
		for s := range strings.FieldsSeq(r.api) {
			required = append(required, s+":bitbucket")
		}
	} else if r.oauth != "" {
		required = []string{r.oauth}
	}
	enough := !slices.ContainsFunc(required, func(s string) bool {
		return !slices.ContainsFunc(have, func(h string) bool { return h == s || slices.Contains(implied[h], s) })
	})
	if enough {
		return nil
	}
	return required
}

func denied(message string) *reply {
	return fail(http.StatusUnauthorized, message).Set("WWW-Authenticate", `Basic realm="Bitbucket.org HTTP"`)
}

// authenticate returns the sender of a request; (nil, nil) without credentials.
func (s *Server) authenticate(r *http.Request) (*actor, *reply) {
	if r.Header.Get("Authorization") == "" || r.URL.Path == tokenPath {
		return nil, nil // the token endpoint has credentials of consumers
	}
	refused := denied("Token is invalid, expired, or not supported for this endpoint.")
	name, secret, basic := r.BasicAuth()
	if !basic {
		scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "bearer") {
			return nil, refused
		}
		secret = strings.TrimSpace(rest)
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.Tokens[host.HashHex([]byte(secret))]
	if t == nil || t.Kind == simapi.Consumer || t.Expires != 0 && t.Expires <= s.Now().Add(s.ClockOffset).Unix() {
		return nil, refused
	}
	u := s.st.userByID(t.UserID)
	if u == nil || u.Blocked {
		return nil, refused
	}
	_, _, _, isGit := host.SplitGitPath(r.URL.Path)
	person := t.Kind == simapi.APIToken
	var fits bool
	switch {
	case !basic:
		fits = !person || s.On(simapi.BearerTokens)
	case isGit && person:
		fits = name == gitAPIToken || strings.EqualFold(name, u.Email) || strings.EqualFold(name, u.Login)
	case isGit:
		fits = name == gitAccessToken
	default:
		fits = person && strings.EqualFold(name, u.Email)
	}
	if !fits {
		return nil, refused
	}
	return &actor{user: u, token: t}, nil
}

// reaches reports whether the token may be used for a repository.
func (a *actor) reaches(r *repository) bool {
	return a == nil || (a.token.RepoID == 0 || a.token.RepoID == r.ID) && (a.token.WorkspaceID == 0 || a.token.WorkspaceID == r.OwnerID)
}

// roleOf returns the role of a caller in a repository. An access token is limited by its reach and its scopes alone.
func (st *state) roleOf(a *actor, r *repository) string {
	if a != nil && a.user.App && a.reaches(r) {
		return "admin"
	}
	return st.role(a.account(), r)
}

// account returns the caller's account; nil for an anonymous caller.
func (a *actor) account() *user {
	if a == nil {
		return nil
	}
	return a.user
}

// authorise checks that the caller may use the route, and finds the repository and the workspace in the path.
func (c *call) authorise() *reply {
	if c.route.oauth == "" {
		return nil
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	inRepo := strings.HasPrefix(c.route.pattern, repoRoute)
	if c.actor == nil && (!inRepo || host.IsWrite(c.R.Method)) {
		return denied("Authentication is required for this resource.")
	}
	if c.actor != nil {
		if required := c.actor.token.lacks(c.route); required != nil {
			return host.JSON(http.StatusForbidden, obj{"type": "error", "error": obj{
				"message": "Your credentials lack one or more required privilege scopes.",
				"detail":  obj{"required": required, "granted": c.actor.token.granted()}}})
		}
	}
	if name, given := c.Vars["workspace"]; given {
		if c.ws = c.s.st.workspace(name); c.ws == nil && !inRepo {
			return fail(http.StatusNotFound, "No workspace with identifier '"+name+"'.")
		}
	}
	switch {
	case inRepo:
		return c.enterRepo()
	case c.ws != nil:
		return c.enterWorkspace()
	}
	return nil
}

// enterRepo finds the repository of the path; Server.Mu is held.
func (c *call) enterRepo() *reply {
	slug := c.Vars["repo_slug"]
	gone := fail(http.StatusNotFound, "Repository "+c.Vars["workspace"]+"/"+slug+" not found")
	c.repo = c.s.st.Repos[idOf(repoUUID, slug)]
	if c.repo == nil && c.ws != nil {
		c.repo = c.s.st.repo(c.ws.Login, slug)
	}
	if c.repo == nil {
		r := c.s.st.Repos[c.s.st.Moved[strings.ToLower(c.Vars["workspace"]+"/"+slug)]]
		if r == nil || !c.s.On(simapi.MovedRedirects) {
			return gone
		}
		old := "/repositories/" + c.Vars["workspace"] + "/" + slug
		return (&reply{Status: http.StatusMovedPermanently}).Set("Location", c.s.Base+strings.Replace(c.R.URL.RequestURI(), old,
			"/repositories/"+c.s.st.fullName(r), 1))
	}
	have := c.s.st.roleOf(c.actor, c.repo)
	switch {
	case have == "none" || !c.actor.reaches(c.repo):
		return gone
	case rank[have] < rank[c.route.need]:
		return fail(http.StatusForbidden, fmt.Sprintf("Access denied. You must have %s access.", c.route.need))
	}
	return nil
}

// enterWorkspace checks the caller's place in the workspace of the path; Server.Mu is held.
func (c *call) enterWorkspace() *reply {
	place := c.ws.Members[c.actor.user.ID]
	if c.ws == c.actor.user || c.actor.token.WorkspaceID == c.ws.ID {
		place = "owner"
	}
	switch {
	case c.route.need == "owner" && place != "owner", c.route.need == "member" && place == "":
		return fail(http.StatusForbidden, "You do not have access to this workspace.")
	}
	return nil
}

// gitAccess decides about a git request.
func (s *Server) gitAccess(r *http.Request, owner, name, inner string) (x host.GitAccess) {
	a, refused := s.authenticate(r)
	if a != nil {
		x.Actor = a.user.Login
	}
	s.Mu.Lock()
	repo := s.st.repo(owner, name)
	hidden := repo == nil || s.st.roleOf(a, repo) == "none" || !a.reaches(repo)
	s.Mu.Unlock()
	switch {
	case refused != nil || a == nil && hidden:
		x.Status, x.Text = http.StatusUnauthorized, "Unauthorized"
	case hidden:
		x.Status, x.Text = http.StatusNotFound, "Not Found"
	case a != nil && a.token.lacks(&route{oauth: "repository", api: "read:repository"}) != nil || host.IsPush(r, inner):
		x.Status, x.Text = http.StatusForbidden, "Forbidden"
	default:
		x.Repo = repo.git
	}
	return x
}

// grantLife is the life of a grant of a consumer (developer.atlassian.com/cloud/bitbucket/oauth-2: two hours).
const grantLife = 2 * time.Hour

// accessToken answers POST /site/oauth2/access_token: the grant client_credentials of a consumer.
func accessToken(c *call) *reply {
	bad := func(status int, word, text string) *reply {
		return host.JSON(status, obj{"error": word, "error_description": text})
	}
	form, err := url.ParseQuery(string(c.Body))
	if err != nil {
		return bad(http.StatusBadRequest, "invalid_request", "The body must be a form.")
	}
	key, secret, basic := c.R.BasicAuth()
	if !basic {
		key, secret = form.Get("client_id"), form.Get("client_secret")
	}
	t := c.s.st.Tokens[host.HashHex([]byte(secret))]
	switch {
	case t == nil || t.Kind != simapi.Consumer || t.Key != key:
		return bad(http.StatusUnauthorized, "unauthorized_client", "Invalid client credentials")
	case form.Get("grant_type") != "client_credentials":
		return bad(http.StatusBadRequest, "unsupported_grant_type", "Unsupported grant type: "+form.Get("grant_type"))
	}
	text := host.RandomHex(40)
	grant := &token{ID: c.s.st.ID("token"), Kind: simapi.AccessToken, Name: t.Name, UserID: t.UserID, WorkspaceID: t.WorkspaceID,
		Scopes: t.granted(), Expires: c.s.Now().Add(c.s.ClockOffset + grantLife).Unix()}
	c.s.st.Tokens[host.HashHex([]byte(text))] = grant
	c.wrote("grant", "create", grant.ID, 0)
	return ok(obj{"access_token": text, "scopes": strings.Join(grant.Scopes, " "), "token_type": "bearer",
		"expires_in": int(grantLife / time.Second), "state": "client_credentials", "refresh_token": host.RandomHex(9)})
}
