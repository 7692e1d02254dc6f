package gitea

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// The wire shapes below hold only the fields of a payload that we read, so that changes of other fields
// cannot stop an event (modules/structs of Gitea 1.26.4: user.go, repo.go, pull.go, issue.go,
// issue_comment.go, hook.go).

type wireUser struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

type wireRepo struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	Owner         wireUser `json:"owner"`
	DefaultBranch string   `json:"default_branch"`
	Private       bool     `json:"private"`
	Internal      bool     `json:"internal"`
	Archived      bool     `json:"archived"`
}

type wireEnd struct {
	Label  string `json:"label"`
	Ref    string `json:"ref"`
	SHA    string `json:"sha"`
	RepoID int64  `json:"repo_id"`
}

type wireTag struct {
	Name string `json:"name"`
}

type wirePull struct {
	Number       int        `json:"number"`
	Title        string     `json:"title"`
	Body         string     `json:"body"`
	HTMLURL      string     `json:"html_url"`
	User         wireUser   `json:"user"`
	State        string     `json:"state"`
	Draft        bool       `json:"draft"`
	Merged       bool       `json:"merged"`
	MergeBase    string     `json:"merge_base"`
	Head         wireEnd    `json:"head"`
	Base         wireEnd    `json:"base"`
	Labels       []wireTag  `json:"labels"`
	UpdatedAt    *time.Time `json:"updated_at"`
	ChangedFiles int        `json:"changed_files"`
	Additions    int        `json:"additions"`
	Deletions    int        `json:"deletions"`
}

// maxLabels is the most labels that are kept from a pull request's payload.
const maxLabels = 200

func (p wirePull) pullRequest(owner int64) *codehost.PullRequest {
	out := &codehost.PullRequest{
		Number: p.Number, Title: p.Title, Body: p.Body, URL: p.HTMLURL,
		Author: p.User.Login, AuthorID: wire.HostID(p.User.ID), AuthorIsBot: p.User.ID < 0, Association: association(p.User, owner),
		Open: p.State == "open", Merged: p.Merged, Draft: p.Draft || isDraft(p.Title),
		FromFork: p.Head.RepoID <= 0 || p.Head.RepoID != p.Base.RepoID || p.Head.Label == "",
		HeadSHA:  p.Head.SHA, HeadRef: p.Head.Label, BaseSHA: p.Base.SHA, BaseRef: p.Base.Ref,
		ChangedFiles: p.ChangedFiles, Additions: p.Additions, Deletions: p.Deletions,
	}
	out.Branchless = branchless(p.Head.RepoID > 0 && p.Head.RepoID == p.Base.RepoID, p.Head.Label)
	if out.HeadRef == "" {
		out.HeadRef = p.Head.Ref
	}
	if out.BaseSHA == "" {
		out.BaseSHA = p.MergeBase
	}
	if p.UpdatedAt != nil {
		out.UpdatedAt = *p.UpdatedAt
	}
	for _, l := range p.Labels[:min(len(p.Labels), maxLabels)] {
		out.Labels = append(out.Labels, l.Name)
	}
	return out
}

func association(u wireUser, owner int64) string {
	if u.ID > 0 && u.ID == owner {
		return codehost.AssociationOwner
	}
	return ""
}

// fillCommon fills the parts that every event may have.
func fillCommon(ev *codehost.Event, env envelope) error {
	var s wireUser
	if err := wire.DecodePart("sender", env.Sender, &s); err != nil {
		return err
	}
	ev.Sender = codehost.Sender{Login: s.Login, ID: wire.HostID(s.ID), IsBot: s.ID < 0}
	if wire.IsPresent(env.Repository) {
		var r wireRepo
		if err := wire.DecodePart("repository", env.Repository, &r); err != nil {
			return err
		}
		ev.Repository = &codehost.RepoInfo{ExternalID: wire.HostID(r.ID), Owner: r.Owner.Login, Name: r.Name,
			DefaultBranch: r.DefaultBranch, Private: r.Private || r.Internal, Internal: r.Internal && !r.Private, Archived: r.Archived}
	}
	return nil
}

// ownerOf returns the number of the repository's owner.
func ownerOf(env envelope) int64 {
	var r wireRepo
	if wire.IsPresent(env.Repository) && json.Unmarshal(env.Repository, &r) != nil {
		return 0
	}
	return r.Owner.ID
}

// pull decodes the pull request of an event that requires one.
func pull(ev *codehost.Event, env envelope) error {
	var p wirePull
	if err := wire.DecodePart("pull_request", env.PullRequest, &p); err != nil {
		return err
	}
	if err := wire.RequirePart("pull_request.number", p.Number > 0); err != nil {
		return err
	}
	ev.PullRequest = p.pullRequest(ownerOf(env))
	return needRepository(ev)
}

func needRepository(ev *codehost.Event) error {
	return wire.RequirePart("repository.id", ev.Repository != nil && ev.Repository.ExternalID != "")
}

// actions maps the host's words to GitHub's (modules/structs/hook.go, HookIssueAction). The action of a new
// title or label depends on the changes.
var actions = map[string]string{"opened": "opened", "synchronized": "synchronize", "reopened": "reopened", "closed": "closed",
	"edited": "edited", "review_requested": "review_requested", "label_updated": "labeled"}

func pullRequestDetail(ev *codehost.Event, env envelope) error {
	action, used := actions[env.Action]
	if !used {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	if err := pull(ev, env); err != nil {
		return err
	}
	var changes struct {
		Title         *struct{ From string } `json:"title"`
		AddedLabels   []wireTag              `json:"added_labels"`
		RemovedLabels []wireTag              `json:"removed_labels"`
	}
	if err := wire.DecodePart("changes", env.Changes, &changes); err != nil {
		return err
	}
	switch {
	case action == "edited" && changes.Title != nil:
		action = titleAction(changes.Title.From, *ev.PullRequest)
	case action == "labeled" && len(changes.AddedLabels) == 0 && len(changes.RemovedLabels) > 0:
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
	case action == "labeled" && len(changes.AddedLabels) == 1:
		ev.Label = changes.AddedLabels[0].Name // with several new labels it stays "": all labels of the pull request then count
	}
	ev.Action = action
	return wire.RequirePart("pull_request.head.sha", ev.PullRequest.HeadSHA != "")
}

// titleAction returns the action of a new title: a prefix that marks a draft was added or removed. An instance
// may have other prefixes than the usual ones. So a word before a colon or in brackets also counts if the
// titles are otherwise equal.
func titleAction(from string, p codehost.PullRequest) string {
	was := isDraft(from)
	switch {
	case !p.Draft && (was || hasDraftPrefix(from, p.Title)):
		return "ready_for_review"
	case p.Draft && !was && (isDraft(p.Title) || hasDraftPrefix(p.Title, from)):
		return "converted_to_draft"
	}
	return "edited"
}

// maxPrefix is the most bytes of a prefix that marks a draft.
const maxPrefix = 40

// hasDraftPrefix reports whether long is short with a prefix in the form of a draft's.
func hasDraftPrefix(long, short string) bool {
	prefix, ok := strings.CutSuffix(strings.TrimSpace(long), strings.TrimSpace(short))
	prefix = strings.TrimSpace(prefix)
	return ok && prefix != "" && len(prefix) <= maxPrefix && strings.TrimSpace(short) != "" &&
		strings.ContainsAny(prefix[len(prefix)-1:], ":])")
}

// verdicts maps the event of a review to GitHub's word.
var verdicts = map[string]string{"pull_request_approved": "approved", "pull_request_rejected": "changes_requested",
	"pull_request_comment": "commented"}

// reviewDetail reads a submitted review. The payload has neither its id nor its comments.
func reviewDetail(ev *codehost.Event, env envelope) error {
	if env.Action != "reviewed" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	if err := pull(ev, env); err != nil {
		return err
	}
	var r struct {
		Content string `json:"content"`
	}
	if err := wire.DecodePart("review", env.Review, &r); err != nil {
		return err
	}
	ev.Action = "submitted"
	ev.Review = &codehost.EventReview{State: verdicts[ev.Name], Body: r.Content, Author: ev.Sender.Login, AuthorID: ev.Sender.ID,
		Commit: ev.PullRequest.HeadSHA}
	return wire.RequirePart("review", wire.IsPresent(env.Review))
}

func commentDetail(ev *codehost.Event, env envelope) error {
	if env.Action != "created" && env.Action != "edited" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	var c struct {
		ID   int64    `json:"id"`
		Body string   `json:"body"`
		User wireUser `json:"user"`
	}
	if err := wire.DecodePart("comment", env.Comment, &c); err != nil {
		return err
	}
	if err := wire.RequirePart("comment.id", c.ID > 0); err != nil {
		return err
	}
	var issue struct {
		Number      int             `json:"number"`
		Title       string          `json:"title"`
		State       string          `json:"state"`
		User        wireUser        `json:"user"`
		PullRequest json.RawMessage `json:"pull_request"`
	}
	if err := wire.DecodePart("issue", env.Issue, &issue); err != nil {
		return err
	}
	if err := wire.RequirePart("issue.number", issue.Number > 0); err != nil {
		return err
	}
	ev.Comment = &codehost.EventComment{ID: wire.HostID(c.ID), Body: c.Body, Author: c.User.Login, AuthorID: wire.HostID(c.User.ID),
		AuthorIsBot: c.User.ID < 0, PlaceUnknown: true,
		Association: association(c.User, ownerOf(env)), Number: issue.Number, OnPullRequest: env.IsPull ||
			wire.IsPresent(issue.PullRequest) || wire.IsPresent(env.PullRequest)}
	if !ev.Comment.OnPullRequest {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonNotPullRequest
		return nil
	}
	ev.PullRequest = &codehost.PullRequest{Number: issue.Number, Title: issue.Title, Open: issue.State == "open",
		Author: issue.User.Login, AuthorID: wire.HostID(issue.User.ID), AuthorIsBot: issue.User.ID < 0}
	return needRepository(ev)
}

func repositoryDetail(ev *codehost.Event) error {
	if ev.Action != "created" && ev.Action != "deleted" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	return needRepository(ev)
}

// checkDetail reads an ended job of Actions, or a commit status that is not pending.
func checkDetail(ev *codehost.Event, body []byte) error {
	var p struct {
		ID      int64  `json:"id"`
		SHA     string `json:"sha"`
		Context string `json:"context"`
		State   string `json:"state"`
		Job     struct {
			ID         int64  `json:"id"`
			Name       string `json:"name"`
			HeadSHA    string `json:"head_sha"`
			Conclusion string `json:"conclusion"`
		} `json:"workflow_job"`
	}
	if err := wire.DecodePart("payload", body, &p); err != nil {
		return err
	}
	if ev.Name == "workflow_job" {
		ev.Check = &codehost.EventCheckRun{ID: wire.HostID(p.Job.ID), Name: wire.OneLine(p.Job.Name, maxCIName), HeadSHA: p.Job.HeadSHA,
			Status: "completed", Conclusion: wire.OneLine(p.Job.Conclusion, maxCIName)}
		if err := wire.RequirePart("workflow_job.id", p.Job.ID > 0); err != nil {
			return err
		}
		return needRepository(ev)
	}
	if p.State == "pending" {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonUnusedAction
		return nil
	}
	ev.Action = "completed"
	ev.Check = &codehost.EventCheckRun{ID: wire.HostID(p.ID), Name: wire.OneLine(p.Context, maxCIName), HeadSHA: p.SHA, Status: "completed",
		Conclusion: wire.OneLine(p.State, maxCIName)}
	if err := wire.RequirePart("context", p.Context != "" && p.SHA != ""); err != nil {
		return err
	}
	return needRepository(ev)
}
