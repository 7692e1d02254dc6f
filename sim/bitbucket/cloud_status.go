package bitbucket

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

type statusInput struct {
	Key         *string `json:"key"`
	State       *string `json:"state"`
	Name        *string `json:"name"`
	Description *string `json:"description"`
	URL         *string `json:"url"`
	Ref         *string `json:"refname"`
}

// maxKey bounds the key of a status (jenkinsci/bitbucket-branch-source-plugin hashes longer ones for the cloud).
const maxKey = 40

// findCommit resolves the commit of the path. Statuses and reports belong to its full name.
func (c *call) findCommit() (string, *reply) {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["commit"])
	if err != nil {
		return "", noCommit(c.Vars["commit"])
	}
	return sha, nil
}

func (r *repository) status(sha, key string) *status {
	return host.First(slices.Values(r.Statuses), func(x *status) bool { return x.SHA == sha && x.Key == key })
}

// statuses lists the statuses of a commit; Server.Mu is not held.
func (c *call) statuses(sha string) *reply {
	c.s.Mu.Lock()
	var out []any
	for _, x := range c.repo.Statuses {
		ref := c.Query.Get("refname")
		if x.SHA == sha && !c.s.Faults.Lagging(x.Lag) && (ref == "" || ref == x.Ref) {
			out = append(out, c.view().status(c.repo, x))
		}
	}
	c.s.Mu.Unlock()
	return c.list(out)
}

func listStatuses(c *call) *reply {
	sha, bad := c.findCommit()
	if bad != nil {
		return bad
	}
	return c.statuses(sha)
}

func pullStatuses(c *call, p *pull) *reply { return c.statuses(c.s.snapshot(p).head) }

func getStatus(c *call) *reply {
	sha, bad := c.findCommit()
	if bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if x := c.repo.status(sha, c.Vars["key"]); x != nil {
		return ok(c.view().status(c.repo, x))
	}
	return missing()
}

// createStatus makes a status or replaces that of the same key.
func createStatus(c *call) *reply { return c.writeStatus(http.StatusCreated) }

func editStatus(c *call) *reply { return c.writeStatus(http.StatusOK) }

func (c *call) writeStatus(code int) *reply {
	var in statusInput
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	sha, bad := c.findCommit()
	if bad != nil {
		return bad
	}
	key := c.Vars["key"]
	if key == "" && in.Key != nil {
		key = *in.Key
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x, now, event := c.repo.status(sha, key), c.s.NowMicros(), "updated"
	switch {
	case x == nil && code == http.StatusOK:
		return missing()
	case key == "" || len(key) > maxKey:
		return invalid("key: must have 1 to 40 characters")
	case x == nil && (in.State == nil || in.URL == nil):
		return invalid("state, url: This field is required.")
	case in.State != nil && !slices.Contains([]string{"FAILED", "INPROGRESS", "STOPPED", "SUCCESSFUL"}, *in.State):
		return invalid("state: Invalid state")
	case in.URL != nil && !strings.HasPrefix(*in.URL, "http"):
		return invalid("url: Enter a valid URL.")
	case x == nil:
		x = &status{ID: c.s.st.ID("status"), SHA: sha, Key: key, Creator: c.actor.user.ID, Created: now, Lag: c.Lag}
		c.repo.Statuses, event = append(c.repo.Statuses, x), "created"
	}
	host.Set(&x.State, in.State)
	host.Set(&x.Name, in.Name)
	host.Set(&x.Description, in.Description)
	host.Set(&x.URL, in.URL)
	host.Set(&x.Ref, in.Ref)
	x.Updated, x.Creator = now, c.actor.user.ID
	c.s.emitStatus(c.repo, x, event)
	c.wrote("status", strings.TrimSuffix(event, "d"), x.ID, 0)
	return host.JSON(code, c.view().status(c.repo, x))
}
