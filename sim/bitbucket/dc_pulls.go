package bitbucket

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// dcPulls lists pull requests: with the latest change first, or by age ("OLDEST").
func dcPulls(c *call) *reply {
	state, at := host.OrElse(c.Query.Get("state"), stateOpen), c.Query.Get("at")
	c.s.Mu.Lock()
	list := host.Without(host.Newest(c.repo.Pulls), func(p *pull) bool {
		from := c.Query.Get("direction") == "OUTGOING"
		end := p.Target
		if from {
			end = p.Source
		}
		return state != "ALL" && p.State != state || at != "" && "refs/heads/"+end != at
	})
	if c.Query.Get("order") == "OLDEST" {
		slices.Reverse(list)
	} else {
		slices.SortStableFunc(list, func(a, b *pull) int { return int(b.Updated - a.Updated) })
	}
	out := host.RenderAll(list, func(p *pull) any { return c.view().dcPull(c.repo, p) })
	c.s.Mu.Unlock()
	return c.dcListUpTo(out, 100)
}

// dcGetPull answers a pull request or, for an id that ends in ".diff", its diff.
func dcGetPull(c *call) *reply {
	id, isDiff := strings.CutSuffix(c.Vars["pullRequestId"], ".diff")
	c.Vars["pullRequestId"] = id
	return inDCPull(func(c *call, p *pull) *reply {
		if isDiff {
			return c.dcDiff(p)
		}
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return ok(c.view().dcPull(c.repo, p))
	})(c)
}

func (c *call) dcDiff(p *pull) *reply {
	at := c.s.snapshot(p)
	d, err := c.repo.git.Diff(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	text := d.Text
	if c.s.Has(ownPrefixes) {
		text = withOwnPrefixes(text)
	}
	return (&reply{Status: http.StatusOK, Body: []byte(text)}).Set("Content-Type", "text/plain;charset=UTF-8")
}

// withOwnPrefixes replaces the prefixes of git in the heads of files.
func withOwnPrefixes(text string) string {
	var out strings.Builder
	head := false
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "diff --git a/"):
			head = true
			l = strings.Replace(strings.Replace(l, " a/", " src://", 1), " b/", " dst://", 1)
		case strings.HasPrefix(l, "@@ "):
			head = false
		case head:
			l = strings.Replace(strings.Replace(l, "--- a/", "--- src://", 1), "+++ b/", "+++ dst://", 1)
		}
		out.WriteString(l)
	}
	return out.String()
}

func dcPath(path string) obj {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	return obj{"components": parts, "parent": strings.Join(parts[:len(parts)-1], "/"), "name": name, "toString": path}
}

// dcChanges lists the changed files. The list is not paged: with a bound it ends, and does not say where it goes on.
func dcChanges(c *call, p *pull) *reply {
	at := c.s.snapshot(p)
	d, err := c.repo.git.Diff(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	words := map[string]string{"added": "ADD", "removed": "DELETE", "renamed": "MOVE", "copied": "COPY"}
	out := []any{}
	for _, f := range d.Files {
		o := obj{"contentId": f.NewBlob, "path": dcPath(f.Path), "type": host.OrElse(words[f.Status], "MODIFY"), "nodeType": "FILE"}
		if f.OldPath != "" {
			o["srcPath"] = dcPath(f.OldPath)
		}
		out = append(out, o)
	}
	c.s.Mu.Lock()
	most := c.s.settings.MaxChanges
	c.s.Mu.Unlock()
	whole := most == 0 || len(out) <= most
	if !whole {
		out = out[:most]
	}
	return ok(obj{"fromHash": at.base, "toHash": at.head, "values": out, "size": len(out), "isLastPage": whole, "start": 0, "limit": 1000,
		"nextPageStart": nil})
}

func dcPullCommits(c *call, p *pull) *reply {
	at := c.s.snapshot(p)
	return c.dcBetween(at.mergeBase, at.head)
}

// dcBetween lists the commits that lead from one commit to another, newest first.
func (c *call) dcBetween(from, to string) *reply {
	list, err := c.repo.git.Between(c.Ctx, from, to)
	if err != nil {
		return c.broken(err)
	}
	slices.Reverse(list)
	c.s.Mu.Lock()
	out := host.RenderAll(list, func(k gitrepo.Commit) any { return c.view().dcCommit(k) })
	c.s.Mu.Unlock()
	return c.dcListUpTo(out, 100)
}

type dcRef struct {
	ID string `json:"id"`
}

// dcOpenPull opens a pull request between two branches of the repository.
func dcOpenPull(c *call, in struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	From        dcRef  `json:"fromRef"`
	To          dcRef  `json:"toRef"`
}) *reply {
	if strings.TrimSpace(in.Title) == "" {
		return dcInvalid("A pull request must have a title.")
	}
	p, err := c.s.open(c.Ctx, c.repo, opening{PullSpec: simapi.PullSpec{Title: in.Title, Body: in.Description, Author: c.actor.user.Login,
		Head: strings.TrimPrefix(in.From.ID, "refs/heads/"), Base: strings.TrimPrefix(in.To.ID, "refs/heads/")}})
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "already an open"):
		return dcFail(http.StatusConflict, duplicatePull, err.Error())
	case strings.Contains(err.Error(), "branch not found"):
		return dcMissing("The branch")
	default:
		return dcInvalid(err.Error())
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("pull", "create", p.ID, p.Number)
	return created(c.view().dcPull(c.repo, p))
}

func dcAddReviewer(c *call, p *pull) *reply {
	var in struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
		Role string `json:"role"`
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	u := c.s.st.user(in.User.Name)
	switch {
	case in.Role != "REVIEWER":
		return dcInvalid("role: only REVIEWER may be assigned")
	case u == nil || u.Org || c.s.st.role(u, c.repo) == "none":
		return dcFail(http.StatusConflict, "com.atlassian.bitbucket.pull.InvalidPullRequestReviewersException",
			in.User.Name+" is not a user who can review.")
	case u.ID == p.Author:
		return dcInvalid("The author cannot be a reviewer.")
	}
	c.changeReviewers(p, append(p.reviewers(), u.ID))
	return ok(c.view().dcParticipant(u.ID, "REVIEWER", p.participant(u.ID).State))
}

// reviewers lists the reviewers.
func (p *pull) reviewers() (ids []int64) {
	for _, x := range p.Participants {
		if x.Reviewer {
			ids = append(ids, x.User)
		}
	}
	return ids
}

func (c *call) changeReviewers(p *pull, ids []int64) {
	if c.s.setReviewers(p, ids) {
		c.s.emitPull(c.repo, p, "updated", c.actor.user.ID, nil)
	}
	c.wrote("pull", "update", p.ID, p.Number)
}

func dcRemoveReviewer(c *call, p *pull) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, id := range p.reviewers() {
		if slugOf(c.s.st.login(id)) == c.Vars["userSlug"] {
			c.changeReviewers(p, host.Without(p.reviewers(), func(x int64) bool { return x == id }))
			return host.NoContent()
		}
	}
	return dcMissing("The participant")
}
