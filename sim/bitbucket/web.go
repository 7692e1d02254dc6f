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
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// pullWord is the path segment of pull requests on the pages.
const pullWord = "pull-requests"

// pageHandler serves the pages for people, which are public.
func (s *Server) pageHandler() (http.Handler, error) {
	return (&browse.Site{Brand: page.Brand{Name: "Simulated " + s.Product(), Real: "a real " + s.Product(), PullWord: pullWord,
		ListWord: pullWord, FilesWord: "diff"}, Log: s.Log, Avatar: s.avatar, Index: s.index, Open: s.visit, People: s}).Handler()
}

// visit is one request for the pages of a repository.
type visit struct {
	s    *Server
	repo *repository
}

// visit finds the repository of a path. Addresses of files ("src/<ref>/…") become those of the shared pages.
func (s *Server) visit(_ context.Context, parts []string) (browse.Repository, []string) {
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
	return &visit{s: s, repo: r}, slices.DeleteFunc(rest, func(part string) bool { return part == "_" })
}

func (s *Server) avatar(id int64) (name string, isPerson bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if u := s.st.userByID(id); u != nil {
		return u.Login, !u.App
	}
	return s.Product(), false
}

func (s *Server) index(account string) (page.Index, bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Repositories")}, Account: account}
	for _, r := range host.ByKey(s.st.Repos) {
		if account == "" || strings.EqualFold(s.st.login(r.OwnerID), account) {
			m.Repos = append(m.Repos, s.describeRepo(r))
		}
	}
	return m, account == "" || s.st.user(account) != nil
}

func (s *Server) describeRepo(r *repository) page.Repo {
	p := page.Repo{Owner: s.st.login(r.OwnerID), Name: r.Name, Description: r.Description, DefaultBranch: r.DefaultBranch, Private: r.Private}
	for _, x := range r.Pulls {
		if x.State == stateOpen {
			p.OpenPulls++
		}
	}
	return p
}

// About implements [browse.Repository].
func (v *visit) About() page.Repo {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	return v.s.describeRepo(v.repo)
}

// Git implements [browse.Repository].
func (v *visit) Git() *gitrepo.Repo { return v.repo.git }

// Run implements [browse.Repository]: builds have no pages.
func (v *visit) Run(string, string) *page.Run { return nil }

func (v *visit) user(id int64) page.User {
	u := v.s.st.userByID(id)
	if u == nil {
		return page.User{Login: "former user"}
	}
	return page.User{Login: u.Login, ID: u.ID, Bot: u.App}
}

func (v *visit) link(p *pull) string {
	path := "/" + url.PathEscape(v.s.st.login(v.repo.OwnerID)) + "/" + url.PathEscape(v.repo.Name)
	if v.s.dataCenter {
		path = "/projects/" + url.PathEscape(keyOf(v.s.st.userByID(v.repo.OwnerID))) + "/repos/" + url.PathEscape(v.repo.Name)
	}
	return path + "/" + pullWord + "/" + strconv.Itoa(p.Number)
}

func stateWord(p *pull) string {
	switch {
	case p.State == stateMerged:
		return "Merged"
	case p.State == stateDeclined:
		return "Closed"
	case p.Draft:
		return "Draft"
	}
	return "Open"
}

// Rows implements [browse.Repository].
func (v *visit) Rows() (rows []page.PullRow) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, p := range host.Newest(v.repo.Pulls) {
		row := page.PullRow{Number: p.Number, Title: p.Title, State: stateWord(p), Author: v.user(p.Author), Opened: p.Created.Time(),
			Link: v.link(p), Reviews: len(p.Comments)}
		for _, k := range v.checks(p) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		rows = append(rows, row)
	}
	return rows
}

// checks returns the statuses of the head; Server.Mu is held.
func (v *visit) checks(p *pull) (out []page.Check) {
	states := map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "INPROGRESS": "pending", "STOPPED": "neutral",
		"CANCELLED": "neutral"}
	for _, x := range v.repo.Statuses {
		if x.SHA == p.HeadSHA {
			out = append(out, page.Check{Name: host.OrElse(x.Name, x.Key), App: v.s.st.login(x.Creator), State: states[x.State], Word: x.State,
				Title: x.Description, Link: v.link(p)})
		}
	}
	return out
}

// Pull implements [browse.Repository].
func (v *visit) Pull(number int) *browse.Pull {
	v.s.Mu.Lock()
	p := v.repo.Pulls[number]
	v.s.Mu.Unlock()
	if p == nil {
		return nil
	}
	at := v.s.snapshot(p)
	return &browse.Pull{Base: at.mergeBase, Head: at.head, Model: func() page.Pull { return v.pullModel(p) },
		Items: func() []page.Item { return v.items(p) },
		Files: func(list []gitrepo.File) []page.FileDiff { return v.placeThreads(list, p) }}
}

func (v *visit) pullModel(p *pull) page.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	m := page.Pull{Number: p.Number, HeadSHA: p.HeadSHA, Base: p.Target, Branch: p.Source, TitleText: p.Title, State: stateWord(p),
		Author: v.user(p.Author), Checks: v.checks(p), Comments: len(p.Comments)}
	words := map[string]string{"approved": "approved", "changes_requested": "changes requested", "": "requested"}
	for _, x := range p.Participants {
		if x.Reviewer || x.State != "" {
			m.Reviewers = append(m.Reviewers, page.Reviewer{User: v.user(x.User), State: words[x.State]})
		}
	}
	return m
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

// comment describes a comment; Server.Mu is held.
func (v *visit) comment(x *comment) page.Comment {
	c := page.Comment{Anchor: fmt.Sprintf("comment-%d", x.ID), User: v.user(x.User), At: x.Created.Time(), Edited: x.Updated != x.Created}
	if strings.TrimSpace(x.Body) != "" {
		c.Body = []page.Part{{HTML: page.Markdown(escaped(x.Body))}}
	}
	return c
}

// shown reports whether the page shows a comment to everybody; Server.Mu is held.
func (x *comment) shown() bool { return !x.Deleted && !x.Pending }

// items returns the conversation in the order of time. Answers stand below the comments that they answer.
func (v *visit) items(p *pull) []page.Item {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	var list browse.Timeline
	if p.Body != "" {
		c := v.comment(&comment{User: p.Author, Body: p.Body, Created: p.Created, Updated: p.Created})
		list.Add(p.Created.Time(), page.Item{Comment: &c})
	}
	for _, x := range p.Comments {
		switch {
		case !x.shown():
		case x.Place == nil:
			c := v.comment(x)
			list.Add(x.Created.Time(), page.Item{Comment: &c})
		case x.Parent == 0:
			t := v.thread(p, x)
			list.Add(x.Created.Time(), page.Item{Thread: &t})
		}
	}
	for _, e := range p.Events {
		list.Add(e.At.Time(), page.Item{Event: &page.Event{User: v.user(e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()}})
	}
	return list.Items()
}

// thread returns an inline comment with its answers; Server.Mu is held.
func (v *visit) thread(p *pull, root *comment) page.Thread {
	at := root.Place
	t := page.Thread{First: root.ID, Path: at.Path, Line: max(at.To, at.From), Link: v.link(p) + "/diff" + lineLink(at),
		Outdated: at.Head != p.HeadSHA, ResolvedBy: v.s.st.login(root.ResolvedBy)}
	if hunk, err := patch.ParseExcerpt(at.DiffHunk); err == nil { // a line outside the diff has no excerpt
		t.Excerpt = browse.Excerpt(browse.HunkLines(at.Path, hunk.Lines), at.covers)
	}
	if before, _ := page.Changed(root.Body); p.State == stateOpen && len(before) > 0 && at.To > 0 {
		t.Applies = root.ID
	}
	for _, x := range p.Comments {
		if x.shown() && (x == root || p.root(x) == root) {
			t.Comments = append(t.Comments, v.comment(x))
		}
	}
	return t
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

// covers reports whether a line is one of the place.
func (at *place) covers(l page.DiffLine) bool {
	if at.To == 0 {
		return browse.Covers(patch.Left, max(1, host.StatusOr(at.StartFrom, at.From)), at.From)(l)
	}
	return browse.Covers(patch.Right, host.StatusOr(at.StartTo, at.To), at.To)(l)
}

// placeThreads puts threads below the lines of the present diff.
func (v *visit) placeThreads(files []gitrepo.File, p *pull) []page.FileDiff {
	out := browse.FileDiffs(files)
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, x := range p.Comments {
		if !x.shown() || x.Place == nil || x.Parent != 0 {
			continue
		}
		t := v.thread(p, x)
		for i := range out {
			if out[i].Path == x.Place.Path {
				browse.Place(&out[i], t, func(l page.DiffLine) bool { return !t.Outdated && x.Place.covers(l) })
			}
		}
	}
	return out
}

// ApplySuggestion implements [host.CodeHost]: it makes the commit that a person makes by hand, because the host has no
// suggestions. The comment shows its change as the only block of code with the info word "diff".
func (s *Server) ApplySuggestion(ctx context.Context, fullName string, number int, in shared.SuggestionSpec) (shared.Commit, error) {
	s.Mu.Lock()
	r, p, err := s.st.find(fullName, number)
	var c comment
	var branch, head, state string
	if err == nil {
		branch, head, state = p.Source, p.HeadSHA, p.State
		if x := p.comment(in.Comment); x != nil && x.Place != nil {
			c = *x
		}
	}
	s.Mu.Unlock()
	switch {
	case err != nil:
		return shared.Commit{}, err
	case state != stateOpen:
		return shared.Commit{}, host.ErrNotOpen
	case c.Place == nil || c.Place.To == 0:
		return shared.Commit{}, host.ErrNoSuggestion
	}
	text, err := browse.Repo{Git: r.git}.Apply(ctx, head, c.Place.Path, c.Place.To, c.Body)
	if err != nil {
		return shared.Commit{}, err
	}
	return s.Commit(ctx, fullName, shared.CommitSpec{Branch: branch, Files: map[string]string{c.Place.Path: text},
		Message: "Update " + c.Place.Path, Author: in.Author})
}
