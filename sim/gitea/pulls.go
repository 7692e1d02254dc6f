package gitea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// pull finds the pull request of the path; nil if it does not exist.
func (c *call) pull() *pull {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.repo.Pulls[int(c.Number("index"))]
}

// snapshot holds the commits of a pull request at a moment.
type snapshot struct{ base, head, mergeBase string }

func (s *Server) snapshot(p *pull) snapshot {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return snapshot{p.BaseSHA, p.HeadSHA, p.MergeBase}
}

// stats computes the figures of a pull request. Server.Mu is not held.
func (s *Server) stats(ctx context.Context, r *repository, at snapshot) (pullStats, error) {
	d, err := r.git.Diff(ctx, at.mergeBase, at.head)
	if err != nil {
		return pullStats{}, err
	}
	n := pullStats{Files: len(d.Files)}
	for _, f := range d.Files {
		n.Additions += f.Additions
		n.Deletions += f.Deletions
	}
	return n, nil
}

// pullReply answers with a pull request.
func (c *call) pullReply(status int, p *pull) *reply {
	n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return host.JSON(status, c.view().pull(c.repo, p, n))
}

func listPulls(c *call) *reply {
	state := host.OrElse(c.Query.Get("state"), "open")
	c.s.Mu.Lock()
	list := host.Newest(c.repo.Pulls)
	list = host.Without(list, func(p *pull) bool { return state != "all" && p.State != state })
	switch c.Query.Get("sort") {
	case "oldest":
		slices.Reverse(list)
	case "recentupdate":
		slices.SortStableFunc(list, func(a, b *pull) int { return cmp.Compare(b.Updated, a.Updated) })
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, func(p *pull) any {
		n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
		if err != nil {
			c.s.Log.Error("figures of a pull request", "error", err)
		}
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return c.view().pull(c.repo, p, n)
	})
}

// getPull answers with a pull request, its diff ("{index}.diff") or its patch.
func getPull(c *call) *reply {
	index, isDiff := strings.CutSuffix(c.Vars["index"], ".diff")
	if !isDiff {
		index, isDiff = strings.CutSuffix(index, ".patch")
	}
	c.Vars["index"] = index
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if !isDiff {
		return c.pullReply(http.StatusOK, p)
	}
	at := c.s.snapshot(p)
	d, err := c.repo.git.Diff(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	return plain([]byte(d.Text))
}

func listFiles(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	at := c.s.snapshot(p)
	d, err := c.repo.git.Diff(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	api, page := c.repoAPI(), c.repoHTML()
	// The host uses "deleted" and "changed" in place of "removed" and "modified".
	words := map[string]string{"removed": "deleted", "modified": "changed"}
	rep := pageOf(c, d.Files, func(f gitrepo.File) any {
		path := browse.EscapePath(f.Path)
		o := obj{"filename": f.Path, "status": host.OrElse(words[f.Status], f.Status), "additions": f.Additions, "deletions": f.Deletions,
			"changes":  f.Additions + f.Deletions,
			"html_url": page + "/src/commit/" + at.head + "/" + path, "contents_url": api + "/contents/" + path + "?ref=" + at.head,
			"raw_url": page + "/raw/commit/" + at.head + "/" + path}
		if f.OldPath != "" {
			o["previous_filename"] = f.OldPath
		}
		return o
	})
	return c.moreHeaders(rep, len(d.Files))
}

// moreHeaders sets headers that only some lists have.
func (c *call) moreHeaders(rep *reply, total int) *reply {
	p := c.paging()
	pages := (total + p.Size - 1) / p.Size
	rep.Set("X-Page", fmt.Sprint(p.Number)).Set("X-PerPage", fmt.Sprint(p.Size)).Set("X-Total", fmt.Sprint(total)).Set("X-PageCount",
		fmt.Sprint(pages))
	return rep.Set("X-HasMore", fmt.Sprint(p.Number < pages))
}

func listPullCommits(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	at := c.s.snapshot(p)
	list, err := c.repo.git.Between(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	slices.Reverse(list)
	return c.moreHeaders(pageOf(c, list, func(k gitrepo.Commit) any { return c.commit(k, c.Query.Get("files") != "false") }), len(list))
}

// createPull is POST …/pulls; head is a branch or "owner:branch" of a fork.
func createPull(c *call, in struct {
	Title     string   `json:"title"`
	Body      string   `json:"body"`
	Head      string   `json:"head"`
	Base      string   `json:"base"`
	Labels    []int64  `json:"labels"`
	Reviewers []string `json:"reviewers"`
}) *reply {
	o := opening{PullSpec: simapi.PullSpec{Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base, Author: c.actor.login},
		labels: in.Labels, reviewers: in.Reviewers}
	if owner, branch, ok := strings.Cut(in.Head, ":"); ok {
		o.Head = branch
		if !strings.EqualFold(owner, c.repo.Owner) {
			o.Fork = owner
		}
	}
	p, err := c.s.open(c.Ctx, c.repo, o)
	if errors.Is(err, errNoBranch) {
		return c.notFound()
	}
	if e, isExists := err.(errExists); isExists {
		return c.fail(http.StatusConflict, e.Error())
	}
	if err != nil {
		return c.invalid(err.Error())
	}
	c.wrote("pull", "create", p.IssueID, p.Number)
	return c.pullReply(http.StatusCreated, p)
}

// mayEdit refuses a change unless the caller is the author or has write access; Server.Mu is held.
func (c *call) mayEdit(author string) *reply {
	if c.actor == nil {
		return host.JSON(http.StatusUnauthorized, obj{"message": "token is required", "url": c.s.Base + "/api/swagger"})
	}
	if author != c.actor.login && rank[c.s.st.role(c.actor.user, c.repo)] < rank["write"] {
		return host.JSON(http.StatusForbidden, obj{"message": "", "url": c.s.Base + "/api/swagger"})
	}
	return nil
}

func editPull(c *call) *reply {
	var in struct {
		Title *string `json:"title"`
		Body  *string `json:"body"`
		State *string `json:"state"`
	}
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if refused := c.mayEdit(p.Author); refused != nil {
		return refused
	}
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	u.text(in.Title, in.Body)
	if in.State != nil {
		u.state(*in.State)
	}
	c.wrote("pull", "update", p.IssueID, p.Number)
	return host.JSON(http.StatusCreated, c.view().pull(c.repo, p, n))
}

func mergePull(c *call) *reply {
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	c.s.Mu.Lock()
	ready := p.State == "open" && !p.draft()
	c.s.Mu.Unlock()
	if !ready {
		return c.fail(http.StatusMethodNotAllowed, "Please try again later")
	}
	_, err := c.s.UpdatePull(c.Ctx, c.repo.FullName(), p.Number, simapi.PullUpdate{State: "merged", Actor: c.actor.login})
	switch {
	case errors.Is(err, gitrepo.ErrConflict):
		return c.fail(http.StatusConflict, "Merge conflicts") // routers/api/v1/repo/pull.go, MergePullRequest
	case err != nil:
		return c.broken(err)
	}
	c.wrote("pull", "update", p.IssueID, p.Number)
	return &reply{Status: http.StatusOK}
}

func requestReviewers(c *call) *reply { return c.reviewers(true) }

func unrequestReviewers(c *call) *reply { return c.reviewers(false) }

func (c *call) reviewers(add bool) *reply {
	var in struct {
		Reviewers []string `json:"reviewers"`
	}
	p := c.pull()
	if p == nil {
		return c.notFound()
	}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	n, err := c.s.stats(c.Ctx, c.repo, c.s.snapshot(p))
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if refused := c.mayEdit(p.Author); refused != nil {
		return refused
	}
	u := pullChange{s: c.s, r: c.repo, p: p, n: n, actor: c.actor.login, now: c.s.NowMicros()}
	for _, login := range in.Reviewers {
		x := c.s.st.user(login)
		switch {
		case x == nil:
			return notFoundAt(c.s.Base)
		case add && strings.EqualFold(login, p.Author):
			return host.JSON(http.StatusUnprocessableEntity, obj{"message": "poster of pr can't be reviewer", "url": c.s.Base + "/api/swagger"})
		case add && c.s.st.role(x, c.repo) == "none":
			return host.JSON(http.StatusUnprocessableEntity, obj{"message": "Reviewer can't read", "url": c.s.Base + "/api/swagger"})
		}
	}
	list := []any{}
	for _, login := range in.Reviewers {
		if rv := u.reviewer(c.s.st.user(login).Login, add); rv != nil {
			list = append(list, c.view().review(c.repo, p, rv))
		}
	}
	c.wrote("reviewers", "update", p.IssueID, p.Number)
	if !add {
		return host.NoContent()
	}
	return created(list)
}
