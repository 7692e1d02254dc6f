package azuredevops

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// stamp returns a time in the form of the interface.
func stamp(m micros) any {
	if m == 0 {
		return nil
	}
	return m.Time().Format("2006-01-02T15:04:05.0000000Z")
}

const heads = "refs/heads/"

// page addresses; Server.Mu is held.
func (s *Server) remote(r *repository) string {
	p := s.st.Projects[r.ProjectID]
	return s.Base + "/" + url.PathEscape(p.Org) + "/" + url.PathEscape(p.Name) + "/_git/" + url.PathEscape(r.Name)
}

func (s *Server) pullPage(r *repository, p *pull) string {
	return s.remote(r) + "/pullrequest/" + strconv.Itoa(p.Number)
}

// showProject renders a project. Server.Mu is held.
func (s *Server) showProject(p *project) obj {
	visibility := "private"
	if p.Public {
		visibility = "public"
	}
	return obj{"id": p.guid(), "name": p.Name, "state": "wellFormed", "visibility": visibility,
		"url": s.Base + "/" + url.PathEscape(p.Org) + "/_apis/projects/" + p.guid()}
}

// showRepo renders a repository. Server.Mu is held.
func (s *Server) showRepo(r *repository) obj {
	p := s.st.Projects[r.ProjectID]
	o := obj{"id": r.guid(), "name": r.Name, "project": s.showProject(p), "defaultBranch": heads + r.DefaultBranch, "size": 1000,
		"remoteUrl": s.remote(r), "webUrl": s.remote(r), "isDisabled": r.Disabled, "isFork": r.ForkOf != 0,
		"url": s.Base + "/" + url.PathEscape(p.Org) + "/_apis/git/repositories/" + r.guid()}
	return o
}

func commitRef(sha string) any {
	if sha == "" {
		return nil
	}
	return obj{"commitId": sha}
}

// showPull renders a pull request. Server.Mu is held.
func (s *Server) showPull(r *repository, p *pull) obj {
	o := obj{"repository": s.showRepo(r), "pullRequestId": p.Number, "codeReviewId": p.Number, "status": p.Status,
		"createdBy": s.identity(p.Author), "creationDate": stamp(p.Created), "title": p.Title, "description": p.Body,
		"sourceRefName": heads + p.Source, "targetRefName": heads + p.Target, "mergeStatus": "succeeded", "isDraft": p.Draft,
		"lastMergeSourceCommit": commitRef(p.now().Source), "lastMergeTargetCommit": commitRef(p.now().Target),
		"lastMergeCommit": commitRef(p.MergeCommit), "reviewers": host.RenderAll(p.Reviewers, func(v *reviewer) any { return s.showReviewer(v) }),
		"supportsIterations": true, "url": s.Base + "/_apis/git/repositories/" + r.guid() + "/pullRequests/" + strconv.Itoa(p.Number)}
	if len(p.Labels) > 0 {
		o["labels"] = host.RenderAll(p.Labels, func(l label) any { return showLabel(l) })
	}
	if p.Closed != 0 {
		o["closedDate"], o["closedBy"] = stamp(p.Closed), s.identity(p.ClosedBy)
	}
	if f := s.st.Repos[p.ForkID]; f != nil {
		o["forkSource"] = obj{"name": heads + p.Source, "repository": s.showRepo(f)}
	}
	return o
}

func (s *Server) showReviewer(v *reviewer) obj {
	o := s.identity(v.UserID)
	o["vote"], o["hasDeclined"], o["isFlagged"] = v.Vote, false, false
	return o
}

func showLabel(l label) obj {
	return obj{"id": simapi.ID("label", l.ID), "name": l.Name, "active": true}
}

func getPull(c *call) *reply {
	return ok(c.s.showPull(c.repo, c.pull))
}

// listPulls lists pull requests, newest first by default (Pull Requests - Get Pull Requests).
func listPulls(c *call) *reply {
	want := host.OrElse(c.Query.Get("searchCriteria.status"), "active")
	items := []any{}
	for _, p := range host.Newest(c.repo.Pulls) {
		source := c.Query.Get("searchCriteria.sourceRefName")
		if (want == "all" || want == p.Status) && (source == "" || source == heads+p.Source) {
			o := c.s.showPull(c.repo, p)
			if text := []rune(p.Body); len(text) > 400 { // "description" is cut in lists
				o["description"] = string(text[:400])
			}
			delete(o, "lastMergeCommit")
			if p.MergeCommit != "" {
				o["lastMergeCommit"] = commitRef(p.MergeCommit)
			}
			items = append(items, o)
		}
	}
	from, to := c.slice(len(items), c.Query.Get("$skip"), 101, 1000)
	return list(items[from:to])
}

func createPull(c *call, in struct {
	SourceRefName, TargetRefName, Title, Description string
	IsDraft                                          bool
}) *reply {
	p, err := c.s.open(c.Ctx, c.repo, shared.PullSpec{Title: in.Title, Body: in.Description, Draft: in.IsDraft,
		Head: strings.TrimPrefix(in.SourceRefName, heads), Base: strings.TrimPrefix(in.TargetRefName, heads), Author: c.user.Login})
	if why, is := errors.AsType[refusal](err); is {
		return failure(why.status, why.kind, why.words)
	} else if err != nil {
		return badRequest(err.Error())
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.pull = p
	c.wrote("pull_request", "create", int64(p.Number))
	return created(c.s.showPull(c.repo, p))
}

func pullCommits(c *call) *reply {
	c.s.Mu.Lock()
	at := *c.pull.now()
	c.s.Mu.Unlock()
	commits, err := c.repo.git.Between(c.Ctx, at.Common, at.Source)
	if err != nil {
		return c.broken(err)
	}
	slices.Reverse(commits)
	return c.pageOn(host.RenderAll(commits, showCommit), 100)
}

// showCommit renders a commit in a list, where a long comment is cut.
func showCommit(k gitrepo.Commit) any {
	text := []rune(k.Message)
	o := obj{"commitId": k.SHA, "comment": k.Message, "author": obj{"name": k.AuthorName, "email": k.AuthorEmail, "date": k.AuthoredAt},
		"parents": k.Parents}
	if len(text) > 500 {
		o["comment"], o["commentTruncated"] = string(text[:500]), true
	}
	return o
}

func listIterations(c *call) *reply {
	return list(host.RenderAll(c.pull.Iterations, func(i *iteration) any {
		return obj{"id": i.ID, "sourceRefCommit": commitRef(i.Source), "targetRefCommit": commitRef(i.Target),
			"commonRefCommit": commitRef(i.Common), "createdDate": stamp(i.Created), "updatedDate": stamp(i.Created), "reason": "push"}
	}))
}

// iterationChanges lists the changed files of an iteration against the merge base. changeTrackingId follows a file through renames; here
// it is the place of its path among all paths.
func iterationChanges(c *call) *reply {
	c.s.Mu.Lock()
	at := c.pull.iteration(int(c.Number("iteration")))
	c.s.Mu.Unlock()
	if at == nil {
		return failure(http.StatusNotFound, "GitPullRequestIterationNotFoundException", "TF401420: The iteration was not found.")
	}
	d, err := c.repo.git.Diff(c.Ctx, at.Common, at.Source)
	if err != nil {
		return c.broken(err)
	}
	entries := []any{}
	for i, f := range d.Files {
		word := map[string]string{"added": "add", "removed": "delete", "renamed": "rename", "modified": "edit", "changed": "edit"}[f.Status]
		item := obj{"path": "/" + f.Path, "objectId": f.NewBlob, "originalObjectId": f.OldBlob}
		e := obj{"changeTrackingId": i + 1, "changeId": i + 1, "item": item, "changeType": word}
		switch f.Status {
		case "removed":
			e["item"], e["originalPath"] = obj{"path": "/" + f.Path, "originalObjectId": f.OldBlob}, "/"+f.Path
		case "renamed":
			e["originalPath"] = "/" + f.OldPath
			if f.OldBlob != f.NewBlob {
				e["changeType"] = "edit, rename"
			}
		}
		entries = append(entries, e)
	}
	from, to := c.slice(len(entries), c.Query.Get("$skip"), 2000, 2000)
	out := obj{"changeEntries": entries[from:to], "nextSkip": 0, "nextTop": 0}
	if to < len(entries) {
		out["nextSkip"], out["nextTop"] = to, to-from
	}
	return ok(out)
}

func listLabels(c *call) *reply {
	return list(host.RenderAll(c.pull.Labels, func(l label) any { return showLabel(l) }))
}

func addLabel(c *call, in struct{ Name string }) *reply {
	if in.Name == "" || len([]rune(in.Name)) > 255 {
		return badRequest("The name of a label is needed.")
	}
	for _, l := range c.pull.Labels {
		if strings.EqualFold(l.Name, in.Name) {
			return ok(showLabel(l))
		}
	}
	l := label{ID: c.s.st.ID("label"), Name: in.Name}
	c.pull.Labels = append(c.pull.Labels, l)
	if !slices.Contains(c.project.Tags, l.Name) {
		c.project.Tags = append(c.project.Tags, l.Name)
	}
	c.wrote("label", "create", l.ID)
	return ok(showLabel(l))
}

// listTags lists the tags of the project, which labels and work items share.
func listTags(c *call) *reply {
	return list(host.RenderAll(c.project.Tags, func(name string) any { return obj{"id": simapi.ID("label", 1), "name": name} }))
}

func removeLabel(c *call) *reply {
	name := c.Vars["label"]
	c.pull.Labels = host.Without(c.pull.Labels, func(l label) bool {
		return strings.EqualFold(l.Name, name) || simapi.ID("label", l.ID) == name
	})
	c.wrote("label", "delete", 0)
	return ok(nil)
}

func listReviewers(c *call) *reply {
	return list(host.RenderAll(c.pull.Reviewers, func(v *reviewer) any { return c.s.showReviewer(v) }))
}

// addReviewer adds a reviewer. An account that cannot read the project is refused.
func addReviewer(c *call) *reply {
	u := c.s.st.userOf(c.Vars["reviewer"])
	if u == nil || c.s.st.role(u, c.project) == "" {
		return badRequest("The reviewer cannot be found, or has no permission to read the repository.")
	}
	v := c.pull.review(u.ID)
	c.wrote("reviewer", "create", u.ID)
	c.s.emitPull(c.repo, c.pull, eventUpdated, reviewersChanged, c.user)
	return ok(c.s.showReviewer(v))
}

func removeReviewer(c *call) *reply {
	u := c.s.st.userOf(c.Vars["reviewer"])
	if u != nil {
		c.pull.Reviewers = host.Without(c.pull.Reviewers, func(v *reviewer) bool { return v.UserID == u.ID })
		c.wrote("reviewer", "delete", u.ID)
	}
	return host.NoContent()
}
