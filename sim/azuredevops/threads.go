package azuredevops

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/patch"
)

// maxComment is the longest comment (runatlantis/atlantis#1585).
const maxComment = 150_000

// showThread renders a thread with its place in an iteration, 0 for the one that it was written for. Server.Mu is held.
func (s *Server) showThread(c *call, t *thread, at *place) obj {
	o := obj{"id": t.ID, "publishedDate": stamp(t.Created), "lastUpdatedDate": stamp(t.Updated), "isDeleted": t.deleted(),
		"comments": host.RenderAll(t.Comments, func(k *comment) any { return s.showComment(k) }), "threadContext": nil, "properties": nil,
		"identities": nil}
	if t.Status != "" {
		o["status"] = t.Status
	}
	if len(t.Properties) > 0 {
		p := obj{}
		for k, v := range t.Properties {
			if p[k] = any(obj{"$type": "System.String", "$value": v}); s.On(simapi.FlatProperties) {
				p[k] = v
			}
		}
		o["properties"] = p
	}
	if at != nil {
		o["threadContext"] = at
		o["pullRequestThreadContext"] = obj{"changeTrackingId": 1,
			"iterationContext": obj{"firstComparingIteration": t.Iteration, "secondComparingIteration": t.Iteration}}
	}
	return o
}

// showComment renders a comment. Server.Mu is held.
func (s *Server) showComment(k *comment) obj {
	kind := "text"
	if k.System {
		kind = "system"
	}
	o := obj{"id": k.ID, "parentCommentId": k.Parent, "author": s.identity(k.User), "content": k.Body, "publishedDate": stamp(k.Created),
		"lastUpdatedDate": stamp(k.Updated), "lastContentUpdatedDate": stamp(k.Updated), "commentType": kind,
		"usersLiked": host.RenderAll(k.Likes, func(id int64) any { return s.identity(id) })}
	if k.Deleted {
		o["isDeleted"] = true
		delete(o, "content")
	}
	return o
}

// tracked returns the place of a thread in an iteration: moved over later pushes, or nil if they changed its lines.
func (s *Server) tracked(c *call, git *gitrepo.Repo, t *thread, source string, to *iteration) *place {
	if t.Place == nil || source == to.Source {
		return t.Place
	}
	left, first, last := t.Place.span()
	d, err := git.Diff(c.Ctx, source, to.Source)
	if err != nil || left {
		return t.Place
	}
	f := d.Find(t.Place.Path[1:])
	if f == nil {
		return t.Place
	}
	moved := func(line int) (int, bool) { return patch.MapLine(f.Hunks, line) }
	a, kept := moved(first)
	b, also := moved(last)
	if !kept || !also {
		return nil
	}
	out := *t.Place
	out.RightStart, out.RightEnd = &point{a, out.RightStart.Offset}, &point{b, out.RightEnd.Offset}
	return &out
}

// listThreads lists all threads, those of the host itself included. $iteration asks for places in that iteration.
func listThreads(c *call) *reply {
	c.s.Mu.Lock()
	var to *iteration
	sources := map[int]string{}
	for _, i := range c.pull.Iterations {
		sources[i.ID] = i.Source
		if strconv.Itoa(i.ID) == c.Query.Get("$iteration") {
			to = i
		}
	}
	all := slices.Clone(c.pull.Threads)
	c.s.Mu.Unlock()
	places := make([]*place, len(all))
	for i, t := range all {
		if places[i] = t.Place; to != nil {
			places[i] = c.s.tracked(c, c.repo.git, t, sources[t.Iteration], to)
		}
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	items := []any{}
	for i, t := range all {
		if !c.s.Faults.Lagging(t.Lag) && (places[i] != nil || t.Place == nil || to == nil) {
			items = append(items, c.s.showThread(c, t, places[i]))
		}
	}
	return list(items)
}

// findThread finds the thread of the path, and the comment if there is one. Server.Mu is held.
func (c *call) findThread() (t *thread, k *comment, missing *reply) {
	t = host.First(slices.Values(c.pull.Threads), func(x *thread) bool { return x.ID == c.Number("thread") })
	if t != nil {
		k = host.First(slices.Values(t.Comments), func(x *comment) bool { return x.ID == int(c.Number("comment")) })
	}
	if t == nil || c.Vars["comment"] != "" && k == nil {
		return nil, nil, failure(http.StatusNotFound, "DiscussionThreadNotFoundException", "The specified thread or comment was not found.")
	}
	return t, k, nil
}

// ofThread returns a handler for the thread and the comment of the path.
func ofThread(h func(*call, *thread, *comment) *reply) func(*call) *reply {
	return func(c *call) *reply {
		t, k, missing := c.findThread()
		if missing != nil {
			return missing
		}
		return h(c, t, k)
	}
}

func getThread(c *call, t *thread, _ *comment) *reply { return ok(c.s.showThread(c, t, t.Place)) }

// threadWords maps numbers of states of threads to words; requests may send either.
var threadWords = []string{"", "active", "fixed", "wontFix", "closed", "byDesign", "pending"}

func threadStatus(raw json.RawMessage) (string, bool) {
	var n int
	var word string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", true
	case json.Unmarshal(raw, &n) == nil:
		return threadWords[max(0, min(n, len(threadWords)-1))], n >= 0 && n < len(threadWords)
	case json.Unmarshal(raw, &word) == nil:
		return word, slices.Contains(threadWords, word)
	}
	return "", false
}

// checkPlace returns an error for a place that the change does not have.
func (c *call) checkPlace(p *place, at iteration) error {
	left, first, last := p.span()
	if len(p.Path) < 2 || p.Path[0] != '/' || first < 1 || last < first {
		return fmt.Errorf("the place of a thread needs a path and both ends of one side")
	}
	if !c.s.Has(simapi.OutsideDiff) {
		return nil
	}
	d, err := c.repo.git.Diff(c.Ctx, at.Common, at.Source)
	if err != nil {
		return err
	}
	side := patch.Right
	if left {
		side = patch.Left
	}
	f := d.Find(p.Path[1:])
	if f != nil {
		if _, _, shown := patch.Find(f.Hunks, side, last); shown {
			return nil
		}
	}
	return fmt.Errorf("the line is not in the change")
}

func createThread(c *call, in struct {
	Comments []struct {
		Content         string
		ParentCommentID int
	}
	Status        json.RawMessage
	ThreadContext *place
	Properties    map[string]json.RawMessage
	Pull          struct {
		IterationContext struct{ SecondComparingIteration int }
	} `json:"pullRequestThreadContext"`
}) *reply {
	status, known := threadStatus(in.Status)
	if len(in.Comments) != 1 || in.Comments[0].Content == "" || !known {
		return badRequest("A thread needs a comment.")
	}
	if len([]rune(in.Comments[0].Content)) > maxComment {
		return badRequest(fmt.Sprintf("The comment is longer than the maximum length of %d characters.", maxComment))
	}
	c.s.Mu.Lock()
	at := *c.pull.now()
	if i := c.pull.iteration(in.Pull.IterationContext.SecondComparingIteration); i != nil {
		at = *i
	}
	c.s.Mu.Unlock()
	if in.ThreadContext != nil {
		if err := c.checkPlace(in.ThreadContext, at); err != nil {
			return badRequest(err.Error())
		}
	}
	properties := map[string]string{}
	for name, raw := range in.Properties {
		var text string
		var wrapped struct {
			Value string `json:"$value"`
		}
		if json.Unmarshal(raw, &text) != nil {
			_ = json.Unmarshal(raw, &wrapped) // other forms count as empty
			text = wrapped.Value
		}
		properties[name] = text
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	t := c.s.newThread(c.pull, c.user, in.Comments[0].Content, in.ThreadContext)
	t.Status, t.Properties, t.Lag, t.Iteration = status, properties, c.Lag, at.ID
	c.wrote("thread", "create", t.ID)
	c.s.emitComment(c.repo, c.pull, t, t.Comments[0])
	return ok(c.s.showThread(c, t, t.Place))
}

// newThread adds a thread with one comment. Server.Mu is held.
func (s *Server) newThread(p *pull, by *user, body string, at *place) *thread {
	now := s.NowMicros()
	t := &thread{ID: s.st.ID("thread"), Status: "active", Place: at, Iteration: p.now().ID, Created: now, Updated: now,
		Comments: []*comment{{ID: 1, User: by.ID, Body: body, Created: now, Updated: now}}}
	p.Threads = append(p.Threads, t)
	return t
}

// answer adds a comment to a thread. Server.Mu is held.
func (s *Server) answer(t *thread, by *user, body string, parent int) *comment {
	now := s.NowMicros()
	k := &comment{ID: len(t.Comments) + 1, Parent: parent, User: by.ID, Body: body, Created: now, Updated: now}
	t.Comments, t.Updated = append(t.Comments, k), now
	return k
}

// updateThread changes the state of a thread.
func updateThread(c *call, in struct{ Status json.RawMessage }) *reply {
	status, known := threadStatus(in.Status)
	t, _, missing := c.findThread()
	switch {
	case missing != nil:
		return missing
	case !known || status == "":
		return badRequest("The status of a thread is needed.")
	}
	t.Status, t.Updated, t.ResolvedBy = status, c.s.NowMicros(), c.user.ID
	c.wrote("thread", "update", t.ID)
	return ok(c.s.showThread(c, t, t.Place))
}

func createComment(c *call, in struct {
	Content         string
	ParentCommentID int
}) *reply {
	if in.Content == "" || len([]rune(in.Content)) > maxComment {
		return badRequest(fmt.Sprintf("A comment needs a text of at most %d characters.", maxComment))
	}
	t, _, missing := c.findThread()
	if missing != nil {
		return missing
	}
	k := c.s.answer(t, c.user, in.Content, in.ParentCommentID)
	c.wrote("comment", "create", t.commentID(k))
	c.s.emitComment(c.repo, c.pull, t, k)
	return ok(c.s.showComment(k))
}

func getComment(c *call, _ *thread, k *comment) *reply { return ok(c.s.showComment(k)) }

// updateComment replaces the text of a comment of the caller.
func updateComment(c *call, in struct{ Content string }) *reply {
	t, k, missing := c.findThread()
	switch {
	case missing != nil:
		return missing
	case k.Deleted:
		return failure(http.StatusNotFound, "DiscussionCommentNotFoundException", "The specified comment was deleted.")
	case k.User != c.user.ID || k.System:
		return denied()
	case in.Content == "" || len([]rune(in.Content)) > maxComment:
		return badRequest(fmt.Sprintf("A comment needs a text of at most %d characters.", maxComment))
	}
	k.Body, k.Updated, t.Updated = in.Content, c.s.NowMicros(), c.s.NowMicros()
	c.wrote("comment", "update", t.commentID(k))
	return ok(c.s.showComment(k))
}

// deleteComment deletes a comment of the caller. A thread without other comments is deleted with it.
func deleteComment(c *call, t *thread, k *comment) *reply {
	if k.User != c.user.ID {
		return denied()
	}
	k.Deleted, k.Updated = true, c.s.NowMicros()
	c.wrote("comment", "delete", t.commentID(k))
	return ok(nil)
}
