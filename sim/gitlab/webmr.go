package gitlab

import (
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

// link returns the address of a merge request's page; Server.Mu is held.
func (v *visit) link(m *mergeRequest) string {
	return v.root + "/" + browse.EscapePath(v.project.FullPath()) + "/-/merge_requests/" + strconv.Itoa(m.IID)
}

// Rows implements [browse.Repository].
func (v *visit) Rows() (rows []page.PullRow) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, m := range host.Newest(v.project.MRs) {
		row := page.PullRow{Number: m.IID, Title: m.Title, State: stateWord(m), Author: v.person(m.Author), Labels: v.labels(m),
			Opened: m.Created.Time(), Link: v.link(m)}
		for _, k := range v.checks(m) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		rows = append(rows, row)
	}
	return rows
}

// labels returns the labels of a merge request; Server.Mu is held.
func (v *visit) labels(m *mergeRequest) (out []page.Label) {
	for _, l := range v.project.Labels {
		if slices.Contains(m.Labels, l.Name) {
			out = append(out, page.Label{Name: l.Name, Color: strings.TrimPrefix(l.Color, "#")})
		}
	}
	return out
}

// checkStates maps the states of statuses and jobs to those of pages; others are neutral.
var checkStates = map[string]string{"success": "success", "pending": "pending", "running": "pending", "failed": "failure"}

// checks returns the newest statuses of the head and the jobs of its pipelines; Server.Mu is held.
func (v *visit) checks(m *mergeRequest) (out []page.Check) {
	seen := map[string]bool{}
	for _, x := range slices.Backward(v.project.Statuses) {
		if x.SHA != m.now().Head || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		out = append(out, page.Check{Name: x.Name, App: host.OrElse(v.person(x.Creator).Name, v.s.st.login(x.Creator)),
			State: host.OrElse(checkStates[x.State], "neutral"), Word: x.State, Title: x.Description,
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

// jobCheck describes a job; Server.Mu is held.
func (v *visit) jobCheck(r *host.WorkflowRun, j *host.Job) page.Check {
	return page.Check{Name: j.Name, App: "pipeline " + strconv.FormatInt(r.ID, 10),
		State: host.OrElse(checkStates[jobState(j)], "neutral"), Word: jobState(j), Title: r.Workflow,
		Link: v.root + "/" + browse.EscapePath(v.project.FullPath()) + "/-/jobs/" + strconv.FormatInt(j.ID, 10)}
}

// reviewerWords maps the states of reviewers to the words of pages.
var reviewerWords = map[string]string{"unreviewed": "requested", "reviewed": "reviewed", "approved": "approved"}

// Pull implements [browse.Repository].
func (v *visit) Pull(number int) *browse.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	m := v.project.MRs[number]
	if m == nil {
		return nil
	}
	at := *m.now()
	return &browse.Pull{Base: at.Base, Head: at.Head, Model: func() page.Pull { return v.model(m) },
		Items: func() []page.Item { return v.items(m) },
		Files: func(list []gitrepo.File) []page.FileDiff { return v.placed(list, m) }}
}

func (v *visit) model(m *mergeRequest) page.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	o := page.Pull{Number: m.IID, Base: m.Target, Branch: m.Source, TitleText: m.Title, State: stateWord(m),
		Author: v.person(m.Author), Labels: v.labels(m),
		Checks: v.checks(m), Comments: m.userNotes(), HeadSHA: m.now().Head}
	for _, r := range m.Reviewers {
		o.Reviewers = append(o.Reviewers, page.Reviewer{User: v.person(r.UserID), State: reviewerWords[r.State]})
	}
	return o
}
