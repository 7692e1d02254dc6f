package gitea

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// actor is the sender of a request.
type actor struct {
	login  string
	user   *user
	scopes []string
}

// scopeAll is the scope that grants everything.
const scopeAll = "all"

// may reports whether the token allows a level ("read", "write") of a category ("repository", "issue", …).
func (a *actor) may(category, level string) bool {
	for _, s := range a.scopes {
		if s == scopeAll || s == "write:"+category || (level == "read" && s == "read:"+category) {
			return true
		}
	}
	return false
}

// categories of token scopes (docs.gitea.com, "Gitea Token Scope").
var categories = []string{"activitypub", "admin", "issue", "misc", "notification", "organization", "package", "repository", "user"}

func checkScopes(scopes []string) error {
	for _, s := range scopes {
		level, category, _ := strings.Cut(s, ":")
		if s != scopeAll && s != "public-only" && (level != "read" && level != "write" || !slices.Contains(categories, category)) {
			return fmt.Errorf("scopes: must be %q, \"public-only\", or read: or write: and one of %v", scopeAll, categories)
		}
	}
	return nil
}

// credentials returns the secret of a request: Authorization "token …" or "Bearer …", the password of Basic
// (or its user name beside "x-oauth-basic"), or the query parameters "token" and "access_token".
func credentials(r *http.Request) (secret string, given bool) {
	if name, password, ok := r.BasicAuth(); ok {
		if password == "" || password == "x-oauth-basic" {
			return name, true
		}
		return password, true
	}
	if q := r.URL.Query(); q.Get("token") != "" || q.Get("access_token") != "" {
		return host.OrElse(q.Get("token"), q.Get("access_token")), true
	}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") {
		return strings.TrimSpace(rest), true
	}
	return "", r.Header.Get("Authorization") != ""
}

// authenticate returns the sender of a request; (nil, nil) without credentials.
func (s *Server) authenticate(r *http.Request) (*actor, *reply) {
	secret, given := credentials(r)
	if !given || r.URL.Path == accessTokenRoute {
		return nil, nil // the token endpoint has credentials of clients
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.Tokens[host.HashHex([]byte(secret))]
	var u *user
	if t != nil && (t.Expires == 0 || t.Expires > s.Now().Unix()) {
		u = s.st.userByID(t.UserID)
	}
	if u == nil {
		return nil, host.JSON(http.StatusUnauthorized, obj{"message": "invalid username, password or token", "url": s.Base + "/api/swagger"})
	}
	if u.Blocked {
		return nil, host.JSON(http.StatusForbidden, obj{"message": "Sign in is prohibited for the user.", "url": s.Base + "/api/swagger"})
	}
	return &actor{login: u.Login, user: u, scopes: t.Scopes}, nil
}

// rank orders the roles in a repository.
var rank = map[string]int{"none": 0, "read": 1, "write": 2, "admin": 3, "owner": 4}

// authorise checks that the caller may use the route, and finds the repository in the path.
func (c *call) authorise() *reply {
	a := c.actor
	c.s.Mu.Lock()
	signIn := c.s.settings.RequireSignIn
	c.s.Mu.Unlock()
	if a == nil && (!c.route.open && !c.route.inRepo() || signIn && c.route.scope != "") || a == nil && host.IsWrite(c.R.Method) &&
		!c.route.open {
		return c.fail(http.StatusUnauthorized, "token is required")
	}
	if a != nil {
		level := "read"
		if host.IsWrite(c.R.Method) {
			level = "write"
		}
		for category := range strings.SplitSeq(c.route.scope, "+") {
			if category != "" && !a.may(category, level) {
				return c.fail(http.StatusForbidden, fmt.Sprintf("token does not have at least one of required scope(s), required=[%s:%s], "+
					"token scope=%s",
					level, category, strings.Join(a.scopes, ",")))
			}
		}
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if id := c.Number("repository_id"); id != 0 {
		c.repo = c.s.st.Repos[id]
	} else if c.route.inRepo() {
		c.repo = c.s.st.repo(c.Vars["owner"], c.Vars["repo"])
	} else {
		return c.s.renamed(c)
	}
	if c.repo == nil {
		return c.s.moved(c)
	}
	return c.s.mayUse(a, c.repo, c.route.need)
}

// moved redirects to the current name of a repository; Server.Mu is held.
func (s *Server) moved(c *call) *reply {
	r := s.st.Repos[s.st.Moved[strings.ToLower(c.Vars["owner"]+"/"+c.Vars["repo"])]]
	if r == nil {
		return notFoundAt(s.Base)
	}
	old := "/repos/" + c.Vars["owner"] + "/" + c.Vars["repo"]
	to := strings.Replace(c.R.URL.RequestURI(), old, "/repos/"+r.FullName(), 1)
	return (&reply{Status: http.StatusTemporaryRedirect}).Set("Location", to)
}

// renamed redirects from the former name of an account to its current one, for paths below /orgs/{org} and
// /users/{username} (measured on Gitea 1.26.4; services/context/context_response.go, RedirectToUser);
// Server.Mu is held.
func (s *Server) renamed(c *call) *reply {
	first, _, below := strings.Cut(strings.TrimPrefix(c.route.pattern, "/"), "/")
	if !below || c.route.pattern == "/users/search" {
		return nil
	}
	name := c.Vars[map[string]string{"orgs": "org", "users": "username"}[first]]
	u := s.st.userByID(s.st.Renamed[strings.ToLower(name)])
	if u == nil {
		return nil
	}
	to := strings.Replace(c.R.URL.RequestURI(), "/"+name, "/"+u.Login, 1)
	return (&reply{Status: http.StatusTemporaryRedirect, Body: []byte(`<a href="` + html.EscapeString(to) +
		`">Temporary Redirect</a>.` + "\n")}).
		Set("Location", to).Set("Content-Type", "text/html; charset=utf-8")
}

func notFoundAt(base string) *reply {
	return host.JSON(http.StatusNotFound, obj{"message": "The target couldn't be found.", "url": base + "/api/swagger", "errors": []any{}})
}

// mayUse returns a refusal if an actor lacks a role in a repository; Server.Mu is held.
func (s *Server) mayUse(a *actor, r *repository, need string) *reply {
	have := "none"
	if !r.Private {
		have = "read"
	}
	if a != nil {
		have = s.st.role(a.user, r)
	}
	switch {
	case have == "none":
		return notFoundAt(s.Base)
	case rank[have] < rank[host.OrElse(need, "read")]:
		return host.JSON(http.StatusForbidden, obj{"message": fmt.Sprintf("user should have specific permission or be a site admin: "+
			"%s is needed", need), "url": s.Base + "/api/swagger"})
	}
	return nil
}

// role returns the role of a user in a repository: none, read, write, admin, owner.
func (st *state) role(u *user, r *repository) string {
	role := st.directRole(u, r)
	owner := st.user(r.Owner)
	for _, t := range st.Teams {
		if u != nil && owner != nil && owner.Org && t.OrgID == owner.ID && t.has(u.Login) && t.covers(r) && rank[t.Permission] > rank[role] {
			role = t.Permission
		}
	}
	return role
}

// directRole returns the role of a user without the teams that have a right per unit, which are all teams
// except those of administrators.
func (st *state) directRole(u *user, r *repository) string {
	role := "none"
	if !r.Private {
		role = "read"
	}
	if u == nil {
		return role
	}
	if u.Admin || strings.EqualFold(u.Login, r.Owner) {
		return "owner"
	}
	better := func(x string) {
		if rank[x] > rank[role] {
			role = x
		}
	}
	better(r.Collaborators[u.Login])
	if owner := st.user(r.Owner); owner != nil && owner.Org {
		for _, t := range st.Teams {
			if t.OrgID == owner.ID && t.has(u.Login) && t.covers(r) && !t.byUnit() {
				better(t.Permission)
			}
		}
	}
	return role
}

// byUnit reports whether a team has a right per unit instead of one for all.
func (t *team) byUnit() bool { return rank[t.Permission] < rank["admin"] }

func (t *team) has(login string) bool { return slices.Contains(t.Members, login) }

func (t *team) covers(r *repository) bool { return t.All || slices.Contains(t.RepoIDs, r.ID) }

// isOwner reports whether a user owns an organisation.
func (st *state) isOwner(u, org *user) bool {
	for _, t := range st.Teams {
		if u != nil && t.OrgID == org.ID && t.Permission == "owner" && t.has(u.Login) {
			return true
		}
	}
	return u != nil && u.Admin
}

// isMember reports whether a user is in a team of an organisation.
func (st *state) isMember(u, org *user) bool {
	for _, t := range st.Teams {
		if u != nil && t.OrgID == org.ID && t.has(u.Login) {
			return true
		}
	}
	return false
}
