package bitbucket

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// Roots of the interface of Data Center. "1.0" is the only version of "latest".
const restPrefix = "/rest/"

// Exceptions of the host.
const (
	badCredentials = "com.atlassian.bitbucket.auth.IncorrectPasswordAuthenticationException"
	notPermitted   = "com.atlassian.bitbucket.AuthorisationException"
	noSuch         = "com.atlassian.bitbucket.NoSuchObjectException"
	badArgument    = "com.atlassian.bitbucket.validation.ArgumentValidationException"
	outOfDate      = "com.atlassian.bitbucket.comment.CommentOutOfDateException"
	duplicatePull  = "com.atlassian.bitbucket.pull.DuplicatePullRequestException"
	duplicateName  = "com.atlassian.bitbucket.repository.DuplicateRefException"
)

// dcFail returns an error of Data Center.
func dcFail(status int, exception, message string) *reply {
	return host.JSON(status, obj{"errors": []any{obj{"context": nil, "message": message, "exceptionName": exception}}})
}

func dcMissing(what string) *reply {
	return dcFail(http.StatusNotFound, noSuch, what+" does not exist.")
}

func dcInvalid(message string) *reply {
	return dcFail(http.StatusBadRequest, badArgument, message)
}

// dcUnreadable is [unreadable] of Data Center.
func dcUnreadable(error) *reply { return dcInvalid("The request body cannot be read") }

func dcDenied() *reply {
	return dcFail(http.StatusUnauthorized, notPermitted, "You are not permitted to access this resource")
}

// dcRouter divides requests of Data Center among the interface, git and the pages.
func (s *Server) dcRouter(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		if rest, is := strings.CutPrefix(path, restPrefix); is {
			s.ServeAPI(w, r, "/"+strings.Replace(rest, "/1.0/", "/latest/", 1))
			return
		}
		if inner, is := strings.CutPrefix(r.URL.Path, "/scm/"); is {
			if owner, name, in, isGit := host.SplitGitPath("/" + inner); isGit {
				s.ServeGit(w, r, r.URL.Path, in, s.dcGitAccess(r, strings.TrimPrefix(owner, "~"), name, in))
				return
			}
		}
		pages.ServeHTTP(w, r)
	})
}

// dcBegin finds the route and the caller of a request.
func (s *Server) dcBegin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s}
	c.route = s.routes.Enter(in, []string{dcRepo + "/webhooks", dcRepo + "/webhooks/{id}"})
	var denied *reply
	c.actor, denied = s.dcAuthenticate(c.R)
	if c.actor != nil {
		c.Rec.Actor = c.actor.user.Login
	}
	return func() *reply {
		switch {
		case denied != nil:
			return denied
		case c.route == nil:
			return dcMissing("The resource")
		case s.overLimit(c.Rec.Actor):
			return dcFail(http.StatusTooManyRequests, "", "You are making too many requests")
		}
		if refused := c.dcEnter(); refused != nil {
			return refused.Set("X-Ausername", url.QueryEscape(c.Rec.Actor))
		}
		rep := c.route.h(c)
		if c.actor != nil {
			rep.Set("X-Ausername", url.QueryEscape(c.Rec.Actor))
			if !s.Has(noUserID) {
				rep.Set("X-Auserid", strconv.FormatInt(c.actor.user.ID, 10))
			}
		}
		return rep
	}
}

// dcAuthenticate returns the sender of a request; (nil, nil) without credentials. Tokens of projects and
// repositories work as a bearer only.
func (s *Server) dcAuthenticate(r *http.Request) (*actor, *reply) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	refused := dcFail(http.StatusUnauthorized, badCredentials, "Authentication failed. Please check your credentials and try again.")
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
	if t == nil || t.Expires != 0 && t.Expires <= s.Now().Add(s.ClockOffset).Unix() {
		return nil, refused
	}
	u := s.st.userByID(t.UserID)
	if u == nil || u.Blocked || basic && (u.App || !strings.EqualFold(name, u.Login)) {
		return nil, refused
	}
	return &actor{user: u, token: t}, nil
}

// dcRole returns the role of a caller in a repository, which the permission of the token bounds. Server.Mu is held.
func (s *Server) dcRole(a *actor, r *repository) string {
	role := s.st.roleOf(a, r)
	if a == nil {
		return role
	}
	if !a.reaches(r) {
		return "none"
	}
	most := "admin"
	for _, scope := range a.token.Scopes {
		if word, known := dcWords[scope]; known {
			most = word
		}
	}
	if rank[role] > rank[most] {
		return most
	}
	return role
}

// dcWords maps permissions to roles.
var dcWords = map[string]string{"PROJECT_READ": "read", "PROJECT_WRITE": "write", "PROJECT_ADMIN": "admin", "REPO_READ": "read",
	"REPO_WRITE": "write", "REPO_ADMIN": "admin"}

// dcEnter checks that the caller may use the route, and finds the repository and the project in the path.
func (c *call) dcEnter() *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if c.actor == nil && (c.route.need != "read" || host.IsWrite(c.R.Method)) && c.route.need != "" {
		return dcDenied()
	}
	key, given := c.Vars["projectKey"]
	if given {
		if c.ws = c.s.st.user(strings.TrimPrefix(key, "~")); c.ws == nil || c.ws.Org == strings.HasPrefix(key, "~") {
			return dcMissing("Project " + key)
		}
	}
	slug, given := c.Vars["repositorySlug"]
	if !given {
		return nil
	}
	if c.repo = c.s.st.repo(c.ws.Login, slug); c.repo == nil {
		// The host answers on the former name of a repository.
		if c.repo = c.s.st.Repos[c.s.st.Moved[strings.ToLower(c.ws.Login+"/"+slug)]]; c.repo == nil || c.s.On(movedGone) {
			return dcMissing("Repository " + key + "/" + slug)
		}
	}
	if rank[c.s.dcRole(c.actor, c.repo)] < max(rank[c.route.need], 1) {
		return dcDenied()
	}
	return nil
}

// dcGitAccess decides about a git request.
func (s *Server) dcGitAccess(r *http.Request, owner, name, inner string) (x host.GitAccess) {
	a, refused := s.dcAuthenticate(r)
	if a != nil {
		x.Actor = a.user.Login
	}
	s.Mu.Lock()
	repo := s.st.repo(owner, name)
	hidden := repo == nil || s.dcRole(a, repo) == "none"
	writes := !hidden && a != nil && rank[s.dcRole(a, repo)] >= rank["write"]
	s.Mu.Unlock()
	switch {
	case refused != nil || a == nil && hidden:
		x.Status, x.Text = http.StatusUnauthorized, "Unauthorized"
	case hidden:
		x.Status, x.Text = http.StatusNotFound, "Repository not found"
	case host.IsPush(r, inner) && !writes:
		x.Status, x.Text = http.StatusForbidden, "Forbidden"
	case writes:
		x.Repo, x.Push = repo.git, s.dcPush(a, repo)
	default:
		x.Repo = repo.git
	}
	return x
}

// dcPush lets an account push to a repository.
func (s *Server) dcPush(a *actor, repo *repository) *host.GitPush {
	branch := func(u host.RefUpdate) string { return strings.TrimPrefix(u.Name, "refs/heads/") }
	return &host.GitPush{
		Declines: func(u host.RefUpdate) bool {
			s.Mu.Lock()
			defer s.Mu.Unlock()
			return slices.Contains(repo.Protected, branch(u))
		},
		Moved: func(ctx context.Context, u host.RefUpdate) error {
			return s.pushed(ctx, repo, push{branch: branch(u), before: u.Before, after: u.After, sender: a.user.ID})
		},
	}
}

// dcCanned returns the answers of faults that apply nothing.
func (s *Server) dcCanned(f simapi.Fault) *reply {
	return s.refusal(f, dcDenied(), dcFail(host.StatusOr(f.Status, http.StatusTooManyRequests), "", "You are making too many requests"))
}

// dcHead sets the headers of every answer.
func (s *Server) dcHead(h http.Header, rec *simapi.Request, _ *reply) {
	h.Set("X-Arequestid", "@SIM"+strconv.FormatInt(rec.Seq, 10))
	h.Set("Cache-Control", "private, no-cache")
}

func (s *Server) dcBroken(status int) *reply { return dcFail(status, "", "An error occurred") }

func (s *Server) dcTooLarge() *reply {
	return dcFail(http.StatusRequestEntityTooLarge, "", "The request is too large")
}

// dcList answers one page of a list.
func (c *call) dcList(items []any) *reply { return c.dcListUpTo(items, 1000) }

func (c *call) dcListUpTo(items []any, longest int) *reply {
	c.s.Mu.Lock()
	if n := c.s.settings.MaxPage; n > 0 {
		longest = min(longest, n)
	}
	c.s.Mu.Unlock()
	start, _ := strconv.Atoi(c.Query.Get("start"))
	limit, _ := strconv.Atoi(host.OrElse(c.Query.Get("limit"), "25"))
	limit = min(max(limit, 1), longest)
	from := min(max(start, 0), len(items))
	to := min(from+limit, len(items))
	out := obj{"values": append([]any{}, items[from:to]...), "size": to - from, "limit": limit, "start": from, "isLastPage": to == len(items),
		"nextPageStart": nil}
	if to < len(items) {
		out["nextPageStart"] = to
	}
	return ok(out)
}

// dcCommit resolves the commit of a name.
func (c *call) dcCommit(name string) (string, *reply) {
	sha, err := c.repo.git.Resolve(c.Ctx, strings.TrimPrefix(name, "refs/"))
	if err != nil {
		return "", dcFail(http.StatusNotFound, noSuch, "Commit '"+name+"' does not exist.")
	}
	return sha, nil
}

// inDCPull makes a handler of one for the pull request of the path.
func inDCPull(h func(*call, *pull) *reply) func(*call) *reply {
	return func(c *call) *reply {
		c.s.Mu.Lock()
		p := c.repo.Pulls[int(c.Number("pullRequestId"))]
		c.s.Mu.Unlock()
		if p == nil {
			return dcMissing("Pull request " + c.Vars["pullRequestId"])
		}
		return h(c, p)
	}
}

// permits reports whether an account has a permission on a repository or project; Server.Mu is held.
func (st *state) permits(u *user, permission string, r *repository, project *user) bool {
	need := rank[dcWords[permission]]
	if r != nil {
		return rank[st.role(u, r)] >= need && need > 0
	}
	role := map[string]string{"owner": "admin", "member": "read"}[project.Members[u.ID]]
	if project == u {
		role = "admin"
	}
	return rank[role] >= need && need > 0
}

// people lists the persons by id; Server.Mu is held.
func (st *state) people() []*user {
	var out []*user
	for _, u := range st.Users {
		if !u.Org && !u.App {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b *user) int { return int(a.ID - b.ID) })
	return out
}
