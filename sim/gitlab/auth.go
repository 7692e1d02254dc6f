package gitlab

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// actor is the sender of a request.
type actor struct {
	user  *user
	token *token
}

// may reports whether the token suffices for a route (docs.gitlab.com/user/profile/personal_access_tokens,
// "Scopes").
func (a *actor) may(method string, scopes []string) bool {
	for _, s := range a.token.Scopes {
		if s == "api" || s == "read_api" && !host.IsWrite(method) || slices.Contains(scopes, s) {
			return true
		}
	}
	return slices.Contains(scopes, anyScope)
}

// anyScope accepts every valid token.
const anyScope = "*"

// credentials returns the token of a request, from the headers PRIVATE-TOKEN and Authorization ("Bearer …", or
// the password of Basic), or from the query parameters private_token and access_token
// (docs.gitlab.com/api/rest/authentication).
func credentials(r *http.Request) (text string, given bool) {
	if v := r.Header.Get("Private-Token"); v != "" {
		return v, true
	}
	if _, password, ok := r.BasicAuth(); ok {
		return password, true
	}
	if q := r.URL.Query(); q.Get("private_token") != "" || q.Get("access_token") != "" {
		return host.OrElse(q.Get("private_token"), q.Get("access_token")), true
	}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(rest), true
	}
	return "", false
}

// authenticate returns the sender of a request; (nil, nil) without credentials.
func (s *Server) authenticate(r *http.Request) (*actor, *reply) {
	text, given := credentials(r)
	if !given {
		return nil, nil
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.Tokens[host.HashHex([]byte(text))]
	invalid := func(why string) *reply {
		return host.JSON(http.StatusUnauthorized, obj{"error": "invalid_token", "error_description": why})
	}
	switch {
	case t == nil:
		return nil, failure(http.StatusUnauthorized, "401 Unauthorized")
	case t.Revoked:
		return nil, invalid("Token was revoked. You have to re-authorize from the user.")
	case t.expired(s.Now()):
		return nil, invalid("Token is expired. You can either do re-authorization or token refresh.")
	}
	u := s.st.Users[t.UserID]
	if u == nil || u.Blocked {
		return nil, failure(http.StatusForbidden, "403 Forbidden - Your account has been blocked.")
	}
	return &actor{user: u, token: t}, nil
}

// expired reports whether the token has ended: at the beginning of its last day, UTC, or at the time that a
// sign-in set.
func (t *token) expired(now time.Time) bool {
	return t.Expires != "" && now.UTC().Format(time.DateOnly) >= t.Expires || t.Ends != 0 && now.Unix() >= t.Ends
}

// authorise checks that the caller may use the route, and finds the project in the path.
func (c *call) authorise() *reply {
	if c.route.public {
		return nil
	}
	if c.actor == nil && (!c.route.open || host.IsWrite(c.R.Method)) {
		return failure(http.StatusUnauthorized, "401 Unauthorized")
	}
	if c.actor != nil && !c.actor.may(c.R.Method, c.route.scopes) {
		return host.JSON(http.StatusForbidden, obj{"error": "insufficient_scope",
			"error_description": "The request requires higher privileges than provided by the access token.", "scope": "api"})
	}
	name, inProject := c.Vars["id"]
	if !inProject || !strings.HasPrefix(c.route.pattern, projectPath) {
		return nil
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		c.project = c.s.st.Projects[id]
	} else if c.project = c.s.st.project(name); c.project == nil {
		if c.project = c.s.st.Projects[c.s.st.Moved[strings.ToLower(name)]]; c.project != nil && c.s.On(simapi.Moved) {
			return c.moved()
		}
	}
	return c.mayUse()
}

// moved redirects a GET to the project by its id, and refuses other methods (lib/api/helpers.rb of
// gitlab-org/gitlab, find_project!). Server.Mu is held.
func (c *call) moved() *reply {
	if c.R.Method != http.MethodGet {
		return failure(http.StatusMethodNotAllowed, "Non GET methods are not allowed for moved projects")
	}
	rest := strings.SplitN(strings.TrimPrefix(c.Rec.Path, "/projects/"), "/", 2)
	to := c.s.Base + apiPrefix + "/projects/" + strconv.FormatInt(c.project.ID, 10)
	if len(rest) == 2 {
		to += "/" + rest[1]
	}
	if c.R.URL.RawQuery != "" {
		to += "?" + c.R.URL.RawQuery
	}
	return (&reply{Status: http.StatusMovedPermanently}).Set("Location", to)
}

// mayUse returns a refusal if the caller lacks the route's level in the project; Server.Mu is held.
func (c *call) mayUse() *reply {
	if c.project == nil {
		return notFound("Project")
	}
	var u *user
	if c.actor != nil {
		u = c.actor.user
	}
	sees, code := c.s.st.sees(u, c.project)
	switch {
	case !sees:
		return notFound("Project")
	case c.route.code && !code, c.s.st.level(u, c.project) < c.route.level:
		return failure(http.StatusForbidden, "403 Forbidden")
	case c.project.Archived && host.IsWrite(c.R.Method):
		return failure(http.StatusForbidden, "403 Forbidden")
	}
	return nil
}

// newToken makes an access token and returns its text, which is not stored; Server.Mu is held.
func (st *state) newToken(u *user, spec simapi.TokenSpec, now micros) (text string, t *token) {
	text = "glp" + "at-" + host.RandomHex(10)
	scopes := slices.Clone(spec.Scopes)
	if len(scopes) == 0 {
		scopes = []string{"api"}
	}
	t = &token{ID: st.ID("token"), UserID: u.ID, Name: host.OrElse(spec.Name, "token"), Scopes: scopes, Created: now, Expires: spec.ExpiresOn}
	st.Tokens[host.HashHex([]byte(text))] = t
	return text, t
}

// tokenSelf is GET /personal_access_tokens/self, also for the tokens of projects and groups
// (docs.gitlab.com/api/personal_access_tokens, "Self-inform").
func tokenSelf(c *call) *reply {
	t := c.actor.token
	var expires any
	if t.Expires != "" {
		expires = t.Expires
	}
	return ok(obj{"id": t.ID, "name": t.Name, "revoked": false, "created_at": stamp(t.Created), "description": nil, "scopes": t.Scopes,
		"user_id":      t.UserID,
		"last_used_at": stamp(c.s.NowMicros()), "active": true, "expires_at": expires})
}
