package bitbucket

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// inPull makes a handler of one for the pull request of the path.
func inPull(h func(*call, *pull) *reply) func(*call) *reply {
	return func(c *call) *reply {
		c.s.Mu.Lock()
		p := c.repo.Pulls[int(c.Number("pull_request_id"))]
		c.s.Mu.Unlock()
		if p == nil {
			return missing()
		}
		return h(c, p)
	}
}

// reading is [host.Reading] for a handler of [inPull].
func reading[In any](h func(*call, *pull, In) *reply) func(*call, *pull) *reply {
	return func(c *call, p *pull) *reply {
		return host.Reading(func(c *call, in In) *reply { return h(c, p, in) })(c)
	}
}

// snapshot holds the commits of a pull request at a moment.
type snapshot struct{ base, head, mergeBase string }

func (s *Server) snapshot(p *pull) snapshot {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return snapshot{p.BaseSHA, p.HeadSHA, p.MergeBase}
}

// maxPulls bounds a page of pull requests.
const maxPulls = 50

func listPulls(c *call) *reply {
	states := c.Query["state"]
	if len(states) == 0 && c.Query.Get("q") == "" {
		states = []string{stateOpen}
	}
	for _, s := range states {
		if !slices.Contains([]string{stateOpen, stateMerged, stateDeclined, "SUPERSEDED"}, s) {
			return invalid("state: Invalid state " + s)
		}
	}
	c.s.Mu.Lock()
	list := host.Without(host.Newest(c.repo.Pulls), func(p *pull) bool { return len(states) > 0 && !slices.Contains(states, p.State) })
	out := host.RenderAll(list, func(p *pull) any { return c.view().pull(c.repo, p) })
	c.s.Mu.Unlock()
	return c.listUpTo(out, usualPage, maxPulls)
}

func (c *call) pullReply(status int, p *pull) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return host.JSON(status, c.view().pull(c.repo, p))
}

func getPull(c *call, p *pull) *reply { return c.pullReply(http.StatusOK, p) }

type branchInput struct {
	Branch struct {
		Name string `json:"name"`
	} `json:"branch"`
	Repository *struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
}

type pullInput struct {
	Title       *string      `json:"title"`
	Description *string      `json:"description"`
	Source      branchInput  `json:"source"`
	Destination *branchInput `json:"destination"`
	Draft       *bool        `json:"draft"`
	Reviewers   *[]struct {
		UUID string `json:"uuid"`
	} `json:"reviewers"`
}

// reviewers returns the accounts that a request names; author must not be one of them. Server.Mu is held.
func (c *call) reviewers(in pullInput, author int64) (ids []int64, bad *reply) {
	if in.Reviewers == nil {
		return nil, nil
	}
	for _, r := range *in.Reviewers {
		u := c.s.st.person(r.UUID)
		switch {
		case u == nil:
			return nil, invalid("reviewers: Malformed reviewers list")
		case u.ID == author:
			return nil, invalid("reviewers: " + u.Login + " is the author and cannot be included as a reviewer.")
		case c.s.st.role(u, c.repo) == "none":
			return nil, invalid("reviewers: " + u.Login + " does not have access to view this pull request")
		}
		ids = append(ids, u.ID)
	}
	return ids, nil
}

func createPull(c *call, in pullInput) *reply {
	if in.Title == nil || *in.Title == "" || in.Source.Branch.Name == "" {
		return invalid("title, source: This field is required.")
	}
	o := opening{PullSpec: simapi.PullSpec{Title: *in.Title, Head: in.Source.Branch.Name, Author: c.actor.user.Login}}
	host.Set(&o.Body, in.Description)
	host.Set(&o.Draft, in.Draft)
	if in.Destination != nil {
		o.Base = in.Destination.Branch.Name
	}
	if r := in.Source.Repository; r != nil {
		owner, _, _ := strings.Cut(r.FullName, "/")
		c.s.Mu.Lock()
		if !strings.EqualFold(owner, c.s.st.login(c.repo.OwnerID)) {
			o.Fork = owner
		}
		c.s.Mu.Unlock()
	}
	c.s.Mu.Lock()
	ids, bad := c.reviewers(in, c.actor.user.ID)
	c.s.Mu.Unlock()
	if bad != nil {
		return bad
	}
	o.reviewers = ids
	p, err := c.s.open(c.Ctx, c.repo, o)
	if err != nil {
		return invalid(err.Error())
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	c.wrote("pull", "create", p.ID, p.Number)
	return created(c.view().pull(c.repo, p))
}

// mayEdit reports whether the caller is the author of something or may write; Server.Mu is held.
func (c *call) mayEdit(author int64) bool {
	return c.actor != nil && (author == c.actor.user.ID || rank[c.s.st.roleOf(c.actor, c.repo)] >= rank["write"])
}

func editPull(c *call, p *pull, in pullInput) *reply {
	up := simapi.PullUpdate{Title: in.Title, Body: in.Description, Draft: in.Draft, Actor: c.actor.user.Login}
	if in.Destination != nil {
		up.Base = in.Destination.Branch.Name
	}
	c.s.Mu.Lock()
	open, may := p.State == stateOpen, c.mayEdit(p.Author)
	ids, bad := c.reviewers(in, p.Author)
	full := c.s.st.fullName(c.repo)
	c.s.Mu.Unlock()
	switch {
	case !may:
		return fail(http.StatusForbidden, "You do not have permission to edit this pull request.")
	case !open:
		return invalid("Only open pull requests can be mutated")
	case bad != nil:
		return bad
	}
	if _, err := c.s.UpdatePull(c.Ctx, full, p.Number, up); err != nil {
		return invalid(err.Error())
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if in.Reviewers != nil && c.s.setReviewers(p, ids) {
		c.s.emitPull(c.repo, p, "updated", c.actor.user.ID, nil)
	}
	c.wrote("pull", "update", p.ID, p.Number)
	return ok(c.view().pull(c.repo, p))
}

// setReviewers replaces the reviewers and reports whether that changes anything; Server.Mu is held.
func (s *Server) setReviewers(p *pull, ids []int64) (changed bool) {
	for _, id := range ids {
		if x := p.participant(id); !x.Reviewer {
			x.Reviewer, changed = true, true
		}
	}
	for _, x := range p.Participants {
		if x.Reviewer && !slices.Contains(ids, x.User) {
			x.Reviewer, changed = false, true
		}
	}
	return changed
}

// decide changes the verdict of an account, with its event; "" takes it back. Server.Mu is held.
func (s *Server) decide(r *repository, p *pull, user int64, state string) *participant {
	x := p.participant(user)
	before := x.State
	if before == state {
		return x
	}
	x.State, x.At = state, s.NowMicros()
	words := map[string]string{"approved": "approved this", "changes_requested": "requested changes", "": "took the verdict back"}
	p.Events = append(p.Events, timelineEvent{At: x.At, Actor: user, Text: words[state]})
	about := obj{"date": timeOf(x.At), "user": s.view().account(user)}
	if before != "" {
		key := map[string]string{"approved": "unapproved", "changes_requested": "changes_request_removed"}[before]
		s.emitPull(r, p, key, user, obj{wordOf(before): about})
	}
	if state != "" {
		key := map[string]string{"approved": "approved", "changes_requested": "changes_request_created"}[state]
		s.emitPull(r, p, key, user, obj{wordOf(state): about})
	}
	return x
}

// wordOf returns the name of a verdict in events.
func wordOf(state string) string {
	if state == "approved" {
		return "approval"
	}
	return "changes_request"
}

// redirectTo answers 302 with the revisions of the pull request.
func redirectTo(word string) func(*call, *pull) *reply {
	return func(c *call, p *pull) *reply {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		v := c.view()
		q := url.Values{"from_pullrequest_id": {strconv.Itoa(p.Number)}, "topic": {"true"}}
		for k, list := range c.Query {
			q[k] = list
		}
		return (&reply{Status: http.StatusFound}).Set("Location", fmt.Sprintf("%s/%s/%s:%s..%s?%s", v.repoAPI(c.repo), word,
			v.st.fullName(c.repo), v.hash(p.HeadSHA), v.hash(p.BaseSHA), q.Encode()))
	}
}

func pullCommits(c *call, p *pull) *reply {
	at := c.s.snapshot(p)
	list, err := c.repo.git.Between(c.Ctx, at.mergeBase, at.head)
	if err != nil {
		return c.broken(err)
	}
	slices.Reverse(list)
	c.s.Mu.Lock()
	out := host.RenderAll(list, func(k gitrepo.Commit) any { return c.view().commit(c.repo, k) })
	c.s.Mu.Unlock()
	return c.list(out)
}
