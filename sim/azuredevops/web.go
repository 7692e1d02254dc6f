package azuredevops

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// pageHandler serves the pages for people, below the path of the instance. They are public.
func (s *Server) pageHandler() (http.Handler, error) {
	brand := page.Brand{Name: "Simulated Azure DevOps", Real: "dev.azure.com", PullWord: "pullrequest", ListWord: "pullrequests",
		FilesWord: "files", Noun: "pull request", Sign: "!", Root: s.Below}
	return (&browse.Site{Brand: brand, Log: s.Log, Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit is one request for the pages of a repository.
type visit struct {
	s    *Server
	ctx  context.Context
	root string // the path of the instance
	repo *repository
}

// visit finds the repository of a path such as organisation/project/_git/name.
func (s *Server) visit(ctx context.Context, parts []string) (browse.Repository, []string) {
	at := slices.Index(parts, "_git")
	if at < 1 || at+1 >= len(parts) {
		return nil, nil
	}
	root := s.Below()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(strings.Join(parts[:at], "/") + "/" + parts[at+1])
	if r == nil {
		return nil, nil
	}
	return &visit{s: s, ctx: ctx, root: root, repo: r}, parts[at+2:]
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.Users[id]; u != nil {
		return u.Name, !u.App
	}
	return "Azure DevOps", false
}

// index lists the repositories of an organisation or a project, or all.
func (s *Server) index(account string) (page.Index, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Repositories")}, Account: account}
	for _, r := range s.st.Repos {
		if p := s.st.Projects[r.ProjectID]; account == "" || strings.HasPrefix(strings.ToLower(p.path())+"/", strings.ToLower(account)+"/") {
			m.Repos = append(m.Repos, s.describeRepo(r))
		}
	}
	return m, account == "" || len(m.Repos) > 0
}

// describeRepo describes a repository for pages. Server.Mu is held.
func (s *Server) describeRepo(r *repository) page.Repo {
	p := s.st.Projects[r.ProjectID]
	o := page.Repo{Owner: p.path() + "/_git", Name: r.Name, Description: r.Description, DefaultBranch: r.DefaultBranch, Private: !p.Public}
	for _, x := range r.Pulls {
		if x.Status == "active" {
			o.OpenPulls++
		}
	}
	return o
}

// About implements [browse.Repository].
func (v *visit) About() page.Repo {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	return v.s.describeRepo(v.repo)
}

// Git implements [browse.Repository].
func (v *visit) Git() *gitrepo.Repo { return v.repo.git }

// link returns the address of a page below the repository. Server.Mu is held.
func (v *visit) link(rest string) string {
	return v.root + "/" + browse.EscapePath(v.s.st.Projects[v.repo.ProjectID].path()) + "/_git/" + browse.EscapePath(v.repo.Name) + "/" + rest
}

// Run implements [browse.Repository]: a build with the logs of its jobs.
func (v *visit) Run(kind, id string) *page.Run {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, run := range v.repo.Builds {
		if run.ID == n && kind == "build" && len(run.Jobs) > 0 {
			m := page.Run{Head: page.Head{Tab: "code"}, Check: v.jobCheck(run, run.Jobs[0]), SHA: run.SHA}
			for _, j := range run.Jobs {
				if text := j.Text(); !j.Gone && len(text) > 0 {
					m.Text = append(m.Text, page.Part{HTML: page.Log(text[max(0, len(text)-64<<10):])})
				}
			}
			return &m
		}
	}
	return nil
}

// states maps the states of statuses and results of jobs to those of pages; others are neutral.
var states = map[string]string{"succeeded": "success", "pending": "pending", "failed": "failure", "error": "failure"}

// jobCheck describes a job. Server.Mu is held.
func (v *visit) jobCheck(run *host.WorkflowRun, j *host.Job) page.Check {
	word := "pending"
	if j.Status == "completed" {
		word = host.OrElse(results[j.Conclusion], "failed")
	}
	return page.Check{Name: j.Name, App: "build " + strconv.FormatInt(run.ID, 10), State: host.OrElse(states[word], "neutral"), Word: word,
		Title: run.Workflow, Link: v.link("build/" + strconv.FormatInt(run.ID, 10))}
}

// checks returns the newest statuses of a pull request and the jobs of its head. Server.Mu is held.
func (v *visit) checks(p *pull) (out []page.Check) {
	seen := map[string]bool{}
	for _, x := range slices.Backward(p.Statuses) {
		if name := x.Genre + "/" + x.Name; x.SHA == p.now().Source && !seen[name] {
			seen[name] = true
			out = append(out, page.Check{Name: strings.Trim(name, "/"), App: v.s.displayed(x.Creator).Name,
				State: host.OrElse(states[x.State], "neutral"), Word: x.State, Title: x.Text,
				Link: host.OrElse(x.Link, v.link("pullrequest/"+strconv.Itoa(p.Number)))})
		}
	}
	for _, run := range v.repo.Builds {
		for _, j := range run.Jobs {
			if run.SHA == p.now().Source {
				out = append(out, v.jobCheck(run, j))
			}
		}
	}
	return out
}

func stateWord(p *pull) string {
	switch {
	case p.Status == "completed":
		return "Merged"
	case p.Status == "abandoned":
		return "Closed"
	case p.Draft:
		return "Draft"
	}
	return "Open"
}

func (p *pull) shownLabels() (out []page.Label) {
	for _, l := range p.Labels {
		out = append(out, page.Label{Name: l.Name, Color: "ededed"})
	}
	return out
}

// Rows implements [browse.Repository].
func (v *visit) Rows() (rows []page.PullRow) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, p := range host.Newest(v.repo.Pulls) {
		row := page.PullRow{Number: p.Number, Title: p.Title, State: stateWord(p), Author: v.s.displayed(p.Author), Labels: p.shownLabels(),
			Opened: p.Created.Time(), Link: v.link("pullrequest/" + strconv.Itoa(p.Number))}
		for _, k := range v.checks(p) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		rows = append(rows, row)
	}
	return rows
}

// Pull implements [browse.Repository].
func (v *visit) Pull(number int) *browse.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	p := v.repo.Pulls[number]
	if p == nil {
		return nil
	}
	at := *p.now()
	return &browse.Pull{Base: at.Common, Head: at.Source, Model: func() page.Pull { return v.model(p) },
		Items: func() []page.Item { return v.items(p) },
		Files: func(list []gitrepo.File) []page.FileDiff { return v.placed(list, p) }}
}

// voteWords maps votes to the words of pages.
var voteWords = map[int]string{10: "approved", 5: "approved", 0: "requested", -5: "reviewed", -10: "reviewed"}

func (v *visit) model(p *pull) page.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	o := page.Pull{Number: p.Number, Base: p.Target, Branch: p.Source, TitleText: p.Title, State: stateWord(p),
		Author: v.s.displayed(p.Author),
		Labels: p.shownLabels(), Checks: v.checks(p), HeadSHA: p.now().Source}
	for _, t := range p.Threads {
		for _, k := range t.Comments {
			if !k.System && !k.Deleted {
				o.Comments++
			}
		}
	}
	for _, r := range p.Reviewers {
		o.Reviewers = append(o.Reviewers, page.Reviewer{User: v.s.displayed(r.UserID), State: voteWords[r.Vote]})
	}
	return o
}

// talk is a snapshot of a thread, so that git does not run while Server.Mu is held.
type talk struct {
	page.Thread
	at   *place
	head iteration
	said []comment
	by   []page.User
}

// snapshots returns the threads that people see.
func (v *visit) snapshots(p *pull) (out []talk) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, t := range p.Threads {
		x := talk{at: t.Place, head: *p.now()}
		for _, i := range p.Iterations {
			if i.ID == t.Iteration {
				x.head = *i
			}
		}
		for _, k := range t.Comments {
			if !k.Deleted {
				x.said, x.by = append(x.said, *k), append(x.by, v.s.displayed(k.User))
			}
		}
		if len(x.said) == 0 {
			continue
		}
		x.First = t.commentID(&x.said[0])
		if t.resolved() {
			x.ResolvedBy = host.OrElse(v.s.st.login(t.ResolvedBy), t.Status)
		}
		if t.Place != nil {
			_, x.StartLine, x.Line = t.Place.span()
			x.Path, x.Outdated = t.Place.Path[1:], t.Iteration != p.now().ID
			x.Link = v.link("pullrequest/" + strconv.Itoa(p.Number) + "/files#" + browse.Anchor(x.Path))
			if before, _ := page.Changed(x.said[0].Body); p.Status == "active" && len(before) > 0 && t.Place.RightEnd != nil {
				x.Applies = x.First
			}
		}
		out = append(out, x)
	}
	return out
}

// covers returns a function that reports whether a line is one of the thread's.
func (t *talk) covers() func(page.DiffLine) bool {
	left, first, last := t.at.span()
	if left {
		return browse.Covers(patch.Left, first, last)
	}
	return browse.Covers(patch.Right, first, last)
}

// fill adds the comments, and the lines of the thread's iteration.
func (v *visit) fill(t *talk) {
	if d, err := v.repo.git.Diff(v.ctx, t.head.Common, t.head.Source); err == nil && t.at != nil {
		left, _, last := t.at.span()
		side := patch.Right
		if left {
			side = patch.Left
		}
		if f := d.Find(t.Path); f != nil {
			if h, _, shown := patch.Find(f.Hunks, side, last); shown {
				t.Excerpt = browse.Excerpt(browse.HunkLines(f.Path, f.Hunks[h].Lines), t.covers())
			}
		}
	}
	for i, k := range t.said {
		t.Comments = append(t.Comments, page.Comment{Anchor: fmt.Sprintf("comment-%d-%d", t.First, k.ID), User: t.by[i], At: k.Created.Time(),
			Edited: k.Updated != k.Created, Body: page.Body(k.Body, t.Path, nil)})
	}
}

// items returns the conversation in the order of time.
func (v *visit) items(p *pull) []page.Item {
	var list browse.Timeline
	v.s.Mu.Lock()
	if p.Body != "" {
		c := page.Comment{Anchor: "description", User: v.s.displayed(p.Author), At: p.Created.Time(), Body: page.Body(p.Body, "", nil)}
		list.Add(p.Created.Time(), page.Item{Comment: &c})
	}
	v.s.Mu.Unlock()
	for _, t := range v.snapshots(p) {
		v.fill(&t)
		if t.at == nil {
			for i := range t.Comments {
				list.Add(t.said[i].Created.Time(), page.Item{Comment: &t.Comments[i]})
			}
			continue
		}
		list.Add(t.said[0].Created.Time(), page.Item{Thread: &t.Thread})
	}
	return list.Items()
}

// placed puts threads below the lines of the present diff.
func (v *visit) placed(files []gitrepo.File, p *pull) []page.FileDiff {
	out := browse.FileDiffs(files)
	for _, t := range v.snapshots(p) {
		at := slices.IndexFunc(out, func(f page.FileDiff) bool { return f.Path == t.Path })
		if t.at == nil || at < 0 {
			continue
		}
		v.fill(&t)
		covers, outdated := t.covers(), t.Outdated
		browse.Place(&out[at], t.Thread, func(l page.DiffLine) bool { return !outdated && covers(l) })
	}
	return out
}

// ApplySuggestion implements [host.CodeHost]. The host applies nothing by a click, so the page makes the change that a comment shows as
// a diff, like a person who makes it by hand.
func (s *Server) ApplySuggestion(ctx context.Context, full string, number int, in shared.SuggestionSpec) (shared.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(full, number)
	var at *place
	var branch, head, status, body string
	if err == nil {
		branch, head, status = p.Source, p.now().Source, p.Status
		if t, k := p.thread(in.Comment); t != nil && t.Place != nil && t.Place.RightEnd != nil {
			at, body = t.Place, k.Body
		}
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return shared.Commit{}, err
	case status != "active":
		return shared.Commit{}, host.ErrNotOpen
	case at == nil:
		return shared.Commit{}, host.ErrNoSuggestion
	}
	file := at.Path[1:]
	text, err := browse.Repo{Git: r.git}.Apply(ctx, head, file, at.RightEnd.Line, body)
	if err != nil {
		return shared.Commit{}, err
	}
	return s.Commit(ctx, full, shared.CommitSpec{Branch: branch, Files: map[string]string{file: text},
		Message: "Update " + file, Author: in.Author})
}
