package gitea

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// pullEvents are the types of pull request events, as a webhook stores them, in their listed order. In a
// request, "pull_request" stands for all, "pull_request_only" for the first, "pull_request_review" for three
// (routers/api/v1/utils/hook.go of the host).
var pullEvents = []string{"pull_request", "pull_request_assign", "pull_request_label", "pull_request_milestone", "pull_request_comment",
	"pull_request_review_approved", "pull_request_review_rejected", "pull_request_review_comment", "pull_request_sync",
	"pull_request_review_request"}

var issueEvents = []string{"issues", "issue_assign", "issue_label", "issue_milestone", "issue_comment"}

var plainEvents = []string{"create", "delete", "fork", "push", "wiki", "repository", "release", "package", "status", "workflow_run",
	"workflow_job"}

// expand turns the words of a request into types. Without words it returns "push", like the host.
func (s *Server) expand(words []string) []string {
	if len(words) == 0 {
		words = []string{"push"}
	}
	var out []string
	has := func(w string) bool { return slices.Contains(words, w) }
	for _, e := range plainEvents {
		if has(e) && !(s.forgejo && strings.HasPrefix(e, "workflow_")) {
			out = append(out, e)
		}
	}
	for _, e := range issueEvents {
		if has(e) || has("issues") || e == "issues" && has("issues_only") {
			out = append(out, e)
		}
	}
	for _, e := range pullEvents {
		review := strings.HasPrefix(e, "pull_request_review_") && e != "pull_request_review_request"
		if has("pull_request") || has(e) || e == "pull_request" && has("pull_request_only") || review && has("pull_request_review") {
			out = append(out, e)
		}
	}
	return out
}

// allWords returns the words that select every event.
func allWords() []string { return append([]string{"issues", "pull_request"}, plainEvents...) }

type hookInput struct {
	Type          string            `json:"type"`
	Config        map[string]string `json:"config"`
	Events        []string          `json:"events"`
	BranchFilter  *string           `json:"branch_filter"`
	Authorization *string           `json:"authorization_header"`
	Active        *bool             `json:"active"`
}

// hooks lists the webhooks of a repository or organisation by id; Server.Mu is held.
func (s *Server) hooks(keep func(*hook) bool) []*hook {
	list := host.ByKey(s.st.Hooks)
	return host.Without(list, func(h *hook) bool { return !keep(h) })
}

func (c *call) hookList(keep func(*hook) bool) *reply {
	c.s.Mu.Lock()
	v := c.view()
	out := host.RenderAll(c.s.hooks(keep), func(h *hook) any { return v.hook(h) })
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

func listHooks(c *call) *reply {
	return c.hookList(func(h *hook) bool { return h.RepoID == c.repo.ID })
}

func createHook(c *call) *reply { return c.newHook(&hook{RepoID: c.repo.ID}) }

func (c *call) newHook(h *hook) *reply {
	var in hookInput
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	kinds := []string{"gitea", "gogs"}
	if c.s.forgejo {
		kinds = append(kinds, "forgejo")
	}
	switch {
	case in.Type == "":
		return c.invalid("[Type]: Required")
	case !slices.Contains(kinds, in.Type):
		return c.invalid("Invalid hook type: " + in.Type)
	case in.Config["url"] == "" || in.Config["content_type"] == "":
		return c.invalid("Missing config option: url or content_type")
	case in.Config["content_type"] != "json" && in.Config["content_type"] != "form":
		return c.invalid("Invalid content type")
	case host.CheckHookURL(in.Config["url"]) != nil:
		return c.invalid("Invalid url")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	h.ID, h.Created = c.s.st.ID("hook"), c.s.NowMicros()
	h.Events = c.s.expand(in.Events)
	c.s.st.Hooks[h.ID] = h
	return c.storeHook(h, in, http.StatusCreated, "create")
}

// storeHook changes the fields of a webhook that a request names; Server.Mu is held.
func (c *call) storeHook(h *hook, in hookInput, status int, verb string) *reply {
	h.URL, h.ContentType = host.OrElse(in.Config["url"], h.URL), host.OrElse(in.Config["content_type"], h.ContentType)
	if secret, ok := in.Config["secret"]; ok {
		h.Secret = secret
	}
	host.Set(&h.BranchFilter, in.BranchFilter)
	host.Set(&h.Authorization, in.Authorization)
	host.Set(&h.Active, in.Active) // a new one is inactive by default
	h.Updated = c.s.NowMicros()
	c.wrote("hook", verb, h.ID, 0)
	return host.JSON(status, c.view().hook(h))
}

// hook finds the webhook of the path in its repository or organisation; Server.Mu is held.
func (c *call) hook() *hook {
	h := c.s.st.Hooks[c.Number("id")]
	switch org := c.org(); {
	case h == nil:
		return nil
	case c.repo != nil && h.RepoID == c.repo.ID, org != nil && h.OrgID == org.ID:
		return h
	}
	return nil
}

func getHook(c *call) *reply {
	h := c.hook()
	if h == nil {
		return notFoundAt(c.s.Base)
	}
	return ok(c.view().hook(h))
}

// editHook is PATCH …/hooks/{id}. Omitted events become the host's default, as in its source.
func editHook(c *call, in hookInput) *reply {
	if in.Config["url"] != "" && host.CheckHookURL(in.Config["url"]) != nil {
		return c.invalid("Invalid url")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	h := c.hook()
	if h == nil {
		return notFoundAt(c.s.Base)
	}
	h.Events = c.s.expand(in.Events)
	return c.storeHook(h, in, http.StatusOK, "update")
}

func deleteHook(c *call) *reply {
	h := c.hook()
	if h == nil {
		return notFoundAt(c.s.Base)
	}
	delete(c.s.st.Hooks, h.ID)
	c.wrote("hook", "delete", h.ID, 0)
	return host.NoContent()
}

// testHook sends a push event of the newest commit.
func testHook(c *call) *reply {
	c.s.Mu.Lock()
	h, branch := c.hook(), c.repo.DefaultBranch
	c.s.Mu.Unlock()
	if h == nil {
		return c.notFound()
	}
	sha, err := c.repo.git.Resolve(c.Ctx, "heads/"+branch)
	if err != nil {
		return c.notFound()
	}
	info := c.s.describePush(c.Ctx, c.repo, "refs/heads/"+branch, sha, sha)
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.s.enqueue(h, c.repo, "push", "", c.s.pushPayload(c.repo, info, c.actor.login))
	return host.NoContent()
}

// orgForHooks finds the organisation of the path if the caller owns it.
func (c *call) orgForHooks() (*user, *reply) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	org := c.org()
	switch {
	case org == nil:
		return nil, notFoundAt(c.s.Base)
	case !c.s.st.isOwner(c.actor.user, org):
		return nil, host.JSON(http.StatusForbidden, obj{"message": "Must be an organization owner", "url": c.s.Base + "/api/swagger"})
	}
	return org, nil
}

func listOrgHooks(c *call) *reply {
	org, refused := c.orgForHooks()
	if refused != nil {
		return refused
	}
	return c.hookList(func(h *hook) bool { return h.OrgID == org.ID })
}

func createOrgHook(c *call) *reply {
	org, refused := c.orgForHooks()
	if refused != nil {
		return refused
	}
	return c.newHook(&hook{OrgID: org.ID})
}

// ownedHook adapts a handler of repository webhooks to those of an organisation, for its owners.
func ownedHook(f func(*call) *reply) func(*call) *reply {
	return func(c *call) *reply {
		if _, refused := c.orgForHooks(); refused != nil {
			return refused
		}
		return f(c)
	}
}
