package gitlab

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

func (v view) mrURL(p *project, m *mergeRequest) string {
	return v.s.Base + "/" + p.FullPath() + "/-/merge_requests/" + strconv.Itoa(m.IID)
}

// mr renders a merge request for lists.
func (v view) mr(p *project, m *mergeRequest) obj {
	users := func(ids []int64) []any { return host.RenderAll(ids, func(id int64) any { return v.user(id) }) }
	o := obj{"id": m.ID, "iid": m.IID, "project_id": p.ID, "title": m.Title, "description": m.Body, "state": m.State,
		"created_at": stamp(m.Created), "updated_at": stamp(m.Updated),
		"merged_at": stamp(m.Merged), "closed_at": stamp(m.Closed), "target_branch": m.Target, "source_branch": m.Source,
		"author": v.user(m.Author), "assignees": []any{}, "assignee": nil,
		"reviewers": users(m.reviewerIDs()), "source_project_id": m.SourceID, "target_project_id": p.ID,
		"labels": append([]string{}, m.Labels...), "draft": m.draft(),
		"work_in_progress": m.draft(), "sha": m.now().Head, "merge_commit_sha": nil, "detailed_merge_status": v.mergeStatus(m),
		"merge_status": "can_be_merged",
		"prepared_at":  stamp(m.Created), "web_url": v.mrURL(p, m), "user_notes_count": m.userNotes(), "merge_user": nil,
		"merged_by": nil, "has_conflicts": false,
		"references": obj{"short": "!" + strconv.Itoa(m.IID), "relative": "!" + strconv.Itoa(m.IID), "full": p.FullPath() + "!" +
			strconv.Itoa(m.IID)}}
	if v.s.st.Projects[m.SourceID] == nil {
		o["source_project_id"] = nil // the fork was deleted
	}
	if m.MergedBy != 0 {
		o["merge_user"], o["merge_commit_sha"] = v.user(m.MergedBy), m.MergeCommit
	}
	return o
}

func (v view) mergeStatus(m *mergeRequest) string {
	switch {
	case m.State != "opened":
		return "not_open"
	case !m.Prepared:
		return "preparing"
	case m.draft():
		return "draft_status"
	}
	return "mergeable"
}

func (m *mergeRequest) userNotes() (n int) {
	for _, d := range m.Discussions {
		for _, x := range d.Notes {
			if !x.System {
				n++
			}
		}
	}
	return n
}

// wholeMR renders a single merge request. files is the number of changed files.
func (v view) wholeMR(p *project, m *mergeRequest, files int) obj {
	o := v.mr(p, m)
	o["subscribed"], o["changes_count"] = false, strconv.Itoa(files)
	now := m.now()
	o["diff_refs"] = obj{"base_sha": now.Base, "head_sha": now.Head, "start_sha": now.Start}
	if !m.Prepared { // docs.gitlab.com/api/merge_requests, "Empty API fields for new merge requests"
		o["diff_refs"], o["changes_count"], o["prepared_at"] = nil, nil, nil
	}
	return o
}

// mrReply answers with a whole merge request.
func (c *call) mrReply(status int, m *mergeRequest) *reply {
	c.s.Mu.Lock()
	at := *m.now()
	c.s.Mu.Unlock()
	d, err := c.project.git.Diff(c.Ctx, at.Base, at.Head)
	if err != nil {
		return c.broken(err)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	rep := host.JSON(status, c.s.view().wholeMR(c.project, m, len(d.Files)))
	m.Prepared = true
	return rep
}

func getMR(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply { return c.mrReply(http.StatusOK, m) })
}

func listMRs(c *call) *reply {
	c.s.Mu.Lock()
	list := slices.SortedFunc(maps.Values(c.project.MRs), func(a, b *mergeRequest) int {
		return cmp.Compare(b.Created,
			a.Created)*2 + cmp.Compare(b.IID, a.IID)
	})
	if c.Query.Get("order_by") == "updated_at" {
		slices.SortStableFunc(list, func(a, b *mergeRequest) int { return cmp.Compare(b.Updated, a.Updated) })
	}
	if c.Query.Get("sort") == "asc" {
		slices.Reverse(list)
	}
	is := func(name, value string) bool { want := c.Query.Get(name); return want == "" || want == value }
	list = host.Without(list, func(m *mergeRequest) bool {
		state := c.Query.Get("state")
		return state != "" && state != "all" && m.State != state || !is("source_branch", m.Source) || !is("target_branch", m.Target)
	})
	c.s.Mu.Unlock()
	return pageOf(c, list, func(m *mergeRequest) any {
		c.s.Mu.Lock()
		defer c.s.Mu.Unlock()
		return c.s.view().mr(c.project, m)
	})
}

// names is a list of labels: text with commas, or an array.
type names []string

// UnmarshalJSON implements json.Unmarshaler.
func (n *names) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*n = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*n = append(*n, part)
			}
		}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(n))
}

func createMR(c *call, in struct {
	Title        string  `json:"title"`
	Description  string  `json:"description"`
	SourceBranch string  `json:"source_branch"`
	TargetBranch string  `json:"target_branch"`
	Labels       names   `json:"labels"`
	ReviewerIDs  []int64 `json:"reviewer_ids"`
}) *reply {
	if in.Title == "" || in.SourceBranch == "" || in.TargetBranch == "" {
		return missing("title is missing, source_branch is missing, target_branch is missing")
	}
	m, err := c.s.open(c.Ctx, c.project, opening{PullSpec: simapi.PullSpec{Title: in.Title, Body: in.Description,
		Head: in.SourceBranch, Base: in.TargetBranch,
		Author: c.actor.user.Login, Labels: in.Labels}, reviewers: in.ReviewerIDs})
	if r, refused := errors.AsType[refusal](err); refused {
		return failure(r.status, r.words)
	}
	if err != nil {
		return c.broken(err)
	}
	c.wrote("pull", "create", m.ID, m.IID)
	return c.mrReply(http.StatusCreated, m)
}

// editMR is PUT …/merge_requests/{iid}: it applies all given changes at once.
func editMR(c *call, in struct {
	Title        *string          `json:"title"`
	Description  *string          `json:"description"`
	StateEvent   string           `json:"state_event"`
	Labels       *names           `json:"labels"`
	AddLabels    names            `json:"add_labels"`
	RemoveLabels names            `json:"remove_labels"`
	ReviewerIDs  *json.RawMessage `json:"reviewer_ids"`
}) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		e := edit{s: c.s, p: c.project, m: m, by: c.actor.user, now: c.s.NowMicros()}
		e.state(map[string]string{"close": "closed", "reopen": "open"}[in.StateEvent])
		e.text(in.Title, in.Description)
		if in.Labels != nil {
			in.AddLabels, in.RemoveLabels = *in.Labels, host.Without(m.Labels, func(x string) bool { return slices.Contains(*in.Labels, x) })
		}
		if len(in.AddLabels)+len(in.RemoveLabels) > 0 {
			e.labels(in.AddLabels, in.RemoveLabels)
		}
		if in.ReviewerIDs != nil {
			var ids []int64
			if json.Unmarshal(*in.ReviewerIDs, &ids) != nil {
				ids = nil // 0 and "" mean no reviewer
			}
			e.reviewers(ids)
		}
		c.s.Mu.Unlock()
		c.wrote("pull", "update", m.ID, m.IID)
		return c.mrReply(http.StatusOK, m)
	})
}

func listReviewers(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		list := host.RenderAll(m.Reviewers, func(r *reviewer) any {
			return obj{"user": c.s.view().user(r.UserID), "state": r.State, "created_at": stamp(r.Created)}
		})
		c.s.Mu.Unlock()
		return ok(list)
	})
}

func approve(c *call) *reply {
	return locked(c, func(m *mergeRequest) *reply {
		for _, r := range m.Reviewers {
			if r.UserID == c.actor.user.ID {
				r.State = "approved"
			}
		}
		c.s.emitMR(c.project, m, "approved", c.actor.user, nil, obj{})
		c.wrote("approval", "create", m.ID, m.IID)
		return created(obj{"id": m.ID, "iid": m.IID, "approved": true})
	})
}

func (c *call) version(v *version) obj {
	return obj{"id": v.ID, "head_commit_sha": v.Head, "base_commit_sha": v.Base, "start_commit_sha": v.Start,
		"created_at": stamp(v.Created), "state": "collected", "real_size": "1"}
}

func listVersions(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		list := slices.Clone(m.Versions)
		c.s.Mu.Unlock()
		slices.Reverse(list)
		return pageOf(c, list, func(v *version) any { return c.version(v) })
	})
}

func getVersionOfMR(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		at := slices.IndexFunc(m.Versions, func(v *version) bool { return v.ID == c.Number("version_id") })
		c.s.Mu.Unlock()
		if at < 0 {
			return notFound("")
		}
		v := m.Versions[at]
		d, err := c.project.git.Diff(c.Ctx, v.Base, v.Head)
		if err != nil {
			return c.broken(err)
		}
		o := c.version(v)
		o["commits"], o["diffs"] = []any{}, host.RenderAll(d.Files, c.diffEntry)
		return ok(o)
	})
}

// listMRCommits lists the commits of a merge request, newest first.
func listMRCommits(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		c.s.Mu.Lock()
		at := *m.now()
		c.s.Mu.Unlock()
		list, err := c.project.git.Between(c.Ctx, at.Base, at.Head)
		if err != nil {
			return c.broken(err)
		}
		slices.Reverse(list)
		return pageOf(c, list, func(k gitrepo.Commit) any { return c.commit(k) })
	})
}

// diffEntry renders a changed file for lists. It omits texts that are too large.
func (c *call) diffEntry(f gitrepo.File) any {
	c.s.Mu.Lock()
	collapse, most := c.s.settings.CollapseBytes, c.s.settings.TooLargeBytes
	c.s.Mu.Unlock()
	if collapse == 0 {
		collapse = 100 << 10
	}
	if most == 0 {
		most = 200 << 10
	}
	text := f.Patch
	if text != "" {
		text += "\n"
	}
	tooLarge := len(text) > most
	collapsed := !tooLarge && len(text) > collapse
	if collapsed || tooLarge {
		text = ""
	}
	if f.Binary {
		text = "Binary files a/" + host.OrElse(f.OldPath, f.Path) + " and b/" + f.Path + " differ\n"
	}
	return obj{"old_path": host.OrElse(f.OldPath, f.Path), "new_path": f.Path, "a_mode": f.OldMode, "b_mode": f.NewMode, "diff": text,
		"collapsed": collapsed, "too_large": tooLarge,
		"new_file": f.Status == "added", "renamed_file": f.Status == "renamed", "deleted_file": f.Status == "removed", "generated_file": false}
}

func listDiffs(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		d, err := c.diffOf(m)
		if err != nil {
			return c.broken(err)
		}
		return pageOf(c, d.Files, c.diffEntry)
	})
}

func (c *call) diffOf(m *mergeRequest) (*gitrepo.Diff, error) {
	c.s.Mu.Lock()
	at := *m.now()
	c.s.Mu.Unlock()
	return c.project.git.Diff(c.Ctx, at.Base, at.Head)
}

func rawDiffs(c *call) *reply {
	return inMR(c, func(m *mergeRequest) *reply {
		d, err := c.diffOf(m)
		if err != nil {
			return c.broken(err)
		}
		return plain([]byte(d.Text))
	})
}

func listLabels(c *call) *reply {
	c.s.Mu.Lock()
	list := slices.Clone(c.project.Labels)
	c.s.Mu.Unlock()
	list = host.Without(list, func(l *label) bool {
		return !strings.Contains(strings.ToLower(l.Name), strings.ToLower(c.Query.Get("search")))
	})
	return pageOf(c, list, func(l *label) any { return obj{"id": l.ID, "name": l.Name, "color": l.Color, "is_project_label": true} })
}
