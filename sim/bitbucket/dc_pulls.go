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
		return state != "ALL" && p.State != state || at != "" && from && "refs/heads/"+p.Source != at || at != "" && !from && "refs/heads/"+p.Target != at
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
func dcOpenPull(c *call) *reply {
	var in struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		From        dcRef  `json:"fromRef"`
		To          dcRef  `json:"toRef"`
	}
	if bad := c.dcDecode(&in); bad != nil {
		return bad
	}
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
	if bad := c.dcDecode(&in); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	u := c.s.st.user(in.User.Name)
	switch {
	case in.Role != "REVIEWER":
		return dcInvalid("role: only REVIEWER may be assigned")
	case u == nil || u.Org || c.s.st.role(u, c.repo) == "none":
		return dcFail(http.StatusConflict, "com.atlassian.bitbucket.pull.InvalidPullRequestReviewersException", in.User.Name+" is not a user who can review.")
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

func dcCreateBranch(c *call) *reply {
	var in struct {
		Name  string `json:"name"`
		Start string `json:"startPoint"`
	}
	if bad := c.dcDecode(&in); bad != nil {
		return bad
	}
	sha, bad := c.dcCommit(in.Start)
	switch {
	case !gitrepo.ValidBranch(in.Name):
		return dcInvalid("name: the name of the branch is invalid")
	case bad != nil:
		return bad
	case c.findBranch(in.Name) != nil:
		return dcFail(http.StatusConflict, duplicateName, "A branch with this name already exists.")
	}
	if bad := c.dcMove(in.Name, gitrepo.ZeroSHA, sha); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	c.wrote("branch", "create", 0, 0)
	c.s.Mu.Unlock()
	return ok(dcBranch(in.Name, sha))
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

// dcPutFile makes a commit that writes one file on a branch.
func dcPutFile(c *call) *reply {
	if c.actor.user.App {
		return dcFail(http.StatusForbidden, notPermitted, "The token has no valid user associated with it.")
	}
	up, err := c.uploaded()
	if err != nil || len(up.fields) == 0 {
		return dcInvalid("The form cannot be read")
	}
	path, branch, content := strings.Trim(c.Vars["path"], "/"), "", ""
	field := func(name string) string {
		if v := up.fields.Get(name); v != "" {
			return v
		}
		for _, f := range up.files {
			if f.Path == name {
				return f.SHA
			}
		}
		return ""
	}
	branch, content = field("branch"), field("content")
	b := c.findBranch(branch)
	if b == nil {
		return dcMissing("Branch " + branch)
	}
	old, missingErr := c.repo.git.Entry(c.Ctx, b.SHA, path)
	source := field("sourceCommitId")
	switch {
	case missingErr == nil && old.Type == "dir":
		return dcInvalid("The path is a folder.")
	case source == "" && missingErr == nil:
		return dcFail(http.StatusConflict, "com.atlassian.bitbucket.content.FileAlreadyExistsException", "The file already exists.")
	case source != "":
		was, err := c.repo.git.Entry(c.Ctx, source, path)
		if err != nil || missingErr != nil || was.SHA != old.SHA {
			return dcFail(http.StatusConflict, "com.atlassian.bitbucket.content.FileOutOfDateException", "The file has changed since then.")
		}
	}
	blob, err := c.repo.git.WriteBlob(c.Ctx, []byte(content))
	if err != nil {
		return c.broken(err)
	}
	if missingErr == nil && blob == old.SHA {
		return dcFail(http.StatusConflict, "com.atlassian.bitbucket.content.FileContentUnmodifiedException", "The content does not modify the file.")
	}
	sha, bad := c.commitOn(b.SHA, upload{fields: map[string][]string{"message": {field("message")}},
		files: []gitrepo.TreeChange{{Path: path, Mode: "100644", SHA: content}}})
	if bad != nil {
		return dcInvalid("The file cannot be written.")
	}
	if bad := c.dcMove(branch, b.SHA, sha); bad != nil {
		return bad
	}
	c.s.Mu.Lock()
	c.wrote("commit", "create", 0, 0)
	c.s.Mu.Unlock()
	c.Vars["commitId"] = sha
	return dcGetCommit(c)
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

func dcSetBuild(c *call) *reply {
	var in struct {
		Key, State, Name, Description, URL, Ref string
	}
	if bad := c.dcDecode(&in); bad != nil {
		return bad
	}
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
	x.State, x.Name, x.Description, x.URL, x.Ref, x.Updated, x.Creator = in.State, in.Name, in.Description, in.URL, in.Ref, now, c.actor.user.ID
	c.wrote("status", verb, x.ID, 0)
	return host.NoContent()
}

func dcPutReport(c *call) *reply {
	fields := obj{}
	if bad := c.dcDecode(&fields); bad != nil {
		return bad
	}
	text := func(name string) string { s, _ := fields[name].(string); return s }
	if _, isList := fields["data"].([]any); text("title") == "" || len([]rune(text("title"))) > 450 || len([]rune(text("details"))) > 2000 || !isList {
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
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
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
