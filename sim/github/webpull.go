package github

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// pull describes a pull request; Server.Mu is held.
func (v *visit) pull(p *pull) *browse.Pull {
	o := &browse.Pull{Draft: p.Draft, From: p.BaseSHA, Link: pullLink(v.repo, p), Opened: p.Created.Time(), Pull: page.Pull{Number: p.Number,
		HeadSHA: p.HeadSHA, Base: p.BaseRef, Branch: p.Head, TitleText: p.Title, State: "Open", Author: userOf(v.s.st, p.Author),
		Checks: v.checks(p), Comments: len(p.IssueComments)},
		Talk: func(ctx context.Context) browse.Conversation { return v.conversation(ctx, p) }}
	switch {
	case p.Merged != 0:
		o.State = "Merged"
	case p.State == "closed":
		o.State = "Closed"
	}
	for _, name := range p.Labels {
		l := v.repo.Labels[strings.ToLower(name)]
		o.Labels = append(o.Labels, page.Label{Name: l.Name, Color: l.Color})
	}
	words := map[string]string{stateApproved: "approved", stateChanges: "changes requested", stateCommented: "commented",
		stateDismissed: "dismissed"}
	at := map[string]int{}
	reviewer := func(login string) *page.Reviewer {
		i, known := at[login]
		if !known {
			i, at[login] = len(o.Reviewers), len(o.Reviewers)
			o.Reviewers = append(o.Reviewers, page.Reviewer{User: userOf(v.s.st, login)})
		}
		return &o.Reviewers[i]
	}
	for _, rv := range p.Reviews {
		if rv.State != statePending {
			o.Comments, o.Reviews = o.Comments+1, o.Reviews+1
			reviewer(rv.User).State = words[rv.State]
		}
	}
	for _, login := range p.Requested {
		if r := reviewer(login); r.State == "" {
			r.State = "requested"
		}
	}
	return o
}

var emoji = map[string]string{"+1": "👍", "-1": "👎", "laugh": "😄", "confused": "😕", "heart": "❤️", "hooray": "🎉", "rocket": "🚀", "eyes": "👀"}

func describeReactions(list host.Reactions) []page.Reaction {
	count := map[string]int{}
	for _, x := range list {
		count[x.Content]++
	}
	var out []page.Reaction
	for _, kind := range reactionKinds {
		if count[kind] > 0 {
			out = append(out, page.Reaction{Emoji: emoji[kind], Count: count[kind]})
		}
	}
	return out
}

// said describes a comment whose address has that anchor; Server.Mu is held.
func (v *visit) said(anchor string, id int64, login, text string, at, edited micros, reactions host.Reactions) browse.Said {
	return browse.Said{ID: id, Text: text, Comment: page.Comment{Anchor: anchor, User: userOf(v.s.st, login),
		Association: v.s.view().association(v.repo, login), At: at.Time(), Edited: edited != at, Reactions: describeReactions(reactions)}}
}

// conversation returns what everybody sees of a conversation.
func (v *visit) conversation(ctx context.Context, p *pull) (out browse.Conversation) {
	out.Talks = v.threads(ctx, p)
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	first := v.said("description", 0, p.Author, p.Body, p.Created, p.Created, p.Reactions)
	out.Opening = &first
	for _, c := range p.IssueComments {
		out.Talks = append(out.Talks, browse.Talk{Said: []browse.Said{
			v.said(fmt.Sprintf("issuecomment-%d", c.ID), c.ID, c.User, c.Body, c.Created, c.Updated, c.Reactions)}})
	}
	for _, e := range p.Events {
		out.Events = append(out.Events, page.Event{User: userOf(v.s.st, e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()})
	}
	for _, rv := range p.Reviews {
		begins := slices.ContainsFunc(out.Talks, func(t browse.Talk) bool { return t.Review == rv.ID })
		if rv.State == statePending || strings.TrimSpace(rv.Body) == "" && !begins {
			continue // the review around a reply, which its thread shows
		}
		out.Reviews = append(out.Reviews, browse.Review{ID: rv.ID, Text: rv.Body, Review: page.Review{
			Anchor: fmt.Sprintf("pullrequestreview-%d", rv.ID), User: userOf(v.s.st, rv.User), State: rv.State, At: rv.Submitted.Time(),
			Edited: rv.Edited > rv.Submitted, SHA: rv.CommitID}})
	}
	return out
}

// checks returns check runs and statuses of the head, the newest of each name; Server.Mu is held.
func (v *visit) checks(p *pull) []page.Check {
	var out []page.Check
	seen := map[string]bool{}
	for _, k := range host.Newest(v.repo.CheckRuns) {
		key := fmt.Sprint(k.AppID, k.Name)
		if k.HeadSHA == p.HeadSHA && !seen[key] {
			seen[key] = true
			out = append(out, v.check(k))
		}
	}
	for _, x := range slices.Backward(v.repo.Statuses) {
		if x.SHA == p.HeadSHA && !seen["status "+x.Context] {
			seen["status "+x.Context] = true
			state := map[string]string{"success": "success", "pending": "pending", "failure": "failure", "error": "failure"}[x.State]
			c := page.Check{Name: x.Context, App: x.Creator, State: state, Word: x.State, Link: pullLink(v.repo, p)}
			host.Set(&c.Title, x.Description)
			out = append(out, c)
		}
	}
	return out
}

func (v *visit) check(k *checkRun) page.Check {
	state, word := "pending", strings.ReplaceAll(k.Status, "_", " ")
	if k.Status == "completed" {
		word = strings.ReplaceAll(k.Conclusion, "_", " ")
		switch k.Conclusion {
		case "success":
			state = "success"
		case "failure", "timed_out", "action_required":
			state = "failure"
		default:
			state = "neutral"
		}
	}
	return page.Check{Name: k.Name, App: v.s.st.Apps[k.AppID].Name, State: state, Word: word, Title: k.Title,
		Link:    fmt.Sprintf("/%s/runs/%d", v.repo.FullName(), k.ID),
		Summary: page.Body(k.Summary, "", nil), Annotations: len(k.Annotations)}
}

// run returns the page of a check run.
func (v *visit) run(kind, id string) *page.Run {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	k := v.repo.CheckRuns[n]
	if k == nil || kind != "runs" {
		return nil
	}
	m := page.Run{Head: page.Head{Tab: "pulls"}, Check: v.check(k), External: k.ExternalID, SHA: k.HeadSHA, Text: page.Body(k.Text, "", nil)}
	for _, a := range k.Annotations {
		lines := fmt.Sprintf("line %v", a["start_line"])
		if fmt.Sprint(a["end_line"]) != fmt.Sprint(a["start_line"]) {
			lines = fmt.Sprintf("lines %v to %v", a["start_line"], a["end_line"])
		}
		m.Notes = append(m.Notes, page.Annotation{Path: fmt.Sprint(a["path"]), Lines: lines, Level: fmt.Sprint(a["annotation_level"]),
			Message: fmt.Sprint(a["message"])})
	}
	return &m
}
