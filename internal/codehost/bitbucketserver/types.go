package bitbucketserver

import (
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// The shapes below hold only the fields that we read. Answers and payloads of webhooks share them.

type user struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Slug   string `json:"slug"`
	Shown  string `json:"displayName"`
	Email  string `json:"emailAddress"`
	Type   string `json:"type"`
	Active *bool  `json:"active"`
}

// isBot reports whether an account is not a person's: tokens of projects and repositories act as accounts of
// the type SERVICE (the description, RestApplicationUser).
func (u *user) isBot() bool { return u.Type == "SERVICE" }

func (u *user) sender() codehost.Sender {
	return codehost.Sender{Login: u.Name, ID: wire.HostID(u.ID), IsBot: u.isBot()}
}

type repository struct {
	ID       int64  `json:"id"`
	Slug     string `json:"slug"`
	Public   bool   `json:"public"`
	Archived bool   `json:"archived"`
	Branch   string `json:"defaultBranch"`
	Project  struct {
		ID     int64  `json:"id"`
		Key    string `json:"key"`
		Type   string `json:"type"` // NORMAL, PERSONAL
		Public bool   `json:"public"`
	} `json:"project"`
}

func (r *repository) info() codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: wire.HostID(r.ID), Owner: r.Project.Key, Name: r.Slug,
		DefaultBranch: strings.TrimPrefix(r.Branch, branchPrefix),
		Private:       !r.Public && !r.Project.Public, Archived: r.Archived}
}

// branchPrefix begins the full name of a branch.
const branchPrefix = "refs/heads/"

type ref struct {
	ID         string      `json:"id"`
	DisplayID  string      `json:"displayId"`
	Commit     string      `json:"latestCommit"`
	Repository *repository `json:"repository"`
}

func (r ref) branch() string {
	if name, is := strings.CutPrefix(r.ID, branchPrefix); is {
		return name
	}
	return r.DisplayID
}

type participant struct {
	User   user   `json:"user"`
	Role   string `json:"role"`
	Status string `json:"status"`
}

type pull struct {
	ID          int           `json:"id"`
	Version     int           `json:"version"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	State       string        `json:"state"` // OPEN, MERGED, DECLINED
	Draft       bool          `json:"draft"`
	Created     int64         `json:"createdDate"` // milliseconds since 1970, as all times
	Updated     int64         `json:"updatedDate"`
	Closed      int64         `json:"closedDate"`
	From        ref           `json:"fromRef"`
	To          ref           `json:"toRef"`
	Author      participant   `json:"author"`
	Reviewers   []participant `json:"reviewers"`
	Links       struct {
		Self []struct {
			Href string `json:"href"`
		} `json:"self"`
	} `json:"links"`
	Properties struct {
		MergeCommit struct {
			ID string `json:"id"`
		} `json:"mergeCommit"`
	} `json:"properties"`
}

// timeOf converts a time of the host; 0 is the zero time.
func timeOf(millis int64) time.Time {
	if millis <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}

// pullRequest converts a pull request. The commits of both refs are those at the end of a pull request that has
// ended, so the base is from before the merge.
func (p *pull) pullRequest() codehost.PullRequest {
	out := codehost.PullRequest{Number: p.ID, Title: p.Title, Body: p.Description, Author: p.Author.User.Name,
		AuthorID: wire.HostID(p.Author.User.ID), AuthorIsBot: p.Author.User.isBot(), Open: p.State == "OPEN", Merged: p.State == "MERGED",
		Draft: p.Draft, HeadSHA: p.From.Commit, HeadRef: p.From.branch(), BaseSHA: p.To.Commit, BaseRef: p.To.branch(),
		FromFork:  p.From.Repository == nil || p.To.Repository == nil || p.From.Repository.ID != p.To.Repository.ID,
		CreatedAt: timeOf(p.Created), UpdatedAt: timeOf(p.Updated)}
	if len(p.Links.Self) > 0 {
		out.URL = wire.Link(p.Links.Self[0].Href)
	}
	if out.Merged {
		out.MergedAt, out.MergeCommit = timeOf(p.Closed), p.Properties.MergeCommit.ID
		if out.MergeCommit == "" {
			out.MergeCommit = p.From.Commit // a merge that only moved the branch
		}
	}
	return out
}

// fullPath is a path of an anchor or change: a text, or an object.
type fullPath string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *fullPath) UnmarshalJSON(raw []byte) error { return decodePath(raw, (*string)(p)) }

type anchor struct {
	Path      fullPath `json:"path"`
	SrcPath   fullPath `json:"srcPath"`
	Line      int      `json:"line"`
	LineType  string   `json:"lineType"` // ADDED, REMOVED, CONTEXT
	FileType  string   `json:"fileType"` // FROM, TO
	FromHash  string   `json:"fromHash"`
	ToHash    string   `json:"toHash"`
	Orphaned  bool     `json:"orphaned"`
	Multiline *struct {
		StartLine int `json:"startLine"`
	} `json:"multilineMarker"`
}

// side returns the side of an anchor, and its first and last line. A removed line, and a line of the old file, are
// on the left.
func (a *anchor) side() (side string, first, last int) {
	side = string(domain.Right)
	if a.FileType == "FROM" || a.LineType == "REMOVED" {
		side = string(domain.Left)
	}
	first, last = a.Line, a.Line
	if a.Multiline != nil && a.Multiline.StartLine > 0 && a.Multiline.StartLine < last {
		first = a.Multiline.StartLine
	}
	return side, first, last
}

// path returns the file of an anchor on its side.
func (a *anchor) path() string {
	if side, _, _ := a.side(); side == string(domain.Left) && a.SrcPath != "" {
		return string(a.SrcPath)
	}
	return string(a.Path)
}

type comment struct {
	ID       int64      `json:"id"`
	Version  int        `json:"version"`
	Text     string     `json:"text"`
	Author   user       `json:"author"`
	State    string     `json:"state"` // OPEN, PENDING, RESOLVED
	Severity string     `json:"severity"`
	Created  int64      `json:"createdDate"`
	Updated  int64      `json:"updatedDate"`
	Answers  []*comment `json:"comments"`
	Resolved bool       `json:"threadResolved"`
	Resolver *user      `json:"threadResolver"`
	Anchor   *anchor    `json:"anchor"`
	Parent   *struct {
		ID int64 `json:"id"`
	} `json:"parent"`
}

func (c *comment) isPending() bool { return c.State == "PENDING" }

// isClosed reports whether the thread of a first comment is resolved, or its task.
func (c *comment) isClosed() bool { return c.Resolved || c.State == "RESOLVED" }

// activity is an entry of a pull request's history. A comment is there once, with its answers below it.
type activity struct {
	Action  string   `json:"action"`
	Comment *comment `json:"comment"`
	Anchor  *anchor  `json:"commentAnchor"`
}

// thread returns the first comment of the entry with its place, or nil.
func (a *activity) thread() *comment {
	if a == nil || a.Action != "COMMENTED" || a.Comment == nil || a.Comment.ID <= 0 {
		return nil
	}
	if a.Comment.Anchor == nil {
		a.Comment.Anchor = a.Anchor
	}
	return a.Comment
}
