package bitbucket

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/patch"
)

type dcCommentInput struct {
	Text   *string `json:"text"`
	State  string  `json:"state"`
	Anchor *struct {
		DiffType string `json:"diffType"`
		FromHash string `json:"fromHash"`
		ToHash   string `json:"toHash"`
		Path     string `json:"path"`
		SrcPath  string `json:"srcPath"`
		Line     int    `json:"line"`
		LineType string `json:"lineType"`
		FileType string `json:"fileType"`
	} `json:"anchor"`
	Parent *struct {
		ID int64 `json:"id"`
	} `json:"parent"`
	Version  *int  `json:"version"`
	Resolved *bool `json:"threadResolved"`
}

// dcText checks a text. The host takes fewer than 32,768 characters (jfrog/frogbot#647).
func dcText(text string) *reply {
	switch {
	case strings.TrimSpace(text) == "":
		return dcInvalid("A comment must have text.")
	case utf8.RuneCountInString(text) >= maxComment:
		return dcInvalid("Comment text must be less than 32,768 characters.")
	}
	return nil
}

func (c *call) viewer() int64 {
	if c.actor == nil {
		return 0
	}
	return c.actor.user.ID
}

// dcPlace finds the place of an anchor. The line must be in the diff and have the type that the request names.
func (c *call) dcPlace(p *pull, in dcCommentInput) (*place, *reply) {
	a := in.Anchor
	bad := func(what string) (*place, *reply) { return nil, dcInvalid("anchor: " + what) }
	at := place{Path: a.Path, To: a.Line}
	if a.FileType == "FROM" {
		at.From, at.To = a.Line, 0
	}
	if a.ToHash != "" && a.ToHash != c.s.snapshot(p).head {
		return bad("toHash is not the head of the pull request")
	}
	found, shown, err := c.s.findPlace(c.Ctx, c.repo, p, at)
	if err != nil {
		return nil, c.broken(err)
	}
	if !shown {
		return bad("the line is not in the diff")
	}
	now := c.s.snapshot(p)
	d, err := c.repo.git.Diff(c.Ctx, now.mergeBase, now.head)
	if err != nil {
		return nil, c.broken(err)
	}
	f, side := d.Find(a.Path), patch.Right
	if at.To == 0 {
		side = patch.Left
	}
	h, i, _ := patch.Find(f.Hunks, side, a.Line)
	kind := map[byte]string{'+': "ADDED", '-': "REMOVED", ' ': "CONTEXT"}[f.Hunks[h].Lines[i].Kind]
	if kind != a.LineType {
		return bad("the line has the type " + kind)
	}
	found.LineType = kind
	return found, nil
}

func dcCreateComment(c *call, p *pull, in dcCommentInput) *reply {
	text := ""
	host.Set(&text, in.Text)
	if bad := dcText(text); bad != nil {
		return bad
	}
	x := &comment{Body: text, Lag: c.Lag, Pending: in.State == "PENDING" && !c.s.Has(noPending)}
	if in.Anchor != nil {
		at, bad := c.dcPlace(p, in)
		if bad != nil {
			return bad
		}
		x.Place = at
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if c.actor == nil {
		return dcDenied()
	}
	if in.Parent != nil {
		parent := p.comment(in.Parent.ID)
		if parent == nil || parent.Pending && parent.User != c.viewer() {
			return dcMissing("Comment " + strconv.FormatInt(in.Parent.ID, 10))
		}
		x.Parent, x.Place = parent.ID, parent.Place
	}
	c.s.addComment(c.repo, p, c.actor.user.ID, x)
	c.wrote("comment", "create", x.ID, p.Number)
	return created(c.view().dcWhole(c.repo, p, x, c.viewer()))
}

// dcNote finds the comment of the path; Server.Mu is held.
func (c *call) dcNote(p *pull) (*comment, *reply) {
	x := p.comment(c.Number("commentId"))
	if x == nil || x.Pending && x.User != c.viewer() {
		return nil, dcMissing("Comment " + c.Vars["commentId"])
	}
	return x, nil
}

func dcGetComment(c *call, p *pull, x *comment) *reply {
	return ok(c.view().dcWhole(c.repo, p, x, c.viewer()))
}

func stale(x *comment) *reply {
	return dcFail(http.StatusConflict, outOfDate, "You are attempting to modify a comment based on out-of-date information. It has version "+
		strconv.Itoa(x.Version)+".")
}

// dcEditComment changes the text, which only the author may, or resolves the thread.
func dcEditComment(c *call, p *pull, in dcCommentInput) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x, bad := c.dcNote(p)
	switch {
	case bad != nil:
		return bad
	case c.actor == nil || in.Text != nil && x.User != c.actor.user.ID:
		return dcDenied()
	case in.Version == nil || *in.Version != x.Version:
		return stale(x)
	}
	if in.Text != nil {
		if bad := dcText(*in.Text); bad != nil {
			return bad
		}
		c.s.changeComment(c.repo, p, x, *in.Text, "updated", c.actor.user.ID)
	}
	if in.Resolved != nil && *in.Resolved != (x.ResolvedBy != 0) {
		if x.Parent != 0 || x.User != c.viewer() && p.Author != c.viewer() && c.s.dcRole(c.actor, c.repo) != "admin" {
			return dcDenied()
		}
		c.s.settle(c.repo, p, x, c.actor.user.ID, *in.Resolved)
	}
	c.wrote("comment", "update", x.ID, p.Number)
	return ok(c.view().dcWhole(c.repo, p, x, c.viewer()))
}

func dcDeleteComment(c *call, p *pull, x *comment) *reply {
	switch {
	case c.actor == nil || x.User != c.actor.user.ID && c.s.dcRole(c.actor, c.repo) != "admin":
		return dcDenied()
	case c.Query.Get("version") != strconv.Itoa(x.Version):
		return stale(x)
	}
	c.s.dropComment(c.repo, p, x, c.actor.user.ID)
	c.wrote("comment", "delete", x.ID, p.Number)
	return host.NoContent()
}

// pending lists the caller's pending comments; Server.Mu is held.
func (c *call) pending(p *pull) []*comment {
	return host.Without(slices.Clone(p.Comments), func(x *comment) bool { return !x.Pending || x.Deleted || x.User != c.viewer() })
}

func dcReview(c *call, p *pull) *reply {
	c.s.Mu.Lock()
	var out []any
	for _, x := range c.pending(p) {
		if !c.s.Faults.Lagging(x.Lag) {
			out = append(out, c.view().dcWhole(c.repo, p, x, c.viewer()))
		}
	}
	c.s.Mu.Unlock()
	return c.dcList(out)
}

// dcFinishReview makes all of the caller's pending comments visible.
func dcFinishReview(c *call, p *pull) *reply {
	var in struct {
		Text   *string `json:"commentText"`
		Status string  `json:"participantStatus"`
		Last   string  `json:"lastReviewedCommit"`
	}
	if len(c.Body) == 0 || c.Read(&in) != nil {
		return dcInvalid("A request body is required")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	list := c.pending(p)
	switch {
	case len(list) == 0 && in.Status == "" && in.Text == nil:
		return dcMissing("A review of the user")
	case in.Last != "" && in.Last != p.HeadSHA:
		return dcFail(http.StatusConflict, "com.atlassian.bitbucket.pull.PullRequestOutOfDateException", "The pull request has been updated.")
	}
	now := c.s.NowMicros()
	for _, x := range list {
		x.Pending, x.Version, p.Updated = false, x.Version+1, now
		c.s.emitComment(c.repo, p, x, "created", x.User)
		c.wrote("comment", "publish", x.ID, p.Number)
	}
	if in.Text != nil && *in.Text != "" {
		c.s.addComment(c.repo, p, c.actor.user.ID, &comment{Body: *in.Text})
	}
	if state, known := map[string]string{"APPROVED": "approved", "NEEDS_WORK": "changes_requested", "UNAPPROVED": ""}[in.Status]; known {
		c.s.decide(c.repo, p, c.actor.user.ID, state)
	}
	c.wrote("review", "publish", p.ID, p.Number)
	return ok(obj{"publishedComments": len(list)})
}

func dcDiscardReview(c *call, p *pull) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, x := range c.pending(p) {
		c.s.dropComment(c.repo, p, x, x.User)
	}
	c.wrote("review", "delete", p.ID, p.Number)
	return host.NoContent()
}

// dcActivities lists the history, newest first. A thread is one entry.
func dcActivities(c *call, p *pull) *reply {
	c.s.Mu.Lock()
	type entry struct {
		at micros
		o  obj
	}
	v := c.view()
	list := []entry{{p.Created, obj{"action": "OPENED", "user": v.dcAccount(p.Author)}}}
	for _, e := range p.Events {
		list = append(list, entry{e.At, obj{"action": "UPDATED", "user": v.dcAccount(e.Actor)}})
	}
	for _, x := range p.Comments {
		if x.Parent != 0 || x.Deleted || x.Pending && x.User != c.viewer() || c.s.Faults.Lagging(x.Lag) {
			continue
		}
		o := obj{"action": "COMMENTED", "commentAction": "ADDED", "user": v.dcAccount(x.User), "comment": v.dcComment(p, x, c.viewer())}
		if x.Place != nil {
			o["commentAnchor"] = v.dcAnchor(c.repo, p, x)
		}
		list = append(list, entry{x.Created, o})
	}
	c.s.Mu.Unlock()
	slices.SortStableFunc(list, func(a, b entry) int { return int(b.at - a.at) })
	return c.dcList(host.RenderAll(list, func(e entry) any {
		e.o["id"], e.o["createdDate"] = int64(e.at), millis(e.at)
		return e.o
	}))
}
