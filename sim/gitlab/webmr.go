package gitlab

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// checkStates maps the states of statuses and jobs to those of pages; others are neutral.
var checkStates = map[string]string{"success": "success", "pending": "pending", "running": "pending", "failed": "failure"}

// jobCheck describes a job of a project whose pages have that address.
func jobCheck(link string, r *host.WorkflowRun, j *host.Job) page.Check {
	return page.Check{Name: j.Name, App: "pipeline " + strconv.FormatInt(r.ID, 10), State: host.OrElse(checkStates[jobState(j)], "neutral"),
		Word: jobState(j), Title: r.Workflow, Link: link + "jobs/" + strconv.FormatInt(j.ID, 10)}
}

// shownMR describes a merge request, with the newest statuses of its head and the jobs of its pipelines. Server.Mu is held.
func (s *Server) shownMR(link string, p *project, m *mergeRequest) *browse.Pull {
	states := map[string]string{"opened": "Open", "merged": "Merged", "closed": "Closed"}
	words := map[string]string{"unreviewed": "requested", "reviewed": "reviewed", "approved": "approved"}
	o := &browse.Pull{Draft: m.draft(), From: m.now().Base, Link: link + "merge_requests/" + strconv.Itoa(m.IID), Opened: m.Created.Time(),
		Pull: page.Pull{Number: m.IID, Base: m.Target, Branch: m.Source, TitleText: m.Title, State: states[m.State],
			Author: s.pageUser(m.Author), Comments: m.userNotes(), HeadSHA: m.now().Head},
		Talk: func(ctx context.Context) browse.Conversation { return s.conversation(ctx, p, m) }}
	for _, l := range p.Labels {
		if slices.Contains(m.Labels, l.Name) {
			o.Labels = append(o.Labels, page.Label{Name: l.Name, Color: strings.TrimPrefix(l.Color, "#")})
		}
	}
	seen := map[string]bool{}
	for _, x := range slices.Backward(p.Statuses) {
		if x.SHA != o.HeadSHA || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		o.Checks = append(o.Checks, page.Check{Name: x.Name, App: host.OrElse(s.pageUser(x.Creator).Name, s.st.login(x.Creator)),
			State: host.OrElse(checkStates[x.State], "neutral"), Word: x.State, Title: x.Description, Link: host.OrElse(x.TargetURL, o.Link)})
	}
	for _, r := range p.Pipelines {
		for _, j := range r.Jobs {
			if r.SHA == o.HeadSHA {
				o.Checks = append(o.Checks, jobCheck(link, r, j))
			}
		}
	}
	for _, r := range m.Reviewers {
		o.Reviewers = append(o.Reviewers, page.Reviewer{User: s.pageUser(r.UserID), State: words[r.State]})
	}
	return o
}
