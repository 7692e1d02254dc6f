package github

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/host"
)

// triageRoutes returns the routes of labels and of requested reviewers.
func triageRoutes(repo string) []route {
	const issue, pr = "/issues/{pull_number}/labels", "/pulls/{pull_number}/requested_reviewers"
	return []route{
		{method: "GET", pattern: repo + "/labels", who: withAny, need: "issues:read|pull_requests:read", h: listRepoLabels},
		{method: "GET", pattern: repo + issue, who: withAny, need: "issues:read|pull_requests:read", h: listLabels},
		{method: "POST", pattern: repo + issue, who: withAny, need: "issues:write|pull_requests:write", h: host.Reading(addLabels)},
		{method: "DELETE", pattern: repo + issue + "/{name}", who: withAny, need: "issues:write|pull_requests:write", h: removeLabel},
		{method: "GET", pattern: repo + pr, who: withAny, need: "pull_requests:read", h: listReviewers},
		{method: "POST", pattern: repo + pr, who: withAny, need: "pull_requests:write", h: requestReviewers},
		{method: "DELETE", pattern: repo + pr, who: withAny, need: "pull_requests:write", h: removeReviewers},
	}
}

// labelsOf renders the labels of a pull request; Server.Mu is held.
func (c *call) labelsOf(p *pull) []any {
	v, out := c.view(), []any{}
	for _, name := range p.Labels {
		out = append(out, v.label(c.repo, name))
	}
	return out
}

// listRepoLabels lists the labels of the repository by name.
func listRepoLabels(c *call) *reply {
	c.s.Mu.Lock()
	v, out := c.view(), []any{}
	for _, key := range slices.Sorted(maps.Keys(c.repo.Labels)) {
		out = append(out, v.label(c.repo, c.repo.Labels[key].Name))
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

func listLabels(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	out := c.labelsOf(p)
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

// Bounds of labels. [inference: reported as errors of the real host, not documented]
const (
	maxLabelName = 50
	maxLabels    = 100
)

// addLabels adds labels and creates those that the repository lacks.
func addLabels(c *call, in struct {
	Labels []string `json:"labels"`
}) *reply {
	p, base, head := c.pull()
	switch {
	case p == nil:
		return notFound()
	case len(in.Labels) == 0:
		return invalid("Label", "labels", "missing_field", "")
	}
	for _, name := range in.Labels {
		if utf8.RuneCountInString(name) > maxLabelName {
			return invalid("Label", "name", "custom", "name is too long (maximum is 50 characters)")
		}
	}
	n, err := c.s.stats(c.Ctx, c.repo, base, head)
	if err != nil {
		return broken(c, err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if len(p.Labels)+len(in.Labels) > maxLabels {
		return invalid("Issue", "labels", "custom", "issues can have at most 100 labels")
	}
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	u.labels(in.Labels, nil)
	c.wrote("label", "update", p.IssueID, p.Number)
	return ok(c.labelsOf(p))
}

func removeLabel(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	n, err := c.s.stats(c.Ctx, c.repo, base, head)
	if err != nil {
		return broken(c, err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	at := slices.IndexFunc(p.Labels, func(l string) bool { return strings.EqualFold(l, c.Vars["name"]) })
	if at < 0 {
		return fail(http.StatusNotFound, "Label does not exist")
	}
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	u.labels(nil, []string{p.Labels[at]})
	c.wrote("label", "update", p.IssueID, p.Number)
	return ok(c.labelsOf(p))
}

func listReviewers(c *call) *reply {
	p, _, _ := c.pull()
	if p == nil {
		return notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	v, users := c.view(), []any{}
	for _, login := range p.Requested {
		users = append(users, v.user(login))
	}
	return ok(obj{"users": users, "teams": []any{}})
}

func requestReviewers(c *call) *reply { return c.reviewers(true) }

func removeReviewers(c *call) *reply { return c.reviewers(false) }

func (c *call) reviewers(add bool) *reply {
	var in struct {
		Reviewers []string `json:"reviewers"`
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	n, err := c.s.stats(c.Ctx, c.repo, base, head)
	if err != nil {
		return broken(c, err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, login := range in.Reviewers {
		u := c.s.st.user(login)
		switch {
		case add && strings.EqualFold(login, p.Author):
			return fail(http.StatusUnprocessableEntity, "Review cannot be requested from pull request author.")
		case add && (u == nil || c.s.st.role(u, c.repo) == "none"):
			return fail(http.StatusUnprocessableEntity, "Reviews may only be requested from collaborators. One or more of the users or "+
				"teams you specified is not a collaborator of the "+
				c.repo.FullName()+" repository.")
		case !add && (u == nil || !slices.Contains(p.Requested, u.Login)): // [inference: the error for others is not documented]
			return fail(http.StatusUnprocessableEntity, "Could not remove requested reviewers.")
		}
	}
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	status := http.StatusOK
	if add {
		status = http.StatusCreated
		u.reviewers(in.Reviewers)
	} else {
		u.unrequest(in.Reviewers)
	}
	c.wrote("reviewers", "update", p.IssueID, p.Number)
	return host.JSON(status, c.view().simplePull(c.repo, p))
}

// unrequest withdraws requests for reviews.
func (u pullChange) unrequest(logins []string) {
	for _, login := range logins {
		x := u.s.st.user(login)
		u.p.Requested = host.Without(u.p.Requested, func(l string) bool { return l == x.Login })
		u.emit("review_request_removed", "no longer asks "+x.Login+" for a review", obj{"requested_reviewer": u.s.view().user(x.Login)})
	}
}
