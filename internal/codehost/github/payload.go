package github

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// The wire shapes below hold only the fields of a payload that we read, so that changes of other fields
// cannot stop an event.

type wireUser struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	Type  string `json:"type"`
}

func (u wireUser) bot() bool { return strings.EqualFold(u.Type, "Bot") }

type wireRepo struct {
	ID            int64    `json:"id"`
	Name          string   `json:"name"`
	FullName      string   `json:"full_name"`
	Owner         wireUser `json:"owner"`
	DefaultBranch string   `json:"default_branch"`
	Private       bool     `json:"private"`
	Visibility    string   `json:"visibility"` // "" in lists of installation events
	Archived      bool     `json:"archived"`
}

// info converts the repository. If the payload has no owner object, as in the lists of installation events,
// the owner comes from the full name.
func (r wireRepo) info() codehost.RepoInfo {
	owner := r.Owner.Login
	if owner == "" {
		owner, _, _ = strings.Cut(r.FullName, "/")
	}
	return codehost.RepoInfo{ExternalID: hostID(r.ID), Owner: owner, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private,
		Internal: r.Private && r.Visibility == internalWord, Archived: r.Archived}
}

// internalWord is the visibility of a private repository that all members of an enterprise can read
// (docs.github.com, "About repositories", "About internal repositories").
const internalWord = "internal"

type wireInstallation struct {
	ID          int64    `json:"id"`
	Account     wireUser `json:"account"`
	TargetType  string   `json:"target_type"`
	AppSlug     string   `json:"app_slug"`
	SuspendedAt any      `json:"suspended_at"` // a time; null or absent unless suspended
}

func (i wireInstallation) neutral() *codehost.Installation {
	kind := i.Account.Type
	if kind == "" {
		kind = i.TargetType
	}
	return &codehost.Installation{ID: hostID(i.ID), AccountLogin: i.Account.Login, AccountID: hostID(i.Account.ID), AccountType: kind,
		Suspended: i.SuspendedAt != nil, AppSlug: i.AppSlug}
}

type wireEnd struct {
	SHA  string    `json:"sha"`
	Ref  string    `json:"ref"`
	Repo *wireRepo `json:"repo"` // null after the repository was deleted
}

type wirePull struct {
	Number       int       `json:"number"`
	Title        string    `json:"title"`
	Body         string    `json:"body"`
	HTMLURL      string    `json:"html_url"`
	User         wireUser  `json:"user"`
	Association  string    `json:"author_association"`
	State        string    `json:"state"`
	Merged       bool      `json:"merged"`
	MergedAt     any       `json:"merged_at"`
	Draft        bool      `json:"draft"`
	Head         wireEnd   `json:"head"`
	Base         wireEnd   `json:"base"`
	Labels       []wireTag `json:"labels"`
	UpdatedAt    time.Time `json:"updated_at"`
	ChangedFiles int       `json:"changed_files"`
	Additions    int       `json:"additions"`
	Deletions    int       `json:"deletions"`
}

type wireTag struct {
	Name string `json:"name"`
}

func (p wirePull) pullRequest() *codehost.PullRequest {
	out := &codehost.PullRequest{
		Number: p.Number, Title: p.Title, Body: p.Body, URL: p.HTMLURL,
		Author: p.User.Login, AuthorID: hostID(p.User.ID), AuthorIsBot: p.User.bot(), Association: p.Association,
		Open: p.State == "open", Merged: p.Merged || p.MergedAt != nil, Draft: p.Draft,
		FromFork: p.Head.Repo == nil || p.Base.Repo == nil || p.Head.Repo.ID != p.Base.Repo.ID,
		HeadSHA:  p.Head.SHA, HeadRef: p.Head.Ref, BaseSHA: p.Base.SHA, BaseRef: p.Base.Ref,
		UpdatedAt: p.UpdatedAt, ChangedFiles: p.ChangedFiles, Additions: p.Additions, Deletions: p.Deletions,
	}
	for _, l := range p.Labels {
		out.Labels = append(out.Labels, l.Name)
	}
	return out
}

type wireComment struct {
	ID          int64    `json:"id"`
	Body        string   `json:"body"`
	User        wireUser `json:"user"`
	Association string   `json:"author_association"`
	InReplyTo   int64    `json:"in_reply_to_id"`
	Review      int64    `json:"pull_request_review_id"`
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
	ev.PullRequest = p.pullRequest()
	return wire.RequirePart("repository.id", ev.Repository != nil && ev.Repository.ExternalID != "")
}

func pullRequestDetail(ev *codehost.Event, env envelope) error {
	if err := pull(ev, env); err != nil {
		return err
	}
	var label wireTag
	if err := wire.DecodePart("label", env.Label, &label); err != nil {
		return err
	}
	ev.Label = label.Name
	return wire.RequirePart("pull_request.head.sha", ev.PullRequest.HeadSHA != "")
}

func commentDetail(ev *codehost.Event, env envelope) error {
	var c wireComment
	if err := wire.DecodePart("comment", env.Comment, &c); err != nil {
		return err
	}
	if err := wire.RequirePart("comment.id", c.ID > 0); err != nil {
		return err
	}
	ev.Comment = &codehost.EventComment{ID: hostID(c.ID), Body: c.Body, Author: c.User.Login, AuthorID: hostID(c.User.ID),
		AuthorIsBot: c.User.bot(),
		Association: c.Association, InReplyTo: hostID(c.InReplyTo), Review: hostID(c.Review)}
	if ev.Name == "pull_request_review_comment" {
		if err := pull(ev, env); err != nil {
			return err
		}
		ev.Comment.Inline, ev.Comment.OnPullRequest, ev.Comment.Number = true, true, ev.PullRequest.Number
		return nil
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
	ev.Comment.Number, ev.Comment.OnPullRequest = issue.Number, wire.IsPresent(issue.PullRequest)
	if !ev.Comment.OnPullRequest {
		ev.Kind, ev.Reason = codehost.KindIgnored, codehost.ReasonNotPullRequest
		return nil
	}
	ev.PullRequest = &codehost.PullRequest{Number: issue.Number, Title: issue.Title, Open: issue.State == "open",
		Author: issue.User.Login, AuthorID: hostID(issue.User.ID), AuthorIsBot: issue.User.bot()}
	return wire.RequirePart("repository.id", ev.Repository != nil && ev.Repository.ExternalID != "")
}

func reviewDetail(ev *codehost.Event, env envelope) error {
	if err := pull(ev, env); err != nil {
		return err
	}
	if ev.Kind == codehost.KindReviewThread {
		var thread struct {
			Comments []wireComment `json:"comments"`
		}
		if err := wire.DecodePart("thread", env.Thread, &thread); err != nil {
			return err
		}
		if err := wire.RequirePart("thread.comments", len(thread.Comments) > 0); err != nil {
			return err
		}
		c := thread.Comments[0]
		ev.Review = &codehost.EventReview{ID: hostID(c.ID), State: ev.Action, Body: c.Body, Author: c.User.Login, AuthorID: hostID(c.User.ID)}
		return nil
	}
	var r struct {
		ID     int64    `json:"id"`
		State  string   `json:"state"`
		Body   string   `json:"body"`
		User   wireUser `json:"user"`
		Commit string   `json:"commit_id"`
	}
	if err := wire.DecodePart("review", env.Review, &r); err != nil {
		return err
	}
	ev.Review = &codehost.EventReview{ID: hostID(r.ID), State: r.State, Body: r.Body, Author: r.User.Login,
		AuthorID: hostID(r.User.ID), Commit: r.Commit}
	return wire.RequirePart("review.id", r.ID > 0)
}

// maxNumbers is the most pull requests that are kept from a check's event.
const maxNumbers = 100

func checkDetail(ev *codehost.Event, env envelope) error {
	var c struct {
		ID           int64  `json:"id"`
		Name         string `json:"name"`
		ExternalID   string `json:"external_id"`
		HeadSHA      string `json:"head_sha"`
		Status       string `json:"status"`
		Conclusion   string `json:"conclusion"`
		PullRequests []struct {
			Number int `json:"number"`
		} `json:"pull_requests"`
		App struct {
			ID int64 `json:"id"`
		} `json:"app"`
	}
	name, raw := "check_run", env.CheckRun
	if ev.Name == "check_suite" {
		name, raw = "check_suite", env.CheckSuite
	}
	if err := wire.DecodePart(name, raw, &c); err != nil {
		return err
	}
	var button struct {
		Identifier string `json:"identifier"`
	}
	if err := wire.DecodePart("requested_action", env.RequestedAction, &button); err != nil {
		return err
	}
	ev.Check = &codehost.EventCheckRun{ID: hostID(c.ID), Suite: ev.Name == "check_suite", Name: c.Name, ExternalID: c.ExternalID,
		HeadSHA: c.HeadSHA,
		Status:  c.Status, Conclusion: c.Conclusion, AppID: hostID(c.App.ID), Requested: button.Identifier}
	for _, p := range c.PullRequests[:min(len(c.PullRequests), maxNumbers)] {
		ev.Check.Numbers = append(ev.Check.Numbers, p.Number)
	}
	return wire.RequirePart(name+".id", c.ID > 0)
}

func installationDetail(ev *codehost.Event, env envelope) error {
	if err := wire.RequirePart("installation.id", ev.Installation != nil && ev.Installation.ID != ""); err != nil {
		return err
	}
	if ev.Name == "installation_target" { // the payload has only the installation's id, and the account beside it
		var account wireUser
		if err := wire.DecodePart("account", env.Account, &account); err != nil {
			return err
		}
		ev.Installation.AccountLogin, ev.Installation.AccountID, ev.Installation.AccountType = account.Login, hostID(account.ID), account.Type
		return wire.RequirePart("account.id and account.login", ev.Installation.AccountID != "" && account.Login != "")
	}
	for _, list := range []struct {
		name string
		raw  json.RawMessage
		into *[]codehost.RepoInfo
	}{
		{"repositories", env.Repositories, &ev.Repositories},
		{"repositories_added", env.RepositoriesAdded, &ev.Repositories},
		{"repositories_removed", env.RepositoriesRemoved, &ev.RepositoriesRemoved},
	} {
		var repos []wireRepo
		if err := wire.DecodePart(list.name, list.raw, &repos); err != nil {
			return err
		}
		for _, r := range repos {
			if r.ID > 0 {
				*list.into = append(*list.into, r.info())
			}
		}
	}
	if ev.Name == "installation" && ev.Action == "deleted" { // the repositories are out of reach now
		ev.RepositoriesRemoved, ev.Repositories = append(ev.RepositoriesRemoved, ev.Repositories...), nil
	}
	return wire.RequirePart("installation.account.id", ev.Installation.AccountID != "")
}
