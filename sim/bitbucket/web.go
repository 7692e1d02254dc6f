package bitbucket

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// pullWord is the path segment of pull requests on the pages.
const pullWord = "pull-requests"

// pageHandler serves the pages for people, which are public.
func (s *Server) pageHandler() (http.Handler, error) {
	return (&browse.Site{Brand: page.Brand{Name: "Simulated " + s.Product(), Real: "a real " + s.Product(), PullWord: pullWord,
		ListWord: pullWord, FilesWord: "diff"}, Log: s.Log, Avatar: s.avatar, Index: s.index, Open: s.visit, People: s,
		Render: func(text, path string, lines []page.DiffLine) []page.Part {
			return browse.Plain(escaped(text), path, lines)
		}}).Handler()
}

// visit finds the repository of a path. Addresses of files ("src/<ref>/…") become those of the shared pages.
func (s *Server) visit(parts []string) (*browse.Repository, []string) {
	if len(parts) < 2 {
		return nil, nil
	}
	if s.dataCenter && len(parts) > 3 && parts[0] == "projects" && parts[2] == "repos" {
		parts = append([]string{strings.TrimPrefix(parts[1], "~"), parts[3]}, parts[4:]...)
		if len(parts) > 4 && parts[4] == "overview" {
			parts = parts[:4]
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(parts[0], strings.TrimSuffix(parts[1], ".git"))
	if r == nil {
		return nil, nil
	}
	rest := slices.Clone(parts[2:])
	words := map[string]string{"src": "tree", "commits": "commit"}
	if len(rest) > 1 && words[rest[0]] != "" {
		rest[0] = words[rest[0]]
	}
	return s.shown(r), slices.DeleteFunc(rest, func(part string) bool { return part == "_" })
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.userByID(id); u != nil {
		return u.Login, !u.App
	}
	return s.Product(), false
}

func (s *Server) index(account string) (list []*browse.Repository, found bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, r := range host.ByKey(s.st.Repos) {
		if account == "" || strings.EqualFold(s.st.login(r.OwnerID), account) {
			list = append(list, s.shown(r))
		}
	}
	return list, account == "" || s.st.user(account) != nil
}

// shown describes a repository for its pages; Server.Mu is held.
func (s *Server) shown(r *repository) *browse.Repository {
	out := &browse.Repository{Git: r.git, About: page.Repo{Owner: s.st.login(r.OwnerID), Name: r.Name, Description: r.Description,
		DefaultBranch: r.DefaultBranch, Private: r.Private}}
	for _, p := range host.Newest(r.Pulls) {
		out.Pulls = append(out.Pulls, s.shownPull(r, p))
	}
	return out
}

func (s *Server) pageUser(id int64) page.User {
	u := s.st.userByID(id)
	if u == nil {
		return page.User{Login: "former user"}
	}
	return page.User{Login: u.Login, ID: u.ID, Bot: u.App}
}

// shownPull describes a pull request for its pages; Server.Mu is held.
func (s *Server) shownPull(r *repository, p *pull) *browse.Pull {
	path := "/" + url.PathEscape(s.st.login(r.OwnerID)) + "/" + url.PathEscape(r.Name)
	if s.dataCenter {
		path = "/projects/" + url.PathEscape(keyOf(s.st.userByID(r.OwnerID))) + "/repos/" + url.PathEscape(r.Name)
	}
	states := map[string]string{stateOpen: "Open", stateMerged: "Merged", stateDeclined: "Closed"}
	o := &browse.Pull{Draft: p.Draft, From: p.BaseSHA, Link: path + "/" + pullWord + "/" + strconv.Itoa(p.Number), Opened: p.Created.Time(),
		Reviews: len(p.Comments), Pull: page.Pull{Number: p.Number, HeadSHA: p.HeadSHA, Base: p.Target, Branch: p.Source, TitleText: p.Title,
			State: states[p.State], Author: s.pageUser(p.Author), Comments: len(p.Comments)},
		Talk: func(context.Context) browse.Conversation { return s.conversation(p) }}
	checks := map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "INPROGRESS": "pending", "STOPPED": "neutral",
		"CANCELLED": "neutral"}
	for _, x := range r.Statuses {
		if x.SHA == p.HeadSHA {
			o.Checks = append(o.Checks, page.Check{Name: host.OrElse(x.Name, x.Key), App: s.st.login(x.Creator), State: checks[x.State],
				Word: x.State, Title: x.Description, Link: o.Link})
		}
	}
	words := map[string]string{"approved": "approved", "changes_requested": "changes requested", "": "requested"}
	for _, x := range p.Participants {
		if x.Reviewer || x.State != "" {
			o.Reviewers = append(o.Reviewers, page.Reviewer{User: s.pageUser(x.User), State: words[x.State]})
		}
	}
	return o
}

// escaped makes HTML visible, as the host shows it, outside of blocks of code.
func escaped(text string) string {
	lines, code := strings.Split(text, "\n"), false
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			code = !code
		} else if !code && !strings.Contains(l, "`") {
			lines[i] = strings.ReplaceAll(l, "<", "&lt;")
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Server) said(x *comment) browse.Said {
	return browse.Said{ID: x.ID, Text: x.Body, Comment: page.Comment{Anchor: fmt.Sprintf("comment-%d", x.ID), User: s.pageUser(x.User),
		At: x.Created.Time(), Edited: x.Updated != x.Created}}
}

// conversation returns what everybody sees of a conversation. Answers stand below the inline comments that they answer.
func (s *Server) conversation(p *pull) (out browse.Conversation) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if p.Body != "" {
		first := s.said(&comment{User: p.Author, Body: p.Body, Created: p.Created, Updated: p.Created})
		out.Opening = &first
	}
	threads := map[int64]int{}
	for _, x := range p.Comments {
		i, found := threads[p.root(x).ID]
		switch {
		case x.Deleted || x.Pending:
		case x.Place != nil && found:
			out.Talks[i].Said = append(out.Talks[i].Said, s.said(x))
		default:
			t := browse.Talk{Said: []browse.Said{s.said(x)}, ClosedBy: s.st.login(x.ResolvedBy)}
			if at := x.Place; at != nil {
				threads[x.ID] = len(out.Talks)
				side, first, last := at.span()
				t.Place = (&browse.Place{Path: at.Path, Side: side, First: first, Last: last, Hunk: at.DiffHunk}).Stay(p.HeadSHA,
					at.Head)
				t.Suggests = side == patch.Right && browse.Suggests(x.Body)
			}
			out.Talks = append(out.Talks, t)
		}
	}
	for _, e := range p.Events {
		out.Events = append(out.Events, page.Event{User: s.pageUser(e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()})
	}
	return out
}

// span returns the side, and the first and last line of a place.
func (at *place) span() (side string, first, last int) {
	if at.To == 0 {
		return patch.Left, host.StatusOr(at.StartFrom, at.From), at.From
	}
	return patch.Right, host.StatusOr(at.StartTo, at.To), at.To
}

// root returns the first comment of a thread.
func (p *pull) root(x *comment) *comment {
	for x.Parent != 0 {
		i := slices.IndexFunc(p.Comments, func(y *comment) bool { return y.ID == x.Parent })
		if i < 0 {
			return x
		}
		x = p.Comments[i]
	}
	return x
}

// ApplySuggestion implements [host.CodeHost]. The host has no suggestions.
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in shared.SuggestionSpec) (shared.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	if err != nil {
		s.Mu.Unlock()
		return shared.Commit{}, err
	}
	at := s.shownPull(r, p)
	s.Mu.Unlock()
	return at.Apply(ctx, r.git, s, fullName, in)
}
