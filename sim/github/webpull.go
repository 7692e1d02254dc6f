package github

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

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

// pullRows lists pull requests, newest first.
func (v *visit) pullRows() (open, closed []page.PullRow) {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	for _, p := range slices.SortedFunc(maps.Values(v.repo.Pulls), func(a, b *pull) int { return cmp.Compare(b.Number, a.Number) }) {
		row := page.PullRow{Number: p.Number, Title: p.Title, State: stateWord(p), Author: userOf(v.s.st, p.Author), Labels: v.labels(p), Opened: p.Created.Time(), Link: pullLink(v.repo, p)}
		for _, rv := range p.Reviews {
			if rv.State != statePending {
				row.Reviews++
			}
		}
		for _, k := range v.checks(p) {
			row.Check = browse.Worse(row.Check, k.State)
		}
		if p.State == "open" {
			open = append(open, row)
		} else {
			closed = append(closed, row)
		}
	}
	return open, closed
}

func (v *visit) pulls() {
	open, closed := v.pullRows()
	v.Show("pulls", page.PullList{Head: v.head("Pull requests", "pulls"), Open: open, Closed: closed})
}

// labels of a pull request; Server.mu is held.
func (v *visit) labels(p *pull) []page.Label {
	var out []page.Label
	for _, name := range p.Labels {
		l := v.repo.Labels[strings.ToLower(name)]
		out = append(out, page.Label{Name: l.Name, Color: l.Color})
	}
	return out
}

// pull shows one of the pages of a pull request.
func (v *visit) pull(number, rest string) {
	number, isDiff := strings.CutSuffix(number, ".diff")
	n, _ := strconv.Atoi(number) // 0 names nothing
	v.s.mu.Lock()
	p := v.repo.Pulls[n]
	var base, head string
	if p != nil {
		base, head = p.BaseSHA, p.HeadSHA
	}
	v.s.mu.Unlock()
	if p == nil || (rest != "" && rest != "files" && rest != "commits") {
		v.Missing()
		return
	}
	ctx := v.R.Context()
	d, merge, err := v.s.pullDiff(ctx, v.repo, base, head)
	var commits []gitrepo.Commit
	if err == nil {
		commits, err = v.repo.git.Between(ctx, merge, head)
	}
	if err != nil {
		v.s.log.Error("page", "path", v.R.URL.Path, "error", err)
		http.Error(v.W, "the diff could not be made", http.StatusInternalServerError)
		return
	}
	if isDiff {
		browse.Raw(v.W, []byte(d.Text))
		return
	}
	m := v.pullModel(p, d, commits, head)
	threads := v.threads(ctx, p, base, head)
	switch rest {
	case "files":
		m.View = "files"
		m.Diffs = placeThreads(d.Files, threads)
		v.Show("files", m)
	case "commits":
		m.View = "commits"
		m.CommitList = v.code().Commits(commits)
		v.Show("commits", m)
	default:
		m.View = "conversation"
		m.Items = v.items(p, threads)
		v.Show("conversation", m)
	}
}

func (v *visit) pullModel(p *pull, d *gitrepo.Diff, commits []gitrepo.Commit, head string) page.Pull {
	m := page.Pull{Head: v.head(fmt.Sprintf("%s #%d", p.Title, p.Number), "pulls"), Number: p.Number, Commits: len(commits), Files: len(d.Files), HeadSHA: head, Base: p.BaseRef, Branch: p.Head}
	for _, f := range d.Files {
		m.Additions, m.Deletions = m.Additions+f.Additions, m.Deletions+f.Deletions
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	m.TitleText, m.State, m.Author, m.Labels, m.Checks = p.Title, stateWord(p), userOf(v.s.st, p.Author), v.labels(p), v.checks(p)
	m.Comments = len(p.IssueComments)
	words := map[string]string{stateApproved: "approved", stateChanges: "changes requested", stateCommented: "commented", stateDismissed: "dismissed"}
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

func describeReactions(list []*reaction) []page.Reaction {
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

// inline describes an inline comment; Server.mu is held.
func (v *visit) inline(c *reviewComment, lines []page.DiffLine) page.Comment {
	return page.Comment{Anchor: fmt.Sprintf("discussion_r%d", c.ID), User: userOf(v.s.st, c.User), Association: v.s.view().association(v.repo, c.User), At: c.Created.Time(),
		Edited: c.Updated != c.Created, Body: page.Body(c.Body, c.Path, lines), Reactions: describeReactions(c.Reactions)}
}

// items is the conversation in the order of time.
func (v *visit) items(p *pull, threads []thread) []page.Item {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	type dated struct {
		at   micros
		item page.Item
	}
	var list []dated
	assoc := func(login string) string { return v.s.view().association(v.repo, login) }
	for _, c := range p.IssueComments {
		list = append(list, dated{c.Created, page.Item{Comment: &page.Comment{Anchor: fmt.Sprintf("issuecomment-%d", c.ID), User: userOf(v.s.st, c.User), Association: assoc(c.User),
			At: c.Created.Time(), Edited: c.Updated != c.Created, Body: page.Body(c.Body, "", nil), Reactions: describeReactions(c.Reactions)}}})
	}
	for _, e := range p.Events {
		list = append(list, dated{e.At, page.Item{Event: &page.Event{User: userOf(v.s.st, e.Actor), Text: e.Text, SHA: e.SHA, At: e.At.Time()}}})
	}
	for _, rv := range p.Reviews {
		if rv.State == statePending {
			continue
		}
		o := &page.Review{Anchor: fmt.Sprintf("pullrequestreview-%d", rv.ID), User: userOf(v.s.st, rv.User), State: rv.State, At: rv.Submitted.Time(), Edited: rv.Edited > rv.Submitted,
			SHA: rv.CommitID, Body: page.Body(rv.Body, "", nil)}
		for _, t := range threads {
			if t.root.ReviewID == rv.ID {
				o.Threads = append(o.Threads, t.Thread)
			}
		}
		if len(o.Body) == 0 && len(o.Threads) == 0 {
			continue // the shell around a reply, which is shown in its thread
		}
		list = append(list, dated{rv.Submitted, page.Item{Review: o}})
	}
	slices.SortStableFunc(list, func(a, b dated) int { return cmp.Compare(a.at, b.at) })
	out := []page.Item{{Comment: &page.Comment{Anchor: "description", User: userOf(v.s.st, p.Author), Association: assoc(p.Author), At: p.Created.Time(),
		Body: page.Body(p.Body, "", nil), Reactions: describeReactions(p.Reactions)}}}
	for _, d := range list {
		out = append(out, d.item)
	}
	return out
}

// checks lists check runs and statuses of the head, newest of each name; Server.mu is held.
func (v *visit) checks(p *pull) []page.Check {
	var out []page.Check
	seen := map[string]bool{}
	for _, k := range slices.SortedFunc(maps.Values(v.repo.CheckRuns), func(a, b *checkRun) int { return cmp.Compare(b.ID, a.ID) }) {
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
			if x.Description != nil {
				c.Title = *x.Description
			}
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
	return page.Check{Name: k.Name, App: v.s.st.Apps[k.AppID].Name, State: state, Word: word, Title: k.Title, Link: fmt.Sprintf("/%s/runs/%d", v.repo.FullName(), k.ID),
		Summary: page.Body(k.Summary, "", nil), Annotations: len(k.Annotations)}
}

func (v *visit) run(id string) {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
	v.s.mu.Lock()
	k := v.repo.CheckRuns[n]
	var m page.Run
	if k != nil {
		m = page.Run{Check: v.check(k), External: k.ExternalID, SHA: k.HeadSHA, Text: page.Body(k.Text, "", nil)}
		for _, a := range k.Annotations {
			lines := fmt.Sprintf("line %v", a["start_line"])
			if fmt.Sprint(a["end_line"]) != fmt.Sprint(a["start_line"]) {
				lines = fmt.Sprintf("lines %v to %v", a["start_line"], a["end_line"])
			}
			m.Notes = append(m.Notes, page.Annotation{Path: fmt.Sprint(a["path"]), Lines: lines, Level: fmt.Sprint(a["annotation_level"]), Message: fmt.Sprint(a["message"])})
		}
	}
	v.s.mu.Unlock()
	if k == nil {
		v.Missing()
		return
	}
	m.Head = v.head(m.Check.Name, "pulls")
	v.Show("run", m)
}
