package github

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// pull finds the pull request of the path, with its current base and head.
func (c *call) pull() (p *pull, baseSHA, headSHA string) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if p = c.repo.Pulls[int(c.Number("pull_number"))]; p == nil {
		return nil, "", ""
	}
	return p, p.BaseSHA, p.HeadSHA
}

func listPulls(c *call) *reply {
	state := c.Query.Get("state")
	if state == "" {
		state = "open"
	}
	c.s.Mu.Lock()
	var list []*pull
	for _, p := range c.repo.Pulls {
		if (state != "all" && p.State != state) || (c.Query.Get("base") != "" && c.Query.Get("base") != p.BaseRef) {
			continue
		}
		if h := c.Query.Get("head"); h != "" && !strings.EqualFold(h, c.repo.Owner+":"+p.Head) {
			continue
		}
		list = append(list, p)
	}
	newestFirst := c.Query.Get("direction") != "asc"
	slices.SortFunc(list, func(a, b *pull) int {
		x := a.Number - b.Number
		if c.Query.Get("sort") == "updated" && a.Updated != b.Updated {
			x = int(a.Updated - b.Updated)
		}
		if newestFirst {
			x = -x
		}
		return x
	})
	v := c.view()
	out := make([]any, len(list))
	for i, p := range list {
		out[i] = v.simplePull(c.repo, p)
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}

func getPull(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	if wantsDiff(c.R) {
		d, _, err := c.s.pullDiff(c.Ctx, c.repo, base, head)
		if err != nil {
			return broken(c, err)
		}
		return diffText(d)
	}
	n, err := c.s.stats(c.Ctx, c.repo, base, head)
	if err != nil {
		return broken(c, err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return ok(c.view().pull(c.repo, p, n))
}

// maxListedFiles bounds the changed files that the host lists (GitHub REST description, "List pull requests
// files").
const maxListedFiles = 3000

func listFiles(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	d, _, err := c.s.pullDiff(c.Ctx, c.repo, base, head)
	if err != nil {
		return broken(c, err)
	}
	files := d.Files[:min(len(d.Files), maxListedFiles)]
	pg := c.paging()
	from, to := pg.Slice(len(files))
	return c.link(ok(c.diffEntries(files[from:to], head)), pg, len(files))
}

func listPullCommits(c *call) *reply {
	p, base, head := c.pull()
	if p == nil {
		return notFound()
	}
	merge, err := c.repo.git.MergeBase(c.Ctx, base, head)
	if err != nil {
		return broken(c, err)
	}
	commits, err := c.repo.git.Between(c.Ctx, merge, head)
	if err != nil {
		return broken(c, err)
	}
	commits = commits[:min(len(commits), 250)] // the host lists at most 250 (GitHub REST description)
	return pageOf(c, commits, func(k gitrepo.Commit) any { return c.commit(k) })
}
