package gitlab

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// maxNote bounds a note, in characters (reported in runatlantis/atlantis#798).
const maxNote = 1_000_000

// checkNote refuses a blank text, or one that is too long.
func checkNote(text string) *reply {
	switch {
	case strings.TrimSpace(text) == "":
		return badRequest(`Note {:note=>["can't be blank"]}`)
	case utf8.RuneCountInString(text) > maxNote:
		return badRequest(`Note {:note=>["is too long (maximum is 1000000 characters)"]}`)
	}
	return nil
}

func (d *draft) show(m *mergeRequest) obj {
	var commit, discussion, code any
	if d.Commit != "" {
		commit = d.Commit
	}
	if d.Discussion != "" {
		discussion = d.Discussion
	}
	if p := d.Position; p != nil && p.Code != "" {
		code = p.Code
	}
	return obj{"id": d.ID, "author_id": d.User, "merge_request_id": m.ID, "resolve_discussion": d.Resolve, "discussion_id": discussion,
		"note": d.Body, "commit_id": commit,
		"line_code": code, "position": d.Position.show()}
}

// drafts returns the caller's drafts, because the drafts of others are invisible (app/finders/draft_notes of
// gitlab-org/gitlab). Server.Mu is held.
func (c *call) drafts(m *mergeRequest) []*draft {
	return host.Without(m.Drafts, func(d *draft) bool { return d.User != c.actor.user.ID })
}

func listDrafts(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		list := host.Without(c.drafts(m), func(d *draft) bool { return c.s.Faults.Lagging(d.Lag) })
		c.s.Mu.Unlock()
		return pageOf(c, list, func(d *draft) any { return d.show(m) })
	})
}

// oneDraft runs a handler with the draft of the path if it is the caller's; Server.Mu is held meanwhile.
func oneDraft(c *call, h func(*mergeRequest, *draft) *reply) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		list := c.drafts(m)
		at := slices.IndexFunc(list, func(d *draft) bool { return d.ID == c.Number("draft_id") })
		if at < 0 {
			return notFound("")
		}
		return h(m, list[at])
	})
}

func getDraft(c *call) *reply {
	return oneDraft(c, func(m *mergeRequest, d *draft) *reply { return ok(d.show(m)) })
}

func createDraft(c *call, in struct {
	Note                  string   `json:"note"`
	CommitID              string   `json:"commit_id"`
	InReplyToDiscussionID string   `json:"in_reply_to_discussion_id"`
	ResolveDiscussion     bool     `json:"resolve_discussion"`
	Position              *placing `json:"position"`
}) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		if bad := checkNote(in.Note); bad != nil {
			return bad
		}
		at, nowhere, bad := c.draftPlace(m, in.Position)
		if bad != nil {
			return bad
		}
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		if in.InReplyToDiscussionID != "" && m.discussion(in.InReplyToDiscussionID) == nil {
			return badRequest("Thread to reply to cannot be found")
		}
		d := &draft{ID: c.s.st.ID("draft"), User: c.actor.user.ID, Body: in.Note, Commit: in.CommitID,
			Discussion: in.InReplyToDiscussionID, Resolve: in.ResolveDiscussion,
			Position: at, Nowhere: nowhere, Lag: c.Lag}
		m.Drafts = append(m.Drafts, d)
		c.wrote("draft_note", "create", d.ID, m.IID)
		return created(d.show(m))
	})
}

// editDraft is PUT …/draft_notes/{id}. Without a position the note loses its former one (gitlab-org/cli!4001).
func editDraft(c *call, in struct {
	Note     string   `json:"note"`
	Position *placing `json:"position"`
}) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		at, nowhere, bad := c.draftPlace(m, in.Position)
		if bad != nil {
			return bad
		}
		return oneDraft(c, func(m *mergeRequest, d *draft) *reply {
			d.Body, d.Position, d.Nowhere = host.OrElse(in.Note, d.Body), at, nowhere
			c.wrote("draft_note", "update", d.ID, m.IID)
			return ok(d.show(m))
		})
	})
}

func deleteDraft(c *call) *reply {
	return oneDraft(c, func(m *mergeRequest, d *draft) *reply {
		m.Drafts = host.Without(m.Drafts, func(x *draft) bool { return x == d })
		c.wrote("draft_note", "delete", d.ID, m.IID)
		return host.NoContent()
	})
}

func publishDraft(c *call) *reply {
	return oneDraft(c, func(m *mergeRequest, d *draft) *reply {
		c.publish(m, d)
		if c.s.On(simapi.KeepsDrafts) { // an error after the note was made, because the host has no transaction for both
			m.Drafts = append(m.Drafts, d)
			return &reply{Status: http.StatusInternalServerError}
		}
		return host.NoContent()
	})
}

// publishDrafts is POST …/draft_notes/bulk_publish: it publishes all drafts of the account, also those that
// another person with the account wrote.
func publishDrafts(c *call) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		for _, d := range c.drafts(m) {
			c.publish(m, d)
		}
		return host.NoContent()
	})
}

// publish turns a draft into a note with a new id and removes the draft. It also removes a draft with an
// invalid place, without a note, because the host does not check that
// (app/services/draft_notes/publish_service.rb of gitlab-org/gitlab). Server.Mu is held.
func (c *call) publish(m *mergeRequest, d *draft) {
	m.Drafts = host.Without(m.Drafts, func(x *draft) bool { return x == d })
	c.wrote("draft_note.publish", "update", d.ID, m.IID)
	if d.Nowhere {
		return
	}
	n := c.write(m, writing{user: c.actor.user, body: d.Body, at: d.Position, in: m.discussion(d.Discussion),
		thread: d.Position == nil && c.s.On(simapi.DraftThreads)})
	if x, _ := m.note(n.ID); x != nil && d.Resolve {
		x.resolve(c.actor.user.ID)
	}
	for _, r := range m.Reviewers {
		if r.UserID == c.actor.user.ID && r.State == "unreviewed" {
			r.State = "reviewed"
		}
	}
	c.wrote("note", "create", n.ID, m.IID)
}

// writing is a note to write.
type writing struct {
	user   *user
	body   string
	at     *position
	in     *discussion // nil starts a new one
	thread bool        // starts a thread for answers, without a place
}

// write makes a note and sends its event; Server.Mu is held.
func (c *call) write(m *mergeRequest, w writing) *note { return c.s.note(c.project, m, w, c.Lag) }

func (s *Server) note(p *project, m *mergeRequest, w writing, lag string) *note {
	now := s.NowMicros()
	n := &note{ID: s.st.ID("note"), User: w.user.ID, Body: w.body, Position: w.at, Created: now, Updated: now, Lag: lag}
	switch {
	case w.in != nil:
		n.Type, n.Position = discussionNote, nil
		if len(w.in.Notes) > 0 && w.in.Notes[0].Type == diffNote {
			n.Type, n.Position = diffNote, w.in.Notes[0].Position
		}
		w.in.Alone = false
		w.in.Notes = append(w.in.Notes, n)
	default:
		d := &discussion{ID: host.RandomHex(20), Alone: w.at == nil && !w.thread, Notes: []*note{n}}
		if w.at != nil {
			n.Type = diffNote
		} else if w.thread {
			n.Type = discussionNote
		}
		m.Discussions = append(m.Discussions, d)
		w.in = d
	}
	m.Updated = now
	s.emitNote(p, m, w.in, n, "create")
	return n
}

// resolve resolves a thread as a user, or reopens it if by is 0.
func (d *discussion) resolve(by int64) {
	for _, n := range d.Notes {
		if n.Type != plainNote {
			n.ResolvedBy = by
		}
	}
}
