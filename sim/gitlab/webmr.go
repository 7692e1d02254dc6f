package gitlab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
)

func stateWord(m *mergeRequest) string {
	switch {
	case m.State == "merged":
		return "Merged"
	case m.State == "closed":
		return "Closed"
	case m.draft():
		return "Draft"
	}
	return "Open"
}

// link is the address of a merge request's page; Server.mu is held.
func (v *visit) link(m *mergeRequest) string {
	return v.root + "/" + browse.EscapePath(v.project.FullPath()) + "/-/merge_requests/" + strconv.Itoa(m.IID)
}

// rows lists merge requests, newest first.
func (v *visit) rows() (open, closed []page.PullRow) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	for _, m := range slices.SortedFunc(maps.Values(v.project.MRs), func(a, b *mergeRequest) int { return cmp.Compare(b.IID, a.IID) }) {
		row := page.PullRow{Number: m.IID, Title: m.Title, State: stateWord(m), Author: v.person(m.Author), Labels: v.labels(m), Opened: m.Created.Time(), Link: v.link(m)}
		for _, k := range v.checks(m) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		if m.State == "opened" {
			open = append(open, row)
		} else {
			closed = append(closed, row)
		}
	}
	return open, closed
}

func (v *visit) list() {
	open, closed := v.rows()
	v.Show("pulls", page.PullList{Head: v.head("Merge requests", "pulls"), Open: open, Closed: closed})
}

// labels of a merge request; Server.mu is held.
func (v *visit) labels(m *mergeRequest) (out []page.Label) {
	for _, l := range v.project.Labels {
		if slices.Contains(m.Labels, l.Name) {
			out = append(out, page.Label{Name: l.Name, Color: strings.TrimPrefix(l.Color, "#")})
		}
	}
	return out
}

// checkStates are what pages show of the states of statuses and jobs; others are neutral.
var checkStates = map[string]string{"success": "success", "pending": "pending", "running": "pending", "failed": "failure"}

// checks are the newest statuses of the head and the jobs of its pipelines; Server.mu is held.
func (v *visit) checks(m *mergeRequest) (out []page.Check) {
	seen := map[string]bool{}
	for _, x := range slices.Backward(v.project.Statuses) {
		if x.SHA != m.now().Head || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		out = append(out, page.Check{Name: x.Name, App: host.OrElse(v.person(x.Creator).Name, v.s.st.login(x.Creator)), State: host.OrElse(checkStates[x.State], "neutral"), Word: x.State, Title: x.Description,
			Link: host.OrElse(x.TargetURL, v.link(m))})
	}
	for _, r := range v.project.Pipelines {
		if r.SHA != m.now().Head {
			continue
		}
		for _, j := range r.Jobs {
			out = append(out, v.jobCheck(r, j))
		}
	}
	return out
}

// jobCheck describes a job; Server.mu is held.
func (v *visit) jobCheck(r *host.WorkflowRun, j *host.Job) page.Check {
	return page.Check{Name: j.Name, App: "pipeline " + strconv.FormatInt(r.ID, 10), State: host.OrElse(checkStates[jobState(j)], "neutral"), Word: jobState(j), Title: r.Workflow,
		Link: v.root + "/" + browse.EscapePath(v.project.FullPath()) + "/-/jobs/" + strconv.FormatInt(j.ID, 10)}
}

// mergeRequest shows one of the pages of a merge request.
func (v *visit) mergeRequest(number, rest string) {
	number, isDiff := strings.CutSuffix(number, ".diff")
	n, _ := strconv.Atoi(number) // 0 names nothing
	v.s.mu.Lock()
	m := v.project.MRs[n]
	var at version
	if m != nil {
		at = *m.now()
	}
	v.s.mu.Unlock()
	if m == nil || (rest != "" && rest != "diffs" && rest != "commits") {
		v.Missing()
		return
	}
	d, commits := v.code().Change(at.Base, at.Head)
	if d == nil {
		return
	}
	if isDiff {
		browse.Raw(v.W, []byte(d.Text))
		return
	}
	o := v.model(m, d, commits)
	switch rest {
	case "diffs":
		o.View, o.Diffs = "files", v.placed(d.Files, m)
		v.Show("files", o)
	case "commits":
		o.View, o.CommitList = "commits", v.code().Commits(commits)
		v.Show("commits", o)
	default:
		o.View, o.Items = "conversation", v.items(m)
		v.Show("conversation", o)
	}
}

// reviewerWords are what pages call the states of reviewers.
var reviewerWords = map[string]string{"unreviewed": "requested", "reviewed": "reviewed", "approved": "approved"}

func (v *visit) model(m *mergeRequest, d *gitrepo.Diff, commits []gitrepo.Commit) page.Pull {
	v.s.mu.Lock()
	title := fmt.Sprintf("%s !%d", m.Title, m.IID)
	v.s.mu.Unlock()
	o := page.Pull{Head: v.head(title, "pulls"), Number: m.IID, Commits: len(commits), Files: len(d.Files), Base: m.Target, Branch: m.Source}
	for _, f := range d.Files {
		o.Additions, o.Deletions = o.Additions+f.Additions, o.Deletions+f.Deletions
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	o.TitleText, o.State, o.Author, o.Labels, o.Checks = m.Title, stateWord(m), v.person(m.Author), v.labels(m), v.checks(m)
	o.Comments, o.HeadSHA = m.userNotes(), m.now().Head
	for _, r := range m.Reviewers {
		o.Reviewers = append(o.Reviewers, page.Reviewer{User: v.person(r.UserID), State: reviewerWords[r.State]})
	}
	return o
}
