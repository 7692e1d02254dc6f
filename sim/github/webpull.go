package github

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
)

func stateWord(p *pull) string {
	switch {
	case p.Merged != 0:
		return "Merged"
	case p.State == "closed":
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
		row := page.PullRow{Number: p.Number, Title: p.Title, State: stateWord(p), Author: userOf(v.s.st, p.Author), Labels: v.labels(p),
			Opened: p.Created.Time(), Link: pullLink(v.repo, p)}
		for _, rv := range p.Reviews {
			if rv.State != statePending {
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
func (v *visit) labels(p *pull) []page.Label {
	var out []page.Label
	for _, name := range p.Labels {
		l := v.repo.Labels[strings.ToLower(name)]
		out = append(out, page.Label{Name: l.Name, Color: l.Color})
	}
	return out
}

// Pull implements [browse.Repository].
func (v *visit) Pull(number int) *browse.Pull {
	v.s.Mu.Lock()
	p := v.repo.Pulls[number]
	var base, head string
	if p != nil {
		base, head = p.BaseSHA, p.HeadSHA
	}
	v.s.Mu.Unlock()
	if p == nil {
		return nil
	}
	merge, err := v.repo.git.MergeBase(v.ctx, base, head)
	if err != nil {
		v.s.Log.Error("merge base", "error", err) // and then there is no diff
	}
	return &browse.Pull{Base: merge, Head: head, Model: func() page.Pull { return v.pullModel(p, head) },
		Items: func() []page.Item { return v.items(p, v.threads(v.ctx, p, base, head)) },
		Files: func(list []gitrepo.File) []page.FileDiff { return placeThreads(list, v.threads(v.ctx, p, base, head)) }}
}

func (v *visit) pullModel(p *pull, head string) page.Pull {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	m := page.Pull{Number: p.Number, HeadSHA: head, Base: p.BaseRef, Branch: p.Head, TitleText: p.Title, State: stateWord(p),
		Author: userOf(v.s.st, p.Author),
		Labels: v.labels(p), Checks: v.checks(p)}
	m.Comments = len(p.IssueComments)
	words := map[string]string{stateApproved: "approved", stateChanges: "changes requested", stateCommented: "commented",
		stateDismissed: "dismissed"}
	latest := map[string]string{}
	var order []string
	for _, rv := range p.Reviews {
		if rv.State == statePending {
			continue
		}
		m.Comments++
		if latest[rv.User] == "" {
			order = append(order, rv.User)
		}
		latest[rv.User] = words[rv.State]
	}
	for _, login := range p.Requested {
		if latest[login] == "" {
			order = append(order, login)
			latest[login] = "requested"
		}
	}
	for _, login := range order {
		m.Reviewers = append(m.Reviewers, page.Reviewer{User: userOf(v.s.st, login), State: latest[login]})
	}
	return m
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

// inline describes an inline comment; Server.Mu is held.
func (v *visit) inline(c *reviewComment, lines []page.DiffLine) page.Comment {
	return page.Comment{Anchor: fmt.Sprintf("discussion_r%d", c.ID), User: userOf(v.s.st, c.User),
		Association: v.s.view().association(v.repo, c.User), At: c.Created.Time(),
		Edited: c.Updated != c.Created, Body: page.Body(c.Body, c.Path, lines), Reactions: describeReactions(c.Reactions)}
}

// items returns the conversation in the order of time.
func (v *visit) items(p *pull, threads []thread) []page.Item {
	v.s.Mu.Lock()
	defer v.s.Mu.Unlock()
	var list browse.Timeline
	assoc := func(login string) string { return v.s.view().association(v.repo, login) }
	for _, c := range p.IssueComments {
		list.Add(c.Created.Time(), page.Item{Comment: &page.Comment{Anchor: fmt.Sprintf("issuecomment-%d", c.ID),
			User: userOf(v.s.st, c.User), Association: assoc(c.User),
			At: c.Created.Time(), Edited: c.Updated != c.Created, Body: page.Body(c.Body, "", nil), Reactions: describeReactions(c.Reactions)}})
	}
	for _, e := range p.Events {
		list.Add(e.At.Time(), page.Item{Event: &page.Event{User: userOf(v.s.st, e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()}})
	}
	for _, rv := range p.Reviews {
		if rv.State == statePending {
			continue
		}
		o := &page.Review{Anchor: fmt.Sprintf("pullrequestreview-%d", rv.ID), User: userOf(v.s.st, rv.User), State: rv.State,
			At: rv.Submitted.Time(), Edited: rv.Edited > rv.Submitted,
			SHA: rv.CommitID, Body: page.Body(rv.Body, "", nil)}
		for _, t := range threads {
			if t.root.ReviewID == rv.ID {
				o.Threads = append(o.Threads, t.Thread)
			}
		}
		if len(o.Body) == 0 && len(o.Threads) == 0 {
			continue // the review around a reply, which its thread shows
		}
		list.Add(rv.Submitted.Time(), page.Item{Review: o})
	}
	first := page.Item{Comment: &page.Comment{Anchor: "description", User: userOf(v.s.st, p.Author), Association: assoc(p.Author),
		At:   p.Created.Time(),
		Body: page.Body(p.Body, "", nil), Reactions: describeReactions(p.Reactions)}}
	return append([]page.Item{first}, list.Items()...)
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

// Run implements [browse.Repository]: a check run.
func (v *visit) Run(kind, id string) *page.Run {
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
