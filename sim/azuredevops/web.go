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

// visit finds the repository of a path such as organisation/project/_git/name.
func (s *Server) visit(parts []string) (*browse.Repository, []string) {
	at := slices.Index(parts, "_git")
	if at < 1 || at+1 >= len(parts) {
		return nil, nil
	}
	root := s.Below()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if r := s.st.repo(strings.Join(parts[:at], "/") + "/" + parts[at+1]); r != nil {
		return s.shown(root, r), parts[at+2:]
	}
	return nil, nil
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
func (s *Server) index(account string) (list []*browse.Repository, found bool) {
	root := s.Below()
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, r := range s.st.Repos {
		path := strings.ToLower(s.st.Projects[r.ProjectID].path()) + "/"
		if account == "" || strings.HasPrefix(path, strings.ToLower(account)+"/") {
			list = append(list, s.shown(root, r))
		}
	}
	return list, account == "" || len(list) > 0
}

// shown describes a repository for its pages below a path. Server.Mu is held.
func (s *Server) shown(root string, r *repository) *browse.Repository {
	p := s.st.Projects[r.ProjectID]
	link := root + "/" + browse.EscapePath(p.path()) + "/_git/" + browse.EscapePath(r.Name) + "/"
	out := &browse.Repository{Git: r.git, About: page.Repo{Owner: p.path() + "/_git", Name: r.Name, Description: r.Description,
		DefaultBranch: r.DefaultBranch, Private: !p.Public}, Run: func(kind, id string) *page.Run {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		for _, run := range r.Builds {
			if strconv.FormatInt(run.ID, 10) == id && kind == "build" && len(run.Jobs) > 0 {
				return browse.LogPage(jobCheck(link, run, run.Jobs[0]), run.SHA, run.Jobs...)
			}
		}
		return nil
	}}
	for _, x := range host.Newest(r.Pulls) {
		out.Pulls = append(out.Pulls, s.shownPull(link, r, x))
	}
	return out
}

// checkStates maps the states of statuses and results of jobs to those of pages; others are neutral.
var checkStates = map[string]string{"succeeded": "success", "pending": "pending", "failed": "failure", "error": "failure"}

// jobCheck describes a job of a repository with that address.
func jobCheck(link string, run *host.WorkflowRun, j *host.Job) page.Check {
	word := "pending"
	if j.Status == "completed" {
		word = host.OrElse(results[j.Conclusion], "failed")
	}
	build := "build/" + strconv.FormatInt(run.ID, 10)
	return page.Check{Name: j.Name, App: strings.Replace(build, "/", " ", 1), State: host.OrElse(checkStates[word], "neutral"), Word: word,
		Title: run.Workflow, Link: link + build}
}

// shownPull describes a pull request, with its newest statuses and the jobs of its head. Server.Mu is held.
func (s *Server) shownPull(link string, r *repository, p *pull) *browse.Pull {
	states := map[string]string{"active": "Open", "completed": "Merged", "abandoned": "Closed"}
	votes := map[int]string{10: "approved", 5: "approved", 0: "requested", -5: "reviewed", -10: "reviewed"}
	o := &browse.Pull{Draft: p.Draft, From: p.now().Common, Link: link + "pullrequest/" + strconv.Itoa(p.Number), Opened: p.Created.Time(),
		Pull: page.Pull{Number: p.Number, Base: p.Target, Branch: p.Source, TitleText: p.Title, State: states[p.Status],
			Author: s.displayed(p.Author), HeadSHA: p.now().Source},
		Talk: func(context.Context) browse.Conversation { return s.conversation(p) }}
	seen := map[string]bool{}
	for _, x := range slices.Backward(p.Statuses) {
		if name := x.Genre + "/" + x.Name; x.SHA == o.HeadSHA && !seen[name] {
			seen[name] = true
			o.Checks = append(o.Checks, page.Check{Name: strings.Trim(name, "/"), App: s.displayed(x.Creator).Name,
				State: host.OrElse(checkStates[x.State], "neutral"), Word: x.State, Title: x.Text, Link: host.OrElse(x.Link, o.Link)})
		}
	}
	for _, run := range r.Builds {
		for _, j := range run.Jobs {
			if run.SHA == o.HeadSHA {
				o.Checks = append(o.Checks, jobCheck(link, run, j))
			}
		}
	}
	for _, l := range p.Labels {
		o.Labels = append(o.Labels, page.Label{Name: l.Name, Color: "ededed"})
	}
	for _, t := range p.Threads {
		for _, k := range t.Comments {
			if !k.System && !k.Deleted {
				o.Comments++
			}
		}
	}
	for _, x := range p.Reviewers {
		o.Reviewers = append(o.Reviewers, page.Reviewer{User: s.displayed(x.UserID), State: votes[x.Vote]})
	}
	return o
}

// conversation returns the threads that people see.
func (s *Server) conversation(p *pull) (out browse.Conversation) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if p.Body != "" {
		out.Opening = &browse.Said{Text: p.Body, Comment: page.Comment{Anchor: "description", User: s.displayed(p.Author),
			At: p.Created.Time()}}
	}
	for _, t := range p.Threads {
		x := browse.Talk{}
		for _, k := range t.Comments {
			if !k.Deleted {
				x.Said = append(x.Said, browse.Said{ID: t.commentID(k), Text: k.Body, Comment: page.Comment{
					Anchor: fmt.Sprintf("comment-%d-%d", t.ID, k.ID), User: s.displayed(k.User), At: k.Created.Time(),
					Edited: k.Updated != k.Created}})
			}
		}
		if len(x.Said) == 0 {
			continue
		}
		if t.resolved() {
			x.ClosedBy = host.OrElse(s.st.login(t.ResolvedBy), t.Status)
		}
		if t.Place != nil {
			left, first, last := t.Place.span()
			x.Place = &browse.Place{Path: t.Place.Path[1:], Side: patch.Right, First: first, Last: last}
			if left {
				x.Place.Side = patch.Left
			}
			if i := p.iteration(t.Iteration); i != nil {
				x.Place.From, x.Place.At = i.Common, i.Source
			}
			x.Place.Stay(strconv.Itoa(p.now().ID), strconv.Itoa(t.Iteration))
			x.Suggests = !left && browse.Suggests(x.Said[0].Text)
		}
		out.Talks = append(out.Talks, x)
	}
	return out
}

// ApplySuggestion implements [host.CodeHost]. The host applies nothing by a click.
func (s *Server) ApplySuggestion(ctx context.Context, full string, number int, in shared.SuggestionSpec) (shared.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(full, number)
	if err != nil {
		s.Mu.Unlock()
		return shared.Commit{}, err
	}
	at := s.shownPull("", r, p)
	s.Mu.Unlock()
	return at.Apply(ctx, r.git, s, full, in)
}
