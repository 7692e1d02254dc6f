package bitbucket

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

func dcBranches(c *call) *reply {
	list, err := c.repo.git.Branches(c.Ctx)
	if err != nil {
		return c.broken(err)
	}
	filter := strings.ToLower(c.Query.Get("filterText"))
	list = host.Without(list, func(b gitrepo.Branch) bool { return !strings.Contains(strings.ToLower(b.Name), filter) })
	return c.dcList(host.RenderAll(list, func(b gitrepo.Branch) any { return dcBranch(b.Name, b.SHA) }))
}

func dcBranch(name, sha string) obj {
	return obj{"id": "refs/heads/" + name, "displayId": name, "type": "BRANCH", "latestCommit": sha, "isDefault": false}
}

// dcCreateBranch makes a branch at a commit.
func dcCreateBranch(c *call, in struct {
	Name       string `json:"name"`
	StartPoint string `json:"startPoint"`
}) *reply {
	sha, bad := c.dcCommit(in.StartPoint)
	switch {
	case bad != nil:
		return bad
	case !gitrepo.ValidBranch(in.Name):
		return dcInvalid("name: not a valid name of a branch")
	case c.findBranch(in.Name) != nil:
		return dcFail(http.StatusConflict, duplicateName, "The branch "+in.Name+" already exists.")
	}
	if bad := c.dcMove(in.Name, gitrepo.ZeroSHA, sha); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("branch", "create", 0, 0)
	return ok(dcBranch(in.Name, sha))
}

// dcDeleteBranch deletes a branch if it points to endPoint. It answers 204 for a branch that is not there, too.
func dcDeleteBranch(c *call, in struct {
	Name     string `json:"name"`
	EndPoint string `json:"endPoint"`
	DryRun   bool   `json:"dryRun"`
}) *reply {
	name := strings.TrimPrefix(in.Name, "refs/heads/")
	c.s.GitMu.Lock()
	defer c.s.GitMu.Unlock()
	b := c.findBranch(name)
	switch {
	case b == nil || in.DryRun:
		return host.NoContent()
	case in.EndPoint != "" && in.EndPoint != b.SHA:
		return dcInvalid("endPoint: the branch has another commit")
	case c.protected(name) || c.repo.DefaultBranch == name:
		return dcDenied()
	}
	if err := c.repo.git.DeleteRef(c.Ctx, "refs/heads/"+name); err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("branch", "delete", 0, 0)
	return host.NoContent()
}

// dcMove is [call.move] with the errors of Data Center.
func (c *call) dcMove(name, before, after string) *reply {
	if c.protected(name) {
		return dcDenied()
	}
	return c.move(name, before, after)
}

func dcGetCommit(c *call) *reply {
	sha, bad := c.dcCommit(c.Vars["commitId"])
	if bad != nil {
		return bad
	}
	k, err := c.repo.git.Lookup(c.Ctx, sha)
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.view().dcCommit(k))
}

func dcCommits(c *call) *reply {
	to, bad := c.dcCommit(c.Query.Get("until"))
	if bad != nil {
		return bad
	}
	from, bad := c.dcCommit(c.Query.Get("since"))
	if bad != nil {
		return bad
	}
	return c.dcBetween(from, to)
}

func dcMergeBase(c *call) *reply {
	a, bad := c.dcCommit(c.Vars["commitId"])
	if bad != nil {
		return bad
	}
	b, bad := c.dcCommit(c.Query.Get("otherCommitId"))
	if bad != nil {
		return bad
	}
	sha, err := c.repo.git.MergeBase(c.Ctx, a, b)
	if err != nil {
		return host.NoContent()
	}
	c.Vars["commitId"] = sha
	return dcGetCommit(c)
}

// dcRaw answers a file as it is.
func dcRaw(c *call) *reply {
	sha, bad := c.dcCommit(c.Query.Get("at"))
	if bad != nil {
		return bad
	}
	name := strings.Trim(c.Vars["path"], "/")
	gone := dcFail(http.StatusNotFound, "com.atlassian.bitbucket.content.NoSuchPathException", "The path \""+name+"\" does not exist.")
	e, err := c.repo.git.Entry(c.Ctx, sha, name)
	if err != nil || e.Type == "dir" {
		return gone
	}
	data, err := c.repo.git.Blob(c.Ctx, e.SHA)
	if err != nil {
		return gone
	}
	return (&reply{Status: http.StatusOK, Body: data}).Set("Content-Type", "application/octet-stream").
		Set("Content-Disposition", "attachment; filename=\"file\"")
}

func dcBuild(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if x := c.repo.status(c.Vars["commitId"], c.Query.Get("key")); x != nil && !c.s.Faults.Lagging(x.Lag) {
		return ok(c.view().dcBuild(x))
	}
	return dcMissing("The build status")
}

// dcBuilds lists the builds of a commit in all repositories.
func dcBuilds(c *call) *reply {
	c.s.Mu.Lock()
	var out []any
	for _, r := range host.ByKey(c.s.st.Repos) {
		for _, x := range slices.Backward(r.Statuses) {
			if x.SHA == c.Vars["commitId"] && rank[c.s.dcRole(c.actor, r)] > 0 {
				out = append(out, c.view().dcBuild(x))
			}
		}
	}
	c.s.Mu.Unlock()
	return c.dcList(out)
}

func dcSetBuild(c *call, in struct {
	Key, State, Name, Description, URL, Ref string
}) *reply {
	sha, bad := c.dcCommit(c.Vars["commitId"])
	if bad != nil {
		return bad
	}
	long := func(most int, texts ...string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return len([]rune(t)) > most })
	}
	switch {
	case in.Key == "" || long(255, in.Key, in.Name, in.Description) || long(450, in.URL):
		return dcInvalid("key, name, description: at most 255 characters; url: at most 450")
	case !slices.Contains([]string{"SUCCESSFUL", "FAILED", "INPROGRESS", "CANCELLED", "UNKNOWN"}, in.State):
		return dcInvalid("state: invalid")
	case !strings.HasPrefix(in.URL, "http"):
		return dcInvalid("url: invalid")
	case in.Ref != "" && !strings.HasPrefix(in.Ref, "refs/"):
		return dcInvalid("ref: must be a full name")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x, now := c.repo.status(sha, in.Key), c.s.NowMicros()
	verb := "update"
	if x == nil {
		x = &status{ID: c.s.st.ID("status"), SHA: sha, Key: in.Key, Created: now, Lag: c.Lag}
		c.repo.Statuses, verb = append(c.repo.Statuses, x), "create"
	}
	x.State, x.Name, x.Description, x.URL, x.Ref = in.State, in.Name, in.Description, in.URL, in.Ref
	x.Updated, x.Creator = now, c.actor.user.ID
	c.wrote("status", verb, x.ID, 0)
	return host.NoContent()
}

func dcPutReport(c *call) *reply {
	fields := obj{}
	if bad := c.Read(&fields); bad != nil {
		return bad
	}
	text := func(name string) string { s, _ := fields[name].(string); return s }
	long := len([]rune(text("title"))) > 450 || len([]rune(text("details"))) > 2000
	if _, isList := fields["data"].([]any); text("title") == "" || long || !isList {
		return dcInvalid("title, details, data: invalid")
	}
	sha, bad := c.dcCommit(c.Vars["commitId"])
	if bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x := c.repo.report(sha, c.Vars["key"])
	if x == nil {
		x = &report{SHA: sha, Key: c.Vars["key"]}
		c.repo.Reports = append(c.repo.Reports, x)
	}
	x.Fields = fields
	c.wrote("report", "update", 0, 0)
	return ok(fields)
}

func dcGetReport(c *call) *reply {
	if x := c.repo.report(c.Vars["commitId"], c.Vars["key"]); x != nil {
		return ok(x.Fields)
	}
	return dcMissing("The report")
}

// report is a report of Code Insights, as it was sent.
type report struct {
	SHA, Key string
	Fields   obj
}

func (r *repository) report(sha, key string) *report {
	return host.First(slices.Values(r.Reports), func(x *report) bool { return x.SHA == sha && x.Key == key })
}
