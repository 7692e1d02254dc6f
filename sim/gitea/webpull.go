package gitea

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// visible reports whether the review is public.
func (rv *review) visible() bool { return rv.State != statePending && rv.State != stateRequest }

// shownPull describes a pull request with the newest statuses of its head. Server.Mu is held.
func (s *Server) shownPull(r *repository, p *pull) *browse.Pull {
	o := &browse.Pull{Draft: p.draft(), From: p.BaseSHA, Link: pullLink(r, p), Opened: p.Created.Time(), Pull: page.Pull{Number: p.Number,
		HeadSHA: p.HeadSHA, Base: p.BaseRef, Branch: p.Head, TitleText: p.Title, State: "Open", Author: userOf(s.st, p.Author),
		Comments: len(p.IssueComments)}, Talk: func(context.Context) browse.Conversation { return s.conversation(p) }}
	switch {
	case p.Merged != 0:
		o.State = "Merged"
	case p.State == "closed":
		o.State = "Closed"
	}
	for _, l := range r.Labels {
		if slices.Contains(p.Labels, l.ID) {
			o.Labels = append(o.Labels, page.Label{Name: l.Name, Color: l.Color})
		}
	}
	states := map[string]string{"success": "success", "pending": "pending", "failure": "failure", "error": "failure"}
	seen := map[string]bool{}
	for _, x := range slices.Backward(r.Statuses) {
		if x.SHA == p.HeadSHA && !seen[x.Context] {
			seen[x.Context] = true
			o.Checks = append(o.Checks, page.Check{Name: x.Context, App: x.Creator, State: host.OrElse(states[x.State], "neutral"),
				Word: x.State, Title: x.Description, Link: o.Link})
		}
	}
	words := map[string]string{stateApproved: "approved", stateChanges: "changes requested", stateComment: "commented",
		stateRequest: "requested"}
	at := map[string]int{}
	for _, rv := range p.Reviews {
		if rv.State == statePending {
			continue
		}
		if rv.visible() {
			o.Comments, o.Reviews = o.Comments+1, o.Reviews+1
		}
		i, known := at[rv.User]
		if !known {
			i, at[rv.User] = len(o.Reviewers), len(o.Reviewers)
			o.Reviewers = append(o.Reviewers, page.Reviewer{User: userOf(s.st, rv.User)})
		}
		o.Reviewers[i].State = words[rv.State]
	}
	return o
}

// said describes a comment of any kind; Server.Mu is held.
func (s *Server) said(id int64, login, text string, at, edited micros) browse.Said {
	return browse.Said{ID: id, Text: text, Comment: page.Comment{Anchor: fmt.Sprintf("issuecomment-%d", id), User: userOf(s.st, login),
		At: at.Time(), Edited: edited != at}}
}

// conversation returns what everybody sees of a conversation.
func (s *Server) conversation(p *pull) (out browse.Conversation) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if p.Body != "" {
		first := s.said(0, p.Author, p.Body, p.Created, p.Created)
		out.Opening = &first
	}
	for _, x := range p.IssueComments {
		out.Talks = append(out.Talks, browse.Talk{Said: []browse.Said{s.said(x.ID, x.User, x.Body, x.Created, x.Updated)}})
	}
	for _, e := range p.Events {
		out.Events = append(out.Events, page.Event{User: userOf(s.st, e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()})
	}
	for _, c := range p.Comments {
		if !c.Reply && !p.pending(c) {
			out.Talks = append(out.Talks, s.thread(p, c))
		}
	}
	for _, rv := range p.Reviews {
		state := map[string]string{stateApproved: "APPROVED", stateChanges: "CHANGES_REQUESTED"}[rv.State]
		if rv.Dismissed {
			state = "DISMISSED"
		}
		for _, x := range rv.Shown { // after submission each of them has all threads of the review below it
			out.Reviews = append(out.Reviews, browse.Review{ID: rv.ID, Text: x.Body, Review: page.Review{
				Anchor: fmt.Sprintf("issuecomment-%d", x.ID), User: userOf(s.st, rv.User), State: host.OrElse(state, "COMMENTED"),
				At: x.Created.Time(), SHA: rv.CommitID}})
		}
	}
	return out
}

// thread returns an inline comment with the answers on the same line of the same review; Server.Mu is held. A negative number is a line of
// the old side.
func (s *Server) thread(p *pull, root *inline) browse.Talk {
	line := max(root.Line, -root.Line)
	t := browse.Talk{Review: root.ReviewID, ClosedBy: root.ResolvedBy, Suggests: root.Line > 0 && browse.Suggests(root.Body),
		Place: &browse.Place{Path: root.Path, Side: patch.Right, First: line, Last: line, Hunk: root.DiffHunk}}
	if root.Line < 0 {
		t.Place.Side = patch.Left
	}
	t.Place.Stay(p.HeadSHA, root.CommitID)
	for _, c := range p.commentsOf(root.ReviewID) {
		if c == root || c.Reply && c.Path == root.Path && c.Line == root.Line {
			t.Said = append(t.Said, s.said(c.ID, c.User, c.Body, c.Created, c.Updated))
		}
	}
	return t
}
