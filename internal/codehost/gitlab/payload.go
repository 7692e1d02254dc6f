package gitlab

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// The wire shapes below hold only the fields of a payload that we read, so that changes of other fields
// cannot stop an event (docs.gitlab.com/user/project/integrations/webhook_events; event_webhook_types.go of
// the library).

type wireUser struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
}

type wireProject struct {
	ID         int64  `json:"id"`
	Path       string `json:"path_with_namespace"`
	Branch     string `json:"default_branch"`
	Visibility *int   `json:"visibility_level"` // 10 is internal
}

// Levels of visibility (lib/gitlab/visibility_level.rb of gitlab-org/gitlab).
const (
	levelPrivate = 0
	levelPublic  = 20
)

type wireLabel struct {
	Title string `json:"title"`
}

type wireMR struct {
	IID        int         `json:"iid"`
	Title      string      `json:"title"`
	Text       string      `json:"description"`
	URL        string      `json:"url"`
	State      string      `json:"state"`
	Action     string      `json:"action"`
	OldRev     string      `json:"oldrev"`
	Draft      bool        `json:"draft"`
	WIP        bool        `json:"work_in_progress"`
	AuthorID   int64       `json:"author_id"`
	Source     string      `json:"source_branch"`
	Target     string      `json:"target_branch"`
	SourceID   int64       `json:"source_project_id"`
	TargetID   int64       `json:"target_project_id"`
	UpdatedAt  string      `json:"updated_at"`
	Labels     []wireLabel `json:"labels"`
	LastCommit struct {
		ID string `json:"id"`
	} `json:"last_commit"`
}

// maxLabels is the most labels that are kept from a merge request's payload.
const maxLabels = 200

func (m wireMR) pullRequest(by codehost.Sender) *codehost.PullRequest {
	out := &codehost.PullRequest{Number: m.IID, Title: m.Title, Body: m.Text, URL: m.URL, AuthorID: wire.HostID(m.AuthorID),
		Open:   m.State == "opened" || m.State == "locked",
		Merged: m.State == "merged", Draft: m.Draft || m.WIP, FromFork: m.SourceID <= 0 ||
			m.SourceID != m.TargetID, HeadSHA: m.LastCommit.ID, HeadRef: m.Source,
		BaseRef: m.Target, UpdatedAt: timeOf(m.UpdatedAt)}
	if by.ID != "" && by.ID == out.AuthorID {
		out.Author, out.AuthorIsBot = by.Login, by.IsBot
	}
	for _, l := range m.Labels[:min(len(m.Labels), maxLabels)] {
		out.Labels = append(out.Labels, l.Title)
	}
	return out
}

// timeOf parses the time formats of payloads. It returns zero for others.
func timeOf(s string) time.Time {
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"} {
		if at, err := time.Parse(form, s); err == nil {
			return at
		}
	}
	return time.Time{}
}

// fillCommon fills the parts that every event may have.
func fillCommon(ev *codehost.Event, env envelope) error {
	var u wireUser
	if err := wire.DecodePart("user", env.User, &u); err != nil {
		return err
	}
	ev.Sender = codehost.Sender{Login: u.Username, ID: wire.HostID(u.ID), IsBot: isRobot(u.Username)}
	if !wire.IsPresent(env.Project) {
		return nil
	}
	var p wireProject
	if err := wire.DecodePart("project", env.Project, &p); err != nil {
		return err
	}
	ev.Repository = &codehost.RepoInfo{ExternalID: wire.HostID(p.ID), DefaultBranch: p.Branch, Private: p.Visibility == nil ||
		*p.Visibility < levelPublic,
		Internal: p.Visibility != nil && *p.Visibility > levelPrivate && *p.Visibility < levelPublic}
	if at := strings.LastIndexByte(p.Path, '/'); at > 0 {
		ev.Repository.Owner, ev.Repository.Name = p.Path[:at], p.Path[at+1:]
	}
	return nil
}

func needRepository(ev *codehost.Event) error {
	return wire.RequirePart("project.id", ev.Repository != nil && ev.Repository.ExternalID != "")
}

// change holds a value before and after an event.
type change[T any] struct {
	Previous T `json:"previous"`
	Current  T `json:"current"`
}

// wireChanges holds the changes of an update that have an effect.
type wireChanges struct {
	Draft     *change[bool]        `json:"draft"`
	WIP       *change[bool]        `json:"work_in_progress"`
	Labels    *change[[]wireLabel] `json:"labels"`
	Reviewers *change[[]wireUser]  `json:"reviewers"`
	Title     *json.RawMessage     `json:"title"`
	Text      *json.RawMessage     `json:"description"`
	Target    *json.RawMessage     `json:"target_branch"`
}

// actions maps GitLab's words to GitHub's (docs.gitlab.com/user/project/integrations/webhook_events, "Merge
// request events"). The action of an update depends on its changes.
var actions = map[string]string{"open": "opened", "reopen": "reopened", "close": "closed", "merge": "closed", "update": "edited"}

// verdicts maps a reviewer's decision to GitHub's word.
var verdicts = map[string]string{"approved": "approved", "approval": "approved", "unapproved": "dismissed", "unapproval": "dismissed"}

func pullRequestDetail(ev *codehost.Event, env envelope) error {
	var m wireMR
	if err := wire.DecodePart("object_attributes", env.Attributes, &m); err != nil {
		return err
	}
	ev.Action = m.Action
	action, used := actions[m.Action]
	verdict := verdicts[m.Action]
	if !used && verdict == "" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	if err := wire.RequirePart("object_attributes.iid", m.IID > 0); err != nil {
		return err
	}
	if err := needRepository(ev); err != nil {
		return err
	}
	ev.PullRequest = m.pullRequest(ev.Sender)
	if verdict != "" {
		ev.Kind, ev.Action = codehost.KindReview, "submitted"
		if verdict == "dismissed" {
			ev.Action = verdict
		}
		ev.Review = &codehost.EventReview{State: verdict, Author: ev.Sender.Login, AuthorID: ev.Sender.ID, Commit: ev.PullRequest.HeadSHA}
		return nil
	}
	if m.Action == "update" {
		var changes wireChanges
		if err := wire.DecodePart("changes", env.Changes, &changes); err != nil {
			return err
		}
		action = updateAction(ev, m, changes)
	}
	if action == "" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	ev.Action = action
	return wire.RequirePart("object_attributes.last_commit.id", ev.PullRequest.HeadSHA != "")
}

// updateAction returns the action of an update, by its most important change. A push sets oldrev.
func updateAction(ev *codehost.Event, m wireMR, c wireChanges) string {
	draft := c.Draft
	if draft == nil {
		draft = c.WIP
	}
	switch {
	case m.OldRev != "":
		return "synchronize"
	case draft != nil && draft.Previous && !draft.Current:
		return "ready_for_review"
	case draft != nil && !draft.Previous && draft.Current:
		return "converted_to_draft"
	}
	if c.Labels != nil {
		if added := addedEntries(c.Labels.Previous, c.Labels.Current); len(added) > 0 {
			if len(added) == 1 {
				ev.Label = added[0].Title // with several new labels it stays "": all labels of the merge request then count
			}
			return "labeled"
		}
	}
	if c.Reviewers != nil && len(addedEntries(c.Reviewers.Previous, c.Reviewers.Current)) > 0 {
		return "review_requested"
	}
	if c.Title != nil || c.Text != nil || c.Target != nil {
		return "edited"
	}
	return ""
}

// addedEntries returns the entries of now that are not in before.
func addedEntries[T comparable](before, now []T) (out []T) {
	had := map[T]bool{}
	for _, x := range before {
		had[x] = true
	}
	for _, x := range now {
		if !had[x] {
			out = append(out, x)
		}
	}
	return out
}

func commentDetail(ev *codehost.Event, env envelope) error {
	var n struct {
		ID         int64           `json:"id"`
		Note       string          `json:"note"`
		Of         string          `json:"noteable_type"`
		Type       string          `json:"type"`
		Action     string          `json:"action"`
		System     bool            `json:"system"`
		AuthorID   int64           `json:"author_id"`
		Discussion string          `json:"discussion_id"`
		Position   json.RawMessage `json:"position"`
		Original   json.RawMessage `json:"original_position"`
		LineCode   string          `json:"line_code"`
	}
	if err := wire.DecodePart("object_attributes", env.Attributes, &n); err != nil {
		return err
	}
	ev.Action = map[string]string{"": "created", "create": "created", "update": "edited"}[n.Action]
	switch {
	case n.Of != "MergeRequest":
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonNotPullRequest
		return nil
	case n.System || ev.Action == "":
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	if err := wire.RequirePart("object_attributes.id", n.ID > 0); err != nil {
		return err
	}
	var m wireMR
	if err := wire.DecodePart("merge_request", env.MergeRequest, &m); err != nil {
		return err
	}
	if err := wire.RequirePart("merge_request.iid", m.IID > 0); err != nil {
		return err
	}
	ev.PullRequest = m.pullRequest(ev.Sender)
	// Older versions do not name the type.
	inline := n.Type == noteOnLines || n.Type == "" && (wire.IsPresent(n.Position) || wire.IsPresent(n.Original) || n.LineCode != "")
	at := noteID{number: m.IID, note: n.ID}
	if (inline || n.Type == noteInThread) && discussionForm.MatchString(n.Discussion) {
		at.discussion = n.Discussion
	}
	ev.Comment = &codehost.EventComment{ID: at.id(), Body: n.Note, AuthorID: wire.HostID(n.AuthorID), OnPullRequest: true,
		Number: m.IID, Inline: inline, Threaded: !inline && at.discussion != ""}
	if ev.Sender.ID == ev.Comment.AuthorID { // the person who edits a comment may not be its author
		ev.Comment.Author, ev.Comment.AuthorIsBot = ev.Sender.Login, ev.Sender.IsBot
	}
	return needRepository(ev)
}

// pipelineDetail reads the state of the host's CI. The event requests no action.
func pipelineDetail(ev *codehost.Event, env envelope) error {
	var p struct {
		ID     int64  `json:"id"`
		Name   string `json:"name"`
		Source string `json:"source"`
		SHA    string `json:"sha"`
		Status string `json:"status"`
	}
	if err := wire.DecodePart("object_attributes", env.Attributes, &p); err != nil {
		return err
	}
	if err := wire.RequirePart("object_attributes.id", p.ID > 0); err != nil {
		return err
	}
	ev.Check = &codehost.EventCheckRun{ID: wire.HostID(p.ID), Suite: true, Name: wire.OneLine(p.Name, maxCIName), HeadSHA: p.SHA,
		Status: "in_progress", Statuses: p.Source == "external"}
	if ev.Check.Name == "" {
		ev.Check.Name = wire.OneLine(p.Source, maxCIName)
	}
	ev.Action = wire.OneLine(p.Status, 40)
	if s, known := jobStates[p.Status]; known && s.state == codehost.JobDone {
		ev.Action, ev.Check.Status, ev.Check.Conclusion = "completed", "completed", s.conclusion
	}
	var m wireMR
	if err := wire.DecodePart("merge_request", env.MergeRequest, &m); err != nil {
		return err
	}
	if m.IID > 0 {
		ev.Check.Numbers = []int{m.IID}
	}
	return needRepository(ev)
}

// projectDetail reads a group's events about its projects.
func projectDetail(ev *codehost.Event, body []byte) error {
	var p struct {
		Event      string `json:"event_name"`
		ID         int64  `json:"project_id"`
		Path       string `json:"path_with_namespace"`
		Visibility string `json:"project_visibility"`
	}
	if err := wire.DecodePart("project", body, &p); err != nil {
		return err
	}
	ev.Action = map[string]string{"project_create": "created", "project_destroy": "deleted", "project_rename": "renamed",
		"project_transfer": "transferred"}[p.Event]
	if ev.Action == "" {
		ev.Action = wire.OneLine(p.Event, 40)
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	ev.Repository = &codehost.RepoInfo{ExternalID: wire.HostID(p.ID), Private: p.Visibility != "public", Internal: p.Visibility == "internal"}
	if at := strings.LastIndexByte(p.Path, '/'); at > 0 {
		ev.Repository.Owner, ev.Repository.Name = p.Path[:at], p.Path[at+1:]
	}
	return wire.RequirePart("project_id", p.ID > 0)
}
