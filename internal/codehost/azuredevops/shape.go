package azuredevops

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// The shapes below hold only the fields that we read. Answers and payloads of service hooks share them.

// answerList is the form of every list.
type answerList[T any] struct {
	Value []T `json:"value"`
}

type identityRef struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	UniqueName  string `json:"uniqueName"`
	Descriptor  string `json:"descriptor"`
	IsContainer bool   `json:"isContainer"`
}

// isBot reports whether an account is a service principal or a service identity. The descriptors of accounts begin with their kind
// (learn.microsoft.com/rest/api/azure/devops/graph, "Subject types": aadsp, svc; s2s).
func (i identityRef) isBot() bool {
	kind, _, _ := strings.Cut(i.Descriptor, ".")
	return kind == "aadsp" || kind == "svc" || kind == "s2s"
}

type commitRef struct {
	CommitID string `json:"commitId"`
}

type projectRef struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Visibility string `json:"visibility"` // private, organization, public; "unchanged" in payloads
}

type repositoryRef struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Project       projectRef `json:"project"`
	DefaultBranch string     `json:"defaultBranch"`
	RemoteURL     string     `json:"remoteUrl"`
	IsDisabled    bool       `json:"isDisabled"`
}

const heads = "refs/heads/"

// info returns a repository of an organisation.
func (r repositoryRef) info(organisation string) codehost.RepoInfo {
	return codehost.RepoInfo{ExternalID: guid(r.ID), Owner: organisation + "/" + r.Project.Name, Name: r.Name,
		DefaultBranch: strings.TrimPrefix(r.DefaultBranch, heads), Private: r.Project.Visibility != "public",
		Internal: r.Project.Visibility == "organization", Archived: r.IsDisabled}
}

type labelRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type reviewerRef struct {
	identityRef
	Vote        int  `json:"vote"`
	HasDeclined bool `json:"hasDeclined"`
}

type pullRef struct {
	Number       int           `json:"pullRequestId"`
	Repository   repositoryRef `json:"repository"`
	Status       string        `json:"status"` // active, completed, abandoned
	CreatedBy    identityRef   `json:"createdBy"`
	CreationDate string        `json:"creationDate"`
	ClosedDate   string        `json:"closedDate"`
	Title        string        `json:"title"`
	Description  string        `json:"description"`
	Source       string        `json:"sourceRefName"`
	Target       string        `json:"targetRefName"`
	IsDraft      bool          `json:"isDraft"`
	Head         commitRef     `json:"lastMergeSourceCommit"`
	Base         commitRef     `json:"lastMergeTargetCommit"`
	Merge        commitRef     `json:"lastMergeCommit"`
	Labels       []labelRef    `json:"labels"`
	Reviewers    []reviewerRef `json:"reviewers"`
	ForkSource   *struct {
		Repository repositoryRef `json:"repository"`
	} `json:"forkSource"`
}

// maxLabels is the most labels that are kept of a pull request.
const maxLabels = 200

// pull converts a pull request. The host keeps no time of its last change, so UpdatedAt is the time of its creation or merge.
func (p pullRef) pull(url string) codehost.PullRequest {
	out := codehost.PullRequest{Number: p.Number, Title: p.Title, Body: p.Description, URL: url, Author: p.CreatedBy.UniqueName,
		AuthorID: guid(p.CreatedBy.ID), AuthorIsBot: p.CreatedBy.isBot(), Open: p.Status == "active", Merged: p.Status == "completed",
		Draft: p.IsDraft, FromFork: p.ForkSource != nil, HeadSHA: p.Head.CommitID, HeadRef: strings.TrimPrefix(p.Source, heads),
		BaseSHA: p.Base.CommitID, BaseRef: strings.TrimPrefix(p.Target, heads), CreatedAt: timeOf(p.CreationDate),
		UpdatedAt: timeOf(p.CreationDate)}
	for _, l := range p.Labels[:min(len(p.Labels), maxLabels)] {
		out.Labels = append(out.Labels, l.Name)
	}
	if out.Merged {
		out.MergedAt, out.MergeCommit = timeOf(p.ClosedDate), p.Merge.CommitID
		out.UpdatedAt = out.MergedAt // for good, while an abandoned one may become active again
	}
	return out
}

// timeOf parses a time. It returns zero for another form.
func timeOf(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

type pointRef struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

// placeRef is the place of a thread. Lines begin at 1, and so do offsets; the offset of an end is one past the last character.
type placeRef struct {
	Path       string    `json:"filePath"`
	LeftStart  *pointRef `json:"leftFileStart,omitempty"`
	LeftEnd    *pointRef `json:"leftFileEnd,omitempty"`
	RightStart *pointRef `json:"rightFileStart,omitempty"`
	RightEnd   *pointRef `json:"rightFileEnd,omitempty"`
}

// span returns path, side and first and last line of a place. The lines are 0 for a comment on a whole file.
func (p *placeRef) span() (path, side string, first, last int) {
	const most = 1 << 30
	side, start, end := string(domain.Right), p.RightStart, p.RightEnd
	if end == nil && start == nil {
		side, start, end = string(domain.Left), p.LeftStart, p.LeftEnd
	}
	if end == nil {
		end = start
	}
	if end == nil {
		return strings.TrimPrefix(p.Path, "/"), string(domain.Right), 0, 0
	}
	last = min(max(end.Line, 0), most)
	if first = last; start != nil && start.Line > 0 && start.Line < last {
		first = start.Line
	}
	return strings.TrimPrefix(p.Path, "/"), side, first, last
}

type commentRef struct {
	ID        int         `json:"id"`
	Parent    int         `json:"parentCommentId"`
	Author    identityRef `json:"author"`
	Content   string      `json:"content"`
	Type      string      `json:"commentType"` // text, codeChange, system
	Deleted   bool        `json:"isDeleted"`
	Published string      `json:"publishedDate"`
	Changed   string      `json:"lastContentUpdatedDate"`
}

// isShown reports whether people see the comment, and a person or an account wrote it.
func (c commentRef) isShown() bool { return !c.Deleted && c.Type != "system" && c.ID > 0 }

type threadRef struct {
	ID         int64                      `json:"id"`
	Status     string                     `json:"status"`
	Deleted    bool                       `json:"isDeleted"`
	Comments   []commentRef               `json:"comments"`
	Place      *placeRef                  `json:"threadContext"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// begins returns the thread's first comment. ok is false if it is deleted or of the host itself.
func (t threadRef) begins() (c commentRef, ok bool) {
	if t.ID <= 0 || t.Deleted || len(t.Comments) == 0 {
		return c, false
	}
	return t.Comments[0], t.Comments[0].isShown()
}

// answered reports whether another comment follows in the thread.
func (t threadRef) answered() bool {
	for i, c := range t.Comments {
		if i > 0 && c.isShown() {
			return true
		}
	}
	return false
}

// open reports whether the thread waits for an answer. A thread without a state cannot be closed.
func (t threadRef) open() bool { return t.Status == "active" || t.Status == "pending" }

// markProperty is the name of the property with our mark.
const markProperty = "Assay.Mark"

// maxMark is the most bytes of a mark that is read.
const maxMark = 1000

// mark returns the mark that is kept beside the thread, or "". The host wraps values in objects with their type.
func (t threadRef) mark() string {
	var text string
	var wrapped struct {
		Value string `json:"$value"`
	}
	raw := t.Properties[markProperty]
	if json.Unmarshal(raw, &text) != nil {
		if json.Unmarshal(raw, &wrapped) != nil {
			return ""
		}
		text = wrapped.Value
	}
	return wire.OneLine(text, maxMark)
}
