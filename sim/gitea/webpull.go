package gitea

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

func stateWord(p *pull) string {
	switch {
	case p.Merged != 0:
		return "Merged"
	case p.State == "closed":
		return "Closed"
	case p.draft():
		return "Draft"
	}
	return "Open"
}

// visible reports whether the review is public.
func (rv *review) visible() bool { return rv.State != statePending && rv.State != stateRequest }

// Rows implements [browse.Repository].
func (v *visit) Rows() (rows []page.PullRow) {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, p := range host.Newest(v.repo.Pulls) {
		row := page.PullRow{Number: p.Number, Title: p.Title, State: stateWord(p), Author: userOf(v.s.st, p.Author), Labels: v.labels(p),
			Opened: p.Created.Time(), Link: pullLink(v.repo, p)}
		for _, rv := range p.Reviews {
			if rv.visible() {
				row.Reviews++
			}
		}
		for _, k := range v.checks(p) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		rows = append(rows, row)
	}
	return rows
}

// labels returns the labels of a pull request; Server.Mu is held.
func (v *visit) labels(p *pull) (out []page.Label) {
	for _, l := range v.repo.Labels {
		if slices.Contains(p.Labels, l.ID) {
			out = append(out, page.Label{Name: l.Name, Color: l.Color})
		}
	}
	return out
}

// checks returns the newest statuses of the head; Server.Mu is held.
func (v *visit) checks(p *pull) (out []page.Check) {
	states := map[string]string{"success": "success", "pending": "pending", "failure": "failure", "error": "failure"}
	seen := map[string]bool{}
	for _, x := range slices.Backward(v.repo.Statuses) {
		if x.SHA != p.HeadSHA || seen[x.Context] {
			continue
		}
		seen[x.Context] = true
		state := states[x.State]
		if state == "" {
			state = "neutral"
		}
		out = append(out, page.Check{Name: x.Context, App: x.Creator, State: state, Word: x.State, Title: x.Description,
			Link: pullLink(v.repo, p)})
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
	return &browse.Pull{Base: at.mergeBase, Head: at.head, Model: func() page.Pull { return v.pullModel(p, at.head) },
		Items: func() []page.Item { return v.items(p) },
		Files: func(list []gitrepo.File) []page.FileDiff { return v.placeThreads(list, p) }}
}

func (v *visit) pullModel(p *pull, head string) page.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	m := page.Pull{Number: p.Number, HeadSHA: head, Base: p.BaseRef, Branch: p.Head, TitleText: p.Title, State: stateWord(p),
		Author: userOf(v.s.st, p.Author),
		Labels: v.labels(p), Checks: v.checks(p)}
	m.Comments = len(p.IssueComments)
	words := map[string]string{stateApproved: "approved", stateChanges: "changes requested", stateComment: "commented",
		stateRequest: "requested"}
	latest := map[string]string{}
	var order []string
	for _, rv := range p.Reviews {
		if rv.State == statePending {
			continue
		}
		if rv.visible() {
			m.Comments++
		}
		if latest[rv.User] == "" {
			order = append(order, rv.User)
		}
		latest[rv.User] = words[rv.State]
	}
	for _, login := range order {
		m.Reviewers = append(m.Reviewers, page.Reviewer{User: userOf(v.s.st, login), State: latest[login]})
	}
	return m
}

// body renders a comment. The host has no suggestions, so they are ordinary code blocks.
func body(text string) []page.Part {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []page.Part{{HTML: page.Markdown(text)}}
}

// comment describes a comment of any kind; Server.Mu is held.
func (v *visit) comment(id int64, login, text string, at, edited micros) page.Comment {
	return page.Comment{Anchor: fmt.Sprintf("issuecomment-%d", id), User: userOf(v.s.st, login), At: at.Time(), Edited: edited != at,
		Body: body(text)}
}

// items returns the conversation in the order of time.
func (v *visit) items(p *pull) []page.Item {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	var list browse.Timeline
	if p.Body != "" {
		c := v.comment(0, p.Author, p.Body, p.Created, p.Created)
		list.Add(p.Created.Time(), page.Item{Comment: &c})
	}
	for _, x := range p.IssueComments {
		c := v.comment(x.ID, x.User, x.Body, x.Created, x.Updated)
		list.Add(x.Created.Time(), page.Item{Comment: &c})
	}
	for _, e := range p.Events {
		list.Add(e.At.Time(), page.Item{Event: &page.Event{User: userOf(v.s.st, e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()}})
	}
	for _, rv := range p.Reviews {
		for _, x := range rv.Shown {
			list.Add(x.Created.Time(), page.Item{Review: v.review(p, rv, x)})
		}
	}
	return list.Items()
}

// review describes a review by one of its comments. After submission each of them has all threads of the
// review below it. Server.Mu is held.
func (v *visit) review(p *pull, rv *review, x *shown) *page.Review {
	o := &page.Review{Anchor: fmt.Sprintf("issuecomment-%d", x.ID), User: userOf(v.s.st, rv.User), State: "COMMENTED",
		At: x.Created.Time(), SHA: rv.CommitID, Body: body(x.Body)}
	switch {
	case rv.Dismissed:
		o.State = "DISMISSED"
	case rv.State == stateApproved:
		o.State = "APPROVED"
	case rv.State == stateChanges:
		o.State = "CHANGES_REQUESTED"
	}
	for _, c := range p.commentsOf(rv.ID) {
		if !c.Reply && rv.visible() {
			o.Threads = append(o.Threads, v.thread(p, c))
		}
	}
	return o
}

// thread returns an inline comment with the answers on the same line of the same review; Server.Mu is held.
func (v *visit) thread(p *pull, root *inline) page.Thread {
	t := page.Thread{First: root.ID, Path: root.Path, Line: max(root.Line, -root.Line), ResolvedBy: root.ResolvedBy,
		Link: pullLink(v.repo, p) + "/files#" + browse.Anchor(root.Path), Outdated: root.CommitID != p.HeadSHA}
	if hunk, err := patch.ParseExcerpt(root.DiffHunk); err == nil { // a line outside the diff has no excerpt
		t.Excerpt = browse.Excerpt(browse.HunkLines(root.Path, hunk.Lines), root.covers)
	}
	if before, _ := page.Changed(root.Body); p.State == "open" && root.Line > 0 && len(before) > 0 {
		t.Applies = root.ID
	}
	for _, c := range p.commentsOf(root.ReviewID) {
		if c == root || c.Reply && c.Path == root.Path && c.Line == root.Line {
			t.Comments = append(t.Comments, v.comment(c.ID, c.User, c.Body, c.Created, c.Updated))
		}
	}
	return t
}

// placeThreads puts threads below the lines of the present diff.
func (v *visit) placeThreads(files []gitrepo.File, p *pull) []page.FileDiff {
	out := browse.FileDiffs(files)
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	for _, c := range p.Comments {
		if c.Reply || p.pending(c) {
			continue
		}
		t := v.thread(p, c)
		for i := range out {
			if out[i].Path == c.Path {
				browse.Place(&out[i], t, func(l page.DiffLine) bool { return !t.Outdated && c.covers(l) })
			}
		}
	}
	return out
}

// covers reports whether a line is the line of a comment; a negative number is a line of the old side.
func (c *inline) covers(l page.DiffLine) bool {
	if c.Line < 0 {
		return browse.Covers(patch.Left, -c.Line, -c.Line)(l)
	}
	return browse.Covers(patch.Right, c.Line, c.Line)(l)
}
