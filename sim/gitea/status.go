package gitea

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// statusRank orders states of commits, worst first (modules/commitstatus of the host).
var statusRank = []string{"error", "failure", "warning", "pending", "success", "skipped"}

func createStatus(c *call, in struct {
	State       string `json:"state"`
	Context     string `json:"context"`
	Description string `json:"description"`
	TargetURL   string `json:"target_url"`
}) *reply {
	if u, err := url.Parse(in.TargetURL); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return c.invalid("[TargetURL]: Url")
	}
	if !slices.Contains(statusRank, in.State) {
		return c.invalid("state: must be one of the host's")
	}
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["sha"])
	if err != nil {
		return c.fail(http.StatusNotFound, "object does not exist [id: "+c.Vars["sha"]+", rel_path: ]")
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return c.broken(err)
	}
	now := c.s.NowMicros()
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x := &status{ID: c.s.st.ID("status"), SHA: sha, State: in.State, Context: host.OrElse(in.Context, "default"),
		Description: in.Description, TargetURL: in.TargetURL,
		Creator: c.actor.login, Created: now, Updated: now, Lag: c.Lag}
	c.repo.Statuses = append(c.repo.Statuses, x)
	c.s.emitStatus(c.repo, x, k)
	c.wrote("status", "create", x.ID, 0)
	return created(c.view().status(c.repo, x))
}

// statuses returns the statuses of a commit, newest first; Server.Mu is held.
func (c *call) statuses(sha string) (list []*status) {
	for _, x := range slices.Backward(c.repo.Statuses) {
		if x.SHA == sha && !c.s.Faults.Lagging(x.Lag) {
			list = append(list, x)
		}
	}
	return list
}

func listStatuses(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["ref"])
	if err != nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	v := c.view()
	out := host.RenderAll(c.statuses(sha), func(x *status) any { return v.status(c.repo, x) })
	c.s.Mu.Unlock()
	return pageOf(c, out, host.Itself)
}

// combinedStatus shows the newest status of every context.
func combinedStatus(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["ref"])
	if err != nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	v := c.view()
	seen, state := map[string]bool{}, ""
	list := []any{}
	for _, x := range c.statuses(sha) {
		if seen[x.Context] {
			continue
		}
		seen[x.Context] = true
		list = append(list, v.status(c.repo, x))
		if state == "" || slices.Index(statusRank, x.State) < slices.Index(statusRank, state) {
			state = x.State
		}
	}
	return ok(obj{"state": state, "sha": sha, "total_count": len(list), "statuses": list,
		"repository": v.repository(c.repo, c.s.st.role(c.user(), c.repo)),
		"commit_url": v.repoAPI(c.repo) + "/commits/" + sha, "url": v.repoAPI(c.repo) + "/commits/" + sha + "/status"})
}
