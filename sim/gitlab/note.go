package gitlab

import (
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

// note renders a note.
func (v view) note(p *project, m *mergeRequest, n *note) obj {
	var kind any
	if n.Type != plainNote {
		kind = n.Type
	}
	o := obj{"id": n.ID, "type": kind, "body": n.Body, "attachment": nil, "author": v.user(n.User), "system": n.System,
		"created_at": stamp(n.Created), "updated_at": stamp(n.Updated),
		"noteable_id": m.ID, "noteable_type": "MergeRequest", "noteable_iid": m.IID, "project_id": p.ID,
		"resolvable": n.Type != plainNote, "confidential": false, "internal": false}
	if n.Position != nil {
		o["position"], o["commit_id"] = n.Position.show(), nil
	}
	if n.Type != plainNote {
		o["resolved"], o["resolved_by"], o["resolved_at"] = n.ResolvedBy != 0, nil, nil
		if n.ResolvedBy != 0 {
			o["resolved_by"], o["resolved_at"] = v.user(n.ResolvedBy), stamp(n.Updated)
		}
	}
	return o
}

func (v view) discussion(p *project, m *mergeRequest, d *discussion) obj {
	return obj{"id": d.ID, "individual_note": d.Alone, "notes": host.RenderAll(d.Notes, func(n *note) any { return v.note(p, m, n) })}
}

// visible returns the discussions without those that a fault hides. Server.Mu is held.
func (c *call) visible(m *mergeRequest) []*discussion {
	return host.Without(m.Discussions, func(d *discussion) bool {
		return !slices.ContainsFunc(d.Notes, func(n *note) bool { return !c.s.Faults.Lagging(n.Lag) })
	})
}

func listDiscussions(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		v := c.s.view()
		list := host.RenderAll(c.visible(m), func(d *discussion) any { return v.discussion(c.project, m, d) })
		c.s.Mu.Unlock()
		return pageOf(c, list, host.Itself)
	})
}

func getDiscussion(c *call) *reply {
	return oneDiscussion(c, func(m *mergeRequest, d *discussion) *reply { return ok(c.s.view().discussion(c.project, m, d)) })
}

// oneDiscussion runs a handler with the discussion of the path; Server.Mu is held meanwhile.
func oneDiscussion(c *call, h func(*mergeRequest, *discussion) *reply) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		d := m.discussion(c.Vars["discussion_id"])
		if d == nil {
			return notFound("Discussion")
		}
		return h(m, d)
	})
}

func createDiscussion(c *call, in struct {
	Body     string   `json:"body"`
	Position *placing `json:"position"`
}) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		if bad := checkNote(in.Body); bad != nil {
			return bad
		}
		at, bad := c.place(m, in.Position)
		if bad != nil {
			return bad
		}
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		n := c.write(m, writing{user: c.actor.user, body: in.Body, at: at, thread: true})
		c.wrote("note", "create", n.ID, m.IID)
		d, _ := m.note(n.ID)
		return created(c.s.view().discussion(c.project, m, d))
	})
}

// resolveDiscussion is PUT …/discussions/{id}?resolved=true, for people with write access, and the author of
// the merge request.
func resolveDiscussion(c *call) *reply {
	in := struct {
		Resolved *bool `json:"resolved"`
	}{}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	resolved := c.Query.Get("resolved") == "true" || in.Resolved != nil && *in.Resolved
	return oneDiscussion(c, func(m *mergeRequest, d *discussion) *reply {
		if c.s.st.level(c.actor.user, c.project) < developer && m.Author != c.actor.user.ID {
			return failure(http.StatusForbidden, "403 Forbidden")
		}
		by := int64(0)
		if resolved {
			by = c.actor.user.ID
		}
		d.resolve(by)
		c.wrote("discussion", "update", d.Notes[0].ID, m.IID)
		return ok(c.s.view().discussion(c.project, m, d))
	})
}

func replyNote(c *call, in struct {
	Body string `json:"body"`
}) *reply {
	return oneDiscussion(c, func(m *mergeRequest, d *discussion) *reply {
		if bad := checkNote(in.Body); bad != nil {
			return bad
		}
		n := c.write(m, writing{user: c.actor.user, body: in.Body, in: d})
		c.wrote("note", "create", n.ID, m.IID)
		return created(c.s.view().note(c.project, m, n))
	})
}

// notes returns the notes of a merge request, newest first by default; Server.Mu is held.
func (c *call) notes(m *mergeRequest) []*note {
	var list []*note
	for _, d := range c.visible(m) {
		for _, n := range d.Notes {
			if !c.s.Faults.Lagging(n.Lag) && (c.Query.Get("activity_filter") != "only_comments" || !n.System) {
				list = append(list, n)
			}
		}
	}
	slices.SortFunc(list, func(a, b *note) int { return int(b.ID - a.ID) })
	if c.Query.Get("sort") == "asc" {
		slices.Reverse(list)
	}
	return list
}

func listNotes(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		v := c.s.view()
		list := host.RenderAll(c.notes(m), func(n *note) any { return v.note(c.project, m, n) })
		c.s.Mu.Unlock()
		return pageOf(c, list, host.Itself)
	})
}

// quickActions are some words that act as commands at the beginning of a note
// (docs.gitlab.com/user/project/quick_actions).
var quickActions = []string{"/approve", "/assign", "/assign_reviewer", "/close", "/draft", "/label", "/merge", "/ready", "/rebase",
	"/reopen", "/title", "/unlabel"}

func createNote(c *call, in struct {
	Body string `json:"body"`
}) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		if bad := checkNote(in.Body); bad != nil {
			return bad
		}
		if word, _, _ := strings.Cut(in.Body, " "); slices.Contains(quickActions, strings.TrimSpace(word)) {
			// a quick action leaves no note
			return host.JSON(http.StatusAccepted, obj{"commands_changes": obj{}, "summary": []string{"Commands only."}})
		}
		n := c.write(m, writing{user: c.actor.user, body: in.Body})
		c.wrote("note", "create", n.ID, m.IID)
		return created(c.s.view().note(c.project, m, n))
	})
}

// oneNote runs a handler with the note of the path; Server.Mu is held meanwhile.
func oneNote(c *call, h func(*mergeRequest, *discussion, *note) *reply) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		d, n := m.note(c.Number("note_id"))
		if n == nil || c.Vars["discussion_id"] != "" && d.ID != c.Vars["discussion_id"] {
			return notFound("Note")
		}
		return h(m, d, n)
	})
}

func getNote(c *call) *reply {
	return oneNote(c, func(m *mergeRequest, _ *discussion, n *note) *reply { return ok(c.s.view().note(c.project, m, n)) })
}

// mayChange refuses a change of a note unless the caller is its author or a maintainer; Server.Mu is held.
func (c *call) mayChange(n *note) *reply {
	if n.System || n.User != c.actor.user.ID && c.s.st.level(c.actor.user, c.project) < maintainer {
		return failure(http.StatusForbidden, "403 Forbidden")
	}
	return nil
}

func editNote(c *call, in struct {
	Body     string `json:"body"`
	Resolved *bool  `json:"resolved"`
}) *reply {
	return oneNote(c, func(m *mergeRequest, d *discussion, n *note) *reply {
		if bad := c.mayChange(n); bad != nil {
			return bad
		}
		if in.Resolved == nil {
			if bad := checkNote(in.Body); bad != nil {
				return bad
			}
		}
		if in.Body != "" {
			n.Body, n.Updated = in.Body, c.s.NowMicros()
			c.s.emitNote(c.project, m, d, n, "update")
		}
		c.wrote("note", "update", n.ID, m.IID)
		return ok(c.s.view().note(c.project, m, n))
	})
}

func deleteNote(c *call) *reply {
	return oneNote(c, func(m *mergeRequest, d *discussion, n *note) *reply {
		if bad := c.mayChange(n); bad != nil {
			return bad
		}
		m.drop(d, n)
		c.wrote("note", "delete", n.ID, m.IID)
		return host.NoContent()
	})
}

// drop removes a note, and its discussion with the last one.
func (m *mergeRequest) drop(d *discussion, n *note) {
	d.Notes = host.Without(d.Notes, func(x *note) bool { return x == n })
	if len(d.Notes) == 0 {
		m.Discussions = host.Without(m.Discussions, func(x *discussion) bool { return x == d })
	}
}
